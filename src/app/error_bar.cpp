#include "app/error_bar.hpp"

#include "io/json_parts.hpp"
#include "simulation/joint_gaps.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
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

}  // namespace

void ErrorBar::add(const StepReport& step, double tolerance) {
  ++steps;
  if (!(step.error <= tolerance)) ++unconverged;
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
  energy.add(step.energy);
  gains.add(step);
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
  report["energy_ledger"] = energy_ledger_json(bar.energy);
}

void print_error_bar(const ErrorBar& bar, const SolveOptions& solver) {
  fmt::print("error bar of the run\n");
  fmt::print("  residual     worst {:.3e} (step {}), mean {:.3e}, of one contact {:.3e} m/s\n",
             bar.error.value, bar.error.step, bar.mean_error(), bar.row_error.value);
  fmt::print("               worst {:.3e} (step {}), mean {:.3e}, of one contact {:.3e} N s\n",
             bar.impulse_error.value, bar.impulse_error.step, bar.mean_impulse_error(),
             bar.row_impulse_error.value);
  fmt::print("  unconverged  {} of {} steps are above the tolerance of {:.3e} m/s\n",
             bar.unconverged, bar.steps, solver.tolerance);
  fmt::print("  penetration  worst {:.3g} % of the smaller body (step {}), {:.3g} m (step {})\n",
             100.0 * bar.overlap_share.value, bar.overlap_share.step, bar.overlap.value,
             bar.overlap.step);
  if (bar.joint_gap.step > 0 || bar.joint_angle.step > 0)
    fmt::print(
        "  joints       open by {:.3g} % of the smaller body (step {}), {:.3g} m (step {}), {:.3g} "
        "rad (step {}){}\n",
        100.0 * bar.joint_gap_share.value, bar.joint_gap_share.step, bar.joint_gap.value,
        bar.joint_gap.step, bar.joint_angle.value, bar.joint_angle.step,
        bar.joints_hold() ? ""
                          : fmt::format(": they DO NOT HOLD, to be trusted at {:g} % and {:g} rad",
                                        100.0 * most_joint_gap, most_joint_angle));
  if (bar.solved_again > 0)
    fmt::print(
        "  impacts      {} of {} steps solved again for impacts within them, {:.0f} bodies of "
        "one step not followed{}\n",
        bar.solved_again, bar.steps, bar.outran.value,
        bar.outran.value > 0.0 ? fmt::format(" (step {})", bar.outran.step) : "");
  const EnergyLedger& ledger = bar.energy;
  if (ledger.steps == 0) return;
  std::vector<std::string> in, out;
  add_words(put_in, ledger, in);
  out.push_back(fmt::format("kinetic {:+.4g} J", ledger.kinetic_end - ledger.kinetic_start));
  add_words(taken_out, ledger, out);
  fmt::print("  energy in    {:.6g} J: {}\n", ledger.put_in(),
             in.empty() ? "nothing" : fmt::format("{}", fmt::join(in, ", ")));
  fmt::print("  energy out   {}; {:.1e} J unaccounted\n", fmt::join(out, ", "),
             ledger.unaccounted());
}

}  // namespace talus::app
