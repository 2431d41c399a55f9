#pragma once
// Shapes in the frame of their body, whose origin is the centre of mass of bodies that move. Every
// body scales its shape by a factor of its own, so that a million spheres share one shape of
// radius 1.

#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"

#include <memory>
#include <variant>
#include <vector>

namespace talus {

class TriangleMesh;  // geometry/triangle_mesh.hpp

struct Sphere {
  double radius = 1.0;  // m
};

struct Box {
  Vec3 half{0.5, 0.5, 0.5};  ///< half edge lengths, m
};

/// A half space: solid where normal . x < 0. Its bodies never move by impulses... they may be
/// fixed, kinematic or, with a given mass, servo walls. No scale.
struct Plane {
  Vec3 normal{0.0, 0.0, 1.0};  ///< unit, out of the solid
};

/// Several convex parts as one rigid body: a clump of spheres, an L of boxes.
struct Compound {
  struct Part {
    std::variant<Sphere, Box> shape;
    Pose pose;  ///< in the frame of the body
  };
  std::vector<Part> parts;
};

struct Mesh {
  std::shared_ptr<const TriangleMesh> triangles;
};

using Shape = std::variant<Sphere, Box, Plane, Compound, Mesh>;

/// "sphere", "box", ...
const char* name_of(const Shape& shape);

/// Axis-aligned box in the world.
struct Bounds {
  Vec3 low, high;
};
inline bool overlap(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}
/// Tight for spheres, boxes, compounds; of a mesh, of its vertices. Infinite for a plane (also
/// where the plane is axis-aligned).
Bounds bounds_of(const Shape& shape, double scale, const Pose& pose);
/// Largest distance of a point of the shape from the origin of its frame, m; infinite for a plane.
double reach_of(const Shape& shape, double scale);
/// What "size" means in messages and tolerances: diameter of a sphere, shortest edge of a box,
/// smallest part of a compound, shortest edge of the bounds of a mesh that is not flat; infinite
/// for a plane.
double size_of(const Shape& shape, double scale);

/// Per unit of density and scale 1: multiply mass by density scale^3, inertia by density scale^5.
struct MassProperties {
  double volume = 0.0;  ///< m3
  Vec3 centre;          ///< in the frame of the shape
  Sym3 inertia;         ///< about the centre, axes of the frame; m5
};
/// Of a compound: parts that overlap are counted once for each part (as is usual for clumps; a user
/// may give mass and inertia). Of a mesh: of the solid that a closed mesh bounds. All zero for a
/// plane and an open mesh.
MassProperties mass_properties(const Shape& shape);
/// The same shape in a frame moved so that `centre` is its origin. Not for planes.
Shape moved_to(const Shape& shape, const Vec3& centre);

}  // namespace talus
