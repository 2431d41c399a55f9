#include "talus/simulation/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

double EnergyLedger::moved() const {
  return std::abs(gravity) + std::abs(forces) + std::abs(motors) + std::abs(walls) +
         std::abs(bodies);
}

void EnergyLedger::add(const EnergyLedger& next) {
  if (steps == 0) kinetic_start = next.kinetic_start;
  through += next.moved();
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
  recovered += next.recovered;
  cohesion += next.cohesion;
  joints += next.joints;
  springs += next.springs;
  solver += next.solver;
  time_step += next.time_step;
  late += next.late;
  free_fall = std::max(free_fall, next.free_fall);
  solver_magnitude += next.solver_magnitude;
}

}  // namespace talus
