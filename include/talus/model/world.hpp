#pragma once
// The state of a simulation: everything that the next step depends on, and nothing else. What a
// checkpoint holds.

#include "talus/core/expression.hpp"
#include "talus/geometry/periodicity.hpp"
#include "talus/geometry/shape.hpp"
#include "talus/model/body_set.hpp"
#include "talus/model/contact_set.hpp"
#include "talus/model/joint.hpp"
#include "talus/model/material.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace talus {

/// What becomes of a body whose centre leaves the domain.
enum class Outside : std::uint8_t { Stop, Remove };

struct Domain {
  Vec3 low{-infinity, -infinity, -infinity}, high{infinity, infinity, infinity};
  Outside outside = Outside::Stop;
  std::array<bool, 3> periodic{};
};

/// Prescribed motion of a kinematic body, about its pose at t = 0 (or when it appears). All parts
/// add up.
struct KinematicMotion {
  GlobalId body = 0;
  Pose start;                          ///< at t = 0
  std::array<Expression, 3> way;       ///< displacement, m
  std::array<Expression, 3> velocity;  ///< m/s: integrated by the steps, beside `way`
  Vec3 axis{0.0, 0.0, 1.0};            ///< unit: of the rotation
  Vec3 through;                        ///< a point of the axis at t = 0, world frame
  Expression angle;                    ///< rad
  Expression rate;                     ///< rad/s: integrated by the steps, beside `angle`
  // State: integrals of velocity and rate, less what had passed when the body appeared.
  Vec3 way_so_far;
  double angle_so_far = 0.0;
};

/// A force and a torque on every body of a group, or a force per mass.
struct GroupForce {
  Index group = 0;
  std::array<Expression, 3> force, torque;  ///< N and N m of each body, of time
  std::array<Expression, 3> acceleration;   ///< m/s2
  bool on = true;
};

/// What a caller does to a body, beside what the scene says: N and N m about its centre of mass,
/// world axes.
struct OuterForce {
  GlobalId body = 0;
  Vec3 force, torque;
};

/// Whole periods by which a body was brought back.
using Shift = std::array<std::int8_t, 3>;

struct World {
  // As the scene says.
  std::vector<Shape> shapes;
  /// Of shapes whose centre of mass is not the origin of their frame: the copy that is moved there.
  std::map<Index, Index> centred;
  MaterialTable materials;
  std::vector<std::string> groups;  ///< names; a body that is named alone is a group of one
  Domain domain;

  // State.
  double time = 0.0;      ///< s, from the start of the simulation
  std::int64_t step = 0;  ///< steps done, from the start of the simulation
  /// The time as a whole number of ticks, of which a step takes some (StepSettings): steps of other
  /// lengths meet at the very same times.
  std::int64_t ticks = 0;
  GlobalId next_id = 0;
  std::array<Expression, 3> gravity;  ///< m/s2
  BodySet bodies;
  std::vector<Joint> joints;
  std::vector<KinematicMotion> motions;  ///< in the order of their bodies' ids
  std::vector<GroupForce> forces;
  std::vector<OuterForce> held;  ///< in all steps, in the order of ids; the same on all ranks
  /// In the next step alone, in the order of ids: of owned bodies, within the step of ghosts too.
  std::vector<OuterForce> pushed;
  ContactSet contacts;       ///< of the last step, with its impulses: warm start
  std::int64_t removed = 0;  ///< bodies that left the domain, were removed by events or streams

  Periodicity periodicity() const;
  Index find_group(const std::string& name) const;  ///< -1 where there is none
};

/// A vector of three formulas of time. Throws FormulaError.
Vec3 value_at(const std::array<Expression, 3>& formulas, double t);

/// The indices of its contacts' bodies, by their ids; -1 where a body is not here.
void find_bodies(World& world);

/// Kinetic energy of bodies that impulses move, J; gravity's potential energy (0 where gravity
/// varies); their momentum (linear, and angular about the origin): sums in the order of ids over
/// the bodies that are owned here. On many ranks: Simulation::energies(), which is exact.
struct Energies {
  double kinetic = 0.0, potential = 0.0;
};
Energies energies_of(const World& world);
struct Momenta {
  Vec3 linear, angular;
};
Momenta momenta_of(const World& world);
/// The terms of those sums, one per owned body that impulses move.
Energies energies_of(const World& world, std::size_t body, const Vec3& gravity);
Momenta momenta_of(const World& world, std::size_t body);
/// Zero where it varies with time.
Vec3 constant_gravity(const World& world);

/// Of the bits of ids, positions, orientations and velocities of the bodies that are owned here: a
/// sum (mod 2^64) over the bodies, so that those of all ranks add up.
std::uint64_t trajectory_hash(const BodySet& bodies);

}  // namespace talus
