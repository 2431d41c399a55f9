#pragma once
// The error of the step length: a step beside two of half its length. docs/algorithms/stepping.md,
// "The error in time".

#include "talus/model/body_set.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"

#include <cstdint>
#include <optional>

namespace talus {

/// What two halves of a step make different, over the bodies of all ranks that impulses move. Of a
/// body: of the point of it that differs most, but for where a sphere has turned to. The mean is
/// one that bodies at rest do not dilute: root mean squares in which each body counts as much as
/// its square.
struct TimeError {
  double position = 0.0, largest_position = 0.0;  ///< m: mean; of the worst body
  double velocity = 0.0, largest_velocity = 0.0;  ///< m/s, likewise
  /// m: `position` of the halves beside their own halves. Negative: not looked at. The positions
  /// have the order log2(position / finer).
  double finer = -1.0;
  double share = 0.0;  ///< `position` of the size of the smallest body
};

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

/// The bodies with ids below `before` that both sides have, of all ranks. `trial` are those that
/// this rank owned before the step, wherever they are owned now. Returns false where there are
/// none. Collective.
bool compare_bodies(const World& world, const BodySet& trial, GlobalId before,
                    const Communicator& comm, TimeError& error);

}  // namespace talus
