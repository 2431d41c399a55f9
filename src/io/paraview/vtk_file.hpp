#pragma once
// Lists that ParaView reads: a mesh in several files (.pvtp), and what is when (.pvd). VTK's XML
// formats: https://docs.vtk.org, "VTK XML Formats".

#include "io/hdf5/field_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::io {

struct PolyData;

/// `pieces`: files with the fields of `example`, relative to the folder of `path`.
void write_pvtp(const std::string& path, const PolyData& example,
                const std::vector<std::string>& pieces);

/// Something that is there at one time.
struct TimedFile {
  double time = 0.0;  ///< s
  int part = 0;
  std::string name;  ///< of the part
  std::string file;  ///< relative to the folder of the list
};
void write_pvd(const std::string& path, const std::vector<TimedFile>& files);
/// What write_pvd() has written; nothing where the file is not there. Throws std::runtime_error
/// where it is not of write_pvd().
std::vector<TimedFile> read_pvd(const std::string& path);

// A mesh of points, lines and triangles in a file that ParaView reads (.vtp): VTK's XML format,
// numbers as they are in memory behind the text ("appended", "raw"), little endian:
// https://docs.vtk.org, "VTK XML Formats". One rank makes a file, or several of them together.

/// Cell after cell: the points it has, and where in that list it ends.
struct Cells {
  std::vector<std::int64_t> connectivity, offsets;
  void add(std::initializer_list<std::int64_t> points);
  std::size_t count() const { return offsets.size(); }
};

struct PolyData {
  std::vector<double> points;  ///< x, y, z
  Cells vertices, lines, polygons;
  std::vector<Field> point_data;  ///< a row per point
  std::vector<Field> cell_data;   ///< a row per cell: vertices, then lines, then polygons

  /// Of several ranks that write one file: this one has some of its rows. A row is a vertex or a
  /// line, of so many points; cells count points through those of all ranks.
  struct Part {
    RowShare share;
    std::int64_t points = 1;  ///< of a row: a vertex has 1, a line more
  };
  std::optional<Part> part;

  /// In the file.
  std::int64_t point_count() const;
  /// Of all that a file of it has but the time.
  std::uint64_t hash() const;
};

/// VTK's name of the type of its numbers.
const char* vtk_type(const Field& field);

/// A file in the making, beside its goal: whoever looks there sees a whole file. One that does not
/// take its place is removed. All throw std::runtime_error where the disk does not take it.
class VtpFile {
 public:
  /// `time`: simulated s; none of what stays as it is. `data` must live as long.
  VtpFile(const std::string& path, const PolyData& data, std::optional<double> time);
  ~VtpFile();
  VtpFile(VtpFile&& other) noexcept;
  VtpFile(const VtpFile&) = delete;
  VtpFile& operator=(const VtpFile&) = delete;
  VtpFile& operator=(VtpFile&&) = delete;

  /// By one rank: text and its rows, with places for those of others. Returns where.
  const std::string& create();
  /// By each other rank: its rows, in the file that one has created.
  void add_to(const std::string& made) const;
  /// By the one that has created it, when all rows are there. Not synced: a file for looking at is
  /// worth no wait for the disk.
  void take_place();

 private:
  struct Block;
  class Layout;
  class Target;
  void put(Target& target, bool rows_alone) const;

  std::string goal_, made_, head_;
  std::vector<double> time_;  // blocks point to it
  std::vector<Block> blocks_;
};

}  // namespace talus::io
