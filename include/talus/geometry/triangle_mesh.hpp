#pragma once
// Triangle meshes: read from STL, checked, searched, and what touches them.

#include "talus/geometry/shape.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace talus {

struct MeshFaults {
  std::int64_t degenerate = 0;     ///< triangles without area
  std::int64_t duplicate = 0;      ///< triangles with the same corners as an earlier one
  std::int64_t open_edges = 0;     ///< edges of one triangle only
  std::int64_t flipped = 0;        ///< edges that two triangles run through in the same direction
  std::int64_t crowded_edges = 0;  ///< edges of three triangles or more
  bool inside_out = false;         ///< closed, with normals that point inwards
  bool closed() const { return open_edges == 0 && flipped == 0 && crowded_edges == 0; }
};

/// Vertices that are the same point are one vertex. Immutable; shared by the bodies that have it.
class TriangleMesh {
 public:
  /// Corners of triangle after triangle, counter-clockwise from outside. Degenerate and duplicate
  /// triangles are left out (and counted).
  explicit TriangleMesh(const std::vector<std::array<Vec3, 3>>& triangles);

  const std::vector<Vec3>& vertices() const { return vertices_; }
  const std::vector<std::array<Index, 3>>& triangles() const { return triangles_; }
  const MeshFaults& faults() const { return faults_; }
  Vec3 normal(Index triangle) const { return normals_[static_cast<std::size_t>(triangle)]; }
  Bounds bounds() const;

  /// Triangles whose bounds overlap `box`, in ascending order. Appends to `found`.
  void search(const Bounds& box, std::vector<Index>& found) const;

  // What collide() of meshes needs is added here by its author (edge and vertex tables).
 private:
  std::vector<Vec3> vertices_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec3> normals_;
  MeshFaults faults_;
};

/// Triangles of an STL file, binary or ASCII, times `scale`. Throws InputError naming the file, the
/// triangle or line, and the remedy: missing, empty, truncated, not finite.
std::vector<std::array<Vec3, 3>> read_stl(const std::string& path, double scale);

}  // namespace talus
