// A run that is stopped and goes on leaves the lines and frames of one that was not.

#include "app/run/run_observer.hpp"

#include "support/pile.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using app::RunObserver;
using support::Workplace;

constexpr int steps = 9;

/// Everything, at unlike times.
Scene observed_scene() {
  Scene scene = support::pile_scene().scene;
  scene.log.every = 0.02;
  scene.log.columns = {"iterations", "kinetic"};  // nothing that tells the step
  scene.paraview.every = 0.03;
  scene.snapshots.every = 0.04;
  for (const auto& [name, kind, every] : {std::tuple{"energy", MonitorSettings::Kind::Energy, 0.01},
                                          {"flow", MonitorSettings::Kind::Flow, 0.03},
                                          {"load", MonitorSettings::Kind::Load, 0.04},
                                          {"track", MonitorSettings::Kind::Track, 0.03}}) {
    MonitorSettings settings;
    settings.name = name;
    settings.kind = kind;
    settings.every = every;
    settings.at = {0.0, 0.0, 0.2};
    if (kind == MonitorSettings::Kind::Load) settings.group = scene.world.find_group("floor");
    if (kind == MonitorSettings::Kind::Track) settings.group = scene.world.find_group("boxes");
    scene.monitors.push_back(settings);
  }
  return scene;
}

class ObservedRun {
 public:
  explicit ObservedRun(const std::string& folder)
      : simulation_(scene_, support::pile_scene().solver, Communicator::self()) {
    std::filesystem::create_directories(folder);
    folder_ = folder;
    begin_anew();
    observer_->begin(simulation_.world());
  }
  void step_until(int last) {
    while (simulation_.world().step < last) {
      const StepReport report = simulation_.step();
      observer_->after_step(simulation_.world(), report);
    }
  }
  void end() { observer_->end(simulation_.world()); }
  Simulation checkpoint() const { return simulation_; }
  Bytes memory() const { return observer_->memory(); }
  /// The program has died, and goes on where it was.
  void resume(const Simulation& checkpoint, const Bytes& memory) {
    observer_.reset();
    simulation_ = checkpoint;
    begin_anew();
    observer_->go_on(simulation_.world(), memory);
  }

 private:
  void begin_anew() {
    observer_ =
        std::make_unique<RunObserver>(scene_, RunObserver::Facts{folder_, support::step_of_pile},
                                      Communicator::self(), [](const std::string&) {});
  }
  Scene scene_ = observed_scene();
  Simulation simulation_;
  std::string folder_;
  std::unique_ptr<RunObserver> observer_;
};

std::vector<std::string> files_of_text() {
  std::vector<std::string> names{"log.csv", "paraview/run.pvd", "paraview/bodies.pvd"};
  for (const char* monitor : {"energy", "flow", "load", "track"})
    names.push_back(fmt::format("monitors/{}.csv", monitor));
  return names;
}

/// The steps of run.jsonl, each with its contacts: its seconds are never the same.
std::vector<std::pair<int, int>> records_of(const std::string& text) {
  std::vector<std::pair<int, int>> records;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const auto json = nlohmann::json::parse(line);
    records.emplace_back(json["step"], json["contacts"]);
  }
  return records;
}

/// Walls are written anew by a program that goes on.
std::string without_walls(const std::string& text) {
  std::istringstream stream(text);
  std::string kept;
  for (std::string line; std::getline(stream, line);) {
    if (line.find("walls") != std::string::npos) continue;
    kept += line;
    kept += '\n';
  }
  return kept;
}

TEST(RunObserver, ARunThatGoesOnLeavesWhatOneAtOnceLeaves) {
  const Workplace place;
  ObservedRun at_once(place.path("whole").string());
  at_once.step_until(steps);
  at_once.end();
  for (const int stop : {1, 4, 5, 8}) {
    SCOPED_TRACE(stop);
    const std::string folder = fmt::format("stopped{}", stop);
    ObservedRun run(place.path(folder).string());
    run.step_until(stop);
    const Simulation checkpoint = run.checkpoint();
    const Bytes memory = run.memory();
    run.step_until(steps);  // further than the checkpoint
    place.write(folder + "/run.jsonl", place.read(folder + "/run.jsonl") + "{\"step\": 3, \"cont");

    run.resume(checkpoint, memory);
    run.step_until(steps);
    run.end();

    const auto in = [&](const std::string& run_folder, const std::string& name) {
      return place.read(fmt::format("{}/{}", run_folder, name));
    };
    for (const std::string& name : files_of_text())
      EXPECT_EQ(without_walls(in(folder, name)), without_walls(in("whole", name))) << name;
    EXPECT_EQ(records_of(place.read(folder + "/run.jsonl")),
              records_of(place.read("whole/run.jsonl")));
    for (const char* name : {"snapshots/state_000000008.h5", "paraview/contacts_000000009.vtp"})
      EXPECT_EQ(in(folder, name), in("whole", name)) << name;
  }
}

}  // namespace
}  // namespace talus
