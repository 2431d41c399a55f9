#include "app/run/run_observer.hpp"

#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/run/run_records.hpp"
#include "core/archive.hpp"
#include "core/number.hpp"
#include "simulation/contact_forces.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

std::string path_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

/// Where a scene does not say how often: a thousand records, or one per step.
double record_interval(const Scene& scene) {
  constexpr double records = 1000.0;
  return scene.log.every > 0.0 ? scene.log.every : scene.time.end / records;
}

/// What there is to see before the first step: no contacts yet.
bool sees_bodies_alone(MonitorSettings::Kind kind) {
  using Kind = MonitorSettings::Kind;
  return kind == Kind::Energy || kind == Kind::SolidFraction || kind == Kind::Quantiles ||
         kind == Kind::Profile || kind == Kind::Track;
}

/// How often something was due up to a time. No step goes on over a time at which something is due.
std::size_t times_due(double every, double tick, std::int64_t ticks) {
  std::size_t count = 0;
  Schedule schedule(every);
  for (std::int64_t t = 1; t <= ticks; ++t)
    count += schedule.due(static_cast<double>(t) * tick) ? 1 : 0;
  return count;
}

/// What the next lines depend on beside the world.
struct Memory {
  Bytes monitors;
  RunWarnings warnings;
  std::vector<std::string> told;
  std::vector<std::int64_t> lines;  ///< of each file of lines
};
TALUS_FIELDS(Memory, monitors, warnings, told, lines)

}  // namespace

RunObserver::RunObserver(const Scene& scene, Facts facts, const Communicator& comm,
                         std::function<void(const std::string&)> tell)
    : facts_(std::move(facts)),
      comm_(comm),
      tell_(std::move(tell)),
      log_(facts_.folder, scene.log),
      records_(path_in(facts_.folder, "run.jsonl")),
      removed_(facts_.folder),
      h_(facts_.tick),
      monitors_(scene.monitors, comm),
      paraview_(path_in(facts_.folder, "paraview"), scene.paraview, comm),
      log_schedule_(scene.log.every),
      record_schedule_(record_interval(scene)),
      paraview_schedule_(scene.paraview.every),
      snapshot_schedule_(scene.snapshots.every) {
  for (const MonitorSettings& monitor : scene.monitors) {
    monitor_files_.push_back(std::make_unique<LineFile>(
        path_in(facts_.folder, fmt::format("monitors/{}.csv", monitor.name))));
    monitor_schedules_.emplace_back(monitor.every);
  }
}

void RunObserver::warn(const StepReport& report) {
  std::vector<StepWarning> warnings = report.warnings;
  if (!(report.error <= report.tolerance))
    warnings.push_back(
        {"tolerance",
         fmt::format("step {}: the solver ended ({}) after {} iterations{} with an error of {:.3g} "
                     "m/s, above the tolerance of {:.3g} m/s: more solver.max_iterations, a "
                     "smaller time.step or a larger solver.tolerance is needed",
                     report.step, name_of(report.status), report.iterations,
                     report.solves > 1 ? fmt::format(" of {} solves", report.solves) : "",
                     report.error, report.tolerance)});
  if (report.less_restitution)
    warnings.push_back(
        {"restitution",
         fmt::format("step {}: friction leaves no answer to what restitution asks for, or one that "
                     "makes energy: less was given back than the coefficient says",
                     report.step)});
  for (const StepWarning& warning : warnings)
    if (const auto text = warnings_.tell(warning, report.step)) {
      told_.push_back(*text);
      tell_(*text);
    }
}

/// Once per step; a record of it may come later.
void RunObserver::list_removed(const StepReport& report) {
  if (report.removed.empty()) return;
  agree(comm_, [&] {
    if (comm_.rank() == 0) removed_.add(report.removed);
  });
}

void RunObserver::report_step(const World& world, const StepReport& report, bool log, bool record) {
  pending_ = report;
  if (!log && !record) return;
  RecordFacts facts;
  facts.ranks = comm_.size();
  facts.energies = energies_of(world, comm_);
  if (facts_.bar != nullptr) facts.ledger = facts_.bar->energy;
  agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    if (log) log_.add(report, facts);
    if (!record) return;
    facts.warnings = told_;
    facts.warnings_held_back = warnings_.held_back();
    facts.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    records_.add(record_of(report, facts));
  });
  if (!record) return;
  told_.clear();
  pending_.reset();
}

void RunObserver::write_monitor(std::size_t monitor, const World& world,
                                const ContactForces& forces) {
  const std::vector<std::vector<double>> rows = monitors_.rows(monitor, world, forces);
  agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    LineFile& file = *monitor_files_[monitor];
    if (file.empty()) {
      make_part(path_in(facts_.folder, "monitors"));
      file.add(fmt::format("{}", fmt::join(monitors_.columns(monitor), ",")));
    }
    for (const std::vector<double>& row : rows) file.add(fmt::format("{}", fmt::join(row, ",")));
  });
}

void RunObserver::write_snapshot_of(const World& world, const ContactForces& forces) const {
  const std::string folder = path_in(facts_.folder, "snapshots");
  agree(comm_, [&] {
    if (comm_.rank() == 0) make_part(folder);
  });
  write_snapshot(path_in(folder, fmt::format("state_{:09}.h5", world.step)), world, forces, comm_);
}

void RunObserver::begin(const World& world) {
  const Phase phase("writing what the run leaves");
  const ContactForces none = contact_forces(world, h_);
  if (paraview_schedule_.on()) paraview_.write(world, none);
  for (std::size_t m = 0; m < monitors_.count(); ++m)
    if (sees_bodies_alone(monitors_.settings(m).kind)) write_monitor(m, world, none);
}

void RunObserver::go_on_with_lines(const World& world) {
  log_.go_on(times_due(log_schedule_.every(), facts_.tick, world.ticks));
  removed_.go_on(world.step);
  // one that a run wrote because it ended there would not be there had it gone on
  Schedule due(record_schedule_.every());
  records_.go_on(false, [&](std::size_t, const std::string& line) {
    const double time = time_of_record(line);
    return time <= world.time && due.due(time);
  });
  for (const auto& file : monitor_files_)
    file->go_on(true, [&](std::size_t, const std::string& line) {
      return number_in<double>(line.substr(0, line.find(','))).value_or(0.0) <= world.time;
    });
}

void RunObserver::go_on_with_snapshots(const World& world) const {
  std::error_code none;
  std::vector<fs::path> newer;
  for (fs::directory_iterator at(path_in(facts_.folder, "snapshots"), none), end;
       !none && at != end; at.increment(none)) {
    const std::string name = at->path().stem().string();
    const std::string number = name.substr(name.find('_') + 1);
    if (name.starts_with("state_") && number_in<std::int64_t>(number).value_or(0) > world.step)
      newer.push_back(at->path());
  }
  for (const fs::path& path : newer) fs::remove(path, none);
}

std::vector<const LineFile*> RunObserver::line_files() const {
  std::vector<const LineFile*> files{&log_.file(), &records_, &removed_.file()};
  for (const auto& file : monitor_files_) files.push_back(file.get());
  return files;
}

/// As the first rank has written them, on all ranks. Collective.
std::vector<std::int64_t> RunObserver::line_counts() const {
  std::vector<std::int64_t> counts;
  for (const LineFile* file : line_files()) counts.push_back(file->lines());
  comm_.sum(counts);
  return counts;
}

Bytes RunObserver::memory() const {
  return packed(Memory{monitors_.memory(), warnings_, told_, line_counts()});
}

void RunObserver::sync() {
  agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    for (const LineFile* file : line_files()) file->sync();
  });
}

/// A machine that lost its power, or somebody, has shortened them.
void RunObserver::warn_of_missing_lines(const std::vector<std::int64_t>& before) {
  const std::vector<const LineFile*> files = line_files();
  const std::vector<std::int64_t> now = line_counts();
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (now[i] < before[i])
      tell_(
          fmt::format("{}: {} of the {} lines that it had at the checkpoint are missing: the run "
                      "goes on, what was in them is lost (go on from an earlier checkpoint to "
                      "have them written again)",
                      files[i]->path(), before[i] - now[i], before[i]));
}

void RunObserver::go_on(const World& world, const Bytes& memory) {
  Memory before = unpacked<Memory>(memory);
  monitors_.recall(before.monitors);
  warnings_ = std::move(before.warnings);
  told_ = std::move(before.told);
  agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    go_on_with_lines(world);
    go_on_with_snapshots(world);
  });
  if (facts_.same_folder) warn_of_missing_lines(before.lines);
  if (paraview_schedule_.on())
    if (const std::string damage = paraview_.go_on_from(world.time); !damage.empty()) tell_(damage);
  for (Schedule* schedule :
       {&log_schedule_, &record_schedule_, &paraview_schedule_, &snapshot_schedule_})
    *schedule = Schedule(schedule->every(), world.time);
  for (Schedule& schedule : monitor_schedules_) schedule = Schedule(schedule.every(), world.time);
}

double RunObserver::next_due() const {
  double next = infinity;
  const auto see = [&](const Schedule& schedule) {
    if (schedule.on()) next = std::min(next, schedule.next());
  };
  for (const Schedule* schedule : {&log_schedule_, &paraview_schedule_, &snapshot_schedule_})
    see(*schedule);
  for (const Schedule& schedule : monitor_schedules_) see(schedule);
  return next;
}

void RunObserver::write_due(const World& world, std::int64_t ticks) {
  const bool frame = paraview_schedule_.due(world.time);
  const bool snapshot = snapshot_schedule_.due(world.time);
  std::vector<std::size_t> due;
  for (std::size_t m = 0; m < monitors_.count(); ++m)
    if (monitor_schedules_[m].due(world.time)) due.push_back(m);
  if (!frame && !snapshot && due.empty() && !monitors_.watches_steps()) return;
  const ContactForces forces = contact_forces(world, h_);
  monitors_.after_step(world, forces, ticks);
  for (const std::size_t m : due) write_monitor(m, world, forces);
  if (snapshot) write_snapshot_of(world, forces);
  if (frame) paraview_.write(world, forces);
}

void RunObserver::after_step(const World& world, const StepReport& report) {
  const Phase phase("writing what the run leaves");
  h_ = report.time_step;
  warn(report);
  list_removed(report);
  const bool log = log_schedule_.due(report.time), record = record_schedule_.due(report.time);
  report_step(world, report, log, record);
  write_due(world, report.ticks);
}

void RunObserver::failed(const World& world, const StepReport& report) {
  warn(report);
  list_removed(report);
  report_step(world, report, log_schedule_.due(report.time), true);
  // what it looked like is what is asked first
  if (paraview_schedule_.on()) paraview_.write(world, contact_forces(world, h_));
}

void RunObserver::end(const World& world) {
  if (pending_) report_step(world, StepReport(*pending_), false, true);
  for (const std::string& line : warnings_.rest()) tell_(line);
  agree(comm_, [&] {
    for (const LineFile* file : line_files()) file->require_there();
  });
}

}  // namespace talus::app
