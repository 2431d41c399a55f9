#include "app/run/run_loop.hpp"

#include "talus/parallel/agreement.hpp"

#include "app/faults.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/run/checkpoints.hpp"
#include "app/run/run_observer.hpp"
#include "app/run/run_progress.hpp"
#include "app/run/run_warnings.hpp"

#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

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
                  {plan.folder, simulation_.settings().tick, &totals.bar, plan.same_folder},
                  common.comm, [this](const std::string& text) { warn(text); }),
        checkpoints_(
            simulation_.scene().checkpoint,
            {plan.folder, plan.scene_text, plan.wall_time, simulation_.world().time, plan.from},
            signal, common.comm) {}

  RunEnd run(bool checkpoint_at_end) {
    simulation_.ask([this] { return checkpoints_.stop_flags(); });
    try {
      watch_output([this] {
        if (plan_.memory)
          observer_.go_on(simulation_.world(), plan_.memory->monitors);
        else
          observer_.begin(simulation_.world());
      });
      while (!is_done() && end_.stopped_by.empty()) step();
      if (!is_done()) end_.status = "interrupted";
      if (!end_.stopped_by.empty() || checkpoint_at_end) write_checkpoint();
    } catch (const RunFailure& failure) {
      keep(failure.report);
      fail(failure.what());
      try {
        observer_.failed(simulation_.world(), failure.report);
      } catch (const std::exception& also) {
        if (!is_known_to_all(also, common_.comm)) throw;
        end_.reason +=
            fmt::format("; and its last state could not be written: {}", failure_text(also));
      }
    } catch (const std::exception& failure) {  // the disk, memory, a bug: what there is, is kept
      if (!is_known_to_all(failure, common_.comm)) throw;  // others wait: this rank ends them
      const std::string phase = Phase::of_failure();
      fail(fmt::format("step {}, t = {:g} s{}: {}", Phase::step(), simulation_.world().time,
                       phase.empty() ? "" : ", while " + phase, failure_text(failure)));
    }
    line_.close();
    try {
      watch_output([this] { observer_.end(simulation_.world()); });
    } catch (const std::exception& failure) {
      if (!is_known_to_all(failure, common_.comm)) throw;
      // the disk that did not take a line does not take the last ones either
      if (end_.reason.empty()) fail(failure_text(failure));
    }
    totals_.wall_seconds = seconds();
    simulation_.ask({});
    end_.checkpoint = checkpoints_.newest();
    end_.warnings = observer_.warning_counts();
    if (refused_.count() > 0) end_.warnings["checkpoint"] = refused_.count();
    return end_;
  }

 private:
  bool is_done() const { return plan_.goal.is_reached(simulation_.world()); }
  double seconds() const { return program_seconds() - started_; }

  void step() {
    Stopwatch watch;
    const StepReport report = simulation_.step(observer_.next_due());
    keep(report);
    watch_output([&] { observer_.after_step(simulation_.world(), report); });
    end_.stopped_by = Checkpoints::stop_of(report.stop_flags);
    show(report);
    checkpoints_.step_took(watch.lap(), report);
    if (checkpoints_.due(report.time, report.stop_flags) && end_.stopped_by.empty())
      try_checkpoint();
  }

  void show(const StepReport& report) {
    const double now = seconds();
    pace_.done(report.step, simulation_.world().ticks, now);
    const bool ends = !end_.stopped_by.empty() || is_done();
    if (!ends && !line_.is_due(now)) return;
    const std::string text =
        progress_text(report, pace_, plan_.goal, common_.comm.size(), line_.width());
    ends ? line_.close(text) : line_.show(text, now);
  }

  template <class Write>
  void watch_output(const Write& write) {
    const double before = seconds();
    write();
    totals_.output_seconds += seconds() - before;
  }

  void write_checkpoint() {
    if (checkpoints_.newest_step() == simulation_.world().step) return;
    watch_output([this] {
      observer_.sync();
      checkpoints_.write(simulation_, {totals_, plan_.goal, observer_.memory()});
    });
  }

  /// A disk that is full for a while must not end a run of days: the older one is still there.
  void try_checkpoint() {
    try {
      write_checkpoint();
    } catch (const std::exception& failure) {
      if (!is_known_to_all(failure, common_.comm)) throw;
      const std::string text =
          fmt::format("{}; the last good checkpoint is {}", failure_text(failure),
                      checkpoints_.newest().empty() ? "none" : checkpoints_.newest());
      if (const auto told = refused_.tell({"checkpoint", text}, simulation_.world().step))
        warn(*told);
    }
  }

  void keep(const StepReport& report) { totals_.add(report, simulation_.solver().tolerance); }

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
  RunWarnings refused_;  ///< checkpoints that could not be written
  double started_ = program_seconds();
  Pace pace_{simulation_.world().step, simulation_.world().ticks, 0.0};
  RunEnd end_;
};

}  // namespace

RunEnd run_steps(RunPlan& plan, bool checkpoint_at_end, const CommonOptions& common,
                 const CheckpointSignal& signal, RunTotals& totals) {
  return RunLoop(plan, common, signal, totals).run(checkpoint_at_end);
}

std::optional<std::string> RunWarnings::tell(const StepWarning& warning, std::int64_t step) {
  ++count_;
  Kind& kind = kinds_[warning.kind];
  ++kind.count;
  if (step < kind.next) {
    ++kind.held_back;
    return std::nullopt;
  }
  ++told_;
  if (kind.next > 0) kind.interval *= 2;
  kind.next = step + kind.interval;
  const std::int64_t held = std::exchange(kind.held_back, 0);
  return held == 0
             ? warning.text
             : fmt::format("{} ({} more of this kind since the last one told)", warning.text, held);
}

std::vector<std::string> RunWarnings::rest() const {
  std::vector<std::string> lines;
  for (const auto& [name, kind] : kinds_)
    if (kind.held_back > 0)
      lines.push_back(
          fmt::format("{} more warnings of the kind '{}' were not shown", kind.held_back, name));
  return lines;
}

std::map<std::string, std::int64_t> RunWarnings::counts() const {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, kind] : kinds_) counts[name] = kind.count;
  return counts;
}

}  // namespace talus::app
