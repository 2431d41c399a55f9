#pragma once
// A file that all ranks make together. Rank 0 makes it with HDF5 and writes its own slices; then
// each other rank writes its slices into the places that HDF5 has given to the datasets. The bytes
// are those that one rank would write. docs/decisions/012-files-on-ranks.md.

#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include "io/output_file.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace talus::io {

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

/// Whether a file gets a seal (io/seal.hpp) before it takes its place.
enum class Sealed : std::uint8_t { No, Yes };

/// `recipe` is called once on each rank and must write the same datasets everywhere. Where anything
/// fails on any rank, all throw the same, what stood under `goal` is as it was and nothing else is
/// left behind. Collective.
void write_together(const Communicator& comm, const std::string& goal, OutputFile::Start start,
                    const std::function<void(SharedOutput&)>& recipe, Sealed sealed = Sealed::No);

}  // namespace talus::io
