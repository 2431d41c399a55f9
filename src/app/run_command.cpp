// talus run: a scene file in, bodies move, every step solved to a stated error.

#include "talus/io/report_file.hpp"
#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/partition/state_slice.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/checkpoints.hpp"
#include "app/faults.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/run_arguments.hpp"
#include "app/run_folder.hpp"
#include "app/run_observer.hpp"
#include "app/run_plan.hpp"
#include "app/run_report.hpp"
#include "app/run_sharing.hpp"

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

/// One run: the simulation, those who look at it, and what they have found.
class RunLoop {
 public:
  RunLoop(RunPlan& plan, const CommonOptions& common, const CheckpointSignal& signal,
          RunTotals& totals)
      : plan_(plan),
        simulation_(*plan.simulation),
        common_(common),
        totals_(totals),
        line_(common),
        observer_(simulation_.scene(),
                  {plan.folder, simulation_.settings().h, simulation_.solver().tolerance},
                  common.comm, [this](const std::string& text) { warn(text); }),
        checkpoints_(
            simulation_.scene().checkpoint,
            {plan.folder, plan.scene_text, plan.wall_time, simulation_.world().time, plan.from},
            signal, common.comm) {}

  RunEnd run(bool checkpoint_at_end) {
    simulation_.ask([this] { return checkpoints_.wishes(); });
    try {
      if (plan_.memory)
        observer_.go_on(simulation_.world(), plan_.memory->monitors);
      else
        observer_.begin(simulation_.world());
      while (simulation_.world().step < plan_.last && end_.stopped_by.empty()) step();
      if (simulation_.world().step < plan_.last) end_.status = "interrupted";
      if (!end_.stopped_by.empty() || checkpoint_at_end) write_checkpoint();
    } catch (const RunFailure& failure) {
      keep(failure.report);
      fail(failure.what());
      try {
        observer_.failed(simulation_.world(), failure.report);
      } catch (const AgreedFailure& also) {  // of which all know: the first reason stays the first
        end_.reason += fmt::format("; and its last state could not be written: {}", also.what());
      }
    } catch (const std::exception& failure) {  // the disk, memory, a bug: what there is, is kept
      if (!is_known_to_all(failure, common_.comm)) throw;  // others wait: this rank ends them
      const std::string phase = Phase::of_failure();
      fail(fmt::format("step {}, t = {:g} s{}: {}", Phase::step(), simulation_.world().time,
                       phase.empty() ? "" : ", while " + phase, failure.what()));
    }
    line_.close();
    try {
      observer_.end(simulation_.world());
    } catch (const std::exception& failure) {
      // the disk that did not take a line does not take the last ones either
      if (end_.reason.empty() || !is_known_to_all(failure, common_.comm)) throw;
    }
    totals_.wall_seconds = seconds();
    simulation_.ask({});
    end_.checkpoint = checkpoints_.newest();
    return end_;
  }

 private:
  double seconds() const { return program_seconds() - started_; }

  void step() {
    Stopwatch watch;
    const StepReport report = simulation_.step();
    keep(report);
    observer_.after_step(simulation_.world(), report);
    if (common_.speaks())
      line_.show(progress_text(report, plan_.last, seconds(), totals_.steps_of_this_run),
                 seconds());
    checkpoints_.step_took(watch.lap(), report);
    end_.stopped_by = Checkpoints::stop_of(report.wishes);
    if (checkpoints_.due(report.time, report.wishes) && end_.stopped_by.empty()) try_checkpoint();
  }

  void write_checkpoint() {
    if (checkpoints_.newest_step() == simulation_.world().step) return;
    checkpoints_.write(simulation_, totals_, observer_.memory());
  }

  /// A disk that is full for a while must not end a run of days: the older one is still there.
  void try_checkpoint() {
    try {
      write_checkpoint();
    } catch (const std::exception& failure) {
      if (!is_known_to_all(failure, common_.comm)) throw;
      warn(fmt::format("{}; the last good checkpoint is {}", failure.what(),
                       checkpoints_.newest().empty() ? "none" : checkpoints_.newest()));
    }
  }

  void keep(const StepReport& report) {
    totals_.add(report);
    if (!(report.error <= simulation_.solver().tolerance)) ++totals_.unconverged;
  }

  void fail(const std::string& reason) {
    end_.status = "failed";
    end_.reason = reason;
  }

  void warn(const std::string& text) {
    line_.close();
    if (common_.speaks()) note(common_, "warning: " + text);
  }

  RunPlan& plan_;
  Simulation& simulation_;
  const CommonOptions& common_;
  RunTotals& totals_;
  ProgressLine line_;
  RunObserver observer_;
  Checkpoints checkpoints_;
  double started_ = program_seconds();
  RunEnd end_;
};

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

int exit_code_of(const RunEnd& end, const RunTotals& totals) {
  if (end.status == "failed") return exit_failed;
  if (end.status == "interrupted") return exit_interrupted;
  return totals.unconverged > 0 ? exit_above_tolerance : exit_within_tolerance;
}

/// The folder as it is when the run begins: new, or as it was at the checkpoint.
void prepare_folder(const RunPlan& plan, const CommonOptions& common) {
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    const CheckpointFolder checkpoints(plan.folder);
    if (plan.same_folder) {
      checkpoints.clean();
      checkpoints.drop_after(plan.simulation->world().step);
    } else {
      make_run_folder(plan.folder);
    }
    write_text(file_in(plan.folder, "scene.yaml"), plan.scene_text);
    for (const std::string& remark : plan.remarks) note(common, remark);
    if (!plan.from.empty())
      note(common, fmt::format("goes on from {}, step {}, t = {:g} s", plan.from,
                               plan.simulation->world().step, plan.simulation->world().time));
    note_start(*plan.simulation, common);
  });
}

int run_scene(const RunArguments& a, const CommonOptions& common, InputErrors faults) {
  const CheckpointSignal signal;
  RunPlan plan = plan_of(a, common, std::move(faults));
  Simulation& simulation = *plan.simulation;
  prepare_folder(plan, common);
  RunTotals totals = plan.memory ? plan.memory->totals : RunTotals{};
  const Traffic before = common.comm.traffic();
  RunEnd end = RunLoop(plan, common, signal, totals).run(a.checkpoint_at_end);
  const Traffic used = common.comm.traffic() - before;
  // now, in case that what comes next fails too
  if (common.speaks() && !end.reason.empty()) fmt::print(stderr, "talus: {}\n", end.reason);
  if (common.speaks() && end.status == "failed" && !end.checkpoint.empty())
    fmt::print(stderr,
               "talus: the last good checkpoint is {}: talus run --resume {} goes on from it\n",
               end.checkpoint, end.checkpoint);
  find_sums(simulation, totals, used, end);
  write_state_of(simulation, file_in(plan.folder, "state.h5"));
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    write_text(file_in(plan.folder, "report.json"), run_report_json(simulation, totals, end));
    print_run_summary(simulation, totals, end);
    if (end.status == "interrupted")
      note(common,
           fmt::format("stopped after step {} by {}; checkpoint {}: talus run --resume {}",
                       simulation.world().step, end.stopped_by, end.checkpoint, plan.folder));
  });
  return exit_code_of(end, totals);
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
          "Folder for scene.yaml (with all overrides), report.json, run.jsonl, state.h5 and what "
          "the scene asks for: log.csv, monitors, paraview, snapshots, checkpoints")
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
