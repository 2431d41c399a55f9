#pragma once
// Reads VTK's files of appended raw data, as far as tests ask. The whole format is checked by
// tests/output/vtk_files.py.

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus::support {

class VtkReader {
 public:
  explicit VtkReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " is not there");
    content_.assign(std::istreambuf_iterator<char>(file), {});
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    const std::size_t at = content_.find(mark);
    data_ = at == std::string::npos ? content_.size() : at + mark.size();
  }

  /// The number in NAME="...".
  std::size_t count(const std::string& name) const {
    std::smatch found;
    const std::string text = content_.substr(0, data_);
    if (!std::regex_search(text, found, std::regex(name + "=\"([0-9]+)\"")))
      throw std::runtime_error("no " + name);
    return std::stoul(found[1]);
  }

  template <class Number>
  std::vector<Number> array(const std::string& name) const {
    std::smatch found;
    const std::string text = content_.substr(0, data_);
    if (!std::regex_search(text, found,
                           std::regex("Name=\"" + name + "\"[^>]*offset=\"([0-9]+)\"")))
      throw std::runtime_error("no array " + name);
    const std::size_t at = data_ + std::stoul(found[1]);
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, content_.data() + at, sizeof bytes);
    std::vector<Number> values(bytes / sizeof(Number));
    if (bytes > 0) std::memcpy(values.data(), content_.data() + at + sizeof bytes, bytes);
    return values;
  }

 private:
  std::string content_;
  std::size_t data_ = 0;
};

}  // namespace talus::support
