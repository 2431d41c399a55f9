#include "talus/parallel/agreement.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <new>

namespace talus {
namespace {

enum class Fault : char { Input = 'i', Other = 'o' };

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
  if (static_cast<Fault>(bytes.front()) == Fault::Input) throw AgreedInputError(messages);
  throw AgreedFailure(fmt::format("rank {}: {}", rank, messages.front()));
}

}  // namespace

std::string failure_text(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) == nullptr) return failure.what();
  return "out of memory: use more ranks on more machines, or a smaller problem";
}

void agree(const Communicator& comm, const std::function<void()>& action) {
  if (comm.size() == 1) return action();
  Bytes fault;
  try {
    action();
  } catch (const InputError& error) {
    fault = packed(Fault::Input, error.messages());
  } catch (const std::exception& error) {
    fault = packed(Fault::Other, {failure_text(error)});
  }
  std::array<double, 1> first{static_cast<double>(fault.empty() ? comm.size() : comm.rank())};
  comm.smallest(first);
  const int rank = static_cast<int>(first[0]);
  if (rank == comm.size()) return;
  comm.broadcast(fault, rank);
  throw_agreed(fault, rank);
}

namespace {

/// What a rank would say alone: faults, and how many there are beyond those.
struct Found {
  std::vector<std::string> messages;
  std::size_t others = 0;
};

Found found_by(const InputErrors& errors) {
  Found found;
  try {
    errors.throw_if_any();
  } catch (const InputError& error) {
    found.messages = error.messages();
  }
  if (found.messages.empty()) return found;
  // the last line says how many are not shown, where there are any
  const std::size_t others = errors.count() - (found.messages.size() - 1);
  if (found.messages.back() != fmt::format("and {} more", others)) return found;
  found.messages.pop_back();
  found.others = others;
  return found;
}

/// As it travels: each message with a zero behind it, then the number of the others.
Bytes packed(const Found& found) {
  std::string text;
  for (const std::string& message : found.messages) text += message + '\0';
  text += std::to_string(found.others);
  return to_bytes(std::span<const char>(text));
}

Found found_in(const Bytes& bytes) {
  Found found;
  std::string line;
  for (const char letter : from_bytes<char>(bytes)) {
    if (letter != '\0') {
      line += letter;
      continue;
    }
    found.messages.push_back(line);
    line.clear();
  }
  found.others = std::stoull(line);
  return found;
}

Found merged(const std::vector<Bytes>& of_each) {
  Found all;
  for (const Bytes& bytes : of_each) {
    const Found found = found_in(bytes);
    for (const std::string& message : found.messages)
      if (std::find(all.messages.begin(), all.messages.end(), message) == all.messages.end())
        all.messages.push_back(message);
    all.others += found.others;
  }
  return all;
}

}  // namespace

void throw_merged(const Communicator& comm, const InputErrors& errors) {
  if (comm.size() == 1) return errors.throw_if_any();
  if (comm.all_agree(errors.empty())) return;
  const std::vector<Bytes> of_each = comm.gather(packed(found_by(errors)), 0);
  Bytes together;
  if (comm.rank() == 0) together = packed(merged(of_each));
  comm.broadcast(together, 0);
  const Found all = found_in(together);
  InputErrors shown;
  for (const std::string& message : all.messages) shown.add(message);
  for (std::size_t i = 0; i < all.others; ++i) shown.add({});
  try {
    shown.throw_if_any();
  } catch (const InputError& error) {
    throw AgreedInputError(error.messages());
  }
}

}  // namespace talus
