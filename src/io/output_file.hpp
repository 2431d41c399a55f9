#pragma once
// An HDF5 file in the making. It stands beside its goal under another name until commit(); what
// goes wrong before leaves the goal as it was and nothing else behind.

#include "io/file_driver.hpp"
#include "io/hdf5.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace talus::io {

class OutputFile {
 public:
  enum class Start { Empty, CopyOfGoal };

  /// Throws std::runtime_error when the folder cannot be written to.
  explicit OutputFile(const std::string& goal, Start start = Start::Empty);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void group(const std::string& name);
  void remove(const std::string& object);
  bool has(const std::string& object) const;

  /// Datasets; `columns` > 0 makes a table of that many columns.
  void write(const std::string& dataset, const std::vector<double>& values, hsize_t columns = 0);
  void write(const std::string& dataset, const std::vector<std::int64_t>& values);
  void write(const std::string& dataset, const std::vector<std::int32_t>& values);
  void write(const std::string& dataset, const std::string& text);

  /// The first rows of a dataset of so many; others write the rest, once the file is finished.
  /// Returns where in the file the dataset begins.
  std::int64_t write_first(const std::string& dataset, const std::vector<double>& values,
                           hsize_t rows, hsize_t columns = 0);
  std::int64_t write_first(const std::string& dataset, const std::vector<std::int64_t>& values,
                           hsize_t rows, hsize_t columns = 0);

  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, const std::string& value);

  /// Everything on the disk, beside its goal: HDF5 has done its work.
  void finish();
  const std::string& name_beside() const { return beside_; }
  /// What is finished gets its own name.
  void take_place();
  /// Both.
  void commit();

 private:
  struct Extent {
    hsize_t rows = 0, columns = 0;  ///< no columns: a list
  };
  /// The first of `rows` rows; returns where the dataset begins.
  std::int64_t write(const std::string& dataset, hid_t type, const void* values,
                     const Extent& whole, hsize_t rows);
  void attribute(const std::string& object, const std::string& name, hid_t type, const void* value);
  /// Throws unless `ok` and nothing has failed on the disk so far.
  void require(bool ok, const std::string& what) const;

  QuietErrors quiet_;
  std::string goal_, beside_;
  FileState state_;  // before the file that reports to it
  Handle file_;
  bool committed_ = false;
};

}  // namespace talus::io
