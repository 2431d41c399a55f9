#pragma once
// Triangle meshes as STL files.

#include "talus/core/types.hpp"

#include <array>
#include <string>
#include <vector>

namespace talus {

/// Triangles of an STL file, binary or ASCII, times `scale`. Its normals are not read: the order of
/// corners says where outside is. Throws InputError naming the file, the triangle or line, and the
/// remedy: missing, empty, truncated, not finite, more than a mesh can have.
std::vector<std::array<Vec3, 3>> read_stl(const std::string& path, double scale);

}  // namespace talus
