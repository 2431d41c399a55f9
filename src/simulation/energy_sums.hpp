#pragma once
// The sums of a step's energy ledger. Each term is computed by one rank from numbers that are alike
// on all, and added exactly.

#include "talus/metrics/measures.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/simulation/energy_ledger.hpp"

#include "assembly/geometric_stiffness.hpp"
#include "assembly/joint_rows.hpp"
#include "model/body_traits.hpp"
#include "partition/step_part.hpp"
#include "simulation/energy_kernels.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// What is added up, J.
enum class EnergyPart : std::uint8_t {
  Before,  ///< kinetic, at the begin of the step
  Turned,  ///< the same with the axes that the problem of the step has, half a turn on
  Solved,  ///< kinetic, with the velocities of the solve and those axes
  After,   ///< kinetic, at the end
  Gravity,
  Late,      ///< what gravity's work has that its work on the mean velocities has not
  FreeFall,  ///< what gravity gives bodies from rest in a step
  Added,     ///< kinetic, of added inertia
  Forces,
  Motors,
  Walls,
  Friction,
  Rolling,
  Impact,
  Recovered,
  Cohesion,
  Joints,
  Springs,
  Solver,
  SolverMagnitude
};
inline constexpr std::size_t energy_parts =
    static_cast<std::size_t>(EnergyPart::SolverMagnitude) + 1;

/// Of one thread, then of all of a rank.
class EnergySums {
 public:
  void add(EnergyPart part, double term) {
    if (term == 0.0) return;
    const auto k = static_cast<std::size_t>(part);
    if (count_[k] == at_once) flush(k);
    waiting_[k][count_[k]++] = term;
  }
  void add(EnergyPart part, std::span<const double, 8> terms);
  /// Adds those of another thread. Integers are added: in any order.
  void merge(EnergySums& other);
  std::vector<LimbSum> sums();

 private:
  static constexpr std::size_t at_once = 256;
  void flush(std::size_t k);

  std::array<LimbSum, energy_parts> sums_;
  std::array<std::array<double, at_once>, energy_parts> waiting_{};
  std::array<std::size_t, energy_parts> count_{};
};

/// A step that is solved, and in which nothing has moved yet.
struct SolvedStep {
  const World& world;
  double h;
  Law law;
  const std::vector<JointRow>& rows;
  const std::vector<Vec6>& wrench;      ///< of force motors, per body
  const std::vector<Sym3>& added;       ///< inertia of the problem alone, per body; none
  const std::vector<Vec6>& velocities;  ///< of the solve, per body
  const StepPart& part;
  const ConeProblem& problem;
  const RowVector& impulses;
  const RowVector& gap;  ///< N impulses + r
};

/// Of this rank.
std::vector<LimbSum> energy_sums(const SolvedStep& step);
/// Kinetic energy of this rank's bodies as they are.
LimbSum kinetic_sum(const World& world);
/// Collective.
double kinetic_energy(const World& world, const Communicator& comm);
/// With what a step that has been integrated adds to the sums of its solve.
std::vector<LimbSum> energy_sums_at_end(const World& world, std::vector<LimbSum> sums);
/// From the sums of all ranks; `kinetic_start`: before bodies came and went.
EnergyLedger energy_ledger(const std::vector<LimbSum>& sums, double kinetic_start);

// What contacts and joint rows do to the energy of bodies within a step.

/// Each body half way through the step: of those that impulses move the mean of before and after
/// the solve, both with the inertia of its problem, with which what an impulse does is exactly the
/// change of kinetic energy.
using Halfway = std::vector<HalfwayBody>;

struct Twist {
  Vec3 linear, angular;
};
inline Twist twist_of(const HalfwayBody& body) {
  return {{body.linear[0], body.linear[1], body.linear[2]},
          {body.angular[0], body.angular[1], body.angular[2]}};
}

class ContactEnergies {
 public:
  ContactEnergies(const SolvedStep& step, const Halfway& halfway);

  /// Of a cone of the problem that this rank owns.
  void add(Index cone, EnergySums& sums) const;
  /// Of eight of them: the same terms.
  void add_tile(Index tile, EnergySums& sums) const;
  bool has_tiles() const { return has_tiles_; }

 private:
  void add_walls(std::size_t contact, const Vec3& force, const Vec3& torque,
                 EnergySums& sums) const;

  const SolvedStep& step_;
  const Halfway& halfway_;
  ContactTileKernel& kernel_ = contact_tile_energies();
  ContactPass pass_{};
  std::vector<Vec3> point_b_;  ///< what the pass has of each contact, or nothing
  std::vector<double> compliance_, pull_;
  bool cohesive_;
  bool has_tiles_;            ///< of spatial cones; the box law has intervals of its own
  bool moved_walls_ = false;  ///< some body follows a prescribed motion
};

/// Of row `j` of the problem, which this rank owns.
void add_joint_row(const SolvedStep& step, const Halfway& halfway, std::size_t j, EnergySums& sums);

}  // namespace talus
