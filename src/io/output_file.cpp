#include "io/output_file.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "core/regular_file.hpp"
#include "io/goal.hpp"
#include "io/hdf5/hdf5.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace talus::io {
namespace {

/// How an object is made: without the time of day, so that the same input gives the same bytes.
Handle timeless(hid_t kind) {
  Handle how(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(how, false);
  return how;
}

Handle text_type(const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size() + 1);  // FCLib's readers expect the closing zero
  return type;
}

}  // namespace

OutputFile::OutputFile(const std::string& goal, Start start)
    : goal_(regular_goal(goal)), beside_(beside(goal_)) {
  Handle how = file_access(state_);
  // The formats of HDF5 1.8 carry checksums in their metadata: damage is found, not followed.
  H5Pset_libver_bounds(how, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  bool ready = static_cast<bool>(how);
  std::error_code error;
  if (ready && start == Start::CopyOfGoal) {
    state_.write_error = copy_regular(goal_, beside_);
    ready = state_.write_error == 0;
    if (ready) file_ = Handle(H5Fopen(beside_.c_str(), H5F_ACC_RDWR, how), H5Fclose);
  } else if (ready) {
    file_ =
        Handle(H5Fcreate(beside_.c_str(), H5F_ACC_TRUNC, timeless(H5P_FILE_CREATE), how), H5Fclose);
  }
  if (file_) return;
  const std::string reason =
      state_.write_error != 0 ? std::strerror(state_.write_error) : last_hdf5_error();
  std::filesystem::remove(beside_, error);
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", goal_, reason));
}

OutputFile::~OutputFile() {
  if (committed_) return;
  file_.close();
  std::error_code error;
  std::filesystem::remove(beside_, error);
}

void OutputFile::require(bool ok, const std::string& what) const {
  if (ok && state_.write_error == 0) return;
  const std::string reason =
      state_.write_error != 0 ? std::strerror(state_.write_error) : last_hdf5_error();
  throw std::runtime_error(fmt::format("{}: {} could not be written: {}", goal_, what, reason));
}

void OutputFile::group(const std::string& name) {
  const Handle group(
      H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, timeless(H5P_GROUP_CREATE), H5P_DEFAULT),
      H5Gclose);
  require(static_cast<bool>(group), name);
}

void OutputFile::remove(const std::string& object) {
  require(H5Ldelete(file_, object.c_str(), H5P_DEFAULT) >= 0, object);
}

bool OutputFile::has(const std::string& object) const {
  return H5Lexists(file_, object.c_str(), H5P_DEFAULT) > 0;
}

std::int64_t OutputFile::write(const std::string& dataset, hid_t type, const void* values,
                               const Extent& whole, hsize_t rows) {
  const int dimensions = whole.columns > 0 ? 2 : 1;
  const hsize_t extent[2] = {whole.rows, whole.columns}, part[2] = {rows, whole.columns};
  const Handle space(H5Screate_simple(dimensions, extent, nullptr), H5Sclose);
  const Handle memory(H5Screate_simple(dimensions, part, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_, dataset.c_str(), type, space, H5P_DEFAULT,
                              timeless(H5P_DATASET_CREATE), H5P_DEFAULT),
                   H5Dclose);
  require(static_cast<bool>(set), dataset);
  if (rows == 0) return 0;  // of nothing there is no place
  const hsize_t start[2] = {0, 0};
  require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, part, nullptr) >= 0 &&
              H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) >= 0,
          dataset);
  return static_cast<std::int64_t>(H5Dget_offset(set));
}

void OutputFile::write(const std::string& dataset, const std::vector<double>& values,
                       hsize_t columns) {
  write_first(dataset, values, columns > 0 ? values.size() / columns : values.size(), columns);
}

void OutputFile::write(const std::string& dataset, const std::vector<std::int64_t>& values) {
  write_first(dataset, values, values.size());
}

std::int64_t OutputFile::write_first(const std::string& dataset, const std::vector<double>& values,
                                     hsize_t rows, hsize_t columns) {
  return write(dataset, H5T_NATIVE_DOUBLE, values.data(), {rows, columns},
               values.size() / std::max<hsize_t>(1, columns));
}

std::int64_t OutputFile::write_first(const std::string& dataset,
                                     const std::vector<std::int64_t>& values, hsize_t rows,
                                     hsize_t columns) {
  return write(dataset, H5T_NATIVE_INT64, values.data(), {rows, columns},
               values.size() / std::max<hsize_t>(1, columns));
}

void OutputFile::write(const std::string& dataset, const std::vector<std::int32_t>& values) {
  write(dataset, H5T_NATIVE_INT32, values.data(), {values.size(), 0}, values.size());
}

void OutputFile::write(const std::string& dataset, const std::string& text) {
  const Handle type = text_type(text);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle set(H5Dcreate2(file_, dataset.c_str(), type, space, H5P_DEFAULT,
                              timeless(H5P_DATASET_CREATE), H5P_DEFAULT),
                   H5Dclose);
  require(set && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) >= 0, dataset);
}

void OutputFile::attribute(const std::string& object, const std::string& name, hid_t type,
                           const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space,
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  require(attribute && H5Awrite(attribute, type, value) >= 0, object + "/@" + name);
}

void OutputFile::attribute(const std::string& object, const std::string& name, double value) {
  attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

void OutputFile::attribute(const std::string& object, const std::string& name, std::int64_t value) {
  attribute(object, name, H5T_NATIVE_INT64, &value);
}

void OutputFile::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
  attribute(object, name, text_type(value), value.c_str());
}

void OutputFile::finish() {
  require(file_.close(), "the end of the file");
}

void OutputFile::take_place() {
  if (std::rename(beside_.c_str(), goal_.c_str()) != 0)
    throw std::runtime_error(
        fmt::format("{}: could not take its place: {}", goal_, std::strerror(errno)));
  committed_ = true;
  sync_folder_of(goal_);
}

void OutputFile::commit() {
  finish();
  take_place();
}

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
  const bool synced = descriptor_ < 0 || ::fsync(descriptor_) == 0;
  const bool closed = descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0;
  if (!synced || !closed)
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

namespace {

/// These bytes belong to this process while it writes. Nobody ever waits for them, but a client of
/// NFS that sees no lock may write the whole page around a part of it, and undo so what another
/// machine has put there (nfs(5), "noalignwrite").
class PlaceLock {
 public:
  PlaceLock(int descriptor, std::int64_t place, std::uint64_t bytes)
      : descriptor_(descriptor), place_(place), bytes_(bytes) {
    set(F_WRLCK);
  }
  ~PlaceLock() { set(F_UNLCK); }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;

 private:
  /// Where there are no locks, there is nothing to be done about it.
  void set(short kind) const {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(place_);
    lock.l_len = static_cast<off_t>(bytes_);
    const int before = errno;
    [[maybe_unused]] const int done = ::fcntl(descriptor_, F_SETLK, &lock);
    errno = before;
  }

  int descriptor_;
  std::int64_t place_;
  std::uint64_t bytes_;
};

}  // namespace

bool put_at(int descriptor, std::int64_t place, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return true;  // a lock of no bytes is one to the end of the file
  const PlaceLock lock(descriptor, place, bytes);
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = ::pwrite(descriptor, at, bytes, static_cast<off_t>(place));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    at += done;
    place += done;
    bytes -= static_cast<std::uint64_t>(done);
  }
  return true;
}

}  // namespace talus::io
