#include "app/run_arguments.hpp"

#include "talus/io/scene_file.hpp"
#include "talus/partition/partition.hpp"
#include "talus/simulation/run_defaults.hpp"
#include "talus/simulation/time_error.hpp"
#include "talus/stepping/step_settings.hpp"

#include "app/faults.hpp"
#include "app/solve_arguments.hpp"
#include "app/solver_settings.hpp"

#include <cmath>
#include <fmt/format.h>

namespace talus::app {
Scene scene_of(const RunArguments& a) {
  std::vector<std::string> overrides = a.settings;
  overrides.insert(overrides.end(), a.assignments.begin(), a.assignments.end());
  return read_scene(a.scene, overrides);
}

SolveOptions solver_of(const Scene& scene, InputErrors& faults) {
  SolveOptions options = run_defaults();
  for (std::size_t i = 0; i < scene.solver_assignments.size(); ++i)
    collect(faults, [&] {
      try {
        apply_setting(scene.solver_assignments[i], options);
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", scene.solver_places[i], error.what()));
      }
    });
  options.choose_by_energy = !options.methods.empty();  // of candidates
  SolveOptions checked = options;
  if (checked.tolerance == 0.0) checked.tolerance = 1.0;  // chosen later, from gravity and step
  collect(faults, [&] { validate(checked, ConeProblem{}); });
  return options;
}

BalanceOptions cells_of(const std::string& text) {
  BalanceOptions cells;
  const PartitionOptions partition = parse_partition(text);
  switch (partition.kind) {
    case PartitionKind::Metis:
      cells.kind = OwnerKind::Metis;
      break;
    case PartitionKind::Hilbert:
      cells.kind = OwnerKind::Hilbert;
      break;
    case PartitionKind::Random:
      cells.kind = OwnerKind::Random;
      cells.seed = partition.seed;
      break;
    case PartitionKind::Blocks:
    case PartitionKind::File:
      throw InputError(fmt::format(
          "--partition {}: bodies of a run move: metis, hilbert or random:SEED deal them out",
          text));
  }
  return cells;
}

std::vector<std::string> idle_notes(const Scene& scene, const SolveOptions& options) {
  const std::vector<std::string> methods = asked_methods(options);
  std::vector<std::string> notes;
  for (const std::string& idle : idle_settings(scene.solver_assignments, methods))
    notes.push_back(fmt::format("solver.{} was given, but the method{} {}", idle,
                                methods.size() == 1 ? " is" : "s are", fmt::join(methods, ", ")));
  return notes;
}

RunGoal goal_of(const RunArguments& a, const Scene& scene, InputErrors& faults) {
  if (!a.steps.empty() && !a.until.empty()) faults.add("--steps and --until: give one of them");
  if (!a.steps.empty()) {
    std::int64_t steps = 0;
    collect(faults,
            [&] { steps = parse_number<std::int64_t>("--steps", a.steps, "a whole number"); });
    if (steps < 0) faults.add(fmt::format("--steps = {} must be 0 or more", steps));
    return {.steps = steps, .ticks = scene.time.automatic ? RunGoal::never : steps};
  }
  double end = scene.time.end;
  if (!a.until.empty()) {
    collect(faults, [&] { end = parse_number<double>("--until", a.until, "a time in s"); });
    if (!(end >= 0.0) || !std::isfinite(end))
      faults.add(fmt::format("--until = {} s must be 0 or more", a.until));
  }
  const double tick = scene.time.automatic ? shortest_step(scene.time) : scene.time.step;
  // A time that is a multiple of the step shall not cost one more for its rounding: tick_at().
  const std::int64_t ticks = tick_at(end, tick);
  if (ticks == RunGoal::never) {
    faults.add(
        fmt::format("{:g} s are more steps of {:g} s than can be counted: end earlier", end, tick));
    return {.steps = 0, .ticks = 0};
  }
  return {.steps = scene.time.automatic ? RunGoal::never : ticks, .ticks = ticks};
}

void add_scene_options(CLI::App& verb, const std::shared_ptr<RunArguments>& a) {
  verb.add_option(
          "-s,--set", a->settings,
          "Set a variable of the scene (-s d=0.002) or a key (-s solver.tolerance=1e-5); may be "
          "repeated")
      ->type_name("KEY=V")
      ->allow_extra_args(false);
  SolveOptions defaults = run_defaults();
  const std::shared_ptr<std::vector<std::string>> assignments(a, &a->assignments);
  for (const SolverSetting& setting : method_settings(defaults))
    add_setting(verb, assignments, setting,
                "Options of methods (short for -s solver.METHOD.OPTION=V)");
}

}  // namespace talus::app
