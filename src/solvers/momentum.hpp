#pragma once
// Nesterov's momentum on sweeps. docs/algorithms/psor.md, "Acceleration".

#include "talus/metrics/measures.hpp"
#include "talus/parallel/exact_sum.hpp"

namespace talus {

/// y = x + beta (x - x before), and x <- S(y) by sweeps.
class Momentum {
 public:
  Momentum(const ConeProblem& problem, Law law, const Communicator& comm);

  /// x <- y. Returns beta, so that what depends on x linearly can follow. `look_follows`: the next
  /// call is look().
  double extrapolate(RowVector& x, bool look_follows);

  /// Every few steps, with the gap velocity of x: takes the momentum away where it leads uphill.
  /// True where x was set back. One reduction. Collective.
  bool look(RowVector& x, const RowVector& gap, double error);

 private:
  void restart() { t_ = 1.0; }

  const ConeProblem& problem_;
  Law law_;
  const Communicator& comm_;
  FusedSums sums_;
  double t_ = 1.0;
  bool plain_ = false;  // no momentum until the next look
  RowVector before_, y_, kept_;
  double least_ = infinity;  // objective (or error) of kept_
};

}  // namespace talus
