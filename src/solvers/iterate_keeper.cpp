#include "solvers/iterate_keeper.hpp"

#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"
#include "solvers/row_passes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace talus {
namespace {

constexpr auto progress_interval = std::chrono::milliseconds(250);
/// Of the objective: a fall by less, over the patience of a stage, is none. The error may stand
/// still for long while impulses travel through a stack; the objective falls all the while.
constexpr double a_fall = 1e-10;
constexpr std::uint32_t stop_of_the_user = 1, stop_of_the_clock = 2;

}  // namespace

IterateKeeper::IterateKeeper(const ConeProblem& problem, const SolveOptions& options,
                             const Communicator& comm, Clock::time_point started)
    : problem_(problem),
      options_(options),
      comm_(comm),
      started_(started),
      next_progress_(started + progress_interval),
      last_record_(Clock::now()),
      first_product_(problem.delassus->products()),
      keep_last_(options.method == Method::Pspgfb && !options.pspgfb.fallback) {}

double IterateKeeper::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

double IterateKeeper::seconds_left() const {
  return timed() ? options_.time_limit - reserve_ - std::max(expected_step_, 0.0) - seconds()
                 : infinity;
}

std::uint32_t IterateKeeper::agreed_end(double step) const {
  std::uint32_t mine = 0;
  if (options_.interrupted && options_.interrupted()) mine |= stop_of_the_user;
  if (timed() && seconds_left() <= step) mine |= stop_of_the_clock;
  return comm_.stop_flags(mine);
}

bool IterateKeeper::must_end() const {
  return agreed_end(0.0) != 0;
}

bool IterateKeeper::stopped(SolveStatus status) {
  status_ = status;
  reason_ = name_of(status);
  return true;
}

void IterateKeeper::cannot_move() {
  stopped(SolveStatus::Stalled);
  stage_ended_ = stage_.patience > 0;
  reason_ = "no step left to take";
}

void IterateKeeper::begin_stage(std::int64_t patience, double gain) {
  stage_ = {last_iteration_, patience, gain, last_iteration_, infinity, infinity};
  stage_ended_ = false;
}

void IterateKeeper::end_stage(Method method, bool averaged) {
  stages_.push_back({method, averaged, last_iteration_ - stage_.first, best_error_, reason_});
}

bool IterateKeeper::record(std::int64_t iteration, double error, const RowVector& x,
                           const RowVector& gap) {
  last_iteration_ = stage_.first + iteration;
  if (!std::isfinite(error)) {
    if (!has_best_) best_ = x;  // nothing better is known; the verification will show what it is
    stage_ended_ = false;
    return stopped(SolveStatus::NotFinite);
  }
  if (!has_best_) first_error_ = error;
  const bool better = error < best_error_ || !has_best_;
  if (better || keep_last_) {
    best_ = x;
    has_best_ = true;
    best_iteration_ = last_iteration_;
    best_error_ = error;
  }
  const Clock::time_point now = Clock::now();  // asked once: a clock is dearer than a small cone
  const double passed = std::chrono::duration<double>(now - started_).count();
  if (options_.keep_history) {
    HistoryEntry entry{last_iteration_,
                       problem_.delassus->products() - first_product_,
                       passed,
                       is_local() ? local_error(x, gap) : error,
                       {}};
    if (options_.history_all_measures) {
      entry.all =
          std::make_shared<ErrorReport>(evaluate_all(problem_, options_.law, x, gap, comm_));
      history_seconds_ += std::chrono::duration<double>(Clock::now() - now).count();
    }
    history_.push_back(std::move(entry));
  }
  // a single step that the machine held up shall not frighten all that follow
  constexpr double forgetting = 0.8;
  step_ = std::max(std::chrono::duration<double>(now - last_record_).count(), forgetting * step_);
  last_record_ = now;
  if (options_.progress && now >= next_progress_) {
    next_progress_ = now + progress_interval;
    options_.progress({last_iteration_, error, passed});
  }
  return must_stop(error, x, gap);
}

double IterateKeeper::local_error(const RowVector& x, const RowVector& gap) const {
  return evaluate(Measure::NaturalLocal, problem_, options_.law, x, gap, 1.0, comm_);
}

bool IterateKeeper::within_tolerance(double error, const RowVector& x, const RowVector& gap) {
  if (!(error <= options_.tolerance)) return false;
  if (!is_local()) return true;
  const bool is_last = last_iteration_ >= options_.max_iterations;
  if (error > look_below_ && last_iteration_ < next_look_ && !is_last) return false;
  const double local = local_error(x, gap);
  if (local <= options_.tolerance) {
    best_ = x;
    best_iteration_ = last_iteration_;
    best_error_ = error;
    return true;
  }
  // Mean and largest mean fall much alike, so that the one tells when the other will be small
  // enough; but not wholly alike.
  constexpr std::int64_t patience = 10;
  if (first_look_ < 0) first_look_ = last_iteration_;
  look_below_ = error * options_.tolerance / local;
  next_look_ = last_iteration_ + patience + (last_iteration_ - first_look_) / 2;
  return false;
}

bool IterateKeeper::must_stop(double error, const RowVector& x, const RowVector& gap) {
  if (within_tolerance(error, x, gap)) return stopped(SolveStatus::Converged);
  if (last_iteration_ >= options_.max_iterations) return stopped(SolveStatus::IterationLimit);
  // seconds_left() has an expected step taken off already
  const std::uint32_t stop_flags = agreed_end(expected_step_ < 0.0 ? step_ : 0.0);
  if ((stop_flags & stop_of_the_user) != 0) return stopped(SolveStatus::Interrupted);
  if ((stop_flags & stop_of_the_clock) != 0) return stopped(SolveStatus::TimeLimit);
  if (last_iteration_ - mark_iteration_ >= options_.stall_iterations) {
    if (best_error_ > least_gain * mark_error_) return stopped(SolveStatus::Stalled);
    mark_iteration_ = last_iteration_;
    mark_error_ = best_error_;
  }
  if (stage_.patience > 0 && stage_stagnates(x, gap)) {
    stage_ended_ = true;
    stopped(SolveStatus::Stalled);
    reason_ = fmt::format("no gain in {} iterations", stage_.patience);
    return true;
  }
  return false;
}

bool IterateKeeper::stage_stagnates(const RowVector& x, const RowVector& gap) {
  const bool begins = stage_.mark_error == infinity;
  if (!begins && last_iteration_ - stage_.mark < stage_.patience) return false;
  const bool gained = best_error_ <= stage_.gain * stage_.mark_error;
  // only the associated law makes the objective least: under the others its fall means nothing
  const bool minimises = iterated_law(problem_, options_.law) == Law::Associated;
  const double f = minimises ? objective({problem_, options_.law, x, gap, comm_}) : 0.0;
  const bool fell = minimises && stage_.mark_objective - f > a_fall * std::abs(f);
  stage_.mark = last_iteration_;
  stage_.mark_error = best_error_;
  stage_.mark_objective = f;
  return !begins && !gained && !fell;
}

}  // namespace talus
