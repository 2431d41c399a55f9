#include "app/run/run_report.hpp"

#include "app/run/run_sharing.hpp"
#include "app/run/run_timing.hpp"
#include "app/run/verdict.hpp"
#include "app/streams.hpp"
#include "core/simd.hpp"
#include "io/json_parts.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus::app {
namespace {

using io::Json;
using io::number;

Json vector_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}

double per_step(double sum, std::int64_t steps) {
  return steps > 0 ? sum / static_cast<double>(steps) : 0.0;
}

Json generators_json(const Simulation& simulation) {
  Json list = Json::array();
  for (std::size_t g = 0; g < simulation.generators().size(); ++g) {
    const GeneratorReport& report = simulation.generators()[g];
    const StreamState& stream = simulation.streams()[g];
    Json entry = {{"name", report.name},
                  {"count", report.count + stream.count},
                  {"mass", number(report.mass + stream.mass)},
                  {"wanted_mass", number(report.wanted_mass)},
                  {"solid_fraction", number(report.solid_fraction)},
                  {"wanted_solid_fraction", number(report.wanted_solid_fraction)},
                  {"smallest", number(report.smallest)},
                  {"mean", number(report.mean)},
                  {"median_by_mass", number(report.median_by_mass)},
                  {"largest", number(report.largest)},
                  {"largest_deviation", number(report.largest_deviation)},
                  {"largest_overlap", number(report.largest_overlap)}};
    if (stream.count > 0 || stream.refused > 0) {
      entry["owed_mass"] = number(stream.owed);
      entry["refused"] = stream.refused;
    }
    list.push_back(entry);
  }
  return list;
}

Json joints_json(const World& world) {
  Json list = Json::array();
  for (const Joint& joint : world.joints)
    list.push_back({{"name", joint.name},
                    {"type", name_of(joint.type)},
                    {"on", joint.on},
                    {"angle", joint.angle},
                    {"reaction_force", vector_json(joint.reaction_force)},
                    {"reaction_torque", vector_json(joint.reaction_torque)}});
  return list;
}

Json start_json(const std::vector<LabelledText>& lines) {
  Json list = Json::array();
  for (const LabelledText& line : lines)
    list.push_back({{"what", line.label}, {"text", line.text}});
  return list;
}

/// Sweeps depend on the partition, and that may depend on the clock.
std::string reproducible(const RunTotals& totals, const Simulation& simulation) {
  if (simulation.solver().time_limit < infinity) return "no";
  if (!totals.any_psor) return "any_ranks";
  if (totals.psor_ranks < 0) return "no";
  const bool clocked = simulation.communicator().size() > 1 &&
                       simulation.balance_settings().by == BalanceSettings::By::Measured;
  return clocked ? "no" : "same_ranks";
}

}  // namespace

void RunTotals::add(const StepReport& step, double tolerance) {
  ++steps_of_this_run;
  bar.add(step, tolerance);
  iterations += step.iterations;
  most_iterations = std::max(most_iterations, step.iterations);
  products += step.products;
  inserted += step.inserted;
  removed += static_cast<std::int64_t>(step.removed.size());
  searches += step.searched ? 1 : 0;
  shortest_step = std::min(shortest_step, step.time_step);
  longest_step = std::max(longest_step, step.time_step);
  contacts = step.contacts;
  most_contacts = std::max(most_contacts, contacts);
  contact_sum += contacts;
  contact_iterations += static_cast<double>(contacts) * static_cast<double>(step.iterations);
  any_psor = any_psor || step.method == Method::Psor;
  seconds.events += step.seconds.events;
  seconds.share += step.seconds.share;
  balance_seconds += step.balance_seconds;
  moved += step.moved;
  most_ghosts = std::max(most_ghosts, step.most_ghosts);
  balances += step.balanced ? 1 : 0;
  seconds.detect += step.seconds.detect;
  seconds.assemble += step.seconds.assemble;
  seconds.solve += step.seconds.solve;
  seconds.integrate += step.seconds.integrate;
  seconds.compare += step.seconds.compare;
}

void RunTotals::begin_run(int ranks) {
  // bodies are distributed anew: only one rank has the partition that it had
  if (any_psor && (ranks > 1 || psor_ranks > 1)) psor_ranks = -1;
  if (psor_ranks >= 0) psor_ranks = ranks;
  steps_of_this_run = searches = 0;
  moved = balances = most_ghosts = 0;
  seconds = {};
  balance_seconds = output_seconds = wall_seconds = contact_iterations = 0.0;
}

std::string run_report_json(const Simulation& simulation, const RunTotals& totals,
                            const RunEnd& end) {
  const World& world = simulation.world();
  const Energies& energies = end.energies;
  const Momenta& momenta = end.momenta;
  const SolveOptions& solver = simulation.solver();
  Json json = {
      {"scene", simulation.scene().file},
      {"title", simulation.scene().title},
      {"status", end.status},
      {"reason", end.reason},
      {"step", world.step},
      {"time", world.time},
      {"time_step", simulation.settings().h},
      {"time_steps",
       {{"automatic", simulation.scene().time.automatic},
        {"shortest", number(totals.shortest_step)},
        {"longest", number(totals.longest_step)},
        {"mean", per_step(world.time, world.step)}}},
      {"stopped_by", end.stopped_by},
      {"checkpoint", end.checkpoint},
      {"warnings", end.warnings},
      {"steps", totals.bar.steps},
      {"steps_of_this_run", totals.steps_of_this_run},
      {"bodies", end.bodies},
      {"inserted", totals.inserted},
      {"removed", totals.removed},
      {"joints", world.joints.size()},
      {"contacts",
       {{"last", totals.contacts},
        {"mean", per_step(static_cast<double>(totals.contact_sum), totals.bar.steps)},
        {"most", totals.most_contacts}}},
      {"law", name_of(solver.law)},
      {"method", name_of(solver.method)},
      {"tolerance", solver.tolerance},
      {"iterations",
       {{"total", totals.iterations},
        {"mean", per_step(static_cast<double>(totals.iterations), totals.bar.steps)},
        {"most", totals.most_iterations},
        {"products", totals.products}}},
      {"energy",
       {{"kinetic", number(energies.kinetic)}, {"potential", number(energies.potential)}}},
      {"momentum",
       {{"linear", vector_json(momenta.linear)}, {"angular", vector_json(momenta.angular)}}},
      {"generators", generators_json(simulation)},
      {"joint_states", joints_json(world)},
      {"searches", totals.searches},
      {"ranks", end.ranks},
      {"threads", omp_get_max_threads()},
      {"trajectory_hash", fmt::format("{:016x}", end.hash)},
      {"reproducible", reproducible(totals, simulation)},
      {"versions", {{"talus", TALUS_VERSION}, {"simd", name_of(simd_level())}}},
  };
  json["start"] = start_json(end.start);
  add_timing(json, totals, end.sharing);
  add_error_bar(json, totals.bar, solver);
  json["verdict"] = verdict_json(verdict_of(totals.bar, solver.tolerance, end.status == "failed"));
  add_sharing(json, simulation, totals, end.sharing);
  return json.dump(2) + "\n";
}

void print_run_summary(const Simulation& simulation, const RunTotals& t, const RunEnd& end) {
  const World& world = simulation.world();
  const Energies& energies = end.energies;
  say("scene       {}: {} bodies, {} joints, {} contacts\n", simulation.scene().file, end.bodies,
      world.joints.size(), t.contacts);
  const std::string length = simulation.scene().time.automatic && t.steps_of_this_run > 0
                                 ? fmt::format("{:.3g} to {:.3g} s (mean {:.3g})", t.shortest_step,
                                               t.longest_step, per_step(world.time, world.step))
                                 : fmt::format("{:g} s", simulation.settings().h);
  say("time        step {}, t = {:g} s: {} steps of {} in {:.3g} s, {}{} threads\n", world.step,
      world.time, t.steps_of_this_run, length, t.wall_seconds,
      end.ranks > 1 ? fmt::format("{} ranks of ", end.ranks) : "", omp_get_max_threads());
  say("law         {}, method {}\n", name_of(simulation.solver().law),
      name_of(simulation.solver().method));
  say("iterations  mean {:.1f}, most {}\n",
      per_step(static_cast<double>(t.iterations), t.bar.steps), t.most_iterations);
  say("energy      kinetic {:.6g} J, potential {:.6g} J\n", energies.kinetic, energies.potential);
  if (t.inserted > 0 || t.removed > 0)
    say("bodies      {} inserted, {} removed\n", t.inserted, t.removed);
  for (std::size_t g = 0; g < simulation.streams().size(); ++g)
    if (const StreamState& stream = simulation.streams()[g]; stream.refused > 0)
      say("stream      {}: {:.4g} kg came, {:.4g} kg did not: {} times no place was free in its "
          "region\n",
          simulation.generators()[g].name, stream.mass, stream.owed, stream.refused);
  print_timing(t, end.sharing);
  if (end.ranks > 1) print_sharing(simulation, t, end.sharing);
  print_error_bar(t.bar, simulation.solver());
  print_verdict(verdict_of(t.bar, simulation.solver().tolerance, end.status == "failed"));
  if (end.status == "interrupted")
    say("status      stopped by {}; checkpoint {}\n", end.stopped_by, end.checkpoint);
  if (end.status == "failed")
    say("status      FAILED; last good checkpoint {}\n",
        end.checkpoint.empty() ? "none" : end.checkpoint);
  for (const auto& [kind, count] : end.warnings)
    say("warnings    {} of the kind '{}'\n", count, kind);
  say("hash        {:016x}; reproducible: {}\n", end.hash, reproducible(t, simulation));
}

}  // namespace talus::app
