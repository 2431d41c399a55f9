#pragma once
// Tables for people, as wide as a terminal and no wider.

#include <string>
#include <vector>

namespace talus::io {

struct TextTable {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;  ///< as many cells as the heading
  std::size_t words = 1;  ///< the first so many columns are words, to the left; others to the right
};

/// Lines of at most `width` characters. Columns that do not fit go on in further blocks, each of
/// which repeats the first column. (A first column and one other that are too wide stay so.)
std::string text_table(const TextTable& table, std::size_t width);

/// A name in at most `width` >= 5 characters: the middle gives way.
std::string shortened(const std::string& name, std::size_t width);

}  // namespace talus::io
