#pragma once
// What every iteration has in common: the best iterate and its error, the stopping tests, time,
// history, progress.

#include "talus/solvers/solve.hpp"

#include <chrono>

namespace talus {

class IterateKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  /// `started`: when the solve began, of which this may be a later attempt. Its seconds count from
  /// there.
  IterateKeeper(const ConeProblem& problem, const SolveOptions& options, const Communicator& comm,
                Clock::time_point started);

  /// Error of iterate x (with its gap velocity) after `iteration`. Keeps a copy of x where it is
  /// the best so far. True when the solve must stop; status() then says why. Costs no product.
  /// With Measure::NaturalLocal `error` is NaturalVelocity, which rides on the iteration's
  /// reduction: it says which iterate is the best, and where it is small enough the measure itself
  /// is looked at now and then.
  bool record(std::int64_t iteration, double error, const RowVector& x, const RowVector& gap);

  /// The iteration cannot move any more (a zero direction): stops as Stalled unless it has
  /// converged.
  void cannot_move();

  // ---- stages: several methods after one another, counted and judged as one

  /// An improvement by less than 1 % over a window is a stall.
  static constexpr double least_gain = 0.99;

  /// What is recorded from now on counts from 0 again and continues the count so far. The stage
  /// ends where over `patience` iterations neither the best error has fallen to `gain` of itself
  /// nor the objective has fallen.
  void begin_stage(std::int64_t patience, double gain = least_gain);
  /// True when only the stage has ended, and another method may go on.
  bool only_stage_ended() const { return stage_ended_; }
  /// Of a stage that ended: joins the report.
  void end_stage(Method method, bool averaged);
  const std::vector<StageReport>& stages() const { return stages_; }

  // ---- time

  /// Seconds to be kept for the verification after the last iteration.
  void reserve(double seconds) { reserve_ = seconds; }
  /// What the shortest step to the next record takes, where that is not what the last one took.
  void expect_step(double seconds) { expected_step_ = seconds; }
  /// True where one more expected step would end too late, or the user wants an end. Alike on all
  /// ranks: from the last reduction.
  bool must_end() const;
  /// Until the last expected step must begin; infinite without a time limit.
  double seconds_left() const;
  bool timed() const { return options_.time_limit < infinity; }
  /// Spent on measuring everything for a history.
  double history_seconds() const { return history_seconds_; }
  double seconds() const;

  /// What a user should know of how it went; ends up in the report.
  void remark(std::string text) { remarks_.push_back(std::move(text)); }
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// The answer of a solve that has not converged is its last iterate, which has not the least
  /// error.
  void take(const RowVector& last) {
    keep_last_ = true;
    best_ = last;
    best_iteration_ = last_iteration_;
  }

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
  /// The best iterate, or the one that was taken instead.
  const RowVector& best() const { return best_; }
  std::vector<HistoryEntry>& history() { return history_; }

 private:
  /// What any rank stop flags that the next step, of so many seconds, shall not be taken for.
  std::uint32_t agreed_end(double step) const;
  bool stopped(SolveStatus status);
  bool is_local() const { return options_.measure == Measure::NaturalLocal; }
  double local_error(const RowVector& x, const RowVector& gap) const;
  bool within_tolerance(double error, const RowVector& x, const RowVector& gap);
  bool must_stop(double error, const RowVector& x, const RowVector& gap);
  bool stage_stagnates(const RowVector& x, const RowVector& gap);

  struct Stage {
    std::int64_t first = 0;     ///< iteration that it began after
    std::int64_t patience = 0;  ///< 0: no stages
    double gain = least_gain;
    std::int64_t mark = 0;
    double mark_error = infinity, mark_objective = infinity;
  };

  const ConeProblem& problem_;
  const SolveOptions& options_;
  const Communicator& comm_;
  Clock::time_point started_;
  Clock::time_point next_progress_, last_record_;
  double step_ = 0.0, expected_step_ = -1.0, reserve_ = 0.0, history_seconds_ = 0.0;  // s
  std::int64_t first_product_;
  bool keep_last_;
  SolveStatus status_ = SolveStatus::IterationLimit;
  RowVector best_;
  bool has_best_ = false;  ///< best_ may be set and empty: a rank without cones
  double first_error_ = infinity, best_error_ = infinity;
  std::int64_t best_iteration_ = 0, last_iteration_ = 0;
  double mark_error_ = infinity;
  std::int64_t mark_iteration_ = 0;
  std::int64_t dampings_ = 0;
  // Measure::NaturalLocal: where to look at it again.
  double look_below_ = infinity;                  ///< at this NaturalVelocity
  std::int64_t first_look_ = -1, next_look_ = 0;  ///< iterations; at next_look_ whatever it is
  Stage stage_;
  bool stage_ended_ = false;
  std::string reason_;  // why the stage ended
  std::vector<StageReport> stages_;
  std::vector<HistoryEntry> history_;
  std::vector<std::string> remarks_;
};

}  // namespace talus
