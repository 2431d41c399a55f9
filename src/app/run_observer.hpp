#pragma once
// All that a run leaves while it runs. Looks at the world between steps and never changes it.

#include "talus/simulation/simulation.hpp"

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

  /// After every step. Collective: all ranks with the same report.
  void after_step(const World& world, const StepReport& report);
  /// After the last one.
  void end();

 private:
  void warn(const StepReport& report);

  Facts facts_;
  Communicator comm_;
  std::function<void(const std::string&)> tell_;
  RunLog log_;
  RemovedList removed_;
  RunWarnings warnings_;
};

}  // namespace talus::app
