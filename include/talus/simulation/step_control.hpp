#pragma once
// How long automatic steps are: docs/algorithms/stepping.md, "Automatic steps".

#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/stepping/step_settings.hpp"

#include <cstdint>
#include <vector>

namespace talus {

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
