#pragma once
// An HDF5 file in the making. It stands beside its goal under another name until commit(); what
// goes wrong before leaves the goal as it was and nothing else behind.

#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include "io/hdf5/file_driver.hpp"
#include "io/hdf5/hdf5.hpp"

#include <cstdint>
#include <functional>
#include <optional>
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

// A file that all ranks make together. Rank 0 makes it with HDF5 and writes its own slices; then
// each other rank writes its slices into the places that HDF5 has given to the datasets. The bytes
// are those that one rank would write. docs/decisions/012-files-on-ranks.md.

class SharedOutput {
 public:
  /// As rank 0 sees it.
  SharedOutput(OutputFile& file, int ranks) : file_(&file), ranks_(ranks) {}
  /// As another rank sees it: `beside` is the file in the making, `places` where its datasets
  /// begin.
  SharedOutput(const std::string& goal, const std::string& beside, int rank, int ranks,
               std::vector<std::int64_t> places);
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  /// What rank 0 alone writes: small, and alike on all ranks.
  template <class Write>
  void head(const Write& write) {
    if (file_ != nullptr) write(*file_);
  }
  void group(const std::string& name);
  /// A new, empty group in the place of one that may be there.
  void replace_group(const std::string& name);
  template <class Value>
  void attribute(const std::string& object, const std::string& name, const Value& value) {
    if (file_ != nullptr) file_->attribute(object, name, value);
  }

  /// A dataset of `count` items, each of so many numbers, of which `mine` are those of this rank's
  /// slice: a list of numbers, or a table with a row for each item.
  struct Items {
    GlobalId count = 0;
    hsize_t numbers = 1;
    bool table = false;
  };
  void write(const std::string& dataset, const std::vector<double>& mine, const Items& items);
  void write(const std::string& dataset, const std::vector<std::int64_t>& mine, const Items& items);

  /// What this rank has written is on the disk.
  void sync();
  const std::vector<std::int64_t>& places() const { return places_; }

 private:
  template <class Number>
  void write_slice(const std::string& dataset, const std::vector<Number>& mine, const Items& items);
  void write_at(std::int64_t place, const char* from, std::size_t size, const std::string& what);

  OutputFile* file_ = nullptr;
  std::string goal_;
  int rank_ = 0, ranks_ = 1;
  int descriptor_ = -1;
  std::vector<std::int64_t> places_;  // rank 0 adds to it, the others go through it
  std::size_t next_ = 0;
};

/// Whether a file gets a seal (io/hdf5/hdf5.hpp) before it takes its place.
enum class Sealed : std::uint8_t { No, Yes };

/// `recipe` is called once on each rank and must write the same datasets everywhere. Where anything
/// fails on any rank, all throw the same, what stood under `goal` is as it was and nothing else is
/// left behind. Collective.
void write_together(const Communicator& comm, const std::string& goal, OutputFile::Start start,
                    const std::function<void(SharedOutput&)>& recipe, Sealed sealed = Sealed::No);

/// Writes into this rank's place in a file to which other ranks write too. False with errno where
/// the disk does not take it.
bool put_at(int descriptor, std::int64_t place, const void* from, std::uint64_t bytes);

}  // namespace talus::io
