#include "io/paraview/vtk_file.hpp"

#include "core/regular_file.hpp"
#include "io/goal.hpp"
#include "io/output_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <xxhash.h>

namespace talus::io {
namespace {

constexpr const char* header = "<?xml version=\"1.0\"?>\n";

std::string declared(const std::string& tag, const std::vector<Field>& fields) {
  std::string text = fmt::format("<{}>\n", tag);
  for (const Field& field : fields)
    text += fmt::format("<PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
                        vtk_type(field), field.name, field.components);
  return text + fmt::format("</{}>\n", tag);
}

}  // namespace

void write_pvtp(const std::string& path, const PolyData& example,
                const std::vector<std::string>& pieces) {
  std::string text = header;
  text +=
      "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n";
  text += declared("PPointData", example.point_data) + declared("PCellData", example.cell_data);
  text += declared("PPoints", {{"Points", 3, std::vector<double>{}}});
  for (const std::string& piece : pieces) text += fmt::format("<Piece Source=\"{}\"/>\n", piece);
  replace_text(path, text + "</PPolyData>\n</VTKFile>\n", Sync::None);
}

void write_pvd(const std::string& path, const std::vector<TimedFile>& files) {
  std::string text = header;
  text +=
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const TimedFile& file : files)
    text +=
        fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n",
                    file.time, file.part, file.name, file.file);
  replace_text(path, text + "</Collection>\n</VTKFile>\n", Sync::None);
}

std::vector<TimedFile> read_pvd(const std::string& path) {
  if (!why_unreadable(path).empty()) return {};
  std::ifstream file = readable_stream(path);
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

namespace {

static_assert(std::endian::native == std::endian::little, "the files say that they are");

constexpr const char* tail = "\n</AppendedData>\n</VTKFile>\n";

/// A list of numbers in memory.
struct Numbers {
  const void* data;
  std::uint64_t bytes;
  std::uint64_t row;  ///< bytes that each row of a shared file has of it
};

template <class Number>
Numbers numbers_of(const std::vector<Number>& values, std::int64_t each = 1) {
  return {values.data(), values.size() * sizeof(Number),
          static_cast<std::uint64_t>(each) * sizeof(Number)};
}
Numbers numbers_of(const Field& field) {
  return std::visit([&](const auto& values) { return numbers_of(values, field.components); },
                    field.values);
}

/// The length of each list and its numbers change what is made of the next.
std::uint64_t hash_after(std::uint64_t before, const Numbers& numbers) {
  return numbers.bytes == 0 ? before + 1 : XXH64(numbers.data, numbers.bytes, before);
}

}  // namespace

void Cells::add(std::initializer_list<std::int64_t> points) {
  connectivity.insert(connectivity.end(), points);
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
}

std::int64_t PolyData::point_count() const {
  return part ? part->share.all * part->points : static_cast<std::int64_t>(points.size() / 3);
}

std::uint64_t PolyData::hash() const {
  std::uint64_t hash = hash_after(0, numbers_of(points));
  for (const Cells* cells : {&vertices, &lines, &polygons}) {
    hash = hash_after(hash, numbers_of(cells->connectivity));
    hash = hash_after(hash, numbers_of(cells->offsets));
  }
  for (const auto* fields : {&point_data, &cell_data})
    for (const Field& field : *fields) hash = hash_after(hash, numbers_of(field));
  return hash;
}

const char* vtk_type(const Field& field) {
  constexpr std::array<const char*, 4> types{"Float64", "Int64", "Int32", "UInt8"};
  static_assert(std::variant_size_v<Field::Values> == types.size());
  return types.at(field.values.index());
}

/// A list of numbers behind the text, its length before it.
struct VtpFile::Block {
  Numbers mine;
  std::uint64_t place, before, all;  ///< bytes: behind the text, of ranks before this, of all ranks
};

/// Makes the text and finds a place for each list.
class VtpFile::Layout {
 public:
  explicit Layout(const PolyData& data) : data_(data) {}

  void text(const std::string& more) { text_ += more; }
  void array(const std::string& type, const std::string& name, int components,
             const Numbers& numbers) {
    list(fmt::format("type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", type, name, components),
         numbers);
  }
  void time(const double& time) {
    text_ += "<FieldData>\n";
    place("type=\"Float64\" Name=\"TimeValue\" NumberOfComponents=\"1\" NumberOfTuples=\"1\"",
          {{&time, sizeof time, 0}, 0, 0, sizeof time});
    text_ += "</FieldData>\n";
  }
  void fields(const std::string& tag, const std::vector<Field>& fields) {
    text_ += fmt::format("<{}>\n", tag);
    for (const Field& field : fields)
      array(vtk_type(field), field.name, field.components, numbers_of(field));
    text_ += fmt::format("</{}>\n", tag);
  }
  /// `each`: points of a cell, where a row is one.
  void cells(const std::string& tag, const Cells& cells, std::int64_t each) {
    text_ += fmt::format("<{}>\n", tag);
    array("Int64", "connectivity", 1, numbers_of(cells.connectivity, each));
    array("Int64", "offsets", 1, numbers_of(cells.offsets, each > 0 ? 1 : 0));
    text_ += fmt::format("</{}>\n", tag);
  }
  std::string text() { return std::move(text_); }
  std::vector<Block> blocks() { return std::move(blocks_); }

 private:
  void list(const std::string& attributes, const Numbers& numbers) {
    const auto of = [&](std::int64_t rows) {
      return static_cast<std::uint64_t>(rows) * numbers.row;
    };
    if (data_.part)
      place(attributes, {numbers, 0, of(data_.part->share.before), of(data_.part->share.all)});
    else
      place(attributes, {numbers, 0, 0, numbers.bytes});
  }
  void place(const std::string& attributes, Block block) {
    text_ += fmt::format("<DataArray {} format=\"appended\" offset=\"{}\"/>\n", attributes, end_);
    block.place = end_;
    end_ += sizeof block.all + block.all;
    blocks_.push_back(block);
  }

  const PolyData& data_;
  std::string text_;
  std::vector<Block> blocks_;
  std::uint64_t end_ = 0;
};

/// An open file, to be written to anywhere in it.
class VtpFile::Target {
 public:
  Target(std::string goal, const std::string& path, int flags)
      : goal_(std::move(goal)),
        descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666)) {
    if (descriptor_ < 0)
      fail((flags & O_CREAT) != 0 ? "cannot be created"
                                  : "cannot be added to, but all ranks must see the same folder");
  }
  ~Target() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void put(std::uint64_t place, const void* from, std::uint64_t bytes) {
    if (!put_at(descriptor_, static_cast<std::int64_t>(place), from, bytes))
      fail("could not be written");
  }
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("could not be written");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(fmt::format("{}: {}: {}", goal_, what, std::strerror(errno)));
  }

  std::string goal_;
  int descriptor_;
};

VtpFile::VtpFile(const std::string& path, const PolyData& data, std::optional<double> time)
    : goal_(regular_goal(path)) {
  const std::int64_t each = data.part ? data.part->points : 0;
  const std::int64_t rows = data.part ? data.part->share.all : 0;
  const auto count = [&](const Cells& cells, bool are_rows) {
    return data.part && are_rows ? rows : static_cast<std::int64_t>(cells.count());
  };
  Layout layout(data);
  layout.text(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
  if (time) {
    time_ = {*time};
    layout.time(time_.front());
  }
  layout.text(
      fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
                  data.point_count(), count(data.vertices, each == 1), count(data.lines, each > 1),
                  data.polygons.count()));
  layout.fields("PointData", data.point_data);
  layout.fields("CellData", data.cell_data);
  layout.text("<Points>\n");
  layout.array("Float64", "Points", 3, numbers_of(data.points, 3 * each));
  layout.text("</Points>\n");
  layout.cells("Verts", data.vertices, each == 1 ? 1 : 0);
  layout.cells("Lines", data.lines, each > 1 ? each : 0);
  layout.cells("Strips", {}, 0);
  layout.cells("Polys", data.polygons, 0);
  layout.text("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  head_ = layout.text();
  blocks_ = layout.blocks();
}

VtpFile::~VtpFile() {
  if (!made_.empty()) std::remove(made_.c_str());
}

VtpFile::VtpFile(VtpFile&& other) noexcept
    : goal_(std::move(other.goal_)),
      made_(std::exchange(other.made_, {})),
      head_(std::move(other.head_)),
      time_(std::move(other.time_)),
      blocks_(std::move(other.blocks_)) {}

void VtpFile::put(Target& target, bool rows_alone) const {
  for (const Block& block : blocks_)
    if (!rows_alone || block.mine.row > 0)
      target.put(head_.size() + block.place + sizeof block.all + block.before, block.mine.data,
                 block.mine.bytes);
}

const std::string& VtpFile::create() {
  made_ = beside(goal_);
  Target target(goal_, made_, O_CREAT | O_TRUNC);
  target.put(0, head_.data(), head_.size());
  std::uint64_t end = head_.size();
  for (const Block& block : blocks_) {
    target.put(end, &block.all, sizeof block.all);
    end += sizeof block.all + block.all;
  }
  put(target, false);
  target.put(end, tail, std::strlen(tail));
  target.close();
  return made_;
}

void VtpFile::add_to(const std::string& made) const {
  Target target(goal_, made, 0);
  put(target, true);
  target.close();
}

void VtpFile::take_place() {
  if (std::rename(made_.c_str(), goal_.c_str()) != 0)
    throw std::runtime_error(
        fmt::format("{}: could not be written: {}", goal_, std::strerror(errno)));
  made_.clear();
}

}  // namespace talus::io
