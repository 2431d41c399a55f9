#pragma once
// The passes of the gradient solvers over all rows: kernels, threads and exact sums put together.

#include "talus/metrics/measures.hpp"
#include "talus/solvers/solve.hpp"

#include "parallel/lane_totals.hpp"
#include "parallel/tile_ranges.hpp"
#include "solvers/pass_kernels.hpp"

namespace talus {

/// The stopping measure as the weights of one natural map, so that it rides on the iteration's own
/// reduction. Measures that are no such map (Fischer-Burmeister, Siconos) are evaluated apart, with
/// reductions of their own.
class FusedMeasure {
 public:
  FusedMeasure(const ConeProblem& problem, Measure measure, const Communicator& comm);

  ResidualWeights weights() const { return {inverse_scale_.data(), weight_.data()}; }
  /// The measure from the reduced sum of residual terms; x and gap only for measures that are
  /// evaluated apart.
  double finish(double sum, const RowVector& x, const RowVector& gap) const;

 private:
  const ConeProblem& problem_;
  Measure measure_;
  const Communicator& comm_;
  double reference_;
  RowVector inverse_scale_, weight_;
};

/// P of the preconditioned methods, per slot, and its inverse.
struct Preconditioner {
  RowVector scale, inverse_scale;
};
/// Averaged diagonal of each cone, or (averaged = false) the mean diagonal of the problem.
Preconditioner make_preconditioner(const ConeProblem& problem, bool averaged);

/// g = N x + r. One product.
void fresh_gradient(const ConeProblem& problem, const RowVector& x, RowVector& g);

}  // namespace talus
