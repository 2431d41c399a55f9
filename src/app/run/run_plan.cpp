#include "app/run/run_plan.hpp"

#include "talus/io/scene_file.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/simulation/run_defaults.hpp"
#include "talus/stepping/step_settings.hpp"

#include "app/faults.hpp"
#include "app/run/checkpoints.hpp"
#include "app/run/run_folder.hpp"
#include "app/run/run_timing.hpp"
#include "app/solve/solve_arguments.hpp"
#include "app/solver_settings.hpp"
#include "core/regular_file.hpp"
#include "io/scene/scene_value.hpp"
#include "partition/partition.hpp"
#include "simulation/time_error.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace talus::app {
namespace {

BalanceSettings balance_of(const RunArguments& a, const CommonOptions& common) {
  BalanceSettings settings;
  settings.cells = cells_of(common.partition);
  if (!a.balance_every.empty())
    settings.every =
        parse_number<std::int64_t>("--balance-every", a.balance_every, "a number of steps");
  if (settings.every < 0)
    throw InputError(fmt::format("--balance-every = {} must be 0 or more steps", settings.every));
  return settings;
}

/// mpirun gives stdin to the first rank alone, and a pipe gives its text once. Collective.
void share_piped_scene(const std::string& path, const Communicator& comm) {
  std::array<std::int64_t, 1> is_piped{comm.rank() == 0 && is_piped_source(path) ? 1 : 0};
  comm.sum(is_piped);
  if (is_piped[0] == 0) return;
  std::string text;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::string reason;
    const auto read = text_of_source(path, reason);
    if (!read) throw InputError(fmt::format("{}: {}", path, reason));
    text = *read;
  });
  keep_source(path, broadcast_text(comm, text, 0));
}

RunPlan plan_from_scene(const RunArguments& a, const CommonOptions& common, InputErrors faults,
                        BalanceSettings balance, RunPlan plan) {
  if (a.output.empty())
    faults.add("--output DIR is missing: the folder for what the run leaves");
  else
    collect(faults, [&] { require_run_folder(a.output, a.overwrite); });
  plan.folder = a.output;
  Scene scene;
  share_piped_scene(a.scene, common.comm);
  if (a.scene.empty())
    faults.add("give a scene file: talus run SCENE.yaml --output DIR, or --resume DIR");
  else
    collect(faults, [&] { scene = scene_of(a); });
  SolveOptions solver;
  // all ranks look: a file that one of them cannot see is a fault of all
  agree(common.comm, [&] {
    faults.throw_if_any();
    solver = solver_of(scene, faults);
    plan.goal = goal_of(a, scene, faults);
    faults.throw_if_any();
    if (!common.speaks()) return;
    std::vector<std::string> overrides = a.settings;
    overrides.insert(overrides.end(), a.assignments.begin(), a.assignments.end());
    io::ResolvedScene resolved = io::resolve_scene(a.scene, overrides);
    plan.scene_text = std::move(resolved.text);
    plan.inputs = std::move(resolved.files);
  });
  if (scene.balance_by_counts) balance.by = BalanceSettings::By::Counts;
  plan.simulation = alike([&] {
    return std::make_unique<Simulation>(std::move(scene), std::move(solver), common.comm, balance);
  });
  return plan;
}

std::vector<std::string> changes_of(const RunArguments& a) {
  std::vector<std::string> changes = a.settings;
  changes.insert(changes.end(), a.assignments.begin(), a.assignments.end());
  return changes;
}

/// Of -s and of the options of methods, those of the solver: all else is in the checkpoint.
void change_solver(const RunArguments& a, Scene& scene, InputErrors& faults) {
  for (const std::string& change : changes_of(a)) {
    if (!change.starts_with("solver.")) {
      faults.add(fmt::format(
          "-s {}: a run that goes on has the scene of its checkpoint; only solver.* can be changed",
          change));
      continue;
    }
    scene.solver_assignments.push_back(change);
    scene.solver_places.push_back("-s " + change);
  }
}

bool sets_tolerance(const RunArguments& a) {
  const auto sets = [](const std::string& change) {
    return change.starts_with("solver.tolerance=");
  };
  return std::any_of(a.settings.begin(), a.settings.end(), sets) ||
         std::any_of(a.assignments.begin(), a.assignments.end(), sets);
}

/// Two names of one folder are one folder.
bool is_same(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::equivalent(a, b, none);
}

void choose_folder(const RunArguments& a, const std::string& of_run, RunPlan& plan,
                   InputErrors& faults) {
  plan.folder = a.output.empty() ? of_run : a.output;
  plan.same_folder = !of_run.empty() && (a.output.empty() || is_same(a.output, of_run));
  if (plan.folder.empty())
    faults.add(fmt::format("--output DIR is missing: {} is in no run's folder, in which to go on",
                           plan.from));
  else if (!plan.same_folder)
    collect(faults, [&] { require_run_folder(plan.folder, a.overwrite); });
  else if (access(plan.folder.c_str(), W_OK) != 0)
    faults.add(fmt::format("{}: cannot be written to: {}; --output NEWDIR goes on elsewhere",
                           plan.folder, std::strerror(errno)));
  else if (a.overwrite)
    faults.add(
        "--overwrite with --resume: a run that goes on in its folder keeps what is there; "
        "give --output NEWDIR for another");
}

RunPlan plan_from_checkpoint(const RunArguments& a, const CommonOptions& common, InputErrors faults,
                             BalanceSettings balance, RunPlan plan) {
  if (!a.scene.empty())
    faults.add(fmt::format(
        "{}: a checkpoint has its scene inside: give a scene or --resume, not both", a.scene));
  agree(common.comm, [&] { faults.throw_if_any(); });
  ResumePoint point = alike([&] { return find_resume_point(a.resume, common.comm, "--resume "); });
  for (const std::string& refused : point.refused)
    plan.remarks.push_back(fmt::format("{}; {} is taken instead", refused, point.file));
  plan.from = point.file;
  Checkpoint& from = point.checkpoint;
  plan.scene_text = from.scene_text;
  SolveOptions solver;
  agree(common.comm, [&] {
    plan.memory = memory_of(from, plan.from);
    change_solver(a, from.scene, faults);
    solver = solver_of(from.scene, faults);
    for (const std::string& change : changes_of(a))
      plan.scene_text +=
          fmt::format("# from step {} on, by --resume: -s {}\n", from.world.step + 1, change);
    if (!sets_tolerance(a))
      solver.tolerance = 0.0;  // the one that it had
    else if (solver.tolerance > 0.0)
      from.tolerance = 0.0;  // what is said on purpose is another one, whatever its value
    const bool asks = !a.steps.empty() || !a.until.empty();
    plan.goal = asks ? goal_of(a, from.scene, faults) : plan.memory->goal;
    if (plan.goal.is_passed(from.world))
      faults.add(
          fmt::format("{} is of step {}, t = {:g} s, after the end{}: --until T or "
                      "--steps N let the run go further; for less, give an earlier checkpoint",
                      plan.from, from.world.step, from.world.time,
                      plan.goal.counts_steps() ? fmt::format(" at step {}", plan.goal.steps) : ""));
    choose_folder(a, point.folder, plan, faults);
    faults.throw_if_any();
  });
  if (plan.goal.is_reached(from.world))
    plan.remarks.push_back(
        fmt::format("{} is of the last step already: --until T or --steps N let "
                    "the run go further",
                    plan.from));
  if (from.scene.balance_by_counts) balance.by = BalanceSettings::By::Counts;
  plan.memory->totals.begin_run(common.comm.size());
  from.law = name_of(solver.law);  // -s solver.law is said on purpose, unlike a program's default
  plan.simulation = alike([&] {
    return std::make_unique<Simulation>(std::move(from), std::move(solver), common.comm, balance);
  });
  return plan;
}

/// Before anything in the folder is looked at, so that nothing of it changes in between. A folder
/// that is not there yet is made when the run begins.
std::unique_ptr<FolderLock> lock_of_folder(const RunArguments& a, const CommonOptions& common) {
  std::unique_ptr<FolderLock> lock;
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    std::error_code none;
    std::string folder = a.output;
    if (folder.empty() && !a.resume.empty())
      folder = std::filesystem::is_directory(a.resume, none) ? a.resume : run_folder_of(a.resume);
    if (std::filesystem::is_directory(folder, none))
      lock = std::make_unique<FolderLock>(folder, common);
  });
  return lock;
}

}  // namespace

RunPlan plan_of(const RunArguments& a, const CommonOptions& common, InputErrors faults) {
  RunPlan plan;
  plan.lock = lock_of_folder(a, common);
  BalanceSettings balance;
  collect(faults, [&] { balance = balance_of(a, common); });
  if (!a.wall_time.empty())
    collect(faults, [&] { plan.wall_time = parse_wall_time("--wall-time", a.wall_time); });
  return a.resume.empty()
             ? plan_from_scene(a, common, std::move(faults), balance, std::move(plan))
             : plan_from_checkpoint(a, common, std::move(faults), balance, std::move(plan));
}

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
          "--partition {}: bodies of a run move: metis, hilbert or random:SEED distribute them",
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
  if (options.method == Method::Minres || options.method == Method::Cg)
    notes.push_back(
        fmt::format("warning: solver.method = {} solves joints alone: the run fails at "
                    "the first contact, or joint with bounds; auto takes all",
                    name_of(options.method)));
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
        fmt::format("{}: {:g} s until the end are more steps of {:g} s than can be counted: take a "
                    "larger {} or "
                    "an earlier {}",
                    scene.file, end, tick, scene.time.automatic ? "time.shortest" : "time.step",
                    a.until.empty() ? "time.end" : "--until"));
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
