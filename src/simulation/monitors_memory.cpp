// What monitors remember from step to step, for runs that go on.

#include "talus/core/error.hpp"
#include "talus/simulation/monitors.hpp"

#include <array>
#include <cstring>
#include <type_traits>

namespace talus {
namespace {

static_assert(std::is_trivially_copyable_v<LimbSum>);

template <class Value>
void pack(Bytes& bytes, const Value& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class Value>
void unpack(const Bytes& bytes, std::size_t& at, Value& value) {
  TALUS_ASSERT(at + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
}

}  // namespace

Bytes Monitors::memory() const {
  Bytes bytes;
  for (const Memory& memory : memory_) {
    std::vector<LimbSum> sums = memory.sums;
    if (!sums.empty()) reduce(comm_, sums);
    std::array<std::int64_t, 1> crossings{memory.crossings};
    comm_.sum(crossings);
    for (const LimbSum& sum : sums) pack(bytes, sum);
    pack(bytes, crossings[0]);
    pack(bytes, memory.ticks);
    pack(bytes, memory.since);
    pack(bytes, memory.total);
    pack(bytes, memory.total_crossings);
  }
  return bytes;
}

void Monitors::recall(const Bytes& bytes) {
  std::size_t at = 0;
  for (Memory& memory : memory_) {
    for (LimbSum& sum : memory.sums) unpack(bytes, at, sum);
    unpack(bytes, at, memory.crossings);
    unpack(bytes, at, memory.ticks);
    unpack(bytes, at, memory.since);
    unpack(bytes, at, memory.total);
    unpack(bytes, at, memory.total_crossings);
    if (comm_.rank() == 0) continue;  // which has it for all
    for (LimbSum& sum : memory.sums) sum = {};
    memory.crossings = 0;
  }
  TALUS_ASSERT(at == bytes.size());
}

}  // namespace talus
