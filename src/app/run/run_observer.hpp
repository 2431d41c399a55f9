#pragma once
// When something is due that comes every so many simulated seconds.

#include "talus/simulation/simulation.hpp"

#include "app/run/error_bar.hpp"
#include "app/run/run_folder.hpp"
#include "app/run/run_warnings.hpp"
#include "io/paraview_writer.hpp"
#include "simulation/monitors.hpp"

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::app {

class Schedule {
 public:
  /// Simulated s; 0: never. First due at `every`, or at the first multiple after `from`.
  explicit Schedule(double every, double from = 0.0) : every_(every) { go_on_after(from); }

  bool on() const { return every_ > 0.0; }
  double every() const { return every_; }
  double next() const { return next_; }
  /// True at the first step of each interval. Steps longer than intervals are due once each.
  bool due(double time) {
    if (!on() || time < next_ * (1.0 - hair)) return false;
    go_on_after(time);
    return true;
  }

 private:
  static constexpr double hair = 1e-9;  // times of steps are rounded
  void go_on_after(double time) {
    if (on()) next_ = every_ * (std::floor(time / every_ * (1.0 + hair)) + 1.0);
  }

  double every_, next_ = 0.0;
};

// All that a run leaves while it runs. Looks at the world between steps and never changes it.

class RunObserver {
 public:
  /// Of a run, what neither the world nor the reports of its steps say.
  struct Facts {
    std::string folder;
    double tick = 0.0;              ///< s: what times of steps are multiples of
    const ErrorBar* bar = nullptr;  ///< of the run so far, kept up to date by the caller
    bool same_folder = false;       ///< files of the run that this one goes on with are there
  };
  /// `tell` shows a warning to the user. Files are made when they get their first line.
  RunObserver(const Scene& scene, Facts facts, const Communicator& comm,
              std::function<void(const std::string&)> tell);

  /// Before the first step. Collective.
  void begin(const World& world);
  /// In its place where the run goes on from an earlier one, whose files may be in the folder: what
  /// is newer than the world is taken out. `memory`: of that run, at that step. Collective.
  void go_on(const World& world, const Bytes& memory);
  /// What a checkpoint keeps for it, the same on all ranks. Collective.
  Bytes memory() const;
  /// What a checkpoint counts on is on the disk before it. Collective.
  void sync();
  /// After every step. Collective: all ranks with the same report.
  void after_step(const World& world, const StepReport& report);
  /// The step that could not be finished, with what there is of it. Collective.
  void failed(const World& world, const StepReport& report);
  /// s: when something is due that the scene asks for at its times.
  double next_due() const;
  /// Of each kind, told or held back, from the start of the simulation.
  std::map<std::string, std::int64_t> warning_counts() const { return warnings_.counts(); }
  /// After the last one. Collective.
  void end(const World& world);

 private:
  void warn(const StepReport& report);
  void list_removed(const StepReport& report);
  void report_step(const World& world, const StepReport& report, bool log, bool record);
  void write_due(const World& world, std::int64_t ticks);
  std::vector<const LineFile*> line_files() const;
  std::vector<std::int64_t> line_counts() const;
  void warn_of_missing_lines(const std::vector<std::int64_t>& before);
  void go_on_with_lines(const World& world);
  void go_on_with_snapshots(const World& world) const;
  void write_monitor(std::size_t monitor, const World& world, const ContactForces& forces);
  void write_snapshot_of(const World& world, const ContactForces& forces) const;

  Facts facts_;
  Communicator comm_;
  std::function<void(const std::string&)> tell_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  RunLog log_;
  LineFile records_;
  RemovedList removed_;
  RunWarnings warnings_;
  double h_;                           ///< s, of the last step
  std::vector<std::string> told_;      ///< since the last record
  std::optional<StepReport> pending_;  ///< a last step that has no record yet
  Monitors monitors_;
  std::vector<std::unique_ptr<LineFile>> monitor_files_;
  ParaViewWriter paraview_;
  Schedule log_schedule_, record_schedule_, paraview_schedule_, snapshot_schedule_;
  std::vector<Schedule> monitor_schedules_;
};

}  // namespace talus::app
