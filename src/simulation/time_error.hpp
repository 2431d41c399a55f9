#pragma once
// The error of the step length: a step beside two of half its length. docs/algorithms/stepping.md,
// "The error in time".

#include "talus/model/body_set.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/simulation/simulation.hpp"
#include "talus/stepping/step_settings.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace talus {

/// When steps are compared: by counts of work, so that it is the same on any ranks and for a run
/// that goes on. Work is iterations, and what else a step does counted as such, times bodies and
/// contacts.
struct ComparisonSchedule {
  double share = 0.0;  ///< of the work of the run, for comparisons; 0: none
  double done = 0.0;   ///< by the steps of the run
  double last = 0.0;   ///< by the last of them
  double spent = 0.0;  ///< by comparisons
  std::int64_t comparisons = 0;
  std::optional<TimeError> latest;

  /// Every fourth one looks at the halves of the halves, too: the first is soon, the second knows
  /// the order.
  bool looks_finer() const { return comparisons % 4 == 1; }
  bool is_due() const;
  void step_done(double work) {
    done += work;
    last = work;
  }
};
double work_of_step(std::int64_t bodies, std::int64_t contacts, std::int64_t iterations);

/// By body of the world: m and m/s; 0 of bodies that are not owned here or not on both sides.
struct BodyDifferences {
  std::vector<double> position, velocity;
};
/// Bodies with ids below `before` beside `trial`: those that this rank owned before the step,
/// wherever they are owned now. Collective.
BodyDifferences differences_of(const World& world, const BodySet& trial, GlobalId before,
                               const Communicator& comm);

/// Over all ranks, exact. Collective.
double sum_of_squares(const std::vector<double>& values, const Communicator& comm);

// How long automatic steps are: docs/algorithms/stepping.md, "Automatic steps".

/// What the next step is chosen from: reduced numbers of the last one. State of a run.
struct StepControl {
  /// m: half of what the changes of velocity in the step would move bodies by, the mean of
  /// TimeError::position.
  double jump = 0.0;
  /// Measured error over `jump`, when a step was last compared with its halves. Of a constant
  /// acceleration: one half.
  double ratio = 0.5;
  double pace = 0.0;  ///< 1/s: the largest velocity of a body by its own size
  bool any = false;   ///< a step has been taken

  double expected_error() const { return ratio * jump; }
};

/// m, per body (ghosts too): half of what the change of its velocity in a step of length h would
/// move it by. `after`: velocities of the solve.
std::vector<double> jumps_of(const World& world, const std::vector<Vec6>& after, double h);
/// 1/s, over all ranks: the largest velocity of a body by its own size. Collective.
double largest_pace(const World& world, const std::vector<Vec6>& after, const Communicator& comm);

/// Ticks of the next step. `accuracy`: m, error of one step; `left`: ticks to where it must end.
std::int64_t next_ticks(const StepControl& control, const StepSettings& settings, double accuracy,
                        std::int64_t left);

/// The first tick at which a time (s) has come.
std::int64_t tick_at(double time, double tick);

}  // namespace talus
