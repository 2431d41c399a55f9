// Bodies that a caller brings and takes between steps: docs/library.md.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "model/meetings.hpp"
#include "model/scene_checks.hpp"
#include "simulation/events.hpp"
#include "simulation/said.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "stepping/integrate.hpp"

#include <cmath>
#include <fmt/format.h>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace talus {
namespace {

/// Of the bodies of all ranks, and of all that are to come. Collective.
Population population_of(const Scene& scene, const World& world,
                         const std::set<std::string>& to_release, const Communicator& comm) {
  const BodySet& bodies = world.bodies;
  Population population(world.materials.count());
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    population.add({bodies.material[b], form_of(world.shapes[bodies.shape[b]]),
                    moves_one_day(world, bodies.motion[b], bodies.group[b], to_release)});
  comm.sum(population.counts());
  for (const Comer& comer : comers(scene, world, world.time)) population.add(comer.kind);
  return population;
}

/// That it may meet bodies for which nothing is said.
void check_meetings(const MaterialTable& table, const Population& population, const Kind& kind,
                    const std::string& name, InputErrors& errors) {
  std::set<Index> missing;
  bool of_meshes = false;
  for (const Kind& other : population.kinds()) {
    const Clash clash = clash_of(table, other, kind);
    if (clash.of_pairs) missing.insert(other.material);
    of_meshes = of_meshes || clash.of_meshes;
  }
  for (const Index material : missing)
    errors.add(
        fmt::format("add: {}: {}", name, text_of_pair(table, material, kind.material, "bodies")));
  if (of_meshes) errors.add("add: " + text_of_meshes(name, "another body"));
}

/// That bodies and generators have, or will have.
std::set<std::string> names_in(const Scene& scene) {
  std::set<std::string> names;
  for (const SceneBody& body : scene.bodies) names.insert(body.name);
  for (const Generator& generator : scene.generators) names.insert(generator.name);
  for (const Event& event : scene.events)
    for (const SceneBody& body : event.added) names.insert(body.name);
  return names;
}

/// What new bodies are looked at with; all ranks have the same.
struct Newcomers {
  World trial;  ///< in which they are tried: nothing of the real one changes where there is a fault
  std::set<std::string> to_release;
  Population population;
  const std::set<std::string>& taken;  ///< names
  std::set<std::string> names;         ///< of the new ones

  Newcomers(const Scene& scene, const World& world, const std::set<std::string>& names_taken,
            const Communicator& comm)
      : to_release(groups_to_release(scene)),
        population(population_of(scene, world, to_release, comm)),
        taken(names_taken) {
    trial.shapes = world.shapes;
    trial.centred = world.centred;
    trial.materials = world.materials;
    trial.groups = world.groups;
    trial.domain = world.domain;
    trial.time = world.time;
    trial.next_id = world.next_id;
  }

  /// All that a scene would be refused for.
  void check(const BodySpec& spec, InputErrors& errors);
  void check_made(const SceneBody& body, InputErrors& errors);
};

/// What is known of a body once it is made: of one without mass that fails.
void Newcomers::check_made(const SceneBody& body, InputErrors& errors) {
  add_body(trial, body);
  BodySet& bodies = trial.bodies;
  const std::size_t b = bodies.id.size() - 1;
  const auto add = [&](const std::string& fault) {
    if (!fault.empty()) errors.add(fmt::format("add: {}: {}", body.name, fault));
  };
  if (body.motion == Motion::Dynamic) {
    const std::string fault = fault_of_place(trial.domain, bodies.position[b]);
    if (!fault.empty()) errors.add(fmt::format("add: {} {}", body.name, fault));
    bodies.position[b] = brought_back(trial.domain, bodies.position[b]);
  }
  for (const std::string& fault : faults_of_body(trial, b, to_release)) add(fault);
  if (to_release.contains(trial.groups[body.group])) add(fault_of_release(bodies, b));
}

void Newcomers::check(const BodySpec& spec, InputErrors& errors) {
  InputErrors faults;
  const bool joins =
      spec.group.empty() || spec.group == spec.name || trial.find_group(spec.group) >= 0;
  if (!joins && (taken.contains(spec.group) || names.contains(spec.group)))
    faults.add(
        fmt::format("add: {}: group = '{}' is the name of a body or generator of another group, "
                    "and would mean two things: choose another",
                    spec.name, spec.group));
  const SceneBody body = scene_body(trial, spec, "add", faults);
  check_body(trial, body, faults);
  if (taken.contains(body.name) || !names.insert(body.name).second)
    faults.add(fmt::format("add: {}: {}", body.name, name_is_taken(body.name)));
  const std::string clash = fault_of_group(trial, body);
  if (!clash.empty()) faults.add("add: " + body.name + ": " + clash);
  if (faults.empty()) {
    const Kind kind = kind_of(trial, body, to_release);
    check_meetings(trial.materials, population, kind, body.name, faults);
    population.add(kind);
    try {
      collect(faults, [&] { check_made(body, faults); });
    } catch (const FormulaError& error) {  // of how it moves from now on
      faults.add(fmt::format("add: {}: {}", body.name, error.what()));
    }
  } else if (const std::string fault = fault_of_place(trial.domain, body.pose.position);
             body.motion == Motion::Dynamic && !fault.empty()) {
    faults.add(fmt::format("add: {} {}", body.name, fault));  // as far as it can be told
  }
  collect(errors, [&] { faults.throw_if_any(); });
}

}  // namespace

/// Of a body that moves: steps are set by the smallest one.
void SimulationParts::see_size(double size) {
  const bool is_first = settings_.smallest_size == 0.0;
  if (!std::isfinite(size) || !(is_first || size < settings_.smallest_size)) return;
  if (is_first) {
    // from no size no speed was chosen; of others that speed goes with the root of theirs
    const StepSettings chosen = step_settings(scene_.time, largest_gravity(scene_, world_), size);
    settings_.recovery_speed = chosen.recovery_speed;
    settings_.recovery_size = chosen.recovery_size;
  }
  settings_.smallest_size = size;
  detection_ = Detection(size);
}

GlobalId SimulationParts::add(const BodySpec& body) {
  return add(std::span(&body, 1));
}

GlobalId SimulationParts::add(std::span<const BodySpec> specs) {
  require_alike("add", mixed(specs));
  if (names_.empty()) names_ = names_in(scene_);
  Newcomers newcomers(scene_, world_, names_, comm_);
  InputErrors errors;
  alike([&] {
    for (const BodySpec& spec : specs) newcomers.check(spec, errors);
    errors.throw_if_any();
  });
  start_ledger();
  const GlobalId first = world_.next_id;
  std::vector<NewBody> added;
  for (const BodySpec& spec : specs) {
    NewBody& body = added.emplace_back(next_body(world_, scene_body(world_, spec, "add", errors)));
    names_.insert(spec.name);
    if (body.motion != Motion::Dynamic) continue;
    body.pose.position = brought_back(world_.domain, body.pose.position);
    see_size(size_of(world_.shapes[body.shape], body.scale));
  }
  if (added.empty()) return first;
  place(added);
  hub_.assign(world_.bodies.id.size(), 0);
  touch();
  return first;
}

void SimulationParts::remove(GlobalId body) {
  require_body("remove", body);
  start_ledger();
  take_out(world_, {body});
  hub_.assign(world_.bodies.id.size(), 0);
  touch();
}

}  // namespace talus
