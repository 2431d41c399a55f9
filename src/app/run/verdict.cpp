#include "app/run/verdict.hpp"

#include "app/run/energy_gains.hpp"
#include "app/streams.hpp"
#include "io/json_parts.hpp"
#include "simulation/joint_gaps.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace talus::app {
namespace {

/// How much energy went through the run, J: not the net sums, which are nothing where bodies rest
/// or swing.
double energy_moved(const EnergyLedger& e) {
  return std::max({e.kinetic_start, e.kinetic_end, e.kinetic_most, e.through});
}

Check convergence_check(const ErrorBar& bar, double tolerance) {
  const bool varies = bar.least_tolerance < bar.most_tolerance;
  const double share = varies ? bar.by_tolerance.value : bar.error.value / tolerance;
  return {
      "convergence", bar.unconverged > 0 ? std::max(share, 1.0 + 1e-6) : share,
      varies ? fmt::format("worst step (step {}) at {:.3g} of its tolerance; {} of {} steps "
                           "above it",
                           bar.by_tolerance.step, share, bar.unconverged, bar.steps)
             : fmt::format("worst step (step {}) {:.3g} m/s, tolerance {:.3g} m/s; {} of {} "
                           "steps above it",
                           bar.error.step, bar.error.value, tolerance, bar.unconverged, bar.steps)};
}

Check energy_check(const ErrorBar& bar, std::vector<std::string>& warnings) {
  const EnergyLedger& e = bar.energy;
  const EnergyGains& gains = bar.gains;
  const double moved = energy_moved(e);
  // J: what rounding leaves of bodies that lie or hang at rest, where nothing else moves. Beside
  // what gravity gives them in a step of free fall it is nothing.
  constexpr double least = 1e-26, of_free_fall = 1e-10;
  const double nothing = std::max(least, of_free_fall * e.free_fall);
  const EnergyGain gain = gain_of(e, gains.from_start);
  const auto warn = [&](const char* words, double gained) {
    if (gained > std::max(nothing, gain_to_tell * moved))
      warnings.push_back(fmt::format("{} gave {:.3g} J, {:.2g} % of what went through the run",
                                     words, gained, 100.0 * gained / moved));
  };
  warn("contacts (impacts, friction, rolling friction)", gain.contacts);
  warn("joints, time step and solver", gain.others);
  const double share = gain.sum() > nothing ? gain.sum() / moved : 0.0;
  // of a step: what a long run has moved in all would hide it
  const double most = std::max({e.kinetic_most, e.free_fall, gains.most_moved});
  const double of_step = gains.of_step.value > nothing ? gains.of_step.value / most : 0.0;
  if (of_step > most_gain && of_step > share)
    return {
        "energy", of_step / most_gain,
        fmt::format("{:.3g} J came from nowhere in step {}, {:.2g} % of what bodies had at "
                    "most; at most {:g} %",
                    gains.of_step.value, gains.of_step.step, 100.0 * of_step, 100.0 * most_gain)};
  return {"energy", std::max(share, of_step) / most_gain,
          fmt::format("{:.3g} J came from nowhere, {:.2g} % of what went through the run, in one "
                      "step {:.2g} % of what bodies had at most; at most {:g} %",
                      gain.sum(), 100.0 * share, 100.0 * of_step, 100.0 * most_gain)};
}

}  // namespace

const Check& Verdict::worst() const {
  // what is no number is the worst of all
  return *std::max_element(checks.begin(), checks.end(), [](const Check& a, const Check& b) {
    return !std::isnan(a.share) && (std::isnan(b.share) || a.share < b.share);
  });
}

Verdict verdict_of(const ErrorBar& bar, double tolerance) {
  Verdict verdict;
  verdict.checks.push_back(convergence_check(bar, tolerance));
  verdict.checks.push_back(
      {"overlap", bar.overlap_share.value / most_overlap,
       fmt::format("{:.3g} % of the smaller body (step {}); at most {:g} %",
                   100.0 * bar.overlap_share.value, bar.overlap_share.step, 100.0 * most_overlap)});
  verdict.checks.push_back(
      {"joints",
       std::max(bar.joint_gap_share.value / most_joint_gap,
                bar.joint_angle.value / most_joint_angle),
       fmt::format("open by {:.3g} % of the smaller body (step {}) and {:.3g} rad (step {}); at "
                   "most {:g} % and {:g} rad",
                   100.0 * bar.joint_gap_share.value, bar.joint_gap_share.step,
                   bar.joint_angle.value, bar.joint_angle.step, 100.0 * most_joint_gap,
                   most_joint_angle)});
  verdict.checks.push_back({"impacts", bar.outran.value > 0.0 ? 1.0 + bar.outran.value : 0.0,
                            fmt::format("{:.0f} bodies of one step were hit and not followed "
                                        "(step {})",
                                        bar.outran.value, bar.outran.step)});
  verdict.checks.push_back(
      {"time_step", bar.time.share.value / most_time_error,
       bar.time.comparisons > 0
           ? fmt::format("{:.3g} m of error in one step (step {}), {:.3g} % of the smallest body; "
                         "at most {:g} %",
                         bar.time.position.value, bar.time.position.step,
                         100.0 * bar.time.share.value, 100.0 * most_time_error)
           : std::string("no step was compared with its halves")});
  verdict.checks.push_back(
      bar.energy.steps > 0 ? energy_check(bar, verdict.warnings)
                           : Check{"energy", 0.0, "not looked at: output.energy_ledger is false"});
  return verdict;
}

Verdict verdict_of(const ErrorBar& bar, double tolerance, bool has_failed) {
  Verdict verdict = verdict_of(bar, tolerance);
  if (has_failed)
    verdict.checks.push_back({"end", std::numeric_limits<double>::quiet_NaN(),
                              fmt::format("the run failed after {} steps", bar.steps)});
  return verdict;
}

io::Json verdict_json(const Verdict& verdict) {
  io::Json checks = io::Json::object();
  for (const Check& check : verdict.checks)
    checks[check.name] = {{"share_of_limit", io::number(check.share)}, {"text", check.text}};
  return {{"holds", verdict.holds()},
          {"worst", verdict.worst().name},
          {"text", verdict.worst().text},
          {"checks", checks},
          {"warnings", verdict.warnings}};
}

void print_verdict(const Verdict& verdict) {
  for (const std::string& warning : verdict.warnings) say("  warning      {}\n", warning);
  const Check& worst = verdict.worst();
  say("  verdict      {}: {}, {}\n",
      verdict.holds() ? "holds; nearest to its limit" : "DOES NOT HOLD; worst", worst.name,
      worst.text);
}

EnergyGain gain_of(const EnergyLedger& e, double allowed) {
  // The parts of a contact take and give in turns, and so do joints, the time step and the solver:
  // only their sums tell. What answers to the tolerance leave is no gain: it may be all that moves
  // in a heap at rest.
  const auto given = [&](double taken, double may) {
    return std::max(0.0, -taken - e.solver_magnitude - may);
  };
  return {given(e.friction + e.rolling + e.impact, allowed),
          given(e.joints + e.time_step + e.solver, 0.0)};
}

void EnergyGains::add(const StepReport& step) {
  // once something has come deeper, what is pushed out is no longer what the start had
  from_start_on = from_start_on && step.overlap_share <= overlap_before;
  overlap_before = step.overlap_share;
  if (from_start_on) from_start += step.energy.recovered;
  // what the tolerance lets bodies sink in they are pushed out of again: over the run that is
  // nothing, of a step it may be all that moves
  const bool known = from_start_on || step.overlap_share <= shallow_overlap;
  EnergyLedger energy = step.energy;
  energy.time_step -= energy.late;  // as large as what falls or lands in the step, and no gain
  of_step.see(gain_of(energy, known ? energy.recovered : 0.0).sum(), step.step);
  most_moved = std::max(most_moved, step.energy.moved());
}

}  // namespace talus::app
