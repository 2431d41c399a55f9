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

double Momentum::extrapolate(RowVector& x, bool look_follows) {
  const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t_ * t_));
  const double beta = plain_ ? 0.0 : (t_ - 1.0) / next;
  t_ = next;
  before_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double now = x[i];
    if (beta != 0.0) x[i] = now + beta * (now - before_[i]);
    before_[i] = now;
  }
  if (look_follows) y_ = x;
  return beta;
}

Momentum::Sums Momentum::sums_at(const RowVector& x, const RowVector& gap) {
  const bool has_stepped = !y_.empty();
  const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
    each_owned_row(problem_.cones, [&](Index row, Index slot) {
      const auto i = static_cast<std::size_t>(row);
      const double g = problem_.scale[static_cast<std::size_t>(slot)];
      if (has_stepped)
        add_exact_term(local, 0, g * (y_[i] - x[i]) * (x[i] - before_[i]), scales[0]);
      add_exact_term(local, 1, 0.5 * x[i] * (gap[i] + problem_.free_gap[i]), scales[1]);
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
