#include "talus/io/stl_file.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "core/number.hpp"
#include "core/regular_file.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>

namespace talus {
namespace {

using Triangles = std::vector<std::array<Vec3, 3>>;

constexpr std::uintmax_t header_bytes = 84, triangle_bytes = 50, normal_bytes = 12;

std::uintmax_t size_of(const std::string& path) {
  require_readable(path);
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (size == 0) throw InputError(path + ": is empty; export the mesh again");
  return size;
}

/// At most `most` bytes of a file.
std::string bytes_of(const std::string& path, std::uintmax_t most) {
  std::ifstream file = readable_stream(path);
  std::string bytes(most, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(most));
  if (!file && !file.eof())
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// Little-endian, whatever the machine's order is.
std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return word;
}

double real_at(const std::string& bytes, std::size_t at) {
  const std::uint32_t word = word_at(bytes, at);
  float value = 0.0F;
  std::memcpy(&value, &word, sizeof value);
  return static_cast<double>(value);
}

std::string lower(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

/// As much of a word as is fit for a message.
std::string shown(const std::string& word) {
  constexpr std::size_t longest = 40;
  std::string text = word.substr(0, longest);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text.size() < word.size() ? text + "..." : text;
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// ASCII files begin so; so do headers of some binary files, but not without a zero byte.
bool looks_like_text(const std::string& head) {
  const auto first = std::find_if(head.begin(), head.end(), [](char c) { return !is_blank(c); });
  return lower(std::string(first, first + std::min<std::ptrdiff_t>(5, head.end() - first))) ==
             "solid" &&
         head.find('\0') == std::string::npos;
}

void require_count(const std::string& path, std::uintmax_t count) {
  if (count == 0) throw InputError(path + ": has no triangles; export the mesh again");
  if (count > static_cast<std::uintmax_t>(TriangleMesh::most_triangles))
    throw InputError(fmt::format("{}: triangles = {} must be at most {}: make the mesh coarser",
                                 path, count, TriangleMesh::most_triangles));
}

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Of a vertex that is not finite, or not any more when it is scaled.
void add_fault(const Vec3& v, const std::string& place, InputErrors& errors) {
  for (const double x : {v.x, v.y, v.z})
    errors.require(std::isfinite(x), place + ": coordinate", x,
                   "must be finite: export the mesh again");
}

Triangles read_binary(const std::string& path, std::uintmax_t size, double scale,
                      InputErrors& errors) {
  const std::string bytes = bytes_of(path, size);
  if (bytes.size() < size)
    throw InputError(path + ": was truncated while it was read; read it again");
  Triangles triangles((size - header_bytes) / triangle_bytes);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    std::size_t at = header_bytes + t * triangle_bytes + normal_bytes;
    for (Vec3& corner : triangles[t]) {
      corner = scale * Vec3{real_at(bytes, at), real_at(bytes, at + 4), real_at(bytes, at + 8)};
      at += 12;
      if (!finite(corner)) add_fault(corner, fmt::format("{}: triangle {}", path, t + 1), errors);
    }
  }
  return triangles;
}

/// Words between blanks, with their lines. After a fault it looks for the next facet, so that all
/// faults of a file are told at once.
class AsciiReader {
 public:
  AsciiReader(const std::string& path, const std::string& text, double scale, InputErrors& errors)
      : path_(path), text_(text), scale_(scale), errors_(errors) {}

  Triangles read() {
    while (const std::optional<std::string> word = next()) {
      if (!in_solid_) {
        if (!expect(*word, "solid")) return {};
        in_solid_ = true;
        skip_name();
      } else if (*word == "endsolid") {
        in_solid_ = false;
        skip_name();
      } else if (!expect(*word, "facet") || !read_facet()) {
        resume();
      }
    }
    if (in_solid_)
      errors_.add(
          fmt::format("{}:{}: ends without endsolid: the file is truncated; export the mesh again",
                      path_, line_));
    return std::move(triangles_);
  }

 private:
  std::optional<std::string> next() {
    while (at_ < text_.size() && is_blank(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    if (at_ == text_.size()) return {};
    const std::size_t first = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return lower(text_.substr(first, at_ - first));
  }

  /// The rest of a line, as far as no facet begins on it.
  void skip_name() {
    const std::int64_t line = line_;
    while (true) {
      const std::size_t at = at_;
      const std::optional<std::string> word = next();
      if (word && line_ == line && *word != "facet") continue;
      at_ = at;
      line_ = line;
      return;
    }
  }

  bool expect(const std::string& word, const std::string& wanted) {
    if (word == wanted) return true;
    errors_.add(
        fmt::format("{}:{}: \"{}\" must be \"{}\": the file is damaged; export the mesh again",
                    path_, line_, shown(word), wanted));
    return false;
  }

  bool expect(const char* wanted) {
    const std::optional<std::string> word = next();
    return word && expect(*word, wanted);  // the end of the file is told by read()
  }

  bool expect_number(double& number) {
    const std::optional<std::string> word = next();
    if (!word) return false;
    const std::string digits = word->front() == '+' ? word->substr(1) : *word;
    const std::optional<double> value = number_in<double>(digits);
    if (value) {
      number = *value;
      return true;
    }
    errors_.add(fmt::format("{}:{}: \"{}\" must be a number: export the mesh again", path_, line_,
                            shown(*word)));
    return false;
  }

  bool expect_vector(Vec3& v) {
    return expect_number(v.x) && expect_number(v.y) && expect_number(v.z);
  }

  /// What follows "facet".
  bool read_facet() {
    Vec3 normal;
    std::array<Vec3, 3> corners;
    if (!expect("normal") || !expect_vector(normal) || !expect("outer") || !expect("loop"))
      return false;
    for (Vec3& corner : corners) {
      if (!expect("vertex") || !expect_vector(corner)) return false;
      corner = scale_ * corner;
      if (!finite(corner)) add_fault(corner, fmt::format("{}:{}", path_, line_), errors_);
    }
    if (!expect("endloop") || !expect("endfacet")) return false;
    triangles_.push_back(corners);
    return true;
  }

  void resume() {
    while (true) {
      const std::size_t at = at_;
      const std::int64_t line = line_;
      const std::optional<std::string> word = next();
      if (!word) return;
      if (*word != "facet" && *word != "endsolid") continue;
      at_ = at;
      line_ = line;
      return;
    }
  }

  const std::string& path_;
  const std::string& text_;
  const double scale_;
  InputErrors& errors_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  bool in_solid_ = false;
  Triangles triangles_;
};

}  // namespace

// A binary file may begin with "solid", as ASCII files must: what decides is that its size fits its
// number of triangles.
Triangles read_stl(const std::string& path, double scale) {
  if (!(scale > 0.0 && std::isfinite(scale)))
    throw InputError(fmt::format("{}: scale = {} must be a number above 0", path, scale));
  const std::uintmax_t size = size_of(path);
  const std::string head = bytes_of(path, std::min(size, header_bytes));
  InputErrors errors;
  Triangles triangles;
  const std::uintmax_t count = head.size() < header_bytes ? 0 : word_at(head, 80);
  if (head.size() == header_bytes && size == header_bytes + count * triangle_bytes) {
    require_count(path, count);
    triangles = read_binary(path, size, scale, errors);
  } else if (looks_like_text(head)) {
    triangles = AsciiReader(path, bytes_of(path, size), scale, errors).read();
  } else if (head.size() < header_bytes) {
    throw InputError(fmt::format(
        "{}: is neither an ASCII STL file, which begins with \"solid\", nor a binary one, whose "
        "header alone has {} bytes; it has {}",
        path, header_bytes, counted(static_cast<std::int64_t>(size), "byte")));
  } else {
    throw InputError(fmt::format(
        "{}: says that it has {}, which is {} bytes, but has {}: the file is truncated or damaged; "
        "export the mesh again",
        path, counted(static_cast<std::int64_t>(count), "triangle"),
        header_bytes + count * triangle_bytes, size));
  }
  errors.throw_if_any();
  require_count(path, triangles.size());
  return triangles;
}

}  // namespace talus
