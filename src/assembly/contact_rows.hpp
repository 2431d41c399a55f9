#pragma once
// From the state of the world to the arrays of a contact problem: bodies with what they would do
// without impulses, contacts with their geometry and friction. What a scheme wants of each row
// (bias, compliance) is filled in by stepping.

#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include <vector>

namespace talus {

struct JointRow;

/// All bodies, in the order of the world: inverse masses, world-frame inverse inertias of the axes
/// that a free body has half way through the step, and the momentum f = M v + h Q with gravity,
/// forces of groups and of callers and `wrench` (N, N m about the centres; one per body).
/// Overwrites `problem`. Angular momentum is carried on, so that there is no gyroscopic term to add
/// (docs/algorithms/stepping.md).
/// `added`: kg m2, world frame, inertia that bodies have in this problem alone; none where empty
/// (assembly/geometric_stiffness.hpp).
void body_rows(const World& world, double h, const std::vector<Vec6>& wrench, BodyProblem& problem,
               const std::vector<Sym3>& added = {});

/// Rows of every body: its contacts, and `joints`. Of a body that all ranks store those that are
/// counted here, so that the sum over the ranks is what it has; of a ghost those that are here.
std::vector<std::int64_t> row_counts(const World& world, const std::vector<JointRow>& joints);

/// What forces of groups and of callers and force motors can add at most to the speed of a body
/// within a step, m/s and rad/s; gravity apart. From the body and the scene alone, alike on all
/// ranks. Empty where there are none.
struct SpeedGain {
  double speed = 0.0, spin = 0.0;
};
std::vector<SpeedGain> speed_gains(const World& world, double h);

/// The contacts of the world, with friction of their pairs of materials; bias and compliance 0.
/// `hub`: marks of the bodies that have more rows than one rank keeps (docs/decisions/013).
/// Cohesion: the pull is applied to the momenta of the others (right of those that this rank owns),
/// and the contact's impulse counts from there (cohesion_pull).
void contact_rows(const World& world, double h, const std::vector<std::uint8_t>& hub,
                  BodyProblem& problem);
/// The pull of cohesion on hub bodies, exactly. Collective.
void add_hub_cohesion(const World& world, double h, const std::vector<std::uint8_t>& hub,
                      const Communicator& comm, BodyProblem& problem);

/// Keys in canonical order: the id of the body whose owner owns the contact (RowOwners), and a
/// count of the contacts of that body. Alike on all ranks for the owner's contacts; those of a
/// ghost are in the same order, but counted here.
std::vector<GlobalId> contact_keys(const World& world, const std::vector<std::uint8_t>& hub);
/// What tells a contact from others, alike on all ranks.
std::vector<GlobalId> contact_identities(const ContactSet& contacts);

/// N s: the pull that the impulse of a contact, as solved, has already overcome.
double cohesion_pull(const World& world, Index contact, double h);

/// Where B is touched: its own copy of the point.
Vec3 contact_point_on_b(const World& world, Index contact);
/// The same of contacts that are not (yet) those of the world.
Vec3 contact_point_on_b(const World& world, const ContactSet& contacts, Index contact);
/// Velocity of B relative to A at the contact, m/s. Of all contacts: contact_velocities.hpp.
Vec3 contact_velocity(const World& world, Index contact);
/// Angular velocity of B relative to A, rad/s, of kinematic bodies alone.
Vec3 prescribed_turning(const World& world, Index contact);
/// The same of a joint row.
double row_velocity(const World& world, const JointRow& row);
double prescribed_row_velocity(const World& world, const JointRow& row);

}  // namespace talus
