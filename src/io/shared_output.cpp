#include "io/shared_output.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "io/put_at.hpp"
#include "io/seal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace talus::io {

SharedOutput::SharedOutput(const std::string& goal, const std::string& beside, int rank, int ranks,
                           std::vector<std::int64_t> places)
    : goal_(goal), rank_(rank), ranks_(ranks), places_(std::move(places)) {
  // never to read: a network file system would fetch whole pages then, and write them back with
  // what others have changed since
  descriptor_ = ::open(beside.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw std::runtime_error(
        fmt::format("{}: {} cannot be written to: {}; all ranks must see the same folder", goal_,
                    beside, std::strerror(errno)));
}

SharedOutput::~SharedOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedOutput::group(const std::string& name) {
  if (file_ != nullptr) file_->group(name);
}

void SharedOutput::replace_group(const std::string& name) {
  if (file_ == nullptr) return;
  if (file_->has(name)) file_->remove(name);
  file_->group(name);
}

template <class Number>
void SharedOutput::write_slice(const std::string& dataset, const std::vector<Number>& mine,
                               const Items& items) {
  static_assert(sizeof(Number) == sizeof(double));
  const SliceRange range = slice_range(items.count, rank_, ranks_);
  TALUS_ASSERT(mine.size() == static_cast<std::size_t>(range.count()) * items.numbers);
  if (file_ != nullptr) {
    const hsize_t rows = static_cast<hsize_t>(items.count) * (items.table ? 1 : items.numbers);
    places_.push_back(file_->write_first(dataset, mine, rows, items.table ? items.numbers : 0));
    return;
  }
  TALUS_ASSERT(next_ < places_.size());
  const std::int64_t place = places_[next_++];
  write_at(place + range.first * static_cast<std::int64_t>(items.numbers * sizeof(Number)),
           reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(Number), dataset);
}

void SharedOutput::write(const std::string& dataset, const std::vector<double>& mine,
                         const Items& items) {
  write_slice(dataset, mine, items);
}

void SharedOutput::write(const std::string& dataset, const std::vector<std::int64_t>& mine,
                         const Items& items) {
  write_slice(dataset, mine, items);
}

void SharedOutput::write_at(std::int64_t place, const char* from, std::size_t size,
                            const std::string& what) {
  if (!put_at(descriptor_, place, from, size))
    throw std::runtime_error(
        fmt::format("{}: {} could not be written: {}", goal_, what, std::strerror(errno)));
}

void SharedOutput::sync() {
  if (::fsync(descriptor_) != 0)
    throw std::runtime_error(
        fmt::format("{}: could not be brought to the disk: {}", goal_, std::strerror(errno)));
}

void write_together(const Communicator& comm, const std::string& goal, OutputFile::Start start,
                    const std::function<void(SharedOutput&)>& recipe, Sealed sealed) {
  std::optional<OutputFile> file;
  std::vector<std::int64_t> places;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    file.emplace(goal, start);
    SharedOutput output(*file, comm.size());
    recipe(output);
    places = output.places();
    file->finish();
  });

  const std::string beside = broadcast_text(comm, file ? file->name_beside() : std::string(), 0);
  Bytes place_bytes = to_bytes(places);
  comm.broadcast(place_bytes, 0);
  agree(comm, [&] {
    if (comm.rank() == 0) return;
    SharedOutput output(goal, beside, comm.rank(), comm.size(),
                        from_bytes<std::int64_t>(place_bytes));
    recipe(output);
    output.sync();
  });
  if (sealed == Sealed::Yes) put_seal(comm, beside, goal);

  agree(comm, [&] {
    if (file) file->take_place();
  });
}

}  // namespace talus::io
