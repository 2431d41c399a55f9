#pragma once
// The largest of a number of steps.

#include "talus/simulation/simulation.hpp"

#include <cmath>
#include <cstdint>

namespace talus::app {

/// The largest of a number of steps, and the step that had it.
struct Worst {
  double value = 0.0;
  std::int64_t step = 0;  ///< 0: none was above 0

  void see(double seen, std::int64_t at) {
    if (seen <= value || std::isnan(value)) return;  // what is no number is the worst, and stays it
    value = seen;
    step = at;
  }
};

// Energy that no source of the ledger explains: of a run, and of its single steps, where a burst
// shows that impacts take again elsewhere. docs/output.md, "The verdict".

/// Share of the smaller body: what is pushed out of no more than that is no burst.
inline constexpr double shallow_overlap = 0.01;

/// What gave where it should take, J, beyond what the tolerance leaves; 0 where nothing did.
struct EnergyGain {
  double contacts = 0.0;  ///< impacts, friction and rolling friction together
  double others = 0.0;    ///< joints, time step and solver together
  double sum() const { return contacts + others; }
};
/// `allowed`: J, what contacts may give.
EnergyGain gain_of(const EnergyLedger& energy, double allowed);

/// Adds up over the steps of a run; a checkpoint keeps it as it is in memory.
struct EnergyGains {
  Worst of_step;                     ///< J, of a single step
  double most_moved = 0.0;           ///< J: what sources have put into a step at most
  double from_start = 0.0;           ///< J: what the recovery of overlaps gave that the start had
  bool from_start_on = true;         ///< overlaps have only fallen: they are those of the start
  double overlap_before = infinity;  ///< share, of the last step

  void add(const StepReport& step);
};

}  // namespace talus::app
