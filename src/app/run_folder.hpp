#pragma once
// DIR of talus run: scene.yaml, report.json, state.h5, log.csv, removed.csv. Nothing that was there
// is lost unless
// --overwrite says so.

#include "talus/simulation/simulation.hpp"

#include "app/rhythm.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace talus::app {

/// InputError where DIR cannot be made, or holds something without `overwrite`.
void require_run_folder(const std::string& folder, bool overwrite);
/// Makes the folder; of an earlier run only its own files are removed.
void make_run_folder(const std::string& folder);

/// A file of lines of text that is there once it has one.
class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  /// Throws std::runtime_error where the disk does not take it; the lines before it stay.
  void add(const std::string& line);

 private:
  std::string path_;
  int descriptor_ = -1;
  off_t whole_ = 0;  // bytes of the lines so far
};

/// log.csv: one line per log.every simulated seconds, with the columns that are wanted.
class RunLog {
 public:
  /// `writes`: this rank writes it; the others count along.
  RunLog(const std::string& folder, const LogSettings& settings, bool writes);
  /// A line is wanted of this step.
  bool is_due(const StepReport& report);
  void add(const StepReport& report, const Energies& energies);

 private:
  LineFile file_;
  std::vector<std::string> columns_;
  Rhythm rhythm_;
};

/// removed.csv: one line per body that was removed.
class RemovedList {
 public:
  explicit RemovedList(const std::string& folder);
  void add(const std::vector<RemovedBody>& bodies);

 private:
  LineFile file_;
  bool begun_ = false;
};

}  // namespace talus::app
