#include "app/energy_gains.hpp"

#include <algorithm>

namespace talus::app {

EnergyGain gain_of(const EnergyLedger& e, double allowed) {
  // The parts of a contact take and give in turns, and so do joints, the time step and the solver:
  // only their sums tell. What answers to the tolerance leave is no gain: it may be all that moves
  // in a heap at rest.
  const auto given = [&](double taken, double may) {
    return std::max(0.0, -taken - e.solver_magnitude - may);
  };
  return {given(e.friction + e.rolling + e.impact, allowed),
          given(e.joints + e.time_step + e.solver, 0.0)};
}

void EnergyGains::add(const StepReport& step) {
  // once something has come deeper, what is pushed out is no longer what the start had
  from_start_on = from_start_on && step.overlap_share <= overlap_before;
  overlap_before = step.overlap_share;
  if (from_start_on) from_start += step.energy.recovered;
  // what the tolerance lets bodies sink in they are pushed out of again: over the run that is
  // nothing, of a step it may be all that moves
  const bool known = from_start_on || step.overlap_share <= shallow_overlap;
  EnergyLedger energy = step.energy;
  energy.time_step -= energy.late;  // as large as what falls or lands in the step, and no gain
  of_step.see(gain_of(energy, known ? energy.recovered : 0.0).sum(), step.step);
  most_moved = std::max(most_moved, step.energy.moved());
}

}  // namespace talus::app
