#pragma once
// Bodies as arrays: [owned | ghost] (one rank has no ghosts), in the order of their ids.

#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"

#include <cstdint>
#include <vector>

namespace talus {

enum class Motion : std::uint8_t {
  Dynamic,   ///< by impulses and forces
  Fixed,     ///< never
  Kinematic  ///< as an expression of time says, whatever touches it
};

struct BodySet {
  // Made once, when the body is made.
  std::vector<GlobalId> id;  ///< never used again after a body is removed
  std::vector<Motion> motion;
  std::vector<Index> shape;     ///< of World::shapes
  std::vector<double> scale;    ///< of the shape
  std::vector<Index> material;  ///< of World::materials
  std::vector<Index> group;     ///< of World::groups
  std::vector<double> mass;     ///< kg; of a body that does not move: once released, or infinite
  std::vector<Sym3> inertia;  ///< kg m2 about the centre, axes of the body; infinite likewise (xx)
  std::vector<double> reach;  ///< m: largest distance of a point of it from its centre

  // State, written by integration.
  std::vector<Vec3> position;           ///< of the centre of mass, m
  std::vector<Quaternion> orientation;  ///< body axes -> world axes
  std::vector<Vec3> velocity;           ///< m/s
  std::vector<Vec3> angular_velocity;   ///< rad/s, world frame

  Index owned = 0;  ///< how many come first

  Index count() const { return static_cast<Index>(id.size()); }
  /// Index of a body, -1 where it is not here. By bisection among owned bodies.
  Index find(GlobalId wanted) const;
  /// Leaves only those bodies whose mark is not 0, in their order.
  void keep(const std::vector<std::uint8_t>& marks);
};

/// One body, to be appended.
struct NewBody {
  GlobalId id = 0;
  Motion motion = Motion::Dynamic;
  Index shape = 0;
  double scale = 1.0;
  Index material = 0, group = 0;
  double mass = 0.0;
  Sym3 inertia;
  Pose pose;
  Vec3 velocity, angular_velocity;
};
/// `reach`: of its shape and scale.
void append(BodySet& bodies, const NewBody& body, double reach);

}  // namespace talus
