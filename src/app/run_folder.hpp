#pragma once
// DIR of talus run: scene.yaml, report.json, log.csv. Nothing that was there is lost unless
// --overwrite says so.

#include "talus/simulation/simulation.hpp"

#include <cstdio>
#include <string>

namespace talus::app {

/// InputError where DIR cannot be made, or holds something without `overwrite`.
void require_run_folder(const std::string& folder, bool overwrite);
/// Makes the folder; of an earlier run only its own files are removed.
void make_run_folder(const std::string& folder);

/// One line per log.every simulated seconds.
class RunLog {
 public:
  RunLog(const std::string& folder, double every);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  void add(const StepReport& report, const World& world);

 private:
  std::FILE* file_ = nullptr;
  double every_, next_ = 0.0;
};

}  // namespace talus::app
