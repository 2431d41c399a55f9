#pragma once
// What every iteration has in common: the best iterate and its error, the stopping tests, time,
// history, progress.

#include "talus/solvers/solve.hpp"

#include <chrono>

namespace talus {

class IterateKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  /// `law` is the law whose error is recorded: inside the Coulomb fixed point it differs from
  /// options.law.
  IterateKeeper(const ConeProblem& problem, const SolveOptions& options, const Communicator& comm,
                Clock::time_point started);

  /// Error of iterate x (with its gap velocity) after `iteration`. Keeps a copy of x where it is
  /// the best so far. True when the solve must stop; status() then says why. Costs no product.
  bool record(std::int64_t iteration, double error, const RowVector& x, const RowVector& gap);

  /// The iteration cannot move any more (a zero direction): stops as Stalled unless it has
  /// converged.
  void cannot_move() { stopped(SolveStatus::Stalled); }

  /// What a user should know of how it went; ends up in the report.
  void remark(std::string text) { remarks_.push_back(std::move(text)); }
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// The method has limited itself, because the error had long not fallen.
  void note_damping() { ++dampings_; }
  std::int64_t dampings() const { return dampings_; }

  SolveStatus status() const { return status_; }
  double best_error() const { return best_error_; }
  /// Of the start, whose gradient is fresh.
  double first_error() const { return first_error_; }
  /// False where the start is the best, or the last iterate was asked for.
  bool chose_best() const { return !keep_last_ && best_iteration_ > 0; }
  std::int64_t best_iteration() const { return best_iteration_; }
  std::int64_t last_iteration() const { return last_iteration_; }
  /// The best iterate, or the last one where options.pspgfb.fallback is off.
  const RowVector& best() const { return best_; }
  std::vector<HistoryEntry>& history() { return history_; }
  double seconds() const;

 private:
  bool stopped(SolveStatus status);
  bool must_stop(double error);

  const ConeProblem& problem_;
  const SolveOptions& options_;
  const Communicator& comm_;
  Clock::time_point started_;
  Clock::time_point next_progress_;
  std::int64_t first_product_;
  bool keep_last_;
  SolveStatus status_ = SolveStatus::IterationLimit;
  RowVector best_;
  double first_error_ = infinity, best_error_ = infinity;
  std::int64_t best_iteration_ = 0, last_iteration_ = 0;
  double mark_error_ = infinity;
  std::int64_t mark_iteration_ = 0;
  std::int64_t dampings_ = 0;
  std::vector<HistoryEntry> history_;
  std::vector<std::string> remarks_;
};

}  // namespace talus
