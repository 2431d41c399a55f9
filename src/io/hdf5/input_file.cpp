#include "io/hdf5/input_file.hpp"

#include "talus/core/error.hpp"

#include "core/caught.hpp"
#include "core/regular_file.hpp"
#include "problem/matrix_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <type_traits>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

namespace talus::io {
namespace {

// The best that HDF5's deflate can do is about 1030:1; a file that promises more is damaged or a
// bomb.
constexpr std::uintmax_t most_expansion = 1100;
constexpr std::size_t longest_text = 1 << 20;

/// Length of the UTF-8 character that starts at `at`, 0 where there is none.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(at + k) & 0xC0) != 0x80) return 0;
  if ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F) ||
      (first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) > 0x8F))
    return 0;  // overlong, surrogate or beyond Unicode
  return length;
}

/// What people wrote ends up on terminals and in JSON: no control characters, valid UTF-8, no
/// blanks around.
std::string printable(const char* begin, std::size_t size) {
  const std::string raw(begin, strnlen(begin, size));
  std::string text;
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t length = character_length(raw, i);
    const bool control = static_cast<unsigned char>(raw[i]) < 0x20 || raw[i] == 0x7f;
    text += control ? " " : length == 0 ? "?" : raw.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// `read(type, buffer)` reads one value of a dataset or attribute.
template <class Read>
std::string read_text(hid_t type, hid_t space, Read read) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    char* value = nullptr;
    if (read(memory, &value) < 0 || value == nullptr) return {};
    std::string text = printable(value, longest_text);
    H5free_memory(value);
    return text;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > longest_text) return {};
  std::vector<char> value(size);
  if (read(type, value.data()) < 0) return {};
  return printable(value.data(), size);
}

template <class Number>
hid_t memory_type() {
  return std::is_same_v<Number, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
  require_readable(path);
  std::error_code error;
  file_size_ = std::filesystem::file_size(path, error);
  const Handle how = file_access(state_);
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw InputError(path + ": is not an HDF5 file; give a problem in the native or an FCLib " +
                     "layout (docs/file_formats.md)");
  file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, how), H5Fclose);
  if (!file_)
    throw InputError(
        fmt::format("{}: is truncated or damaged, HDF5 says \"{}\"; copy it again "
                    "from where it came from",
                    path, last_hdf5_error()));
}

bool InputFile::has(const std::string& object) const {
  if (object == "/") return true;
  // HDF5 wants to be asked about each group on the way
  for (std::size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
    const std::string part = object.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT) < 0 ||
        (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) ||  // never into other files
        H5Oexists_by_name(file_, part.c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> InputFile::children(const std::string& group) const {
  std::vector<std::string> names;
  if (!has(group)) return names;
  const Handle object = open(group);
  if (!object || H5Iget_type(object) != H5I_GROUP) return names;
  struct Found {
    std::vector<std::string>& names;
    Caught caught{};  // no exception may pass through HDF5
  } found{names};
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto* into = static_cast<Found*>(data);
    into->caught.run(0, [&] { into->names.push_back(printable(name, longest_text)); });
    return 0;
  };
  // As they are stored: to sort them, HDF5 makes a table of links, and where a damaged group ends
  // too early it frees entries of it that it never filled.
  H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add, &found);
  found.caught.rethrow();
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

bool is_sound_object(hid_t object, int depth);

herr_t visit(hid_t group, const char* name, const H5L_info_t* link, void* depth) {
  if (link->type != H5L_TYPE_HARD) return 0;
  const Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  return object && is_sound_object(object, *static_cast<int*>(depth) + 1) ? 0 : -1;
}

bool is_sound_object(hid_t object, int depth) {
  constexpr int deepest = 16;
  if (depth > deepest) return false;  // groups in a circle
  hsize_t next = 0;
  switch (H5Iget_type(object)) {
    case H5I_GROUP:
      return H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, &next, visit, &depth) >= 0;
    case H5I_DATASET:
      return Handle(H5Dget_space(object), H5Sclose) && Handle(H5Dget_type(object), H5Tclose) &&
             Handle(H5Dget_create_plist(object), H5Pclose);
    default:
      return true;
  }
}

}  // namespace

bool InputFile::is_sound() const {
  const Handle root = open("/");
  return root && is_sound_object(root, 0);
}

Handle InputFile::open(const std::string& object) const {
  return {H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose};
}

void InputFile::fault(const std::string& place, const std::string& message) {
  errors_.add(fmt::format("{}: {}: {}", path_, place, message));
}

void InputFile::fault(const std::string& dataset, std::size_t index, double value,
                      const std::string& message) {
  errors_.add(fmt::format("{}: {}[{}] = {}: {}", path_, dataset, index, value, message));
}

void InputFile::fault(const std::string& dataset, std::size_t index, std::int64_t value,
                      const std::string& message) {
  errors_.add(fmt::format("{}: {}[{}] = {}: {}", path_, dataset, index, value, message));
}

void InputFile::require_finite(const std::string& dataset, const std::vector<double>& values) {
  check_finite(values, dataset, told_to(errors_, path_));
}

bool InputFile::is_kind(const std::string& place, hid_t type, bool integral) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || (kind == H5T_FLOAT && !integral)) return true;
  const char* found = kind == H5T_FLOAT    ? "floating-point numbers"
                      : kind == H5T_STRING ? "text"
                                           : "something that is not a number";
  fault(place, fmt::format("holds {}; must hold {}", found,
                           integral ? "integers" : "floating-point numbers (float64)"));
  return false;
}

std::optional<std::size_t> InputFile::length_of(const std::string& dataset, hid_t space,
                                                std::size_t columns) {
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind == H5S_NULL) return 0;
  const int rank = H5Sget_simple_extent_ndims(space);
  const int expected = columns == 0 ? 1 : 2;
  if (columns == 0 && rank == 0) return 1;
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  if (rank != expected || H5Sget_simple_extent_dims(space, extent.data(), nullptr) < 0) {
    fault(dataset, fmt::format("has {} dimensions; must have {}", rank, expected));
    return {};
  }
  if (columns == 0) return extent[0];
  if (extent[1] != columns) {
    fault(dataset, fmt::format("is {} x {}; must have {} columns", extent[0], extent[1], columns));
    return {};
  }
  if (extent[0] > PTRDIFF_MAX / sizeof(double) / columns) {
    fault(dataset, fmt::format("claims {} rows; the file is damaged", extent[0]));
    return {};
  }
  return extent[0] * columns;
}

bool InputFile::is_plausible(const std::string& dataset, hid_t set, std::size_t count) {
  const Handle how(H5Dget_create_plist(set), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(how);
  const Handle type(H5Dget_type(set), H5Tclose);
  const std::size_t width = std::max<std::size_t>(1, H5Tget_size(type));
  if (layout == H5D_VIRTUAL || H5Pget_external_count(how) != 0) {
    fault(dataset, "keeps its numbers in another file; store them in this one");
    return false;
  }
  const std::uintmax_t most = layout == H5D_CHUNKED ? most_expansion * file_size_ : file_size_;
  std::uintmax_t chunk = 0;
  if (layout == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> extent{};
    const int rank = H5Pget_chunk(how, H5S_MAX_RANK, extent.data());
    chunk = 1;
    for (int k = 0; k < rank && chunk <= most; ++k) chunk *= std::max<hsize_t>(1, extent[k]);
  }
  // HDF5 copies a compact dataset by the extent it claims, not by the bytes that are there
  if (layout == H5D_COMPACT && H5Dget_storage_size(set) / width < count) {
    fault(dataset, fmt::format("claims {} numbers but holds {} bytes; the file is damaged", count,
                               H5Dget_storage_size(set)));
    return false;
  }
  if (count > most / width || chunk > most / width) {
    fault(dataset, fmt::format("claims {} numbers, more than the file's {} bytes can hold; the "
                               "file is damaged, copy it again from where it came from",
                               std::max<std::uintmax_t>(count, chunk), file_size_));
    return false;
  }
  return true;
}

std::optional<InputFile::Numbers> InputFile::open_numbers(const std::string& dataset,
                                                          std::size_t columns, bool integral) {
  if (!has(dataset)) {
    fault(dataset, "is missing");
    return {};
  }
  Handle object = open(dataset);
  if (!object || H5Iget_type(object) != H5I_DATASET) {
    fault(dataset, "is not a dataset");
    return {};
  }
  const Handle type(H5Dget_type(object), H5Tclose);
  Handle space(H5Dget_space(object), H5Sclose);
  if (!type || !space) {
    fault(dataset, fmt::format("cannot be read, HDF5 says \"{}\"", last_hdf5_error()));
    return {};
  }
  if (!is_kind(dataset, type, integral)) return {};
  const std::optional<std::size_t> count = length_of(dataset, space, columns);
  if (!count || !is_plausible(dataset, object, *count)) return {};
  return Numbers{std::move(object), std::move(space), *count};
}

template <class Number>
std::optional<std::vector<Number>> InputFile::numbers(const std::string& dataset,
                                                      std::size_t columns, const Rows& rows) {
  const auto found = open_numbers(dataset, columns, std::is_integral_v<Number>);
  if (!found) return {};
  const std::size_t width = std::max<std::size_t>(1, columns);
  const std::size_t wanted = rows ? static_cast<std::size_t>(rows->count()) * width : found->count;
  std::vector<Number> values(wanted);
  if (wanted == 0) return values;
  Handle memory;
  if (wanted < found->count) {
    const hsize_t start[2] = {static_cast<hsize_t>(rows->first), 0};
    const hsize_t extent[2] = {static_cast<hsize_t>(rows->count()), width};
    H5Sselect_hyperslab(found->space, H5S_SELECT_SET, start, nullptr, extent, nullptr);
    const hsize_t length = wanted;
    memory = Handle(H5Screate_simple(1, &length, nullptr), H5Sclose);
  }
  if (H5Dread(found->set, memory_type<Number>(), memory ? hid_t{memory} : H5S_ALL,
              memory ? hid_t{found->space} : H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fault(dataset, fmt::format("cannot be read, HDF5 says \"{}\"", last_hdf5_error()));
    return {};
  }
  return values;
}

std::optional<GlobalId> InputFile::row_count(const std::string& dataset, std::size_t columns,
                                             bool integral) {
  const auto found = open_numbers(dataset, columns, integral);
  if (!found) return {};
  return static_cast<GlobalId>(found->count / std::max<std::size_t>(1, columns));
}

std::optional<std::vector<double>> InputFile::reals(const std::string& dataset, const Rows& rows) {
  return numbers<double>(dataset, 0, rows);
}

std::optional<std::vector<double>> InputFile::table(const std::string& dataset, std::size_t columns,
                                                    const Rows& rows) {
  return numbers<double>(dataset, columns, rows);
}

std::optional<std::vector<std::int64_t>> InputFile::integers(const std::string& dataset,
                                                             const Rows& rows) {
  return numbers<std::int64_t>(dataset, 0, rows);
}

std::optional<std::int64_t> InputFile::integer(const std::string& dataset) {
  const auto values = numbers<std::int64_t>(dataset, 0, {});
  if (!values) return {};
  if (values->size() == 1) return values->front();
  fault(dataset, fmt::format("has {} entries; must have 1", values->size()));
  return {};
}

template <class Number>
std::optional<Number> InputFile::attribute(const std::string& object, const std::string& name) {
  if (!has(object) || H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
    return {};
  const std::string place = (object == "/" ? "" : object) + "/@" + name;
  const Handle attribute(
      H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!attribute || !type || !space || H5Sget_simple_extent_npoints(space) != 1) {
    fault(place, "cannot be read; must be one number");
    return {};
  }
  if (!is_kind(place, type, std::is_integral_v<Number>)) return {};
  Number value{};
  if (H5Aread(attribute, memory_type<Number>(), &value) < 0) {
    fault(place, "cannot be read; must be one number");
    return {};
  }
  return value;
}

std::optional<double> InputFile::real_attribute(const std::string& object,
                                                const std::string& name) {
  return attribute<double>(object, name);
}

std::optional<std::int64_t> InputFile::integer_attribute(const std::string& object,
                                                         const std::string& name) {
  return attribute<std::int64_t>(object, name);
}

std::string InputFile::text(const std::string& dataset) const {
  if (!has(dataset)) return {};
  const Handle object = open(dataset);
  if (!object || H5Iget_type(object) != H5I_DATASET) return {};
  const Handle type(H5Dget_type(object), H5Tclose);
  const Handle space(H5Dget_space(object), H5Sclose);
  return read_text(type, space, [&](hid_t memory, void* value) {
    return H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  });
}

std::string InputFile::text_attribute(const std::string& object, const std::string& name) const {
  if (!has(object) || H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
    return {};
  const Handle attribute(
      H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  return read_text(type, space,
                   [&](hid_t memory, void* value) { return H5Aread(attribute, memory, value); });
}

FileSample sample_of(const std::string& path) {
  constexpr std::int64_t pieces = 256, piece = 4096;  // bytes
  std::ifstream file = readable_stream(path);
  file.seekg(0, std::ios::end);
  FileSample sample;
  sample.size = file.tellg();
  std::vector<char> bytes;
  const std::int64_t last = std::max<std::int64_t>(0, sample.size - piece);
  const std::int64_t count = std::min(pieces, sample.size / piece + 1);
  for (std::int64_t k = 0; k < count && file; ++k) {
    // up to pieces * piece bytes these are all of them
    const std::int64_t at = sample.size <= pieces * piece ? k * piece : last / (pieces - 1) * k;
    const std::size_t old = bytes.size();
    bytes.resize(old + static_cast<std::size_t>(std::min(piece, sample.size - at)));
    file.seekg(at);
    file.read(bytes.data() + old, static_cast<std::streamsize>(bytes.size() - old));
  }
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  sample.hash = XXH64(bytes.data(), bytes.size(), 0);
  return sample;
}

}  // namespace talus::io
