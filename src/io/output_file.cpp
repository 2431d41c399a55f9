#include "io/output_file.hpp"

#include "talus/core/error.hpp"

#include "io/goal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace talus::io {
namespace {

/// Makes a new name survive a power failure. Best effort: not every file system can.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

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
    ready = std::filesystem::copy_file(goal_, beside_,
                                       std::filesystem::copy_options::overwrite_existing, error);
    state_.write_error = error.value();
    // a copy of a file that may not be written to is our own all the same
    std::filesystem::permissions(beside_, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add, error);
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

}  // namespace talus::io
