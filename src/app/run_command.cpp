// talus run: a scene file in, bodies move, every step solved to a stated error.

#include "talus/io/report_file.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/partition/state_slice.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/faults.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/run_arguments.hpp"
#include "app/run_folder.hpp"
#include "app/run_observer.hpp"
#include "app/run_report.hpp"
#include "app/run_sharing.hpp"
#include "app/solver_settings.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace talus::app {
namespace {

std::string file_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

std::string progress_text(const StepReport& r, std::int64_t last, double seconds,
                          std::int64_t done) {
  const double left =
      done > 0 ? seconds / static_cast<double>(done) * static_cast<double>(last - r.step) : 0.0;
  return fmt::format(
      "step {} of {}, t = {:.4g} s, {} bodies, {} contacts, {} iterations, error {:.2e} m/s, "
      "overlap {:.2g} %, about {} left",
      r.step, last, r.time, r.bodies, r.contacts, r.iterations, r.error, 100.0 * r.overlap_share,
      about(left));
}

bool is_known_to_all(const std::exception& failure, const Communicator& comm) {
  return comm.size() == 1 || dynamic_cast<const AgreedFailure*>(&failure) != nullptr;
}

/// Steps until `last`, an interrupt or a failure.
RunEnd run_steps(Simulation& simulation, const CommonOptions& common, const std::string& folder,
                 std::int64_t last, RunTotals& totals) {
  RunEnd end;
  ProgressLine line(common);
  RunObserver observer(
      simulation.scene(),
      {folder, simulation.settings().h, simulation.solver().tolerance, &totals.bar}, common.comm,
      [&](const std::string& warning) {
        line.close();
        note(common, "warning: " + warning);
      });
  const InterruptWatch interrupt;
  simulation.ask([&] { return interrupt.asked() ? 1U : 0U; });
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const auto keep = [&](const StepReport& report) {
    totals.add(report, simulation.solver().tolerance);
  };
  try {
    bool stop = false;
    observer.begin(simulation.world());
    while (simulation.world().step < last && !stop) {
      const StepReport report = simulation.step();
      stop = report.wishes != 0;
      keep(report);
      observer.after_step(simulation.world(), report);
      if (common.speaks())
        line.show(progress_text(report, last, seconds(), totals.steps), seconds());
    }
    if (simulation.world().step < last) end.status = "interrupted";
  } catch (const RunFailure& failure) {
    keep(failure.report);
    end.status = "failed";
    end.reason = failure.what();
    try {
      observer.failed(simulation.world(), failure.report);
    } catch (const AgreedFailure& also) {  // of which all know: the first reason stays the first
      end.reason += fmt::format("; and its last state could not be written: {}", also.what());
    }
  } catch (const std::exception& failure) {  // the disk, memory, a bug: what there is, is kept
    if (!is_known_to_all(failure, common.comm)) throw;  // others wait for this rank: it ends them
    const std::string phase = Phase::of_failure();
    end.status = "failed";
    end.reason = fmt::format("step {}, t = {:g} s{}: {}", Phase::step(), simulation.world().time,
                             phase.empty() ? "" : ", while " + phase, failure.what());
  }
  line.close();
  try {
    observer.end(simulation.world());
  } catch (const std::exception& failure) {
    // the disk that did not take a line does not take the last ones either
    if (end.reason.empty() || !is_known_to_all(failure, common.comm)) throw;
  }
  totals.wall_seconds = seconds();
  simulation.ask({});
  return end;
}

void note_start(const Simulation& simulation, const CommonOptions& common) {
  for (const std::string& text : simulation.scene().notes) note(common, text);
  for (const std::string& text : idle_notes(simulation.scene(), simulation.solver()))
    note(common, text);
  for (const std::string& text : simulation.warnings()) note(common, "warning: " + text);
  for (const GeneratorReport& g : simulation.generators()) {
    if (g.count == 0) continue;
    detail(common, fmt::format("generator {}: {} bodies, {:.6g} kg, sizes {:.4g} to {:.4g} m{}",
                               g.name, g.count, g.mass, g.smallest, g.largest,
                               g.wanted_solid_fraction > 0.0
                                   ? fmt::format(", solid fraction {:.4f} of {:.4f} wanted",
                                                 g.solid_fraction, g.wanted_solid_fraction)
                                   : ""));
  }
  detail(common,
         fmt::format("time step {:g} s, tolerance {:.3g} m/s, law {}, method {}",
                     simulation.settings().h, simulation.solver().tolerance,
                     name_of(simulation.solver().law), name_of(simulation.solver().method)));
}

/// What the report says of the end, over all ranks.
void find_sums(Simulation& simulation, const RunTotals& totals, const Traffic& used, RunEnd& end) {
  const Phase phase("adding up the end");
  const Communicator& comm = simulation.communicator();
  simulation.gather_joints();
  end.bodies = simulation.body_count();
  end.energies = energies_of(simulation.world(), comm);
  end.momenta = momenta_of(simulation.world(), comm);
  end.hash = trajectory_hash(simulation.world().bodies, comm);
  end.ranks = comm.size();
  end.sharing = sharing_of(simulation, totals, used);
}

void write_state_of(const Simulation& simulation, const std::string& path) {
  const Phase phase("writing the state");
  const Communicator& comm = simulation.communicator();
  const StateSlice slice = state_slice(comm, simulation.world().bodies);
  write_state(path, simulation.world(), slice.bodies, slice.total, comm);
}

BalanceSettings balance_of(const RunArguments& a, const CommonOptions& common) {
  BalanceSettings settings;
  const PartitionOptions partition = parse_partition(common.partition);
  switch (partition.kind) {
    case PartitionKind::Metis:
      settings.cells.kind = OwnerKind::Metis;
      break;
    case PartitionKind::Hilbert:
      settings.cells.kind = OwnerKind::Hilbert;
      break;
    case PartitionKind::Random:
      settings.cells.kind = OwnerKind::Random;
      settings.cells.seed = partition.seed;
      break;
    case PartitionKind::Blocks:
    case PartitionKind::File:
      throw InputError(fmt::format(
          "--partition {}: bodies of a run move: metis, hilbert or random:SEED deal them out",
          common.partition));
  }
  if (!a.balance_every.empty())
    settings.every =
        parse_number<std::int64_t>("--balance-every", a.balance_every, "a number of steps");
  if (settings.every < 0)
    throw InputError(fmt::format("--balance-every = {} must be 0 or more steps", settings.every));
  return settings;
}

int exit_code_of(const RunEnd& end, const RunTotals& totals) {
  if (end.status == "failed") return exit_failed;
  if (end.status == "interrupted") return exit_interrupted;
  return totals.bar.unconverged > 0 ? exit_above_tolerance : exit_within_tolerance;
}

int run_scene(const RunArguments& a, const CommonOptions& common, InputErrors faults) {
  BalanceSettings balance;
  collect(faults, [&] { balance = balance_of(a, common); });
  if (a.scene.empty()) faults.add("give a scene file: talus run SCENE.yaml --output DIR");
  if (a.output.empty())
    faults.add("--output DIR is missing: the folder for what the run leaves");
  else
    collect(faults, [&] { require_run_folder(a.output, a.overwrite); });
  Scene scene;
  if (!a.scene.empty()) collect(faults, [&] { scene = scene_of(a); });
  SolveOptions solver;
  std::int64_t last = 0;
  std::string resolved;
  // all ranks look: a file that one of them cannot see is a fault of all
  agree(common.comm, [&] {
    faults.throw_if_any();
    solver = solver_of(scene, faults);
    last = last_step(a, scene, faults);
    faults.throw_if_any();
    std::vector<std::string> overrides = a.settings;
    overrides.insert(overrides.end(), a.assignments.begin(), a.assignments.end());
    resolved = resolved_scene(a.scene, overrides);
  });
  if (scene.balance_by_counts) balance.by = BalanceSettings::By::Counts;
  Simulation simulation =
      alike([&] { return Simulation(std::move(scene), solver, common.comm, balance); });
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    make_run_folder(a.output);
    write_text(file_in(a.output, "scene.yaml"), resolved);
    note_start(simulation, common);
  });
  RunTotals totals;
  const Traffic before = common.comm.traffic();
  RunEnd end = run_steps(simulation, common, a.output, last, totals);
  const Traffic used = common.comm.traffic() - before;
  // now, in case that what comes next fails too
  if (common.speaks() && !end.reason.empty()) fmt::print(stderr, "talus: {}\n", end.reason);
  find_sums(simulation, totals, used, end);
  write_state_of(simulation, file_in(a.output, "state.h5"));
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    write_text(file_in(a.output, "report.json"), run_report_json(simulation, totals, end));
    print_run_summary(simulation, totals, end);
    if (end.status == "interrupted")
      note(common, fmt::format("stopped after step {}", simulation.world().step));
  });
  return exit_code_of(end, totals);
}

}  // namespace

Command add_run(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<RunArguments>();
  CLI::App& verb = *program.add_subcommand(
      "run", "Simulate a scene: every step's contact problem solved to a stated error");
  verb.add_option("scene", a->scene, "Scene file (docs/scene_file.md)")->type_name("SCENE.yaml");
  verb.add_option(
          "--output", a->output,
          "Folder for scene.yaml (with all overrides), report.json, run.jsonl, state.h5 and what "
          "the scene asks for: log.csv, monitors, paraview, snapshots")
      ->type_name("DIR");
  verb.add_option("--steps", a->steps, "Stop after this step, counted from the start")
      ->type_name("N");
  verb.add_option("--until", a->until, "Stop at this time, s [time.end of the scene]")
      ->type_name("T");
  verb.add_flag("--overwrite", a->overwrite, "Replace the run that is in DIR");
  verb.add_option("--balance-every", a->balance_every,
                  "Deal bodies out to ranks anew after every so many steps [where it pays]")
      ->type_name("N")
      ->group("On several ranks (mpirun -n N talus ...)");
  verb.add_option("--partition", common.partition,
                  "Which rank owns which bodies: metis, hilbert or random:SEED; the trajectory has "
                  "the same bits for any (but of psor) [metis]")
      ->type_name("KIND")
      ->group("On several ranks (mpirun -n N talus ...)");
  add_scene_options(verb, a);
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](InputErrors faults) { return run_scene(*a, common, std::move(faults)); };
}

}  // namespace talus::app
