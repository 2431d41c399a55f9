// Several methods in turn from the same start; where none converges, the answer with the least
// error is the one to go on with [Enzenhoefer15]. Every error is the verified one, so that a method
// cannot win by a residual that its own rounding has made small.

#include "solvers/methods.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace talus {
namespace {

/// NaN is no better than anything.
bool is_better(const SolveReport& one, const SolveReport& other) {
  return one.error < other.error || std::isnan(other.error);
}

}  // namespace

SolveReport solve_by_several(const ConeProblem& problem, const SolveOptions& options,
                             const Communicator& comm, RowVector& impulses, RowVector& gap) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  const auto seconds = [&] {
    std::array<double, 1> passed{std::chrono::duration<double>(Clock::now() - started).count()};
    comm.largest(passed);  // one clock for all
    return passed[0];
  };
  const RowVector start = impulses;
  SolveReport best, total;
  for (std::size_t k = 0; k < options.methods.size(); ++k) {
    SolveOptions one = options;
    one.methods.clear();
    one.method = options.methods[k];
    // an equal share of what is left: one that ends early leaves more to the others
    const auto left = static_cast<double>(options.methods.size() - k);
    one.time_limit = (options.time_limit - seconds()) / left;
    if (k > 0 && one.time_limit <= 0.0) break;
    one.time_limit = std::max(one.time_limit, 1e-9);
    RowVector x = start, x_gap;
    const SolveReport report = solve(problem, one, comm, x, x_gap);
    total.candidates.push_back({one.method, report.status, report.error, report.iterations,
                                report.operator_products, report.seconds});
    total.operator_products += report.operator_products;
    total.reductions += report.reductions;
    total.exchanges += report.exchanges;
    if (k == 0 || is_better(report, best)) {
      best = report;
      impulses = std::move(x);
      gap = std::move(x_gap);
    }
    if (report.status == SolveStatus::Converged || report.status == SolveStatus::Interrupted) break;
  }
  best.candidates = std::move(total.candidates);
  best.operator_products = total.operator_products;
  best.reductions = total.reductions;
  best.exchanges = total.exchanges;
  best.seconds = seconds();
  return best;
}

}  // namespace talus
