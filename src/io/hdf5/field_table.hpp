#pragma once
// Rows of numbers under names, that ranks collect with one of them. Each row has a key by which all
// rows are ordered: what is collected does not depend on who had which row.

#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"
#include "talus/parallel/communicator.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace talus::io {

struct Field {
  using Values = std::variant<std::vector<double>, std::vector<std::int64_t>,
                              std::vector<std::int32_t>, std::vector<std::uint8_t>>;
  std::string name;
  int components = 1;
  Values values;
};

using RowKey = std::array<std::int64_t, 3>;

struct FieldTable {
  std::vector<RowKey> key;  ///< no two rows have the same
  std::vector<Field> fields;

  std::size_t rows() const { return key.size(); }
  /// Null where there is none.
  const Field* find(const std::string& name) const;
  const std::vector<double>& reals(const std::string& name) const;
  const std::vector<std::int32_t>& integers(const std::string& name) const;
};

inline void put(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}
inline void put(std::vector<double>& numbers, const Quaternion& q) {
  numbers.insert(numbers.end(), {q.w, q.x, q.y, q.z});
}
inline Vec3 vector_at(const std::vector<double>& numbers, std::size_t row) {
  return {numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2]};
}

/// The rank that collects for `rank`: the first of its `size` neighbours.
constexpr int collector(int rank, int size) {
  return rank - rank % size;
}

/// All tables (the same names and types on all ranks) of the ranks of each group, on its collector,
/// rows in the order of their keys; tables without rows elsewhere. Collective.
std::vector<FieldTable> collected(const Communicator& comm, int ranks_per_group,
                                  std::vector<FieldTable> mine);

/// What one rank has of the rows of its group.
struct RowShare {
  std::int64_t before = 0;  ///< how many rows the ranks before it have
  std::int64_t all = 0;     ///< rows of the group
};
struct SharedTable {
  FieldTable mine;
  RowShare share;
};

/// The same rows in the same order, but each rank of the group keeps about as many of them: one
/// rank after the other has the next. Collective.
std::vector<SharedTable> shared_out(const Communicator& comm, int ranks_per_group,
                                    std::vector<FieldTable> mine);

}  // namespace talus::io
