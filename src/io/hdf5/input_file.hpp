#pragma once
// An HDF5 file that may hold anything: every look at it is checked, every fault collected with its
// place.

#include "talus/core/error.hpp"
#include "talus/problem/body_problem.hpp"

#include "io/hdf5/file_driver.hpp"
#include "io/hdf5/hdf5.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::io {

class InputFile {
 public:
  /// Throws InputError when there is nothing to read: no file, not HDF5, truncated.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  InputErrors& errors() { return errors_; }

  /// Whether there is something of that name; never a fault.
  bool has(const std::string& object) const;
  /// Names in a group; none where there is no such group.
  std::vector<std::string> children(const std::string& group) const;

  // Datasets, or the rows of a range that they have. Absent, of the wrong kind or unreadable: a
  // fault, and no value.
  using Rows = std::optional<SliceRange>;
  std::optional<std::vector<double>> reals(const std::string& dataset, const Rows& rows = {});
  std::optional<std::vector<std::int64_t>> integers(const std::string& dataset,
                                                    const Rows& rows = {});
  std::optional<std::int64_t> integer(const std::string& dataset);
  /// Rows of `columns` numbers each, one row after another.
  std::optional<std::vector<double>> table(const std::string& dataset, std::size_t columns,
                                           const Rows& rows = {});
  /// Rows of a dataset of reals or (with 0 columns) integers, which are not read.
  std::optional<GlobalId> row_count(const std::string& dataset, std::size_t columns,
                                    bool integral = false);

  /// Whether every object can be opened: a file that is to be changed must be sound, or HDF5 may
  /// not survive closing it.
  bool is_sound() const;

  /// Attributes of a group or dataset. Absent: no value; present but of the wrong kind: a fault.
  std::optional<double> real_attribute(const std::string& object, const std::string& name);
  std::optional<std::int64_t> integer_attribute(const std::string& object, const std::string& name);

  /// Text in a dataset or attribute; empty where there is none. What people wrote is never a fault.
  std::string text(const std::string& dataset) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;

  void fault(const std::string& place, const std::string& message);
  void fault(const std::string& dataset, std::size_t index, double value,
             const std::string& message);
  void fault(const std::string& dataset, std::size_t index, std::int64_t value,
             const std::string& message);
  /// A fault for every number that is not finite.
  void require_finite(const std::string& dataset, const std::vector<double>& values);

 private:
  struct Numbers {
    Handle set, space;
    std::size_t count = 0;
  };
  std::optional<Numbers> open_numbers(const std::string& dataset, std::size_t columns,
                                      bool integral);
  template <class Number>
  std::optional<std::vector<Number>> numbers(const std::string& dataset, std::size_t columns,
                                             const Rows& rows);
  template <class Number>
  std::optional<Number> attribute(const std::string& object, const std::string& name);
  Handle open(const std::string& object) const;
  bool is_kind(const std::string& place, hid_t type, bool integral);
  std::optional<std::size_t> length_of(const std::string& dataset, hid_t space,
                                       std::size_t columns);
  bool is_plausible(const std::string& dataset, hid_t set, std::size_t count);

  QuietErrors quiet_;  // first: silent before the file opens and until it has closed
  std::string path_;
  std::uintmax_t file_size_ = 0;
  FileState state_;
  Handle file_;
  InputErrors errors_;
};

// Whether several ranks see the same file: stale copies on their own disks are told apart.

struct FileSample {
  std::int64_t size = 0;   ///< bytes
  std::uint64_t hash = 0;  ///< of all bytes up to 1 MiB, of 256 pieces spread evenly beyond
};

/// Throws InputError where the file cannot be read.
FileSample sample_of(const std::string& path);

}  // namespace talus::io
