#pragma once
// All that a run leaves while it runs. Looks at the world between steps and never changes it.

#include "talus/io/paraview_writer.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/rhythm.hpp"
#include "app/run_folder.hpp"
#include "app/run_warnings.hpp"

#include <functional>
#include <string>

namespace talus::app {

class RunObserver {
 public:
  /// Of a run, what neither the world nor the reports of its steps say.
  struct Facts {
    std::string folder;
    double h = 0.0;          ///< s
    double tolerance = 0.0;  ///< m/s
  };
  /// `tell` shows a warning to the user. Files are made when they get their first line.
  RunObserver(const Scene& scene, Facts facts, const Communicator& comm,
              std::function<void(const std::string&)> tell);

  /// Before the first step. Collective.
  void begin(const World& world);
  /// After every step. Collective: all ranks with the same report.
  void after_step(const World& world, const StepReport& report);
  /// The step that could not be finished, with what there is of it. Collective.
  void failed(const World& world, const StepReport& report);
  /// After the last one.
  void end();

 private:
  void warn(const StepReport& report);
  void write(const World& world, double time);

  Facts facts_;
  Communicator comm_;
  std::function<void(const std::string&)> tell_;
  RunLog log_;
  RemovedList removed_;
  RunWarnings warnings_;
  ParaViewWriter paraview_;
  Rhythm paraview_rhythm_;
};

}  // namespace talus::app
