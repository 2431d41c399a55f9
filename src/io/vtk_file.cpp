#include "io/vtk_file.hpp"

#include "io/goal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace talus::io {
namespace {

constexpr const char* header = "<?xml version=\"1.0\"?>\n";

/// Beside and renamed. Not synced: a file for looking at is worth no wait for the disk.
void replace_text(const std::string& named, const std::string& text) {
  const std::string path = regular_goal(named), made = beside(path);
  std::FILE* file = std::fopen(made.c_str(), "wb");
  if (file == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(made.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(written ? errno : reason);
  std::remove(made.c_str());
  throw std::runtime_error(fmt::format("{}: could not be written: {}", path, why));
}

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
