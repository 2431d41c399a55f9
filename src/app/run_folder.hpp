#pragma once
// DIR of talus run: scene.yaml, report.json, state.h5, run.jsonl, log.csv, removed.csv, and the
// folders monitors, paraview, snapshots. Nothing that was there is lost unless --overwrite says so.

#include "talus/simulation/simulation.hpp"

#include <cstdio>
#include <string>
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
  /// Throws std::runtime_error where the disk does not take it.
  void add(const std::string& line);
  bool empty() const { return file_ == nullptr; }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

/// log.csv: a line with the columns that are wanted per call.
class RunLog {
 public:
  RunLog(const std::string& folder, const LogSettings& settings);
  void add(const StepReport& report, const Energies& energies);

 private:
  LineFile file_;
  std::vector<std::string> columns_;
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
