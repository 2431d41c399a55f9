#include "talus/geometry/shape.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"
#include "geometry/mesh_mass.hpp"
#include "geometry/placed.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Bounds nothing{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

double smallest(const Vec3& v) {
  return std::fmin(v.x, std::fmin(v.y, v.z));
}

double reach_of_part(const Compound::Part& part) {
  if (const auto* sphere = std::get_if<Sphere>(&part.shape))
    return length(part.pose.position) + sphere->radius;
  const PlacedBox box = placed(std::get<Box>(part.shape), 1.0, part.pose);
  double reach = 0.0;
  for (unsigned k = 0; k < 8; ++k) reach = std::fmax(reach, length(corner(box, k)));
  return reach;
}

/// Shortest edge of bounds that has a length; 0 of a point.
double shortest_edge(const Bounds& bounds) {
  const Vec3 edges = bounds.high - bounds.low;
  double shortest = infinity;
  for (const double edge : {edges.x, edges.y, edges.z})
    if (edge > 0.0) shortest = std::fmin(shortest, edge);
  return shortest < infinity ? shortest : 0.0;
}

MassProperties mass_of(const Sphere& sphere) {
  const double square = sphere.radius * sphere.radius;
  const double volume = 4.0 / 3.0 * pi * square * sphere.radius;
  const double moment = 0.4 * volume * square;
  return {volume, {}, {moment, 0.0, 0.0, moment, 0.0, moment}};
}

MassProperties mass_of(const Box& box) {
  const Vec3& h = box.half;
  const double volume = 8.0 * h.x * h.y * h.z, third = volume / 3.0;
  return {volume,
          {},
          {third * (h.y * h.y + h.z * h.z), 0.0, 0.0, third * (h.x * h.x + h.z * h.z), 0.0,
           third * (h.x * h.x + h.y * h.y)}};
}

void add(Sym3& sum, const Sym3& s) {
  sum = {sum.xx + s.xx, sum.xy + s.xy, sum.xz + s.xz, sum.yy + s.yy, sum.yz + s.yz, sum.zz + s.zz};
}

/// Of a mass at `at`, about the origin: the parallel axis theorem.
Sym3 moment_of_point(double mass, const Vec3& at) {
  return {
      mass * (at.y * at.y + at.z * at.z), -mass * at.x * at.y, -mass * at.x * at.z,
      mass * (at.x * at.x + at.z * at.z), -mass * at.y * at.z, mass * (at.x * at.x + at.y * at.y)};
}

MassProperties mass_of(const Compound& compound) {
  std::vector<MassProperties> of_parts;
  MassProperties whole;
  for (const Compound::Part& part : compound.parts) {
    of_parts.push_back(std::visit([](const auto& shape) { return mass_of(shape); }, part.shape));
    whole.volume += of_parts.back().volume;
    whole.centre = whole.centre + of_parts.back().volume * part.pose.position;
  }
  if (whole.volume == 0.0) return {};
  whole.centre = (1.0 / whole.volume) * whole.centre;
  for (std::size_t i = 0; i < of_parts.size(); ++i) {
    const Pose& pose = compound.parts[i].pose;
    add(whole.inertia, rotated(pose.orientation, of_parts[i].inertia));
    add(whole.inertia, moment_of_point(of_parts[i].volume, pose.position - whole.centre));
  }
  return whole;
}

/// A sphere or box with its centre elsewhere is a compound of one part.
template <class Convex>
Shape moved_part(const Convex& shape, const Vec3& centre) {
  if (centre.x == 0.0 && centre.y == 0.0 && centre.z == 0.0) return shape;
  return Compound{{{shape, {-centre, {}}}}};
}

}  // namespace

const char* name_of(const Shape& shape) {
  return std::visit(
      Overloaded{[](const Sphere&) { return "sphere"; }, [](const Box&) { return "box"; },
                 [](const Plane&) { return "plane"; }, [](const Compound&) { return "compound"; },
                 [](const Mesh&) { return "mesh"; }},
      shape);
}

Bounds bounds_of(const Shape& shape, double scale, const Pose& pose) {
  return std::visit(
      Overloaded{[&](const Compound& compound) {
                   TALUS_ASSERT(!compound.parts.empty());
                   Bounds bounds = nothing;
                   for (const Compound::Part& part : compound.parts) {
                     const Pose at = pose_of(part, scale, pose);
                     const auto of = [&](const auto& s) { return bounds_of(placed(s, scale, at)); };
                     bounds = joined(bounds, std::visit(of, part.shape));
                   }
                   return bounds;
                 },
                 [&](const Mesh& mesh) {
                   Bounds bounds = nothing;
                   for (const Vec3& vertex : mesh.triangles->vertices()) {
                     const Vec3 at = to_world(pose, scale * vertex);
                     bounds = joined(bounds, {at, at});
                   }
                   return bounds;
                 },
                 [&](const auto& convex) { return bounds_of(placed(convex, scale, pose)); }},
      shape);
}

double reach_of(const Shape& shape, double scale) {
  return std::visit(Overloaded{[&](const Sphere& sphere) { return scale * sphere.radius; },
                               [&](const Box& box) { return scale * length(box.half); },
                               [&](const Plane&) { return infinity; },
                               [&](const Compound& compound) {
                                 double reach = 0.0;
                                 for (const Compound::Part& part : compound.parts)
                                   reach = std::fmax(reach, reach_of_part(part));
                                 return scale * reach;
                               },
                               [&](const Mesh& mesh) {
                                 double reach = 0.0;
                                 for (const Vec3& vertex : mesh.triangles->vertices())
                                   reach = std::fmax(reach, length(vertex));
                                 return scale * reach;
                               }},
                    shape);
}

double size_of(const Shape& shape, double scale) {
  const auto of_sphere = [&](const Sphere& sphere) { return 2.0 * scale * sphere.radius; };
  const auto of_box = [&](const Box& box) { return 2.0 * scale * smallest(box.half); };
  return std::visit(
      Overloaded{of_sphere, of_box, [&](const Plane&) { return infinity; },
                 [&](const Compound& compound) {
                   double size = infinity;
                   for (const Compound::Part& part : compound.parts)
                     size = std::fmin(size, std::visit(Overloaded{of_sphere, of_box}, part.shape));
                   return size;
                 },
                 [&](const Mesh& mesh) { return scale * shortest_edge(mesh.triangles->bounds()); }},
      shape);
}

MassProperties mass_properties(const Shape& shape) {
  return std::visit(Overloaded{[](const Plane&) { return MassProperties{}; },
                               [](const Mesh& mesh) { return mass_properties_of(*mesh.triangles); },
                               [](const auto& solid) { return mass_of(solid); }},
                    shape);
}

Shape moved_to(const Shape& shape, const Vec3& centre) {
  TALUS_ASSERT(!std::holds_alternative<Plane>(shape));
  return std::visit(
      Overloaded{[&](const Plane& plane) -> Shape { return plane; },
                 [&](const Compound& compound) -> Shape {
                   Compound result = compound;
                   for (Compound::Part& part : result.parts)
                     part.pose.position = part.pose.position - centre;
                   return result;
                 },
                 [&](const Mesh& mesh) -> Shape {
                   return Mesh{
                       std::make_shared<const TriangleMesh>(moved(*mesh.triangles, centre))};
                 },
                 [&](const auto& convex) -> Shape { return moved_part(convex, centre); }},
      shape);
}

}  // namespace talus
