#include "io/paraview/surfaces.hpp"

#include "talus/geometry/triangle_mesh.hpp"
#include "talus/model/body_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace talus::io {
namespace {

/// Points and polygons in the frame of a body.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::vector<std::int64_t>> polygons;
};

Vec3 corner(const Vec3& half, int bits) {
  return {(bits & 1) != 0 ? half.x : -half.x, (bits & 2) != 0 ? half.y : -half.y,
          (bits & 4) != 0 ? half.z : -half.z};
}

Surface surface_of(const Box& box) {
  Surface surface;
  for (int bits = 0; bits < 8; ++bits) surface.points.push_back(corner(box.half, bits));
  surface.polygons = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};  // counter-clockwise from outside
  return surface;
}

/// The icosahedron whose corners are the cyclic permutations of (0, +-1, +-golden ratio).
Surface icosahedron() {
  Surface surface;
  const double golden = 0.5 * (1.0 + std::sqrt(5.0));
  for (const double one : {-1.0, 1.0})
    for (const double far : {-golden, golden}) {
      surface.points.push_back(unit({0.0, one, far}));
      surface.points.push_back(unit({one, far, 0.0}));
      surface.points.push_back(unit({far, 0.0, one}));
    }
  // faces: all triples of neighbours, whose distance is 2 / sqrt(1 + golden^2)
  const std::vector<Vec3>& p = surface.points;
  const auto near = [&](std::size_t i, std::size_t j) {
    const Vec3 way = p[i] - p[j];
    return dot(way, way) < 4.0 / (1.0 + golden * golden) * 1.1;
  };
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = i + 1; j < p.size(); ++j)
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
        const bool outwards = dot(cross(p[j] - p[i], p[k] - p[i]), p[i]) > 0.0;
        const auto a = static_cast<std::int64_t>(i), b = static_cast<std::int64_t>(j),
                   c = static_cast<std::int64_t>(k);
        if (outwards)
          surface.polygons.push_back({a, b, c});
        else
          surface.polygons.push_back({a, c, b});
      }
  return surface;
}

/// Each triangle in four.
const Surface& unit_sphere() {
  static const Surface made = [] {
    const Surface coarse = icosahedron();
    Surface fine;
    fine.points = coarse.points;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> middles;
    const auto middle = [&](std::int64_t a, std::int64_t b) {
      const auto [at, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::int64_t>(fine.points.size()));
      if (is_new) fine.points.push_back(unit(coarse.points[a] + coarse.points[b]));
      return at->second;
    };
    for (const auto& t : coarse.polygons) {
      const std::int64_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
      fine.polygons.insert(fine.polygons.end(),
                           {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}});
    }
    return fine;
  }();
  return made;
}

Surface surface_of(const Sphere& sphere) {
  Surface surface = unit_sphere();
  for (Vec3& point : surface.points) point = sphere.radius * point;
  return surface;
}

Surface surface_of(const Mesh& mesh) {
  Surface surface;
  if (mesh.triangles == nullptr) return surface;
  surface.points = mesh.triangles->vertices();
  for (const auto& t : mesh.triangles->triangles()) surface.polygons.push_back({t[0], t[1], t[2]});
  return surface;
}

Surface surface_of(const Compound& compound) {
  Surface surface;
  for (const Compound::Part& part : compound.parts) {
    const Surface of_part =
        std::visit([](const auto& shape) { return surface_of(shape); }, part.shape);
    const auto first = static_cast<std::int64_t>(surface.points.size());
    for (const Vec3& point : of_part.points) surface.points.push_back(to_world(part.pose, point));
    for (std::vector<std::int64_t> polygon : of_part.polygons) {
      for (std::int64_t& p : polygon) p += first;
      surface.polygons.push_back(std::move(polygon));
    }
  }
  return surface;
}

Surface surface_of(const Plane&) {
  return {};  // is cut to the extents, in the world
}

/// What of a polygon is where normal . x <= offset [Sutherland74].
std::vector<Vec3> cut(const std::vector<Vec3>& polygon, const Vec3& normal, double offset) {
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double before = dot(normal, from) - offset, after = dot(normal, to) - offset;
    if (before <= 0.0) kept.push_back(from);
    if ((before < 0.0 && after > 0.0) || (before > 0.0 && after < 0.0))
      kept.push_back(from + (before / (before - after)) * (to - from));
  }
  return kept;
}

/// Of the plane through `point`, what is within the extents (and a hair).
std::vector<Vec3> plane_within(const Bounds& extents, const Vec3& point, const Vec3& normal) {
  const Vec3 size = extents.high - extents.low, centre = 0.5 * (extents.low + extents.high);
  constexpr double hair = 1e-9;
  const double far = length(size);
  const Vec3 middle = centre - dot(normal, centre - point) * normal;
  const Vec3 other = std::abs(normal.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const Vec3 u = far * unit(cross(normal, other)), v = cross(normal, u);
  std::vector<Vec3> polygon{middle - u - v, middle + u - v, middle + u + v, middle - u + v};
  const std::array<Vec3, 3> axes{Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, Vec3{0.0, 0.0, 1.0}};
  for (const Vec3& axis : axes) {
    polygon = cut(polygon, axis, dot(axis, extents.high) + hair * far);
    polygon = cut(polygon, -axis, -dot(axis, extents.low) + hair * far);
  }
  return polygon;
}

/// Rows of a table that become polygons.
class Painter {
 public:
  Painter(const FieldTable& table, const std::vector<Shape>& shapes, bool walls)
      : key_(table.key),
        position_(table.reals("position")),
        quaternion_(table.reals("quaternion")),
        velocity_(table.reals("velocity")),
        angular_velocity_(table.reals("angular_velocity")),
        scale_(table.reals("scale")),
        shape_(table.integers("shape")),
        motion_(table.integers("motion")),
        group_(table.integers("group")),
        material_(table.integers("material")),
        shapes_(shapes),
        walls_(walls) {}

  bool wanted(std::size_t row) const {
    return (motion_[row] == static_cast<int>(Motion::Fixed)) == walls_;
  }

  void add(std::size_t row, const Bounds& extents) {
    const Pose pose = pose_of(row);
    const Shape& shape = shapes_[shape_[row]];
    if (const auto* plane = std::get_if<Plane>(&shape)) {
      add_plane(row, pose,
                plane_within(extents, pose.position, rotate(pose.orientation, plane->normal)));
      return;
    }
    const auto [known, is_new] = surfaces_.try_emplace(shape_[row]);
    if (is_new)
      known->second = std::visit([](const auto& kind) { return surface_of(kind); }, shape);
    const std::size_t first = data_.point_count();
    for (const Vec3& point : known->second.points)
      add_point(row, pose, to_world(pose, scale_[row] * point));
    for (const auto& polygon : known->second.polygons) add_polygon(row, polygon, first);
  }

  PolyData take() {
    if (!walls_) data_.point_data = {{"velocity", 3, std::move(speeds_)}};
    data_.cell_data = {{"id", 1, std::move(ids_)},
                       {"group", 1, std::move(groups_)},
                       {"material", 1, std::move(materials_)}};
    return std::move(data_);
  }

 private:
  Pose pose_of(std::size_t row) const {
    const std::vector<double>& q = quaternion_;
    return {vector_at(position_, row),
            {q[4 * row], q[4 * row + 1], q[4 * row + 2], q[4 * row + 3]}};
  }
  void add_plane(std::size_t row, const Pose& pose, const std::vector<Vec3>& corners) {
    if (corners.size() < 3) return;  // it is outside
    std::vector<std::int64_t> polygon;
    const std::size_t first = data_.point_count();
    for (const Vec3& point : corners) {
      polygon.push_back(static_cast<std::int64_t>(polygon.size()));
      add_point(row, pose, point);
    }
    add_polygon(row, polygon, first);
  }
  void add_point(std::size_t row, const Pose& pose, const Vec3& point) {
    put(data_.points, point);
    if (walls_) return;
    put(speeds_, vector_at(velocity_, row) +
                     cross(vector_at(angular_velocity_, row), point - pose.position));
  }
  void add_polygon(std::size_t row, const std::vector<std::int64_t>& points, std::size_t first) {
    Cells& cells = data_.polygons;
    for (const std::int64_t p : points)
      cells.connectivity.push_back(static_cast<std::int64_t>(first) + p);
    cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
    ids_.push_back(key_[row][0]);
    groups_.push_back(group_[row]);
    materials_.push_back(material_[row]);
  }

  const std::vector<RowKey>& key_;
  const std::vector<double>&position_, &quaternion_, &velocity_, &angular_velocity_, &scale_;
  const std::vector<std::int32_t>&shape_, &motion_, &group_, &material_;
  const std::vector<Shape>& shapes_;
  bool walls_;
  std::map<std::int32_t, Surface> surfaces_;  ///< by shape
  PolyData data_;
  std::vector<double> speeds_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int32_t> groups_, materials_;
};

}  // namespace

PolyData surfaces_of(const FieldTable& table, const std::vector<Shape>& shapes,
                     const Bounds& extents, bool walls) {
  Painter painter(table, shapes, walls);
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (painter.wanted(row)) painter.add(row, extents);
  return painter.take();
}

}  // namespace talus::io
