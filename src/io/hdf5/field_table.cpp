#include "io/hdf5/field_table.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace talus::io {
namespace {

/// Rows from `begin` to before `end`.
struct Rows {
  std::size_t begin = 0, end = 0;
  std::size_t count() const { return end - begin; }
};

/// Numbers of rows that are `wide` each.
template <class Number>
void pack(Bytes& bytes, const std::vector<Number>& values, const Rows& rows, std::size_t wide) {
  const std::byte* from = reinterpret_cast<const std::byte*>(values.data() + rows.begin * wide);
  bytes.insert(bytes.end(), from, from + rows.count() * wide * sizeof(Number));
}

template <class Number>
void unpack(const Bytes& bytes, std::size_t& at, std::vector<Number>& values, std::size_t count) {
  const std::size_t before = values.size();
  values.resize(before + count);
  if (count > 0) std::memcpy(values.data() + before, bytes.data() + at, count * sizeof(Number));
  at += count * sizeof(Number);
}

std::size_t width(const Field& field) {
  return static_cast<std::size_t>(field.components);
}

std::size_t packed_size(const FieldTable& table, const Rows& rows) {
  std::size_t row = sizeof(RowKey);
  for (const Field& field : table.fields)
    row += width(field) * std::visit([](const auto& v) { return sizeof(v[0]); }, field.values);
  return sizeof(std::int64_t) + rows.count() * row;
}

/// Appends how many rows there are, and their numbers.
void pack(Bytes& bytes, const FieldTable& table, const Rows& rows) {
  bytes.reserve(bytes.size() + packed_size(table, rows));
  const auto count = static_cast<std::int64_t>(rows.count());
  const std::byte* from = reinterpret_cast<const std::byte*>(&count);
  bytes.insert(bytes.end(), from, from + sizeof count);
  pack(bytes, table.key, rows, 1);
  for (const Field& field : table.fields)
    std::visit([&](const auto& values) { pack(bytes, values, rows, width(field)); }, field.values);
}

void unpack(const Bytes& bytes, std::size_t& at, FieldTable& table) {
  std::int64_t count = 0;
  std::memcpy(&count, bytes.data() + at, sizeof count);
  at += sizeof count;
  const auto rows = static_cast<std::size_t>(count);
  unpack(bytes, at, table.key, rows);
  for (Field& field : table.fields)
    std::visit([&](auto& values) { unpack(bytes, at, values, rows * width(field)); }, field.values);
}

/// Sends tables of rows to ranks, and appends what comes from others.
void exchange(const Communicator& comm, const std::vector<Bytes>& to_each,
              std::vector<FieldTable>& tables) {
  for (const Bytes& bytes : comm.all_to_all(to_each)) {
    std::size_t at = 0;
    if (bytes.empty()) continue;
    for (FieldTable& table : tables) unpack(bytes, at, table);
  }
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

template <class Number>
void keep(std::vector<Number>& values, const Rows& rows, std::size_t wide) {
  values.resize(rows.end * wide);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows.begin * wide));
}

void keep(FieldTable& table, const Rows& rows) {
  keep(table.key, rows, 1);
  for (Field& field : table.fields)
    std::visit([&](auto& values) { keep(values, rows, width(field)); }, field.values);
}

/// One of a rank's rows, which stands for so many.
struct Sample {
  RowKey key;
  double rows;
};

/// Few of a rank's rows, in the order of all of them.
std::vector<Sample> samples_of(const FieldTable& table) {
  constexpr std::size_t most = 256;
  const std::size_t count = std::min(most, table.rows());
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({table.key[(2 * i + 1) * table.rows() / (2 * count)],
                       static_cast<double>(table.rows()) / static_cast<double>(count)});
  return samples;
}

/// The ranks that have a group, of which `rank` is one.
struct Group {
  Group(const Communicator& comm, int ranks_per_group)
      : first(static_cast<std::size_t>(collector(comm.rank(), ranks_per_group))),
        count(static_cast<std::size_t>(
            std::min(ranks_per_group, comm.size() - static_cast<int>(first)))),
        mine(static_cast<std::size_t>(comm.rank()) - first) {}
  std::size_t first, count, mine;
};

/// What each rank of the group has, in their order. Collective.
template <class T>
std::vector<std::vector<T>> of_group(const Communicator& comm, const Group& group,
                                     const std::vector<T>& mine) {
  std::vector<Bytes> to_each(static_cast<std::size_t>(comm.size()));
  for (std::size_t r = 0; r < group.count; ++r) to_each[group.first + r] = to_bytes(mine);
  const std::vector<Bytes> all = comm.all_to_all(to_each);
  std::vector<std::vector<T>> lists;
  for (std::size_t r = 0; r < group.count; ++r)
    lists.push_back(from_bytes<T>(all[group.first + r]));
  return lists;
}

/// Keys at which the rows of a group are cut into about equal parts.
std::vector<RowKey> cuts_of(std::vector<Sample> samples, std::size_t parts) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.key < b.key; });
  double all = 0.0, before = 0.0;
  for (const Sample& sample : samples) all += sample.rows;
  std::vector<RowKey> cuts;
  for (const Sample& sample : samples) {
    while (cuts.size() + 1 < parts &&
           before >= all * static_cast<double>(cuts.size() + 1) / static_cast<double>(parts))
      cuts.push_back(sample.key);
    before += sample.rows;
  }
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  cuts.resize(parts - 1, {last, last, last});
  return cuts;
}

/// The cuts of each table, alike on all ranks of the group. Collective.
std::vector<std::vector<RowKey>> cuts_of(const Communicator& comm, const Group& group,
                                         const std::vector<FieldTable>& tables) {
  std::vector<std::vector<RowKey>> cuts;
  for (const FieldTable& table : tables) {
    std::vector<Sample> all;
    for (const std::vector<Sample>& samples : of_group(comm, group, samples_of(table)))
      all.insert(all.end(), samples.begin(), samples.end());
    cuts.push_back(cuts_of(std::move(all), group.count));
  }
  return cuts;
}

Rows rows_between(const std::vector<RowKey>& keys, const std::vector<RowKey>& cuts,
                  std::size_t part) {
  const auto place = [&](const RowKey& cut) {
    return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), cut) - keys.begin());
  };
  return {part == 0 ? 0 : place(cuts[part - 1]),
          part == cuts.size() ? keys.size() : place(cuts[part])};
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
        pack(to_each[to], table, {0, table.rows()});
        keep(table, {0, 0});
      }
    }
    exchange(comm, to_each, mine);
  }
  for (FieldTable& table : mine) sort_rows(table);
  return mine;
}

std::vector<SharedTable> shared_out(const Communicator& comm, int ranks_per_group,
                                    std::vector<FieldTable> mine) {
  TALUS_ASSERT(ranks_per_group > 0);
  for (FieldTable& table : mine) sort_rows(table);
  const Group group(comm, ranks_per_group);
  if (comm.size() > 1 && ranks_per_group > 1) {
    const std::vector<std::vector<RowKey>> cuts = cuts_of(comm, group, mine);
    std::vector<Bytes> to_each(static_cast<std::size_t>(comm.size()));
    for (std::size_t t = 0; t < mine.size(); ++t) {
      for (std::size_t r = 0; r < group.count; ++r)
        if (r != group.mine)
          pack(to_each[group.first + r], mine[t], rows_between(mine[t].key, cuts[t], r));
      keep(mine[t], rows_between(mine[t].key, cuts[t], group.mine));
    }
    exchange(comm, to_each, mine);
    for (FieldTable& table : mine) sort_rows(table);
  }
  std::vector<SharedTable> shared;
  for (FieldTable& table : mine) shared.push_back({std::move(table), {}});
  std::vector<std::int64_t> rows;
  for (const SharedTable& table : shared)
    rows.push_back(static_cast<std::int64_t>(table.mine.rows()));
  const auto all = ranks_per_group > 1 ? of_group(comm, group, rows)
                                       : std::vector<std::vector<std::int64_t>>{rows};
  for (std::size_t r = 0; r < all.size(); ++r)
    for (std::size_t t = 0; t < shared.size(); ++t) {
      if (r < group.mine) shared[t].share.before += all[r][t];
      shared[t].share.all += all[r][t];
    }
  return shared;
}

}  // namespace talus::io
