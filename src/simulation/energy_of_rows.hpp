#pragma once
// What contacts and joint rows do to the energy of bodies within a step.

#include "model/half_turn.hpp"
#include "simulation/energy_sums.hpp"

namespace talus {

/// A body with its inertia as the problem of the step has it, and nothing done to it yet.
HalfTurn half_of(const BodySet& bodies, std::size_t b, double h);

/// Per body, half way through the step: of bodies that impulses move the mean of before and after
/// the solve, both with the inertia of its problem, with which what an impulse does is exactly the
/// change of kinetic energy.
std::vector<Vec6> mean_velocities(const World& world, double h, const std::vector<Vec6>& after);

class ContactEnergies {
 public:
  ContactEnergies(const SolvedStep& step, const std::vector<Vec6>& mean)
      : step_(step), mean_(mean), cohesive_(step.world.materials.is_cohesive()) {}

  /// Of a cone of the problem that this rank owns.
  void add(Index cone, EnergySums& sums) const;

 private:
  const SolvedStep& step_;
  const std::vector<Vec6>& mean_;
  bool cohesive_;
};

/// Of row `j` of the problem, which this rank owns.
void add_joint_row(const SolvedStep& step, const std::vector<Vec6>& mean, std::size_t j,
                   EnergySums& sums);

}  // namespace talus
