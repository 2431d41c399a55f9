#include "solvers/momentum.hpp"

#include "solvers/row_passes.hpp"

#include <cmath>
#include <utility>

namespace talus {

Momentum::Momentum(const ConeProblem& problem, Law law, const Communicator& comm)
    : problem_(problem),
      minimises_(iterated_law(problem, law) == Law::Associated),
      comm_(comm),
      sums_(2) {}

double Momentum::next_factor(std::size_t rows) {
  const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t_ * t_));
  const double beta = plain_ ? 0.0 : (t_ - 1.0) / next;
  t_ = next;
  trail_.before.resize(rows);
  return beta;
}

double Momentum::extrapolate(RowVector& x, bool look_follows) {
  const double beta = next_factor(x.size());
  RowVector& before = trail_.before;
  for_tile_ranges(static_cast<Index>(x.size()), [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const double now = x[i];
      if (beta != 0.0) x[i] = now + beta * (now - before[i]);
      before[i] = now;
    }
  });
  if (look_follows) trail_.start = x;
  return beta;
}

Momentum::Sums Momentum::sums_at(const RowVector& x, const RowVector& gap) {
  const bool has_stepped = !trail_.start.empty();
  MomentumPass pass{};
  pass.x = x.data();
  pass.y = has_stepped ? trail_.start.data() : x.data();
  pass.x_previous = has_stepped ? trail_.before.data() : x.data();
  pass.gap = gap.data();
  pass.free_velocity = problem_.free_velocity.data();
  pass.scale = problem_.scale.data();
  const PassParts<MomentumPass> parts(problem_.cones, pass);
  const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
    sum_over_rows(parts, 0, 2, Mirrors::LeftOut, local,
                  [&](const MomentumPass& p, Index from, Index to, LaneTotals& lane) {
                    pass_kernels().momentum_sums(p, from, to, scales, lane);
                  });
  });
  return {totals[0], totals[1]};
}

bool Momentum::look(RowVector& x, const RowVector& gap, double error) {
  constexpr double rounding = 1e-12;  // a rise of the objective that means nothing
  const Sums sums = sums_at(x, gap);
  const double merit = minimises_ ? sums.objective : error;
  const bool rose = merit - least_ > rounding * std::abs(merit);
  if (sums.uphill > 0.0 || rose) t_ = 1.0;
  // Sweeps without momentum never raise the objective: what they did is never taken back.
  const bool was_plain = std::exchange(plain_, false);
  if (minimises_ && rose && !was_plain) {
    plain_ = true;
    x = kept_;
    return true;
  }
  least_ = merit;
  if (minimises_) kept_ = x;
  return false;
}

}  // namespace talus
