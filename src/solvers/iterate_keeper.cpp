#include "solvers/iterate_keeper.hpp"

#include <cmath>
#include <utility>

namespace talus {
namespace {

constexpr auto progress_interval = std::chrono::milliseconds(250);
constexpr double worth_mentioning =
    0.99;  // an improvement by less than 1 % over the window is a stall

}  // namespace

IterateKeeper::IterateKeeper(const ConeProblem& problem, const SolveOptions& options,
                             const Communicator& comm, Clock::time_point started)
    : problem_(problem),
      options_(options),
      comm_(comm),
      started_(started),
      next_progress_(started + progress_interval),
      first_product_(problem.delassus->products()),
      keep_last_(options.method == Method::Pspgfb && !options.pspgfb.fallback) {}

double IterateKeeper::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

bool IterateKeeper::stopped(SolveStatus status) {
  status_ = status;
  return true;
}

bool IterateKeeper::record(std::int64_t iteration, double error, const RowVector& x,
                           const RowVector& gap) {
  last_iteration_ = iteration;
  if (!std::isfinite(error)) {
    if (best_.empty()) best_ = x;  // nothing better is known; the verification will show what it is
    return stopped(SolveStatus::NotFinite);
  }
  if (best_.empty()) first_error_ = error;
  const bool better = error < best_error_ || best_.empty();
  if (better || keep_last_) {
    best_ = x;
    best_iteration_ = iteration;
    best_error_ = error;
  }
  const Clock::time_point now = Clock::now();  // asked once: a clock is dearer than a small cone
  const double passed = std::chrono::duration<double>(now - started_).count();
  if (options_.keep_history) {
    HistoryEntry entry{
        iteration, problem_.delassus->products() - first_product_, passed, error, {}};
    if (options_.history_all_measures)
      entry.all =
          std::make_shared<ErrorReport>(evaluate_all(problem_, options_.law, x, gap, comm_));
    history_.push_back(std::move(entry));
  }
  if (options_.progress && now >= next_progress_) {
    next_progress_ = now + progress_interval;
    options_.progress({iteration, error, passed});
  }
  return must_stop(error);
}

bool IterateKeeper::must_stop(double error) {
  if (error <= options_.tolerance) return stopped(SolveStatus::Converged);
  if (last_iteration_ >= options_.max_iterations) return stopped(SolveStatus::IterationLimit);
  if (last_iteration_ - mark_iteration_ >= options_.stall_iterations) {
    if (best_error_ > worth_mentioning * mark_error_) return stopped(SolveStatus::Stalled);
    mark_iteration_ = last_iteration_;
    mark_error_ = best_error_;
  }
  if (options_.time_limit < infinity && seconds() >= options_.time_limit)
    return stopped(SolveStatus::TimeLimit);
  return false;
}

}  // namespace talus
