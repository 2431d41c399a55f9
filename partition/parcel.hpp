#pragma once
// Lists of records of several kinds in one message.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

#include <cstring>
#include <vector>

namespace talus {

template <class Record>
void put_records(Bytes& bytes, const std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const auto count = static_cast<std::int64_t>(records.size());
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(count) + records.size() * sizeof(Record));
  std::memcpy(bytes.data() + at, &count, sizeof(count));
  if (!records.empty())
    std::memcpy(bytes.data() + at + sizeof(count), records.data(), records.size() * sizeof(Record));
}

/// The next list of a message; nothing is left over where the message has ended. Throws where it is
/// shorter than it says.
template <class Record>
void take_records(const Bytes& bytes, std::size_t& at, std::vector<Record>& records) {
  if (at == bytes.size()) return;
  std::int64_t count = 0;
  if (bytes.size() - at < sizeof(count)) throw std::runtime_error("a message is cut off");
  std::memcpy(&count, bytes.data() + at, sizeof(count));
  at += sizeof(count);
  const std::size_t room = (bytes.size() - at) / sizeof(Record);
  if (count < 0 || static_cast<std::size_t>(count) > room)
    throw std::runtime_error("a message is cut off");
  const std::size_t before = records.size();
  records.resize(before + static_cast<std::size_t>(count));
  if (count > 0)
    std::memcpy(static_cast<void*>(records.data() + before), bytes.data() + at,
                static_cast<std::size_t>(count) * sizeof(Record));
  at += static_cast<std::size_t>(count) * sizeof(Record);
}

}  // namespace talus
