#pragma once
// An HDF5 file as a list of what is in it, to be changed and written anew: with HDF5 alone, not the
// code under test.

#include "campaign/fuzz/chance.hpp"

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace talus::fuzz {

/// A dataset, an attribute of an object, or (of no numbers and no text) a group.
struct Hdf5Object {
  using Numbers = std::variant<std::monostate, std::vector<double>, std::vector<std::int64_t>,
                               std::vector<std::int32_t>, std::string>;
  std::string path;
  std::string attribute;  ///< empty: the object itself
  Numbers numbers;
  std::vector<hsize_t> extent;  ///< empty: a scalar

  bool is_group() const { return numbers.index() == 0 && attribute.empty(); }
};

/// In the order in which they can be made again.
using Hdf5Image = std::vector<Hdf5Object>;

Hdf5Image image_of(const std::string& path);
/// The bytes of a file of them. What cannot be made, such as a dataset whose group is gone, is left
/// out.
std::string bytes_of(const Hdf5Image& image);
/// One to three changes: numbers, lengths, types and names.
void change(Hdf5Image& image, Chance& chance);

}  // namespace talus::fuzz
