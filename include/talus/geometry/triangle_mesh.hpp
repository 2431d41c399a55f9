#pragma once
// Triangle meshes: checked, searched, and with what is needed to touch them. Read from files by
// io/stl_file.hpp.

#include "talus/geometry/shape.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace talus {

class BoundsTree;     // src/geometry/bounds_tree.hpp
struct MeshTopology;  // src/geometry/mesh_topology.hpp

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
  /// More would not fit into the numbers of contact features.
  static constexpr std::int64_t most_triangles = std::int64_t{1} << 24;

  /// Corners of triangle after triangle, counter-clockwise from outside. Degenerate triangles (area
  /// at most 1e-12 of the square of the longest edge) and duplicate ones are left out (and
  /// counted). Throws InputError: more than most_triangles, a corner that is not finite.
  explicit TriangleMesh(const std::vector<std::array<Vec3, 3>>& triangles);

  /// Only those that a triangle has.
  const std::vector<Vec3>& vertices() const { return vertices_; }
  const std::vector<std::array<Index, 3>>& triangles() const { return triangles_; }
  const MeshFaults& faults() const { return faults_; }
  /// Unit; one and the same for all triangles of a plane group.
  Vec3 normal(Index triangle) const { return normals_[triangle]; }
  const MeshTopology& topology() const { return *topology_; }
  const Vec3& corner(Index triangle, int i) const {
    const auto t = static_cast<std::size_t>(triangle);
    return vertices_[triangles_[t][i]];
  }
  /// Of no triangles: the origin.
  Bounds bounds() const;

  /// Triangles whose bounds overlap `box`, in ascending order. Appends to `found`.
  void search(const Bounds& box, std::vector<Index>& found) const;

  /// The same triangles with every vertex moved. Not welded or checked again.
  TriangleMesh moved_by(const Vec3& way) const;

 private:
  void weld(const std::vector<std::array<Vec3, 3>>& corners);
  void leave_out_duplicates();
  void number_vertices();
  void find_normals();
  void find_faults();
  void plant_tree();

  std::vector<Vec3> vertices_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec3> normals_;
  std::shared_ptr<const MeshTopology> topology_;  ///< copies of a mesh share it
  std::shared_ptr<const BoundsTree> tree_;        ///< likewise
  MeshFaults faults_;
};

}  // namespace talus
