#include "solvers/momentum.hpp"
#include "solvers/row_passes.hpp"

#include <cmath>
#include <cstdlib>

namespace talus {

static int mode() { static const int m = std::getenv("MOM") ? std::atoi(std::getenv("MOM")) : 0; return m; }

Momentum::Momentum(const ConeProblem& problem, Law law, const Communicator& comm)
    : problem_(problem), law_(iterated_law(problem, law)), comm_(comm), sums_(2) {}

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

bool Momentum::look(RowVector& x, const RowVector& gap, double error) {
  plain_ = false;
  const bool first = y_.empty();
  const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
    each_owned_row(problem_.cones, [&](Index row, Index slot) {
      const auto i = static_cast<std::size_t>(row);
      if (!first)
        add_exact_term(local, 0,
                     problem_.scale[static_cast<std::size_t>(slot)] * (y_[i] - x[i]) *
                         (x[i] - before_[i]),
                     scales[0]);
      add_exact_term(local, 1, 0.5 * x[i] * (gap[i] + problem_.free_gap[i]), scales[1]);
    });
  });
  const int m = mode();
  const double merit = law_ == Law::Associated ? totals[1] : error;
  if (m % 10 == 0 && totals[0] > 0.0) restart();
  if (merit <= least_) {
    least_ = merit;
    kept_ = x;
    return false;
  }
  if (law_ != Law::Associated) { least_ = merit; restart(); return false;}
  restart();
  if (m / 10 == 1) { least_ = merit; return false; }
  plain_ = true;
  x = kept_;
  return true;
}

}  // namespace talus
