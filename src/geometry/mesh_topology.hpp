#pragma once
// Which triangles meet at which edges and vertices of a mesh, and where its surface is flat.

#include "talus/core/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

struct MeshEdge {
  std::array<Index, 2> ends{};  ///< vertices, the lower number first
  /// A place where other bodies can touch the edge: the surface bends here by more than the noise
  /// of coordinates in single precision, ends, or branches.
  bool feature = false;
};

/// Rows of numbers of different lengths.
struct IndexLists {
  std::vector<Index> begin;  ///< of each row, and the end of the last one
  std::vector<Index> entry;
  std::span<const Index> operator[](Index row) const {
    const auto r = static_cast<std::size_t>(row);
    const auto first = static_cast<std::size_t>(begin[r]);
    return {entry.data() + first, static_cast<std::size_t>(begin[r + 1]) - first};
  }
};

struct MeshTopology {
  std::vector<MeshEdge> edges;                       ///< in the order of their ends
  std::vector<std::array<Index, 3>> triangle_edges;  ///< edge i: from corner i to corner i + 1
  IndexLists edge_triangles, vertex_triangles, vertex_edges;  ///< each row ascending
  /// Of each triangle, the smallest number of the triangles that lie in one plane with it and are
  /// connected to it by such triangles. How a plane is cut into triangles is then of no importance.
  std::vector<Index> plane_group;
  /// Of each triangle, the smallest number of the triangles that are connected to it by edges of
  /// two triangles that agree about which side is outside.
  std::vector<Index> sheet;
  /// Of each vertex: whether edges that are features meet there at an angle, or one ends there.
  std::vector<std::uint8_t> corner;
};

/// Whether a triangle runs through an edge that it has from the first to the second end.
bool runs_along(const std::array<Index, 3>& triangle, const MeshEdge& edge);

/// `normals`: unit, of each triangle.
MeshTopology topology_of(const std::vector<Vec3>& vertices,
                         const std::vector<std::array<Index, 3>>& triangles,
                         const std::vector<Vec3>& normals);

}  // namespace talus
