#include "talus/parallel/agreement.hpp"

#include <array>
#include <fmt/format.h>
#include <new>

namespace talus {
namespace {

enum class Fault : char { Input = 'i', Memory = 'm', Other = 'o' };

/// Messages as they travel: the kind, then each with a zero behind it.
Bytes packed(Fault fault, const std::vector<std::string>& messages) {
  std::string text(1, static_cast<char>(fault));
  for (const std::string& message : messages) text += message + '\0';
  return to_bytes(std::span<const char>(text));
}

std::vector<std::string> messages_in(const Bytes& bytes) {
  std::vector<std::string> messages{""};
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    const char letter = static_cast<char>(bytes[i]);
    if (letter != '\0')
      messages.back() += letter;
    else if (i + 1 < bytes.size())
      messages.emplace_back();
  }
  return messages;
}

[[noreturn]] void throw_agreed(const Bytes& bytes, int rank) {
  const std::vector<std::string> messages = messages_in(bytes);
  switch (static_cast<Fault>(bytes.front())) {
    case Fault::Input:
      throw AgreedInputError(messages);
    case Fault::Memory:
      throw AgreedFailure(fmt::format(
          "rank {}: out of memory: use more ranks on more machines, or a smaller problem", rank));
    case Fault::Other:
      break;
  }
  throw AgreedFailure(fmt::format("rank {}: {}", rank, messages.front()));
}

}  // namespace

void agree(const Communicator& comm, const std::function<void()>& action) {
  if (comm.size() == 1) return action();
  Bytes fault;
  try {
    action();
  } catch (const InputError& error) {
    fault = packed(Fault::Input, error.messages());
  } catch (const std::bad_alloc&) {
    fault = packed(Fault::Memory, {});
  } catch (const std::exception& error) {
    fault = packed(Fault::Other, {error.what()});
  }
  std::array<double, 1> first{static_cast<double>(fault.empty() ? comm.size() : comm.rank())};
  comm.smallest(first);
  const int rank = static_cast<int>(first[0]);
  if (rank == comm.size()) return;
  comm.broadcast(fault, rank);
  throw_agreed(fault, rank);
}

}  // namespace talus
