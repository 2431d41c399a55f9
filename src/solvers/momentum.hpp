#pragma once
// Nesterov's momentum on a map x <- S(y) that is no gradient step but a few sweeps, and what takes
// it away again. docs/algorithms/psor.md, "Acceleration".

#include "talus/metrics/measures.hpp"
#include "talus/parallel/exact_sum.hpp"

namespace talus {

class Momentum {
 public:
  Momentum(const ConeProblem& problem, Law law, const Communicator& comm);

  /// What look() reads of the last step.
  struct Trail {
    RowVector before;  ///< x where it began
    RowVector start;   ///< where the momentum led from there; empty before the first look
  };

  /// y = x + beta (x - x of the last call), in the place of x. Returns beta, so that what depends
  /// on x linearly can follow. `look_follows`: the next call is look().
  double extrapolate(RowVector& x, bool look_follows);
  /// The same for who moves all rows himself and sets trail() before each look().
  double next_factor(std::size_t rows);
  Trail& trail() { return trail_; }

  /// Once every few steps, with the gap velocity and the error of x: drops the momentum where it
  /// points uphill, and under the convex law takes back steps that have raised the objective. True
  /// where x was set back. One reduction. Collective.
  bool look(RowVector& x, const RowVector& gap, double error);

 private:
  struct Sums {
    double uphill = 0.0;     ///< <y - x, x - x before> with the cones' scales
    double objective = 0.0;  ///< J
  };
  Sums sums_at(const RowVector& x, const RowVector& gap);

  const ConeProblem& problem_;
  bool minimises_;  ///< the law makes the objective least
  const Communicator& comm_;
  FusedSums sums_;
  double t_ = 1.0;      ///< of Nesterov's sequence; 1: no momentum
  bool plain_ = false;  ///< no momentum until the next look: after steps were taken back
  Trail trail_;
  RowVector kept_;           ///< x of the last look that was a gain
  double least_ = infinity;  ///< objective of kept_; error of the last look where nothing is least
};

}  // namespace talus
