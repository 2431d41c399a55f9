#pragma once
// From the state of the world to the arrays of a contact problem: bodies with what they would do
// without impulses, contacts with their geometry and friction. What a scheme wants of each row
// (bias, compliance) is filled in by stepping.

#include "talus/model/world.hpp"
#include "talus/problem/body_problem.hpp"

#include <vector>

namespace talus {

/// All bodies, in the order of the world: inverse masses and world-frame inverse inertias, and the
/// momentum f = M v + h Q with gravity, forces of groups and `wrench` (N, N m about the centres;
/// one per body). Overwrites `problem`. Angular momentum is carried on, so that there is no
/// gyroscopic term to add (docs/algorithms/stepping.md).
void body_rows(const World& world, double h, const std::vector<Vec6>& wrench, BodyProblem& problem);

/// What forces of groups and force motors add to the velocities of bodies within a step (m/s,
/// rad/s), were they alone; gravity apart. Empty where there are none.
std::vector<Vec6> velocity_gains(const World& world, double h);

/// The contacts of the world, with friction of their pairs of materials; bias and compliance 0.
/// Cohesion: the pull is applied to the momenta, and the contact's impulse counts from there
/// (cohesion_pull).
void contact_rows(const World& world, double h, BodyProblem& problem);

/// Keys in canonical order that any rank can tell: the owner's id (of the two bodies the one of
/// lower id that moves and is not wide), and a count of the contacts that it owns.
std::vector<GlobalId> contact_keys(const World& world);

/// N s: the pull that the impulse of a contact, as solved, has already overcome.
double cohesion_pull(const World& world, Index contact, double h);

/// Velocity of B relative to A at the contact, m/s: with the velocities of the world, or of its
/// kinematic bodies alone.
Vec3 contact_velocity(const World& world, Index contact);
Vec3 prescribed_contact_velocity(const World& world, Index contact);
/// The same of a joint row.
struct JointRow;
double row_velocity(const World& world, const JointRow& row);
double prescribed_row_velocity(const World& world, const JointRow& row);

}  // namespace talus
