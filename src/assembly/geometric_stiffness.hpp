#pragma once
// Joints under load pull bodies back that turn or move sideways in them: the geometric stiffness.
// docs/algorithms/joints.md, docs/decisions/030.

#include "talus/model/world.hpp"

#include <vector>

namespace talus {

/// rad: h sqrt(k / I) up to which steps follow how a body swings on a stiffness k. Beyond, its
/// inertia in the step's problem is h^2 k / followed_angle^2. Steps that take k as it is at their
/// begin are unstable from 2 on.
inline constexpr double followed_angle = 1.0;

/// N m: -d(torque about the centre)/d(turn) of a body on which `force` acts at the lever `arm`,
/// which turns with it; the symmetric part.
Sym3 lever_stiffness(const Vec3& arm, const Vec3& force);

/// The largest h sqrt(k / I) of any direction; 0 where nothing pulls back. `inertia`: positive
/// definite.
double step_angle(const Sym3& inertia, const Sym3& stiffness, double h);

/// kg m2: the least that `inertia` has to grow by so that no direction has a step angle above
/// followed_angle. Zero where none has.
Sym3 missing_inertia(const Sym3& inertia, const Sym3& stiffness, double h);

struct StiffBody {
  Index body = no_body;     ///< none
  Index joint = 0;          ///< of World::joints: the one that pulls it back the most
  double force = 0.0;       ///< N, of that joint
  Sym3 turning;             ///< N m, world frame
  double sideways = 0.0;    ///< N/m: ropes (distance joints, springs) across their direction
  bool sways = false;       ///< sideways is the stiffer one; inertia is added for turning alone
  double step_angle = 0.0;  ///< the larger one of turning and moving sideways
};
struct StiffBodies {
  StiffBody stiffest;             ///< of all
  std::vector<StiffBody> beyond;  ///< followed_angle; in the order of the world
};
/// Of the bodies that this rank owns, with the reactions of the last step.
StiffBodies stiff_bodies(const World& world, double h);

/// Before the first step nothing pulls yet: as if each joint carried three times the weight that
/// hangs on it, as at the lowest point of a swing from horizontal. While every rank has all bodies
/// that are in joints. `gravity`: m/s2.
StiffBody stiffest_at_start(const World& world, double h, double gravity);

/// kg m2, world frame: what bodies have more in a step's problem than they are, per body of the
/// world; empty where none has. It resists changes of their angular velocities and does nothing
/// else.
std::vector<Sym3> added_inertia(const World& world, double h, const StiffBodies& stiff);
/// To a body of a problem: its inverse inertia, and the angular momentum that keeps its velocity.
void add_inertia(const Sym3& added, Sym3& inverse_inertia, Vec3& momentum);

}  // namespace talus
