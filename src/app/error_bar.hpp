#pragma once
// How far the numbers of a run can be trusted: what is left of its steps' problems, how far bodies
// overlapped, where energy went. Keys: docs/file_formats.md.

#include "talus/simulation/simulation.hpp"

#include "app/energy_gains.hpp"
#include "app/worst.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace talus::app {

/// Adds up over the steps of a run; a checkpoint keeps it as it is in memory.
struct ErrorBar {
  std::int64_t steps = 0, unconverged = 0;
  Worst error, row_error;                  ///< m/s: of a step (the run's measure), of a row
  Worst impulse_error, row_impulse_error;  ///< N s, likewise
  double error_sum = 0.0, impulse_error_sum = 0.0;
  Worst overlap;                  ///< m
  Worst overlap_share;            ///< of the size of the smaller body
  Worst joint_gap;                ///< m
  Worst joint_gap_share;          ///< of the size of the smaller body
  Worst joint_angle;              ///< rad
  Worst step_angle;               ///< rad: of bodies on the geometric stiffness of their joints
  std::int64_t solved_again = 0;  ///< steps with impacts within them
  Worst outran;                   ///< bodies that were not followed to their next impact
  EnergyLedger energy;
  EnergyGains gains;

  void add(const StepReport& step, double tolerance);
  /// No joint has opened further than a run may that is to be trusted.
  bool joints_hold() const;
  double mean_error() const { return steps > 0 ? error_sum / static_cast<double>(steps) : 0.0; }
  double mean_impulse_error() const {
    return steps > 0 ? impulse_error_sum / static_cast<double>(steps) : 0.0;
  }
};

/// "error", "impulse_error", "overlap", "joint_gap", "energy_ledger".
void add_error_bar(nlohmann::ordered_json& report, const ErrorBar& bar, const SolveOptions& solver);
/// Null where there is none.
nlohmann::ordered_json energy_ledger_json(const EnergyLedger& ledger);
/// The lines of the summary.
void print_error_bar(const ErrorBar& bar, const SolveOptions& solver);

}  // namespace talus::app
