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
/// reductions of their own. Of NaturalLocal it is the mean over all cones, which guides the keeper.
class FusedMeasure {
 public:
  FusedMeasure(const ConeProblem& problem, const SolveOptions& options, const Communicator& comm);

  ResidualWeights weights() const { return {inverse_scale_.data(), weight_.data()}; }
  /// The measure from the reduced sum of residual terms; x and gap only for measures that are
  /// evaluated apart.
  double finish(double sum, const RowVector& x, const RowVector& gap) const;

 private:
  const ConeProblem& problem_;
  Measure measure_;
  Law law_;
  const Communicator& comm_;
  double reference_;
  RowVector inverse_scale_, weight_;
};

/// The same pass over the owned rows and over the mirrors behind them.
template <class Pass>
struct PassParts {
  Pass owned, mirrored;

  PassParts(const ConeSet& cones, const Pass& pass) : owned(pass), mirrored(pass) {
    owned.cones = view_of(cones, RowPart::Owned);
    mirrored.cones = view_of(cones, RowPart::Mirrored);
  }
};

/// P of the preconditioned methods, per slot, and its inverse.
struct Preconditioner {
  RowVector scale, inverse_scale;
};
/// Averaged diagonal of each cone, or (averaged = false) the mean diagonal of the problem.
Preconditioner make_preconditioner(const ConeProblem& problem, bool averaged);

/// Runs kernel(pass, from, to, totals) over the owned tiles and adds its sums first .. first +
/// count - 1 to `local`; with Mirrors::Updated also over the mirrors, whose sums are another
/// rank's.
enum class Mirrors { LeftOut, Updated };
template <class Pass, class Kernel>
void sum_over_rows(const PassParts<Pass>& parts, int first, int count, Mirrors mirrors,
                   LocalSums& local, const Kernel& kernel) {
  const auto run = [&](const Pass& pass, LocalSums& sums) {
    for_tile_ranges(pass.cones.tiles(), sums, [&](Index begin, Index end, LocalSums& mine) {
      drain_kernel(begin, end, first, count, mine, [&](Index from, Index to, LaneTotals& totals) {
        kernel(pass, from, to, totals);
      });
    });
  };
  run(parts.owned, local);
  if (mirrors == Mirrors::LeftOut || parts.mirrored.cones.tiles() == 0) return;
  LocalSums elsewhere(local.count());
  run(parts.mirrored, elsewhere);
}

/// The kernels of one law, of the level in use.
const PassKernels& pass_kernels(Law law);

/// The law that the passes see: without friction, and with a symmetric W, all laws are the
/// associated one, which is a minimisation.
Law iterated_law(const ConeProblem& problem, Law law);

/// image = N x, and + skew x for the Coulomb law, which costs a second product.
void apply(const ConeProblem& problem, Law law, const RowVector& x, RowVector& image);

}  // namespace talus
