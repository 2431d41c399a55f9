#pragma once
// Progress of a run: how fast it has been lately, what is left, and how good its steps are.

#include "talus/simulation/simulation.hpp"

#include "app/run/run_goal.hpp"

#include <cstdint>
#include <deque>
#include <string>

namespace talus::app {

/// Steps per second over the last half minute: contacts grow while bodies fall and pile up, so that
/// the mean since the start would promise too much.
class Pace {
 public:
  /// The run begins, or goes on, after this step and at this time of its clock.
  Pace(std::int64_t step, std::int64_t ticks, double seconds) {
    marks_.push_back({step, ticks, seconds});
  }

  /// `step` is done, at this time of the same clock.
  void done(std::int64_t step, std::int64_t ticks, double seconds);
  /// 0 before the first step is done.
  double steps_per_second() const;
  /// s; infinite where nothing is known yet.
  double left(const RunGoal& goal) const;

 private:
  struct Mark {
    std::int64_t step = 0, ticks = 0;
    double seconds = 0.0;
  };
  std::deque<Mark> marks_;  ///< the last is that of the last step
};

/// What is shown after a step. On `ranks` of one the imbalance is left out. In at most `columns`:
/// with fewer words and, where that is still too long, without what comes last.
std::string progress_text(const StepReport& report, const Pace& pace, const RunGoal& goal,
                          int ranks, std::size_t columns);

}  // namespace talus::app
