#pragma once
// How a step treats gaps, errors of joints and impacts: docs/algorithms/stepping.md.

#include "talus/model/scene.hpp"

namespace talus {

/// TimeSettings with every default filled in.
struct StepSettings {
  Scheme scheme = Scheme::AnitescuTasora;
  double h = 0.0;          ///< s
  double tick = 0.0;       ///< s: what times are multiples of
  std::int64_t ticks = 1;  ///< per step: h = ticks * tick
  std::int64_t most_ticks = 1;
  /// m/s2: tolerance of the solver over h, up to a tenth of the longest h, where that is chosen
  /// from what acts; 0: it stays as it is, whatever h.
  double tolerance_rate = 0.0;
  double stabilisation = 0.2;  ///< K, share of an error per step
  /// m/s: at contacts whose smaller body has the size `recovery_size`; at others it goes with the
  /// root of their size. recovery_size = 0: at all contacts.
  double recovery_speed = 0.0;
  double recovery_size = 0.0;  ///< m
  double bounce_speed = 0.0;   ///< m/s
  double damping_time = 0.0;   ///< s
  /// m: gaps and overlaps below it count as touching. What the solver's tolerance may open or close
  /// in a step is no news to the next one, which would otherwise solve for it anew.
  double touching = 0.0;
  double smallest_size = 0.0;  ///< m: of the bodies that move, or come in later; 0: none
  RestitutionLaw restitution_law = RestitutionLaw::Newton;
};

/// `gravity`: |g|, m/s2; `size`: of the smallest body that moves, m (0: none).
StepSettings step_settings(const TimeSettings& time, double gravity, double size);

/// s: of automatic steps.
double shortest_step(const TimeSettings& time);
/// Ticks of the longest automatic step, at least 1.
std::int64_t most_ticks(const TimeSettings& time);

/// For steps of another length, `ticks` of `tick`: what `time` leaves to defaults follows it.
/// Errors of automatic steps go by the same share per time in all of them, else by the same per
/// step.
StepSettings with_step(const StepSettings& settings, const TimeSettings& time, double tick,
                       std::int64_t ticks);

}  // namespace talus
