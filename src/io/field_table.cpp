#include "io/field_table.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace talus::io {
namespace {

/// Appends the numbers of a list and how many they are.
template <class Number>
void pack(Bytes& bytes, const std::vector<Number>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  const std::size_t begin = bytes.size(), length = values.size() * sizeof(Number);
  bytes.resize(begin + sizeof count + length);
  std::memcpy(bytes.data() + begin, &count, sizeof count);
  if (length > 0) std::memcpy(bytes.data() + begin + sizeof count, values.data(), length);
}

template <class Number>
void unpack(const Bytes& bytes, std::size_t& at, std::vector<Number>& values) {
  std::int64_t count = 0;
  std::memcpy(&count, bytes.data() + at, sizeof count);
  at += sizeof count;
  const std::size_t before = values.size(), more = static_cast<std::size_t>(count);
  values.resize(before + more);
  if (more > 0) std::memcpy(values.data() + before, bytes.data() + at, more * sizeof(Number));
  at += more * sizeof(Number);
}

std::size_t packed_size(const FieldTable& table) {
  std::size_t size = sizeof(std::int64_t) + table.key.size() * sizeof(RowKey);
  for (const Field& field : table.fields)
    std::visit(
        [&](const auto& values) {
          size += sizeof(std::int64_t) + values.size() * sizeof(values[0]);
        },
        field.values);
  return size;
}

void pack(Bytes& bytes, const FieldTable& table) {
  bytes.reserve(bytes.size() + packed_size(table));
  pack(bytes, table.key);
  for (const Field& field : table.fields)
    std::visit([&](const auto& values) { pack(bytes, values); }, field.values);
}

void unpack(const Bytes& bytes, std::size_t& at, FieldTable& table) {
  unpack(bytes, at, table.key);
  for (Field& field : table.fields)
    std::visit([&](auto& values) { unpack(bytes, at, values); }, field.values);
}

template <class Number>
void reorder(std::vector<Number>& values, const std::vector<std::size_t>& order, std::size_t wide) {
  std::vector<Number> sorted(values.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(values.data() + order[i] * wide, wide, sorted.data() + i * wide);
  values = std::move(sorted);
}

/// Places of keys in their order. Each rank has sent its own in order: as few runs as there are
/// ranks are merged.
std::vector<std::size_t> merged_order(const std::vector<RowKey>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i] < keys[i - 1]) begins.push_back(i);
  begins.push_back(keys.size());
  const auto at = [&](std::size_t run) {
    return order.begin() + static_cast<std::ptrdiff_t>(begins[std::min(run, begins.size() - 1)]);
  };
  const auto before = [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; };
  for (std::size_t width = 1; width + 1 < begins.size(); width *= 2)
    for (std::size_t run = 0; run + width + 1 < begins.size(); run += 2 * width)
      std::inplace_merge(at(run), at(run + width), at(run + 2 * width), before);
  return order;
}

void sort_rows(FieldTable& table) {
  if (std::is_sorted(table.key.begin(), table.key.end())) return;
  const std::vector<std::size_t> order = merged_order(table.key);
  reorder(table.key, order, 1);
  for (Field& field : table.fields)
    std::visit(
        [&](auto& values) { reorder(values, order, static_cast<std::size_t>(field.components)); },
        field.values);
}

void clear(FieldTable& table) {
  table.key.clear();
  for (Field& field : table.fields) std::visit([](auto& values) { values.clear(); }, field.values);
}

template <class Number>
const std::vector<Number>& values_of(const FieldTable& table, const std::string& name) {
  const Field* found = table.find(name);
  TALUS_ASSERT(found != nullptr);
  return std::get<std::vector<Number>>(found->values);
}

}  // namespace

const Field* FieldTable::find(const std::string& name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const std::vector<double>& FieldTable::reals(const std::string& name) const {
  return values_of<double>(*this, name);
}
const std::vector<std::int32_t>& FieldTable::integers(const std::string& name) const {
  return values_of<std::int32_t>(*this, name);
}

std::vector<FieldTable> collected(const Communicator& comm, int ranks_per_group,
                                  std::vector<FieldTable> mine) {
  TALUS_ASSERT(ranks_per_group > 0);
  if (comm.size() > 1 && ranks_per_group > 1) {
    const int to = collector(comm.rank(), ranks_per_group);
    std::vector<Bytes> to_each(static_cast<std::size_t>(comm.size()));
    if (to != comm.rank()) {
      for (FieldTable& table : mine) {
        pack(to_each[static_cast<std::size_t>(to)], table);
        clear(table);
      }
    }
    for (const Bytes& bytes : comm.all_to_all(to_each)) {
      std::size_t at = 0;
      if (bytes.empty()) continue;
      for (FieldTable& table : mine) unpack(bytes, at, table);
    }
  }
  for (FieldTable& table : mine) sort_rows(table);
  return mine;
}

}  // namespace talus::io
