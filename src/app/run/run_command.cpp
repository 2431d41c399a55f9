// talus run: a scene file in, bodies move, every step solved to a stated error.

#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/faults.hpp"
#include "app/interrupt.hpp"
#include "app/pictures/report_html.hpp"
#include "app/remarks.hpp"
#include "app/run/checkpoints.hpp"
#include "app/run/run_folder.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/run_plan.hpp"
#include "app/run/run_report.hpp"
#include "app/run/run_sharing.hpp"
#include "app/run/run_start.hpp"
#include "app/run/verdict.hpp"
#include "app/streams.hpp"
#include "io/report_file.hpp"
#include "partition/state_slice.hpp"
#include "simulation/monitors.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace talus::app {
namespace {

std::string file_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

void note_start(const Simulation& simulation, const CommonOptions& common) {
  for (const std::string& text : simulation.scene().notes) note(common, text);
  for (const std::string& text : idle_notes(simulation.scene(), simulation.solver()))
    note(common, text);
  for (const std::string& text : simulation.warnings()) note(common, "warning: " + text);
  for (std::size_t g = 0; g < simulation.generators().size(); ++g)
    if (simulation.generators()[g].count > 0)
      detail(common, "generator " + generator_text(simulation, g));
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

/// Of a run that has finished.
int exit_code_of(const RunTotals& totals, double tolerance) {
  return verdict_of(totals.bar, tolerance).holds() ? exit_within_tolerance : exit_above_tolerance;
}

int exit_code_of(const RunEnd& end, const RunTotals& totals, double tolerance) {
  if (end.status == "failed") return exit_failed;
  if (end.status == "interrupted") return exit_interrupted;
  return exit_code_of(totals, tolerance);
}

/// What can be written at the end is, whatever befalls the rest: what is wrong ends the run as
/// failed. Collective where `write` is.
template <class Write>
void leave(RunEnd& end, const Communicator& comm, const Write& write) {
  try {
    write();
  } catch (const std::exception& failure) {
    if (!is_known_to_all(failure, comm)) throw;  // others wait: this rank ends them
    end.status = "failed";
    end.reason += (end.reason.empty() ? "" : "; and ") + failure_text(failure);
  }
}

/// Why it failed, and what it can go on from.
void tell_failure(const RunEnd& end, const CommonOptions& common) {
  if (!common.speaks() || end.reason.empty()) return;
  say(stderr, "talus: {}\n", end.reason);
  std::error_code none;
  if (end.status == "failed" && std::filesystem::exists(end.checkpoint, none))
    say(stderr, "talus: the last good checkpoint is {}: talus run --resume {} goes on from it\n",
        end.checkpoint, end.checkpoint);
}

/// state.h5, report.json, what stdout gets, report.html.
void leave_results(const Simulation& simulation, const RunTotals& totals, const RunPlan& plan,
                   bool html, const CommonOptions& common, RunEnd& end) {
  const Communicator& comm = common.comm;
  leave(end, comm, [&] { write_state_of(simulation, file_in(plan.folder, "state.h5")); });
  const auto by_first_rank = [&](const auto& write) {
    leave(end, comm, [&] {
      agree(comm, [&] {
        if (common.speaks()) write();
      });
    });
  };
  by_first_rank([&] {
    write_text(file_in(plan.folder, "report.json"), run_report_json(simulation, totals, end));
  });
  by_first_rank([&] {
    print_run_summary(simulation, totals, end);
    if (html) leave_report_html(plan.folder, end.bodies, common);
  });
}

/// The folder as it is when the run begins: new, or as it was at the checkpoint.
void prepare_folder(RunPlan& plan, bool overwrite, const CommonOptions& common) {
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    if (!plan.lock) {
      make_run_folder(plan.folder);
      plan.lock = std::make_unique<FolderLock>(plan.folder, common);
      require_run_folder(plan.folder, overwrite);  // somebody else may have been faster
    }
    const CheckpointFolder checkpoints(plan.folder);
    if (plan.same_folder) {
      require_regular_files(plan.folder);
      remove_unfinished(plan.folder);
      for (const std::string& file : checkpoints.drop_after(plan.simulation->world().step))
        note(common, fmt::format("{} is of a later step and is no more part of the run: it is "
                                 "removed, with all records since",
                                 file));
    } else {
      require_no_input_in(plan.folder, plan.inputs, plan.scene_text);
      clear_run_folder(plan.folder);
    }
    write_text(file_in(plan.folder, scene_name), plan.scene_text);
    for (const std::string& remark : plan.remarks) note(common, remark);
    if (!plan.from.empty())
      note(common, fmt::format("goes on from {}, step {}, t = {:g} s", plan.from,
                               plan.simulation->world().step, plan.simulation->world().time));
  });
}

int run_scene(const RunArguments& a, const CommonOptions& common, InputErrors faults) {
  const CheckpointSignal signal;
  RunPlan plan = plan_of(a, common, std::move(faults));
  Simulation& simulation = *plan.simulation;
  if (plan.same_folder && plan.goal.is_reached(simulation.world())) {
    // what the run has left is left as it is
    for (const std::string& remark : plan.remarks)
      if (common.speaks()) note(common, remark);
    return exit_code_of(plan.memory->totals, simulation.solver().tolerance);
  }
  prepare_folder(plan, a.overwrite, common);
  std::vector<LabelledText> start = tell_start(simulation, plan.goal, common);
  note_start(simulation, common);
  RunTotals totals = plan.memory ? plan.memory->totals : RunTotals{};
  const Traffic before = common.comm.traffic();
  RunEnd end = run_steps(plan, a.checkpoint_at_end, common, signal, totals);
  const Traffic used = common.comm.traffic() - before;
  tell_failure(end, common);  // now, in case that what comes next fails too
  end.start = std::move(start);
  find_sums(simulation, totals, used, end);
  const std::string told = end.reason;
  leave_results(simulation, totals, plan, !a.no_report, common, end);
  if (end.reason != told) tell_failure(end, common);
  if (common.speaks() && end.status == "interrupted")
    note(common, fmt::format("stopped after step {} by {}; checkpoint {}: talus run --resume {}",
                             simulation.world().step, end.stopped_by, end.checkpoint, plan.folder));
  return exit_code_of(end, totals, simulation.solver().tolerance);
}

}  // namespace

Command add_run(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<RunArguments>();
  CLI::App& verb = *program.add_subcommand(
      "run", "Simulate a scene: every step's contact problem solved to a stated error");
  verb.add_option("scene", a->scene, "Scene file (docs/scene_file.md)")->type_name("SCENE.yaml");
  const std::string restart = "Restart";
  verb.add_option("--resume", a->resume,
                  "Instead of a scene: go on from the newest good checkpoint of a run's folder, or "
                  "from a checkpoint, on any number of ranks; into the same folder, or --output")
      ->type_name("DIR|CHECKPOINT.h5")
      ->group(restart);
  verb.add_option("--wall-time", a->wall_time,
                  "Stop in time to write a checkpoint before the program has run so long; exits 3. "
                  "SIGUSR1 does the same at once")
      ->type_name("H:MM:SS")
      ->group(restart);
  verb.add_flag("--checkpoint-at-end", a->checkpoint_at_end,
                "A run that has come to its end leaves a checkpoint, too")
      ->group(restart);
  verb.add_option(
          "--output", a->output,
          "Folder for scene.yaml (with all overrides), report.json, report.html, run.jsonl, "
          "state.h5 and what the scene asks for: log.csv, monitors, paraview, snapshots, "
          "checkpoints")
      ->type_name("DIR");
  verb.add_option("--steps", a->steps, "Stop after this step, counted from the start")
      ->type_name("N");
  verb.add_option("--until", a->until, "Stop at this time, s [time.end of the scene]")
      ->type_name("T");
  verb.add_flag("--overwrite", a->overwrite, "Replace the run that is in DIR");
  verb.add_flag("--no-report", a->no_report,
                "Do not make report.html at the end; talus plot makes it later");
  verb.add_option("--balance-every", a->balance_every,
                  "Distribute bodies to ranks anew after every so many steps [where it pays]")
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
