#include "campaign/fuzz/hdf5_image.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace talus::fuzz {
namespace {

std::size_t count_of(const std::vector<hsize_t>& extent) {
  return static_cast<std::size_t>(
      std::accumulate(extent.begin(), extent.end(), hsize_t{1}, std::multiplies<>()));
}

std::vector<hsize_t> extent_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  return extent;
}

/// What `read` puts into memory of a type.
template <class Read>
Hdf5Object::Numbers numbers_of(hid_t type, std::size_t count, const Read& read) {
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: {
      std::vector<double> numbers(count);
      read(H5T_NATIVE_DOUBLE, numbers.data());
      return numbers;
    }
    case H5T_INTEGER: {
      if (H5Tget_size(type) <= sizeof(std::int32_t)) {
        std::vector<std::int32_t> numbers(count);
        read(H5T_NATIVE_INT32, numbers.data());
        return numbers;
      }
      std::vector<std::int64_t> numbers(count);
      read(H5T_NATIVE_INT64, numbers.data());
      return numbers;
    }
    case H5T_STRING: {
      if (H5Tis_variable_str(type) > 0) return std::string("text");
      std::string text(H5Tget_size(type), '\0');
      read(type, text.data());
      return text;
    }
    default:
      return {};
  }
}

herr_t add_attribute(hid_t object, const char* name, const H5A_info_t* /*info*/, void* to) {
  auto& image = *static_cast<Hdf5Image*>(to);
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute),
              space = H5Aget_space(attribute);
  Hdf5Object one{image.back().path, name, {}, extent_of(space)};
  one.numbers = numbers_of(type, count_of(one.extent), [&](hid_t of_memory, void* numbers) {
    H5Aread(attribute, of_memory, numbers);
  });
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  image.push_back(std::move(one));
  return 0;
}

herr_t add_object(hid_t root, const char* name, const H5O_info_t* info, void* to) {
  auto& image = *static_cast<Hdf5Image*>(to);
  Hdf5Object one{name == std::string(".") ? "/" : std::string("/") + name, "", {}, {}};
  const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  if (info->type == H5O_TYPE_DATASET) {
    const hid_t type = H5Dget_type(object), space = H5Dget_space(object);
    one.extent = extent_of(space);
    one.numbers = numbers_of(type, count_of(one.extent), [&](hid_t of_memory, void* numbers) {
      H5Dread(object, of_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    });
    H5Sclose(space);
    H5Tclose(type);
  }
  image.push_back(std::move(one));
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute, to);
  H5Oclose(object);
  return 0;
}

/// The type in the file and where the numbers are; they must be as many as the extent says.
std::pair<hid_t, const void*> stored(const Hdf5Object& one, hid_t text_type) {
  if (const auto* reals = std::get_if<std::vector<double>>(&one.numbers))
    return {H5T_NATIVE_DOUBLE, reals->data()};
  if (const auto* wide = std::get_if<std::vector<std::int64_t>>(&one.numbers))
    return {H5T_NATIVE_INT64, wide->data()};
  if (const auto* narrow = std::get_if<std::vector<std::int32_t>>(&one.numbers))
    return {H5T_NATIVE_INT32, narrow->data()};
  return {text_type, std::get<std::string>(one.numbers).data()};
}

void put_numbers(hid_t file, const Hdf5Object& one) {
  const auto* text = std::get_if<std::string>(&one.numbers);
  const hid_t text_type = H5Tcopy(H5T_C_S1);
  H5Tset_size(text_type, text != nullptr ? std::max<std::size_t>(1, text->size()) : 1);
  const hid_t space = one.extent.empty() ? H5Screate(H5S_SCALAR)
                                         : H5Screate_simple(static_cast<int>(one.extent.size()),
                                                            one.extent.data(), nullptr);
  const auto [type, numbers] = stored(one, text_type);
  if (one.attribute.empty()) {
    const hid_t set =
        H5Dcreate2(file, one.path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    if (set >= 0) H5Dclose(set);
  } else {
    const hid_t attribute = H5Acreate_by_name(file, one.path.c_str(), one.attribute.c_str(), type,
                                              space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) H5Awrite(attribute, type, numbers);
    if (attribute >= 0) H5Aclose(attribute);
  }
  H5Sclose(space);
  H5Tclose(text_type);
}

void put(hid_t file, const Hdf5Object& one) {
  if (one.is_group()) {
    const hid_t group = H5Gcreate2(file, one.path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group >= 0) H5Gclose(group);
  } else if (one.numbers.index() != 0) {
    put_numbers(file, one);
  }
}

template <class Number>
Number strange_value(Chance& chance) {
  if constexpr (std::is_floating_point_v<Number>) {
    return strange_number(chance);
  } else {
    constexpr std::array<std::int64_t, 12> numbers{
        0, 1, -1, 2, 3, 7, 100, 0x7fffffff, -0x80000000LL, 1LL << 40, INT64_MAX, INT64_MIN};
    return static_cast<Number>(chance.one_of(numbers));
  }
}

/// The extent becomes one that so many numbers have.
template <class Number>
void resize(Hdf5Object& one, std::vector<Number>& numbers, std::size_t rows) {
  if (one.extent.empty()) one.extent = {1};
  one.extent[0] = rows;
  numbers.resize(count_of(one.extent), numbers.empty() ? Number{} : numbers.back());
}

template <class Number>
void change_numbers(Hdf5Object& one, std::vector<Number>& numbers, Chance& chance) {
  constexpr std::size_t most_rows = 40;
  const std::size_t at = chance.below(numbers.size());
  switch (numbers.empty() ? 5 : chance.below(9)) {
    case 0:
      std::swap(numbers[at], chance.one_of(numbers));
      break;
    case 1:
      numbers[at] = chance.one_of(numbers);
      break;
    case 2:
      std::fill(numbers.begin(), numbers.end(), strange_value<Number>(chance));
      break;
    case 3:
      numbers[at] = static_cast<Number>(numbers[at] + (chance.one_in(2) ? 1 : -1));
      break;
    case 4:
      if (!one.extent.empty()) resize(one, numbers, one.extent[0] - 1);
      break;
    case 5:
      resize(one, numbers, chance.below(most_rows));
      break;
    case 6:  // a table becomes a list
      one.extent = {numbers.size()};
      break;
    default:
      numbers[at] = strange_value<Number>(chance);
  }
}

/// Numbers of another type, as many as there were.
void change_type(Hdf5Object& one, Chance& chance) {
  const std::size_t count = count_of(one.extent);
  switch (chance.below(4)) {
    case 0:
      one.numbers = std::vector<double>(count, strange_number(chance));
      break;
    case 1:
      one.numbers = std::vector<std::int32_t>(count, 1);
      break;
    case 2:
      one.numbers = std::vector<std::int64_t>(count, 1);
      break;
    default:
      one.extent.clear();
      one.numbers = strange_word(chance);
  }
}

void change_object(Hdf5Object& one, Chance& chance) {
  if (chance.one_in(12)) {
    change_type(one, chance);
  } else if (auto* text = std::get_if<std::string>(&one.numbers)) {
    *text = chance.one_in(3) ? strange_word(chance) : with_wounds(*text, chance);
  } else if (auto* reals = std::get_if<std::vector<double>>(&one.numbers)) {
    change_numbers(one, *reals, chance);
  } else if (auto* wide = std::get_if<std::vector<std::int64_t>>(&one.numbers)) {
    change_numbers(one, *wide, chance);
  } else if (auto* narrow = std::get_if<std::vector<std::int32_t>>(&one.numbers)) {
    change_numbers(one, *narrow, chance);
  }
}

}  // namespace

Hdf5Image image_of(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw std::runtime_error(path + ": the corpus cannot be opened");
  Hdf5Image image;
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &image);
  H5Fclose(file);
  return image;
}

std::string bytes_of(const Hdf5Image& image) {
  constexpr std::size_t block = 1 << 14;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what cannot be made is no news
  const hid_t in_memory = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(in_memory, block, 0);
  const hid_t file = H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
  for (const Hdf5Object& one : image) put(file, one);
  H5Fflush(file, H5F_SCOPE_LOCAL);
  const auto size = H5Fget_file_image(file, nullptr, 0);
  std::string bytes(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  H5Fget_file_image(file, bytes.data(), bytes.size());
  H5Fclose(file);
  H5Pclose(in_memory);
  return bytes;
}

void change(Hdf5Image& image, Chance& chance) {
  for (std::size_t count = some(chance); count > 0 && image.size() > 1; --count) {
    const std::size_t at = 1 + chance.below(image.size() - 1);
    Hdf5Object& one = image[at];
    switch (chance.below(14)) {
      case 0:
        image.erase(image.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1: {  // what stands under another name
        const Hdf5Object& other = image[1 + chance.below(image.size() - 1)];
        one.numbers = other.numbers;
        one.extent = other.extent;
        break;
      }
      case 2:  // a group in the place of numbers, or nothing of the group is found
        one.numbers = {};
        break;
      default:
        change_object(one, chance);
    }
  }
}

}  // namespace talus::fuzz
