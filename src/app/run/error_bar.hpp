#pragma once
// How far the numbers of a run can be trusted: what is left of its steps' problems, how far bodies
// overlapped, where energy went. Keys: docs/file_formats.md.

#include "talus/simulation/simulation.hpp"

#include "app/run/energy_gains.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace talus::app {

/// Of the steps that were compared with shorter ones.
struct TimeErrorBar {
  std::int64_t comparisons = 0;
  Worst share;                       ///< `position` of the size of the smallest body
  Worst position, largest_position;  ///< m: mean over bodies (TimeError); of one body
  Worst velocity, largest_velocity;  ///< m/s, likewise
  double position_sum = 0.0, velocity_sum = 0.0;
  /// m2, sums over those that looked at halves and their halves.
  double coarse = 0.0, finer = 0.0;

  void add(const StepReport& step);
  double mean_position() const { return mean(position_sum); }
  double mean_velocity() const { return mean(velocity_sum); }
  /// Of the positions; no number where none looked finer.
  double order() const;

 private:
  double mean(double sum) const {
    return comparisons > 0 ? sum / static_cast<double>(comparisons) : 0.0;
  }
};

/// Adds up over the steps of a run; a checkpoint keeps it as it is in memory.
struct ErrorBar {
  std::int64_t steps = 0, unconverged = 0;
  double least_tolerance = infinity, most_tolerance = 0.0;  ///< m/s: it may follow the step
  Worst by_tolerance;                                       ///< error of a step over its tolerance
  Worst error, row_error;                  ///< m/s: of a step (the run's measure), of a row
  Worst impulse_error, row_impulse_error;  ///< N s, likewise
  double error_sum = 0.0, impulse_error_sum = 0.0;
  Worst overlap;                      ///< m
  Worst overlap_share;                ///< of the size of the smaller body
  Worst joint_gap;                    ///< m
  Worst joint_gap_share;              ///< of the size of the smaller body
  Worst joint_angle;                  ///< rad
  Worst step_angle;                   ///< rad: of bodies on the geometric stiffness of their joints
  std::int64_t solved_again = 0;      ///< steps with impacts within them
  Worst outran;                       ///< bodies that were not followed to their next impact
  std::int64_t less_restitution = 0;  ///< steps that gave back less than the law asks for
  TimeErrorBar time;
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
