#include "talus/simulation/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

void EnergyLedger::add(const EnergyLedger& next) {
  if (steps == 0) kinetic_start = next.kinetic_start;
  through += std::abs(next.gravity) + std::abs(next.forces) + std::abs(next.motors) +
             std::abs(next.walls) + std::abs(next.bodies);
  kinetic_most = std::max({kinetic_most, next.kinetic_start, next.kinetic_end});
  kinetic_end = next.kinetic_end;
  steps += next.steps;
  gravity += next.gravity;
  forces += next.forces;
  motors += next.motors;
  walls += next.walls;
  bodies += next.bodies;
  friction += next.friction;
  rolling += next.rolling;
  impact += next.impact;
  cohesion += next.cohesion;
  joints += next.joints;
  springs += next.springs;
  solver += next.solver;
  time_step += next.time_step;
  solver_magnitude += next.solver_magnitude;
}

}  // namespace talus
