#include "geometry/mesh_topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace talus {
namespace {

// Sines of the angle by which a surface bends at an edge.
constexpr double in_one_plane = 1e-9;
// Planes that were written in single precision bend by some 1e-7 times how much longer the way to
// the origin is than a triangle is high.
constexpr double not_a_feature = 1e-5;

/// Rows from pairs (row, entry) that are sorted.
IndexLists lists_of(const std::vector<std::array<Index, 2>>& sorted, std::size_t rows) {
  IndexLists lists;
  lists.begin.assign(rows + 1, 0);
  lists.entry.reserve(sorted.size());
  for (const auto& [row, entry] : sorted) {
    ++lists.begin[row + 1];
    lists.entry.push_back(entry);
  }
  std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
  return lists;
}

struct EdgeUse {
  std::array<Index, 2> ends;
  Index triangle;
  Index place;  ///< 0 to 2 in the triangle
};

void find_edges(const std::vector<std::array<Index, 3>>& triangles, MeshTopology& topology) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const Index a = triangles[t][i], b = triangles[t][(i + 1) % 3];
      uses.push_back(
          {{std::min(a, b), std::max(a, b)}, static_cast<Index>(t), static_cast<Index>(i)});
    }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle;
  });
  topology.triangle_edges.resize(triangles.size());
  std::vector<std::array<Index, 2>> of_edges;
  for (const EdgeUse& use : uses) {
    if (topology.edges.empty() || topology.edges.back().ends != use.ends)
      topology.edges.push_back({use.ends, false});
    const auto edge = static_cast<Index>(topology.edges.size()) - 1;
    topology.triangle_edges[use.triangle][use.place] = edge;
    of_edges.push_back({edge, use.triangle});
  }
  topology.edge_triangles = lists_of(of_edges, topology.edges.size());
}

void find_neighbours(const std::vector<std::array<Index, 3>>& triangles, std::size_t vertices,
                     MeshTopology& topology) {
  std::vector<std::array<Index, 2>> of_vertices;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const Index v : triangles[t]) of_vertices.push_back({v, static_cast<Index>(t)});
  std::sort(of_vertices.begin(), of_vertices.end());
  topology.vertex_triangles = lists_of(of_vertices, vertices);
  of_vertices.clear();
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    for (const Index v : topology.edges[e].ends) of_vertices.push_back({v, static_cast<Index>(e)});
  std::sort(of_vertices.begin(), of_vertices.end());
  topology.vertex_edges = lists_of(of_vertices, vertices);
}

/// How two triangles lie that share an edge.
struct Bend {
  double sine = 0.0;    ///< of the angle between their planes
  double noise = 0.0;   ///< sine that rounding of coordinates alone can make
  bool folded = false;  ///< by more than a right angle
};

class Surface {
 public:
  Surface(const std::vector<Vec3>& vertices, const std::vector<std::array<Index, 3>>& triangles,
          const std::vector<Vec3>& normals)
      : vertices_(vertices), triangles_(triangles), normals_(normals) {
    for (const Vec3& v : vertices)
      largest_ = std::max({largest_, std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
  }

  /// Measured from the plane of the higher triangle, which is known better, to the apex of the
  /// lower one.
  Bend bend(const MeshEdge& edge, Index one, Index other) const {
    const Vec3& from = vertices_[edge.ends[0]];
    const Vec3 along = vertices_[edge.ends[1]] - from;
    const auto height = [&](Index t) {
      const Vec3 to_apex = apex(edge, t) - from;
      return to_apex - (dot(to_apex, along) / dot(along, along)) * along;
    };
    Vec3 high = height(one), low = height(other);
    Index plane = one;
    if (dot(high, high) < dot(low, low)) {
      std::swap(high, low);
      plane = other;
    }
    const double length = std::sqrt(dot(low, low));
    const double rounding = 8.0 * std::numeric_limits<double>::epsilon() * largest_;
    return {std::fabs(dot(normals_[plane], low)) / length, rounding / length, dot(high, low) > 0.0};
  }

 private:
  const Vec3& apex(const MeshEdge& edge, Index triangle) const {
    const auto& corners = triangles_[triangle];
    // the one that is left when both ends are taken away
    const Index v = corners[0] + corners[1] + corners[2] - edge.ends[0] - edge.ends[1];
    return vertices_[v];
  }

  const std::vector<Vec3>& vertices_;
  const std::vector<std::array<Index, 3>>& triangles_;
  const std::vector<Vec3>& normals_;
  double largest_ = 0.0;
};

/// Sets of triangles that grow together, each known by its smallest member.
class TriangleSets {
 public:
  explicit TriangleSets(std::size_t triangles) : parent_(triangles) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }

  void join(Index a, Index b) {
    const Index one = root_of(a), other = root_of(b);
    parent_[std::max(one, other)] = std::min(one, other);
  }

  std::vector<Index> smallest_members() {
    for (std::size_t t = 0; t < parent_.size(); ++t) parent_[t] = root_of(static_cast<Index>(t));
    return parent_;
  }

 private:
  Index root_of(Index i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  std::vector<Index> parent_;
};

void find_corners(const std::vector<Vec3>& vertices, MeshTopology& topology) {
  topology.corner.assign(vertices.size(), 0);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    std::vector<Vec3> ways;
    for (const Index e : topology.vertex_edges[static_cast<Index>(v)]) {
      const MeshEdge& edge = topology.edges[e];
      if (!edge.feature) continue;
      const Index other = edge.ends[0] + edge.ends[1] - static_cast<Index>(v);
      const Vec3 way = vertices[other] - vertices[v];
      ways.push_back((1.0 / std::sqrt(dot(way, way))) * way);
    }
    if (ways.empty()) continue;
    const bool passed = ways.size() == 2 && dot(ways[0], ways[1]) < 0.0 && [&] {
      const Vec3 turn = cross(ways[0], ways[1]);
      return dot(turn, turn) <= not_a_feature * not_a_feature;
    }();
    topology.corner[v] = passed ? 0 : 1;
  }
}

}  // namespace

bool runs_along(const std::array<Index, 3>& triangle, const MeshEdge& edge) {
  for (std::size_t i = 0; i < 3; ++i)
    if (triangle[i] == edge.ends[0]) return triangle[(i + 1) % 3] == edge.ends[1];
  return false;
}

MeshTopology topology_of(const std::vector<Vec3>& vertices,
                         const std::vector<std::array<Index, 3>>& triangles,
                         const std::vector<Vec3>& normals) {
  MeshTopology topology;
  find_edges(triangles, topology);
  find_neighbours(triangles, vertices.size(), topology);
  const Surface surface(vertices, triangles, normals);
  TriangleSets groups(triangles.size()), sheets(triangles.size());
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    MeshEdge& edge = topology.edges[e];
    const auto of_edge = topology.edge_triangles[static_cast<Index>(e)];
    edge.feature = true;
    if (of_edge.size() != 2) continue;
    const Bend bend = surface.bend(edge, of_edge[0], of_edge[1]);
    edge.feature = bend.folded || bend.sine > std::max(not_a_feature, bend.noise);
    if (runs_along(triangles[of_edge[0]], edge) == runs_along(triangles[of_edge[1]], edge))
      continue;
    sheets.join(of_edge[0], of_edge[1]);
    if (!bend.folded && bend.sine <= std::max(in_one_plane, bend.noise))
      groups.join(of_edge[0], of_edge[1]);
  }
  topology.plane_group = groups.smallest_members();
  topology.sheet = sheets.smallest_members();
  find_corners(vertices, topology);
  return topology;
}

}  // namespace talus
