#include "io/vtk_file.hpp"

#include "talus/core/error.hpp"

#include "io/goal.hpp"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <xxhash.h>

namespace talus::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the files say that they are");

constexpr const char* header = "<?xml version=\"1.0\"?>\n";

struct Block {
  const void* data;
  std::uint64_t bytes;
};

template <class Number>
Block block_of(const std::vector<Number>& values) {
  return {values.data(), values.size() * sizeof(Number)};
}
Block block_of(const Field& field) {
  return std::visit([](const auto& values) { return block_of(values); }, field.values);
}

const char* type_of(const Field& field) {
  constexpr std::array<const char*, 4> types{"Float64", "Int64", "Int32", "UInt8"};
  static_assert(std::variant_size_v<Field::Values> == types.size());
  return types.at(field.values.index());
}

/// Makes the text of a file and notes what comes behind it.
class Writer {
 public:
  void text(const std::string& more) { text_ += more; }
  void array(const std::string& type, const std::string& name, int components, const Block& block,
             const std::string& more = "") {
    text_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" {}format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, name, components, more, offset_);
    offset_ += sizeof(std::uint64_t) + block.bytes;
    blocks_.push_back(block);
  }
  void fields(const std::string& tag, const std::vector<Field>& fields) {
    text_ += fmt::format("<{}>\n", tag);
    for (const Field& field : fields)
      array(type_of(field), field.name, field.components, block_of(field));
    text_ += fmt::format("</{}>\n", tag);
  }
  void cells(const std::string& tag, const Cells& cells) {
    text_ += fmt::format("<{}>\n", tag);
    array("Int64", "connectivity", 1, block_of(cells.connectivity));
    array("Int64", "offsets", 1, block_of(cells.offsets));
    text_ += fmt::format("</{}>\n", tag);
  }
  /// The text, then each block behind its length.
  bool write(std::FILE* file) const {
    const auto put = [&](const void* from, std::size_t bytes) {
      return bytes == 0 || std::fwrite(from, 1, bytes, file) == bytes;
    };
    bool good = put(text_.data(), text_.size());
    good = good && put("<AppendedData encoding=\"raw\">\n_", 31);
    for (const Block& block : blocks_)
      good = good && put(&block.bytes, sizeof block.bytes) && put(block.data, block.bytes);
    const std::string end = "\n</AppendedData>\n</VTKFile>\n";
    return good && put(end.data(), end.size());
  }

 private:
  std::string text_;
  std::vector<Block> blocks_;
  std::uint64_t offset_ = 0;
};

/// Beside and renamed. Not synced: a file for looking at is worth no wait for the disk.
template <class Write>
void replace_file(const std::string& named, const Write& write) {
  const std::string path = regular_goal(named), made = beside(path);
  std::FILE* file = std::fopen(made.c_str(), "wb");
  if (file == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  const bool written = write(file) && std::fflush(file) == 0;
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(made.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(written ? errno : reason);
  std::remove(made.c_str());
  throw std::runtime_error(fmt::format("{}: could not be written: {}", path, why));
}

void replace_text(const std::string& path, const std::string& text) {
  replace_file(path, [&](std::FILE* file) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size();
  });
}

std::string declared(const std::string& tag, const std::vector<Field>& fields) {
  std::string text = fmt::format("<{}>\n", tag);
  for (const Field& field : fields)
    text += fmt::format("<PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
                        type_of(field), field.name, field.components);
  return text + fmt::format("</{}>\n", tag);
}

/// Each block's length and numbers change what is made of the next.
std::uint64_t hash_after(std::uint64_t before, const Block& block) {
  return block.bytes == 0 ? before + 1 : XXH64(block.data, block.bytes, before);
}

}  // namespace

void Cells::add(std::initializer_list<std::int64_t> points) {
  connectivity.insert(connectivity.end(), points);
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
}

std::uint64_t PolyData::hash() const {
  std::uint64_t hash = hash_after(0, block_of(points));
  for (const Cells* cells : {&vertices, &lines, &polygons}) {
    hash = hash_after(hash, block_of(cells->connectivity));
    hash = hash_after(hash, block_of(cells->offsets));
  }
  for (const auto* fields : {&point_data, &cell_data})
    for (const Field& field : *fields) hash = hash_after(hash, block_of(field));
  return hash;
}

void write_vtp(const std::string& path, const PolyData& data, std::optional<double> time) {
  Writer writer;
  writer.text(header);
  writer.text(
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n");
  if (time) {
    writer.text("<FieldData>\n");
    writer.array("Float64", "TimeValue", 1, {&*time, sizeof *time}, "NumberOfTuples=\"1\" ");
    writer.text("</FieldData>\n");
  }
  writer.text(fmt::format(
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      data.point_count(), data.vertices.count(), data.lines.count(), data.polygons.count()));
  writer.fields("PointData", data.point_data);
  writer.fields("CellData", data.cell_data);
  writer.text("<Points>\n");
  writer.array("Float64", "Points", 3, block_of(data.points));
  writer.text("</Points>\n");
  writer.cells("Verts", data.vertices);
  writer.cells("Lines", data.lines);
  writer.cells("Strips", {});
  writer.cells("Polys", data.polygons);
  writer.text("</Piece>\n</PolyData>\n");
  replace_file(path, [&](std::FILE* file) { return writer.write(file); });
}

void write_pvtp(const std::string& path, const PolyData& example,
                const std::vector<std::string>& pieces) {
  std::string text = header;
  text +=
      "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n";
  text += declared("PPointData", example.point_data) + declared("PCellData", example.cell_data);
  text += declared("PPoints", {{"Points", 3, std::vector<double>{}}});
  for (const std::string& piece : pieces) text += fmt::format("<Piece Source=\"{}\"/>\n", piece);
  replace_text(path, text + "</PPolyData>\n</VTKFile>\n");
}

void write_pvd(const std::string& path, const std::vector<TimedFile>& files) {
  std::string text = header;
  text +=
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const TimedFile& file : files)
    text +=
        fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n",
                    file.time, file.part, file.name, file.file);
  replace_text(path, text + "</Collection>\n</VTKFile>\n");
}

std::vector<TimedFile> read_pvd(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::regex entry(
      "<DataSet timestep=\"([^\"]*)\" group=\"\" part=\"([0-9]+)\" name=\"([^\"]*)\" "
      "file=\"([^\"]*)\"/>");
  std::vector<TimedFile> files;
  bool whole = false;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_match(line, found, entry))
      files.push_back({std::stod(found[1]), std::stoi(found[2]), found[3], found[4]});
    else if (line.find("<DataSet") != std::string::npos)
      throw std::runtime_error(fmt::format("{}: cannot be gone on with: {}", path, line));
    whole = whole || line == "</VTKFile>";
  }
  if (!whole) throw std::runtime_error(fmt::format("{}: is not whole", path));
  return files;
}

}  // namespace talus::io
