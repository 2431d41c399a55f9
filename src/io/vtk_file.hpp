#pragma once
// Files that ParaView reads: one mesh of points, lines and triangles (.vtp), a mesh in several such
// files (.pvtp), and what is when (.pvd). VTK's XML formats, numbers as they are in memory behind
// the text ("appended", "raw"), little endian: https://docs.vtk.org, "VTK XML Formats".

#include "io/field_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::io {

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

  std::size_t point_count() const { return points.size() / 3; }
  /// Of all that a file of it has but the time.
  std::uint64_t hash() const;
};

/// Beside its goal, then renamed: whoever looks sees a whole file. Throws std::runtime_error where
/// the disk does not take it. `time`: simulated s; none of what stays as it is.
void write_vtp(const std::string& path, const PolyData& data, std::optional<double> time);
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

}  // namespace talus::io
