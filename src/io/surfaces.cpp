#include "io/surfaces.hpp"

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
      if (is_new)
        fine.points.push_back(unit(coarse.points[static_cast<std::size_t>(a)] +
                                   coarse.points[static_cast<std::size_t>(b)]));
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
      : table_(table), shapes_(shapes), walls_(walls) {
    if (!walls) data_.point_data.push_back({"velocity", 3, std::vector<double>{}});
    data_.cell_data = {{"id", 1, std::vector<std::int64_t>{}},
                       {"group", 1, std::vector<std::int32_t>{}},
                       {"material", 1, std::vector<std::int32_t>{}}};
  }

  void add(std::size_t row, const Bounds& extents) {
    const Pose pose = pose_of(row);
    const Shape& shape = shapes_[static_cast<std::size_t>(table_.integers("shape")[row])];
    if (const auto* plane = std::get_if<Plane>(&shape)) {
      const std::vector<Vec3> polygon =
          plane_within(extents, pose.position, rotate(pose.orientation, plane->normal));
      if (polygon.size() < 3) return;
      std::vector<std::int64_t> points;
      for (const Vec3& point : polygon)
        points.push_back(static_cast<std::int64_t>(points.size())), add_point(row, pose, point);
      add_polygon(row, points, data_.point_count() - polygon.size());
      return;
    }
    const Surface surface = std::visit([](const auto& s) { return surface_of(s); }, shape);
    const double scale = table_.reals("scale")[row];
    const std::size_t first = data_.point_count();
    for (const Vec3& point : surface.points) add_point(row, pose, to_world(pose, scale * point));
    for (const auto& polygon : surface.polygons) add_polygon(row, polygon, first);
  }

  bool wanted(std::size_t row) const {
    return (table_.integers("motion")[row] == static_cast<int>(Motion::Fixed)) == walls_;
  }
  PolyData take() { return std::move(data_); }

 private:
  Pose pose_of(std::size_t row) const {
    const std::vector<double>& q = table_.reals("quaternion");
    return {vector_at(table_.reals("position"), row),
            {q[4 * row], q[4 * row + 1], q[4 * row + 2], q[4 * row + 3]}};
  }
  void add_point(std::size_t row, const Pose& pose, const Vec3& point) {
    put(data_.points, point);
    if (walls_) return;
    const Vec3 v = vector_at(table_.reals("velocity"), row),
               w = vector_at(table_.reals("angular_velocity"), row);
    put(std::get<std::vector<double>>(data_.point_data[0].values),
        v + cross(w, point - pose.position));
  }
  void add_polygon(std::size_t row, const std::vector<std::int64_t>& points, std::size_t first) {
    for (const std::int64_t p : points)
      data_.polygons.connectivity.push_back(static_cast<std::int64_t>(first) + p);
    data_.polygons.offsets.push_back(static_cast<std::int64_t>(data_.polygons.connectivity.size()));
    std::get<std::vector<std::int64_t>>(data_.cell_data[0].values).push_back(table_.key[row][0]);
    std::get<std::vector<std::int32_t>>(data_.cell_data[1].values)
        .push_back(table_.integers("group")[row]);
    std::get<std::vector<std::int32_t>>(data_.cell_data[2].values)
        .push_back(table_.integers("material")[row]);
  }

  const FieldTable& table_;
  const std::vector<Shape>& shapes_;
  bool walls_;
  PolyData data_;
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
