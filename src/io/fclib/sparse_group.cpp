#include "io/fclib/sparse_group.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus::io {
namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

/// What the group holds, as it stands in the file.
struct Raw {
  std::int64_t rows = 0, columns = 0, storage = 0;
  std::vector<std::int64_t> p, i;
  std::vector<double> x;
};

std::optional<Raw> read_raw(InputFile& file, const std::string& group) {
  const auto m = file.integer(group + "/m"), n = file.integer(group + "/n");
  const auto nz = file.integer(group + "/nz");
  auto p = file.integers(group + "/p"), i = file.integers(group + "/i");
  auto x = file.reals(group + "/x");
  if (x) file.require_finite(group + "/x", *x);
  if (!m || !n || !nz || !p || !i || !x) return {};
  return Raw{*m, *n, *nz, std::move(*p), std::move(*i), std::move(*x)};
}

bool has_size(InputFile& file, const std::string& place, std::int64_t value,
              const Expected& expected) {
  if (value < 0 || value > largest_index) {
    file.fault(place, 0, value, "must lie between 0 and 2147483647");
    return false;
  }
  if (!expected.size) return false;
  if (static_cast<std::size_t>(value) == *expected.size) return true;
  file.fault(place, 0, value, fmt::format("must be {}, {}", *expected.size, expected.because));
  return false;
}

/// True when the first `count` entries are indices below `bound`.
bool in_range(InputFile& file, const std::string& place, const std::vector<std::int64_t>& indices,
              std::size_t count, std::int64_t bound) {
  bool ok = true;
  for (std::size_t k = 0; k < count; ++k) {
    if (indices[k] >= 0 && indices[k] < bound) continue;
    file.fault(place, k, indices[k], fmt::format("index out of range; must lie in [0, {})", bound));
    ok = false;
  }
  return ok;
}

/// An array of the group, by its name.
using Length = std::pair<const char*, std::size_t>;

/// Whether `claimed` entries, which `place` says there are, stand in all arrays. Where all have the
/// same length it is the claim that is at fault. No entries where there are some would be read as
/// zero.
bool has_entries(InputFile& file, const std::string& group, const std::string& place,
                 std::int64_t claimed, const std::vector<Length>& arrays) {
  const auto needed = static_cast<std::size_t>(claimed);
  const auto fits = [&](const Length& a) {
    return needed == 0 ? a.second == 0 : a.second >= needed;
  };
  if (std::all_of(arrays.begin(), arrays.end(), fits)) return true;
  std::string names;
  bool alike = true;
  for (const auto& [name, length] : arrays) {
    names += (names.empty() ? "" : ", ") + std::string(name);
    alike = alike && length == arrays.front().second;
  }
  if (alike)
    file.fault(
        fmt::format("{} = {}", place, claimed),
        fmt::format("but {} have {} entries; must be their number", names, arrays.front().second));
  for (const auto& [name, length] : arrays)
    if (!alike && !fits({name, length}))
      file.fault(group + "/" + name, fmt::format("has {} entries; must have {}, for {} = {}",
                                                 length, needed, place, claimed));
  return false;
}

std::optional<std::vector<Triplet>> triplets(InputFile& file, const std::string& group,
                                             const Raw& raw) {
  const auto nz = static_cast<std::size_t>(raw.storage);
  if (!has_entries(file, group, group + "/nz[0]", raw.storage,
                   {{"p", raw.p.size()}, {"i", raw.i.size()}, {"x", raw.x.size()}}))
    return {};
  // FCLib's header says it the other way round; its files hold rows in i, columns in p.
  // `&`: all faults, not the first
  if (!(in_range(file, group + "/i", raw.i, nz, raw.rows) &
        in_range(file, group + "/p", raw.p, nz, raw.columns)))
    return {};
  std::vector<Triplet> entries(nz);
  for (std::size_t k = 0; k < nz; ++k)
    entries[k] = {static_cast<Index>(raw.i[k]), static_cast<Index>(raw.p[k]), raw.x[k]};
  return entries;
}

/// Pointers must start at 0, never fall, and end within the entries that are there.
bool are_pointers(InputFile& file, const std::string& group, const Raw& raw, std::int64_t lines) {
  const std::string place = group + "/p";
  if (raw.p.size() != static_cast<std::size_t>(lines) + 1) {
    file.fault(place, fmt::format("has {} entries; must have {}: one for each line and the end",
                                  raw.p.size(), lines + 1));
    return false;
  }
  bool ok = raw.p[0] == 0;
  if (!ok) file.fault(place, 0, raw.p[0], "must be 0, where the first line starts");
  for (std::size_t k = 1; k < raw.p.size(); ++k) {
    if (raw.p[k] >= raw.p[k - 1]) continue;
    file.fault(
        place, k, raw.p[k],
        fmt::format("is less than the one before it, {}; pointers never fall", raw.p[k - 1]));
    ok = false;
  }
  if (!ok) return false;
  return has_entries(file, group, fmt::format("{}[{}]", place, lines), raw.p.back(),
                     {{"i", raw.i.size()}, {"x", raw.x.size()}});
}

std::optional<std::vector<Triplet>> compressed(InputFile& file, const std::string& group,
                                               const Raw& raw) {
  const bool by_rows = raw.storage == -2;
  const std::int64_t lines = by_rows ? raw.rows : raw.columns;
  const std::int64_t others = by_rows ? raw.columns : raw.rows;
  if (!are_pointers(file, group, raw, lines)) return {};
  const auto count = static_cast<std::size_t>(raw.p.back());
  if (!in_range(file, group + "/i", raw.i, count, others)) return {};
  std::vector<Triplet> entries;
  entries.reserve(count);
  for (std::size_t line = 0; line + 1 < raw.p.size(); ++line)
    for (auto k = static_cast<std::size_t>(raw.p[line]);
         k < static_cast<std::size_t>(raw.p[line + 1]); ++k) {
      const auto here = static_cast<Index>(line), there = static_cast<Index>(raw.i[k]);
      entries.push_back(by_rows ? Triplet{here, there, raw.x[k]} : Triplet{there, here, raw.x[k]});
    }
  return entries;
}

}  // namespace

std::optional<SparseMatrix> read_sparse(InputFile& file, const std::string& group,
                                        const Expected& rows, const Expected& columns) {
  if (!file.has(group)) {
    file.fault(group, "is missing");
    return {};
  }
  const std::size_t faults = file.errors().count();
  const std::optional<Raw> raw = read_raw(file, group);
  if (!raw) return {};
  const std::size_t before_sizes = file.errors().count();
  const bool sizes_agree = has_size(file, group + "/m", raw->rows, rows) &
                           has_size(file, group + "/n", raw->columns, columns);
  // what follows from a wrong size is no fault of its own
  if (file.errors().count() > before_sizes) return {};
  std::optional<std::vector<Triplet>> entries;
  if (raw->storage >= 0)
    entries = triplets(file, group, *raw);
  else if (raw->storage >= -2)
    entries = compressed(file, group, *raw);
  else
    file.fault(
        group + "/nz", 0, raw->storage,
        "must be the number of triplets, -1 for compressed columns or -2 for compressed rows");
  // the sizes are those of vectors in the file by now, so memory is in proportion to the file
  if (!sizes_agree || !entries || file.errors().count() > faults) return {};
  return from_triplets(static_cast<Index>(raw->rows), static_cast<Index>(raw->columns),
                       std::move(*entries));
}

void write_sparse(OutputFile& file, const std::string& group, const SparseMatrix& matrix,
                  Storage storage) {
  using Integers = std::vector<std::int32_t>;
  const auto count = static_cast<std::int32_t>(matrix.nonzeros());
  file.group(group);
  file.write(group + "/nzmax", Integers{count});
  file.write(group + "/m", Integers{matrix.rows});
  file.write(group + "/n", Integers{matrix.columns});
  if (storage == Storage::CompressedRows) {
    file.write(group + "/nz", Integers{-2});
    file.write(group + "/p", Integers(matrix.row_start.begin(), matrix.row_start.end()));
    file.write(group + "/i", matrix.column);
  } else {
    Integers row;
    row.reserve(matrix.value.size());
    for (Index i = 0; i < matrix.rows; ++i)
      row.insert(row.end(), static_cast<std::size_t>(matrix.row_start[i + 1] - matrix.row_start[i]),
                 i);
    file.write(group + "/nz", Integers{count});
    file.write(group + "/p", matrix.column);
    file.write(group + "/i", row);
  }
  file.write(group + "/x", matrix.value);
}

void require_fclib_size(const std::string& path, const std::string& what, std::int64_t count) {
  if (count <= largest_index) return;
  throw InputError(
      fmt::format("{}: {} = {}: FCLib's integers have 32 bits and end at {}; write "
                  "the native layout, which has 64",
                  path, what, count, largest_index));
}

}  // namespace talus::io
