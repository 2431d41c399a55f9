#include "app/run/error_bar.hpp"

#include "app/streams.hpp"
#include "io/json_parts.hpp"
#include "simulation/joint_gaps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace talus::app {
namespace {

using io::Json;
using io::number;

struct Entry {
  const char* key;
  const char* words;
  double EnergyLedger::*value;
};
constexpr std::array<Entry, 5> put_in{
    {{"gravity", "gravity", &EnergyLedger::gravity},
     {"forces", "forces", &EnergyLedger::forces},
     {"motors", "motors", &EnergyLedger::motors},
     {"walls", "moving walls", &EnergyLedger::walls},
     {"bodies", "bodies that came or went", &EnergyLedger::bodies}}};
constexpr std::array<Entry, 8> taken_out{{{"friction", "friction", &EnergyLedger::friction},
                                          {"rolling", "rolling friction", &EnergyLedger::rolling},
                                          {"impact", "impacts", &EnergyLedger::impact},
                                          {"cohesion", "cohesion", &EnergyLedger::cohesion},
                                          {"joints", "joints", &EnergyLedger::joints},
                                          {"springs", "springs", &EnergyLedger::springs},
                                          {"time_step", "time step", &EnergyLedger::time_step},
                                          {"solver", "solver error", &EnergyLedger::solver}}};

/// "1.2 J gravity": of what is not 0.
template <std::size_t N>
void add_words(const std::array<Entry, N>& entries, const EnergyLedger& ledger,
               std::vector<std::string>& words) {
  for (const Entry& entry : entries)
    if (ledger.*entry.value != 0.0)
      words.push_back(fmt::format("{} {:.4g} J", entry.words, ledger.*entry.value));
}

Json worst_json(const Worst& of_step, double mean, const Worst& of_row) {
  return {{"worst", number(of_step.value)},
          {"worst_step", of_step.step},
          {"mean", number(mean)},
          {"worst_row", number(of_row.value)},
          {"worst_row_step", of_row.step}};
}

/// m: if every step adds what the mean of those does that were compared.
double all_together(const ErrorBar& bar) {
  return bar.time.mean_position() * static_cast<double>(bar.steps);
}

Json of_bodies_json(const Worst& of_step, double mean, const Worst& of_body) {
  return {{"worst", number(of_step.value)},
          {"worst_step", of_step.step},
          {"mean", number(mean)},
          {"worst_body", number(of_body.value)},
          {"worst_body_step", of_body.step}};
}

Json time_error_json(const ErrorBar& bar) {
  const TimeErrorBar& time = bar.time;
  if (time.comparisons == 0) return nullptr;
  return {{"compared_steps", time.comparisons},
          {"position", of_bodies_json(time.position, time.mean_position(), time.largest_position)},
          {"velocity", of_bodies_json(time.velocity, time.mean_velocity(), time.largest_velocity)},
          {"order", number(time.order())},
          {"largest_share_of_size", number(time.share.value)},
          {"all_steps_together", number(all_together(bar))}};
}

void print_time_error(const ErrorBar& bar) {
  const TimeErrorBar& time = bar.time;
  if (time.comparisons == 0) return;
  const double order = time.order();
  std::string words;
  if (order > 0.0)
    words = fmt::format("; order of the positions {:.2f}", order);
  else if (order <= 0.0)
    words = "; shorter steps bring the positions no nearer";
  say("  time step    worst {:.3e} m (step {}), mean {:.3e} m, of one body {:.3e} m; {} steps "
      "compared with their halves\n",
      time.position.value, time.position.step, time.mean_position(), time.largest_position.value,
      time.comparisons);
  say("               worst {:.3e} (step {}), mean {:.3e}, of one body {:.3e} m/s{}\n",
      time.velocity.value, time.velocity.step, time.mean_velocity(), time.largest_velocity.value,
      words);
  say("               {:.3e} m over the run if every step adds its mean\n", all_together(bar));
}

}  // namespace

void ErrorBar::add(const StepReport& step, double tolerance) {
  ++steps;
  if (!(step.error <= tolerance)) ++unconverged;
  least_tolerance = std::min(least_tolerance, tolerance);
  most_tolerance = std::max(most_tolerance, tolerance);
  by_tolerance.see(step.error / tolerance, step.step);
  error.see(step.error, step.step);
  row_error.see(step.largest_error, step.step);
  impulse_error.see(step.impulse_error, step.step);
  row_impulse_error.see(step.largest_impulse_error, step.step);
  error_sum += step.error;
  impulse_error_sum += step.impulse_error;
  overlap.see(step.largest_overlap, step.step);
  overlap_share.see(step.overlap_share, step.step);
  joint_gap.see(step.largest_joint_gap, step.step);
  joint_gap_share.see(step.joint_gap_share, step.step);
  joint_angle.see(step.largest_joint_angle, step.step);
  step_angle.see(step.step_angle, step.step);
  solved_again += step.solves > 1 ? 1 : 0;
  outran.see(static_cast<double>(step.outran), step.step);
  time.add(step);
  less_restitution += step.less_restitution ? 1 : 0;
  energy.add(step.energy);
  gains.add(step);
}

void TimeErrorBar::add(const StepReport& step) {
  if (!step.compared) return;
  const TimeError& error = *step.time_error;
  ++comparisons;
  share.see(error.share, step.step);
  position.see(error.position, step.step);
  largest_position.see(error.largest_position, step.step);
  velocity.see(error.velocity, step.step);
  largest_velocity.see(error.largest_velocity, step.step);
  position_sum += error.position;
  velocity_sum += error.velocity;
  if (error.finer < 0.0) return;
  coarse += error.coarse;
  finer += error.finer;
}

double TimeErrorBar::order() const {
  return coarse > 0.0 && finer > 0.0 ? 0.5 * std::log2(coarse / finer)
                                     : std::numeric_limits<double>::quiet_NaN();
}

bool ErrorBar::joints_hold() const {
  return joint_gap_share.value <= most_joint_gap && joint_angle.value <= most_joint_angle;
}

Json energy_ledger_json(const EnergyLedger& ledger) {
  if (ledger.steps == 0) return nullptr;
  Json json = {{"steps", ledger.steps}};
  for (const Entry& entry : put_in) json[entry.key] = number(ledger.*entry.value);
  json["kinetic_start"] = number(ledger.kinetic_start);
  json["kinetic_end"] = number(ledger.kinetic_end);
  for (const Entry& entry : taken_out) json[entry.key] = number(ledger.*entry.value);
  json["solver_magnitude"] = number(ledger.solver_magnitude);
  json["unaccounted"] = number(ledger.unaccounted());
  return json;
}

void add_error_bar(Json& report, const ErrorBar& bar, const SolveOptions& solver) {
  report["error"] = {{"measure", name_of(solver.measure)}, {"unit", "m/s"}};
  report["error"].update(worst_json(bar.error, bar.mean_error(), bar.row_error));
  report["error"]["unconverged_steps"] = bar.unconverged;
  report["impulse_error"] = {{"unit", "N s"}};
  report["impulse_error"].update(
      worst_json(bar.impulse_error, bar.mean_impulse_error(), bar.row_impulse_error));
  report["overlap"] = {{"largest", bar.overlap.value},
                       {"step", bar.overlap.step},
                       {"largest_share_of_size", bar.overlap_share.value},
                       {"share_step", bar.overlap_share.step}};
  report["joint_gap"] = {{"largest", bar.joint_gap.value},
                         {"step", bar.joint_gap.step},
                         {"largest_share_of_size", bar.joint_gap_share.value},
                         {"share_step", bar.joint_gap_share.step},
                         {"largest_angle", bar.joint_angle.value},
                         {"angle_step", bar.joint_angle.step},
                         {"largest_step_angle", bar.step_angle.value},
                         {"step_angle_step", bar.step_angle.step},
                         {"holds", bar.joints_hold()}};
  report["impacts_within_steps"] = {{"solved_again_steps", bar.solved_again},
                                    {"most_bodies_not_followed", bar.outran.value},
                                    {"step", bar.outran.step}};
  report["time_error"] = time_error_json(bar);
  report["restitution"] = {{"less_steps", bar.less_restitution}};
  report["energy_ledger"] = energy_ledger_json(bar.energy);
}

void print_error_bar(const ErrorBar& bar, const SolveOptions& solver) {
  say("error bar of the run\n");
  say("  residual     worst {:.3e} (step {}), mean {:.3e}, of one contact {:.3e} m/s\n",
      bar.error.value, bar.error.step, bar.mean_error(), bar.row_error.value);
  say("               worst {:.3e} (step {}), mean {:.3e}, of one contact {:.3e} N s\n",
      bar.impulse_error.value, bar.impulse_error.step, bar.mean_impulse_error(),
      bar.row_impulse_error.value);
  say("  unconverged  {} of {} steps are above the tolerance of {} m/s\n", bar.unconverged,
      bar.steps,
      bar.least_tolerance < bar.most_tolerance
          ? fmt::format("{:.3e} to {:.3e}", bar.least_tolerance, bar.most_tolerance)
          : fmt::format("{:.3e}", solver.tolerance));
  say("  penetration  worst {:.3g} % of the smaller body (step {}), {:.3g} m (step {})\n",
      100.0 * bar.overlap_share.value, bar.overlap_share.step, bar.overlap.value, bar.overlap.step);
  if (bar.joint_gap.step > 0 || bar.joint_angle.step > 0)
    say("  joints       open by {:.3g} % of the smaller body (step {}), {:.3g} m (step {}), {:.3g} "
        "rad (step {}){}\n",
        100.0 * bar.joint_gap_share.value, bar.joint_gap_share.step, bar.joint_gap.value,
        bar.joint_gap.step, bar.joint_angle.value, bar.joint_angle.step,
        bar.joints_hold() ? ""
                          : fmt::format(": they DO NOT HOLD, to be trusted at {:g} % and {:g} rad",
                                        100.0 * most_joint_gap, most_joint_angle));
  if (bar.solved_again > 0)
    say("  impacts      {} of {} steps solved again for impacts within them, {:.0f} bodies of "
        "one step not followed{}\n",
        bar.solved_again, bar.steps, bar.outran.value,
        bar.outran.value > 0.0 ? fmt::format(" (step {})", bar.outran.step) : "");
  print_time_error(bar);
  if (bar.less_restitution > 0)
    say("  restitution  less than the coefficient says in {} of {} steps\n", bar.less_restitution,
        bar.steps);
  const EnergyLedger& ledger = bar.energy;
  if (ledger.steps == 0) return;
  std::vector<std::string> in, out;
  add_words(put_in, ledger, in);
  out.push_back(fmt::format("kinetic {:+.4g} J", ledger.kinetic_end - ledger.kinetic_start));
  add_words(taken_out, ledger, out);
  say("  energy in    {:.6g} J: {}\n", ledger.put_in(),
      in.empty() ? "nothing" : fmt::format("{}", fmt::join(in, ", ")));
  say("  energy out   {}; {:.1e} J unaccounted\n", fmt::join(out, ", "), ledger.unaccounted());
}

}  // namespace talus::app
