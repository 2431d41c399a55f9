#pragma once
// Lists that ParaView reads: a mesh in several files (.pvtp), and what is when (.pvd). VTK's XML
// formats: https://docs.vtk.org, "VTK XML Formats".

#include "io/vtp_file.hpp"

#include <string>
#include <vector>

namespace talus::io {

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
