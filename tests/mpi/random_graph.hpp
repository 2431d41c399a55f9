#pragma once
// Bodies bound at random, in the numbers that the tests of sweeps on ranks want.

#include "mpi/on_ranks.hpp"
#include "support/random_bodies.hpp"

namespace talus::support {

inline BodyProblem random_graph(std::uint64_t seed, bool rolling = false) {
  RandomBodies options;
  options.bodies = 30;
  options.contacts = 120;
  options.joints = rolling ? 0 : 20;
  options.compliance = seed % 2 == 0;
  options.immovable_body = true;
  options.rolling = rolling;
  options.seed = seed;
  return random_bodies(options);
}

inline RowVector zeros(const ConeProblem& problem) {
  return RowVector(static_cast<std::size_t>(problem.stored_rows()), 0.0);
}

}  // namespace talus::support
