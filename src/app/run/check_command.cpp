// talus check: everything that talus run would refuse or warn of, and what the run will cost,
// without running.

#include "talus/io/scene_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/faults.hpp"
#include "app/remarks.hpp"
#include "app/run/run_plan.hpp"
#include "app/run/scene_words.hpp"
#include "app/streams.hpp"
#include "core/words.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace talus::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a run will need, from the number of bodies: figures of dense packings of spheres
/// (docs/performance.md), and of masonry: boxes that lie on each other touch at several points.
/// Rough on purpose.
struct Estimate {
  double contacts = 0.0, megabytes_per_rank = 0.0, seconds = 0.0;
};

Estimate estimate_of(const Simulation& simulation, std::int64_t steps, int ranks) {
  constexpr double contacts_per_sphere = 2.5, contacts_per_other = 12.0;
  constexpr double bytes_per_body = 800.0, bytes_per_contact = 1000.0;
  constexpr double program_bytes = 15e6;
  constexpr double mirrored = 1.07;  // a rank's share and its boundary
  constexpr double seconds_per_contact_iteration = 20e-9, iterations = 100.0;
  constexpr double seconds_per_body = 1e-6;  // detection, assembly, integration
  const World& world = simulation.world();
  double moving = 0.0;
  Estimate e;
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b) {
    if (world.bodies.motion[b] != Motion::Dynamic) continue;
    moving += 1.0;
    const Shape& shape = world.shapes[world.bodies.shape[b]];
    e.contacts += std::holds_alternative<Sphere>(shape) ? contacts_per_sphere : contacts_per_other;
  }
  const double share = ranks > 1 ? mirrored / ranks : 1.0;
  e.megabytes_per_rank =
      1e-6 * (program_bytes + share * (bytes_per_body * moving + bytes_per_contact * e.contacts));
  const double workers = std::max(1, ranks) * std::max(1, omp_get_max_threads());
  e.seconds = static_cast<double>(steps) / workers *
              (seconds_per_contact_iteration * iterations * e.contacts + seconds_per_body * moving);
  return e;
}

/// How many bodies of each group, by how they move.
std::map<std::string, std::int64_t> group_counts(const World& world) {
  std::map<std::string, std::int64_t> counts;
  for (const Index group : world.bodies.group) ++counts[group >= 0 ? world.groups[group] : "?"];
  return counts;
}

Json pairs_json(const World& world) {
  Json list = Json::array();
  const auto& materials = world.materials.materials();
  for (Index a = 0; a < world.materials.count(); ++a)
    for (Index b = a; b < world.materials.count(); ++b) {
      if (!world.materials.has_pair(a, b)) continue;
      const PairProperties& p = world.materials.pair(a, b);
      list.push_back({{"between", {materials[a].name, materials[b].name}},
                      {"friction", p.friction},
                      {"restitution", p.restitution},
                      {"rolling_radius", p.rolling_friction},
                      {"spinning_radius", p.spinning_friction},
                      {"cohesion", p.cohesion},
                      {"compliance", p.compliance},
                      {"damping_time", p.damping_time}});
      const Vec3& axis = p.friction_axis;
      if (dot(axis, axis) > 0.0) list.back()["friction_axis"] = {axis.x, axis.y, axis.z};
      if (p.friction_along_slip) list.back()["friction_axis"] = "slip";
    }
  return list;
}

/// What of a pair is not zero; friction and restitution in any case.
std::string pair_text(const Json& pair) {
  struct Part {
    const char *key, *unit;
  };
  constexpr Part parts[] = {{"rolling_radius", "m"},
                            {"spinning_radius", "m"},
                            {"cohesion", "N"},
                            {"compliance", "m/N"},
                            {"damping_time", "s"}};
  std::string text =
      fmt::format("{} - {}: friction {:g}, restitution {:g}", pair["between"][0].get<std::string>(),
                  pair["between"][1].get<std::string>(), pair["friction"].get<double>(),
                  pair["restitution"].get<double>());
  for (const Part& part : parts) {
    const auto value = pair[part.key].get<double>();
    if (value == 0.0) continue;
    std::string word(part.key);
    std::replace(word.begin(), word.end(), '_', ' ');
    text += fmt::format(", {} {:g} {}", word, value, part.unit);
  }
  return text;
}

std::string reason_of_tolerance(const Simulation& simulation) {
  return simulation.tolerance_reason().empty() ? "as the scene says"
                                               : simulation.tolerance_reason();
}

Json check_json(const Simulation& simulation, std::int64_t steps, int ranks) {
  const World& world = simulation.world();
  const Estimate e = estimate_of(simulation, steps, ranks);
  Json generators = Json::array();
  for (const GeneratorReport& g : simulation.generators())
    generators.push_back({{"name", g.name},
                          {"count", g.count},
                          {"mass", g.mass},
                          {"wanted_mass", g.wanted_mass},
                          {"solid_fraction", g.solid_fraction},
                          {"wanted_solid_fraction", g.wanted_solid_fraction},
                          {"largest_overlap", g.largest_overlap}});
  return {{"scene", simulation.scene().file},
          {"title", simulation.scene().title},
          {"valid", true},
          {"bodies", world.bodies.count()},
          {"groups", group_counts(world)},
          {"joints", world.joints.size()},
          {"pairs", pairs_json(world)},
          {"generators", generators},
          {"time_step", simulation.settings().h},
          {"steps", steps},
          {"measure", name_of(simulation.solver().measure)},
          {"tolerance", simulation.solver().tolerance},
          {"tolerance_reason", reason_of_tolerance(simulation)},
          {"law", name_of(simulation.solver().law)},
          {"method", name_of(simulation.solver().method)},
          {"estimate",
           {{"ranks", ranks},
            {"contacts", e.contacts},
            {"megabytes_per_rank", e.megabytes_per_rank},
            {"seconds", e.seconds}}},
          {"warnings", simulation.warnings()},
          {"notes", simulation.scene().notes}};
}

void print_check(const Simulation& simulation, std::int64_t steps, int ranks) {
  const World& world = simulation.world();
  const Estimate e = estimate_of(simulation, steps, ranks);
  say("scene       {}{}\n", simulation.scene().file,
      simulation.scene().title.empty() ? "" : ": " + simulation.scene().title);
  say("bodies      {}{}\njoints      {}\n", world.bodies.count(),
      groups_text(group_counts(world), " (--json lists all)"), world.joints.size());
  for (const Json& pair : pairs_json(world)) say("pair        {}\n", pair_text(pair));
  for (std::size_t g = 0; g < simulation.generators().size(); ++g)
    if (simulation.generators()[g].count > 0)
      say("generator   {}\n", generator_text(simulation, g));
  const StepSettings& settings = simulation.settings();
  if (simulation.scene().time.automatic)
    say("time        {} steps or more, automatic: {:g} to {:g} s, error of one at most {:g} m\n",
        steps, settings.tick, static_cast<double>(settings.most_ticks) * settings.tick,
        simulation.scene().time.accuracy * settings.smallest_size);
  else
    say("time        {} steps of {:g} s to t = {:g} s\n", steps, settings.h,
        static_cast<double>(steps) * settings.h);
  say("solver      law {}, method {}, tolerance {:.3g} m/s\n", name_of(simulation.solver().law),
      name_of(simulation.solver().method), simulation.solver().tolerance);
  say("tolerance   of {}: {}\n", name_of(simulation.solver().measure),
      reason_of_tolerance(simulation));
  say("estimate    about {:.0f} contacts, {:.3g} MB per rank, {} on {} ranks of {} threads (if "
      "steps take 100 iterations)\n",
      e.contacts, e.megabytes_per_rank, about(e.seconds), ranks, omp_get_max_threads());
}

int check_scene(const RunArguments& a, const CommonOptions& common, InputErrors faults) {
  if (a.schema) {
    faults.throw_if_any();
    say("{}", scene_schema());
    return exit_within_tolerance;
  }
  int ranks = 1;
  if (!a.ranks.empty())
    collect(faults, [&] {
      ranks = parse_number<int>("--ranks", a.ranks, "a whole number");
      if (ranks < 1) throw InputError(fmt::format("--ranks = {} must be 1 or more", ranks));
    });
  if (a.scene.empty()) faults.add("give a scene file: talus check SCENE.yaml");
  Scene scene;
  if (!a.scene.empty()) collect(faults, [&] { scene = scene_of(a); });
  faults.throw_if_any();
  const SolveOptions solver = solver_of(scene, faults);
  const RunGoal goal = goal_of(a, scene, faults);
  const std::int64_t steps = goal.counts_steps()
                                 ? goal.steps
                                 : goal.ticks / std::max(std::int64_t{1}, most_ticks(scene.time));
  faults.throw_if_any();
  const Simulation simulation(std::move(scene), solver, Communicator::self());
  if (a.json)
    say("{}\n", check_json(simulation, steps, ranks).dump(2));
  else
    print_check(simulation, steps, ranks);
  for (const std::string& text : simulation.scene().notes) note(common, text);
  for (const std::string& text : idle_notes(simulation.scene(), simulation.solver()))
    note(common, text);
  for (const std::string& text : simulation.warnings()) note(common, "warning: " + text);
  return exit_within_tolerance;
}

}  // namespace

Command add_check(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<RunArguments>();
  CLI::App& verb = *program.add_subcommand(
      "check", "Check a scene as talus run would, and estimate what it costs, without running");
  verb.add_option("scene", a->scene, "Scene file (docs/scene_file.md)")->type_name("SCENE.yaml");
  verb.add_option("--ranks", a->ranks, "Estimate memory and time for so many ranks [1]")
      ->type_name("N");
  verb.add_flag("--json", a->json, "Print JSON");
  verb.add_flag("--schema", a->schema, "Print the JSON Schema of scene files, and nothing else");
  add_scene_options(verb, a);
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](InputErrors faults) {
    return on_first_rank(common.comm, [&] { return check_scene(*a, common, std::move(faults)); });
  };
}

}  // namespace talus::app
