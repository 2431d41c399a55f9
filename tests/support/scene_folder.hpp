#pragma once
// Scene files for tests.

#include <filesystem>
#include <string>
#include <vector>

namespace talus::support {

/// A folder of its own that goes with the test.
class SceneFolder {
 public:
  SceneFolder();
  ~SceneFolder();
  SceneFolder(const SceneFolder&) = delete;
  SceneFolder& operator=(const SceneFolder&) = delete;

  /// Path of a new file with this content.
  std::string write(const std::string& name, const std::string& content) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The scene file of the interface: a dam break beside a motor-driven drum. It needs drum.stl.
std::string example_scene();
/// `text` with the first `from` replaced; the test fails where there is none.
std::string changed(const std::string& text, const std::string& from, const std::string& to);
/// A closed box with edges of so many units, corner at the origin; without its last `left_out`
/// triangles.
std::string box_stl(double edge, std::size_t left_out = 0);
/// What read_scene says of a file of this content, without the folder in front of its name.
std::vector<std::string> faults_of(const std::string& content,
                                   const std::vector<std::string>& overrides = {});

}  // namespace talus::support
