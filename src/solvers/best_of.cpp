// Several methods in turn from the same start; where none converges, the answer with the least
// error is the one to go on with [Enzenhoefer15]. Every error is the verified one, so that a method
// cannot win by a residual that its own rounding has made small.

#include "cones/projection.hpp"
#include "solvers/methods.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace talus {
namespace {

/// NaN is no better than anything.
bool is_better(const SolveReport& one, const SolveReport& other, bool by_energy) {
  if (one.status == SolveStatus::Converged) return true;
  const double mine = by_energy ? one.errors.energy : one.error,
               theirs = by_energy ? other.errors.energy : other.error;
  return mine < theirs || std::isnan(theirs);
}

/// Shares a time limit among methods that run in turn. One that gets less than its verification
/// takes would only return the start: fewer methods then get more.
class TimeSharing {
 public:
  using Clock = std::chrono::steady_clock;

  TimeSharing(const MethodContext& context, const RowVector& start) : context_(context) {
    if (context_.options.time_limit == infinity) return;
    RowVector x;
    project(context_.problem.cones, start, x);
    verification_ = verification_seconds(context_, x);
  }

  std::optional<double> verification() const { return verification_; }

  /// Since it was made; one clock for all ranks. Collective.
  double seconds() const {
    std::array<double, 1> passed{std::chrono::duration<double>(Clock::now() - started_).count()};
    context_.comm.largest(passed);
    return passed[0];
  }

  double seconds_left() const { return context_.options.time_limit - seconds(); }

  /// For the next one of so many methods: an equal part of what is left, so that one that ends
  /// early leaves more to the others. 0 where it is too short. Collective.
  double next_share(std::size_t methods) const {
    if (!verification_) return infinity;
    constexpr double least = 3.0;  // verifications: as much for iterations as is kept back
    const double left = seconds_left();
    const double fitting = std::floor(left / (least * *verification_));
    return fitting < 1.0 ? 0.0 : left / std::min(fitting, static_cast<double>(methods));
  }

 private:
  MethodContext context_;
  Clock::time_point started_ = Clock::now();
  std::optional<double> verification_;
};

std::string not_run(const SolveOptions& options, std::size_t first, double verification) {
  std::vector<std::string> names;
  for (std::size_t k = first; k < options.methods.size(); ++k)
    names.push_back(name_of(options.methods[k]));
  return fmt::format(
      "the time limit of {:g} s left no time for {}: not run (verifying one answer takes about "
      "{:.2g} s)",
      options.time_limit, fmt::join(names, ", "), verification);
}

}  // namespace

SolveReport solve_by_several(const MethodContext& context, RowVector& impulses, RowVector& gap) {
  const auto& [problem, options, comm] = context;
  const std::int64_t first_product = all_products(problem);
  const Traffic before = comm.traffic();
  const RowVector start = impulses;
  const TimeSharing sharing(context, start);
  SolveReport best;
  std::vector<CandidateReport> candidates;
  std::vector<std::string> remarks;
  for (std::size_t k = 0; k < options.methods.size(); ++k) {
    SolveOptions one = options;
    one.methods.clear();
    one.method = options.methods[k];
    one.time_limit = sharing.next_share(options.methods.size() - k);
    if (k > 0 && one.time_limit == 0.0) {
      remarks.push_back(not_run(options, k, sharing.verification().value_or(0.0)));
      break;
    }
    // too short for one method as well: it returns at least the start
    if (one.time_limit == 0.0) one.time_limit = std::max(sharing.seconds_left(), 1e-9);
    RowVector x = start, x_gap;
    const SolveReport report = solve_by_one({problem, one, comm}, x, x_gap, sharing.verification());
    candidates.push_back({one.method, report.status, report.error, report.iterations,
                          report.operator_products, report.seconds});
    if (k == 0 || is_better(report, best, options.choose_by_energy)) {
      best = report;
      impulses = std::move(x);
      gap = std::move(x_gap);
    }
    if (report.status == SolveStatus::Converged || report.status == SolveStatus::Interrupted) break;
  }
  best.candidates = std::move(candidates);
  best.remarks.insert(best.remarks.end(), remarks.begin(), remarks.end());
  best.operator_products = all_products(problem) - first_product;
  best.traffic = comm.traffic() - before;
  best.reductions = best.traffic.reductions;
  best.exchanges = best.traffic.exchanges;
  best.seconds = sharing.seconds();
  return best;
}

}  // namespace talus
