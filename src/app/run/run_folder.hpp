#pragma once

#include "talus/simulation/simulation.hpp"

#include "app/commands.hpp"
#include "app/run/run_records.hpp"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace talus::app {

/// The file in a run's folder that says whose it is. Of no meaning without its lock.
constexpr const char* lock_name = "run.lock";

/// The folder of a run belongs to one run until this ends or its process does: two would spoil each
/// other's tables. A file with a lock, which network file systems tell other machines of, unlike
/// those of folders. Where there are no locks, or the folder cannot be written to, nobody is kept
/// out, and a warning says so.
class FolderLock {
 public:
  /// `folder` is there. InputError where another run has it, also after the seconds that the ranks
  /// of one that was killed may need to be gone.
  FolderLock(const std::string& folder, const CommonOptions& common);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  enum class Try { Held, Taken, NoLocks };
  Try attempt();

  std::string path_;
  int descriptor_ = -1;
};

// DIR of talus run: scene.yaml, report.json, report.html, state.h5, run.jsonl, log.csv,
// removed.csv, and the folders monitors, paraview, snapshots, plots. Nothing that was there
// is lost unless --overwrite says so.

/// InputError where DIR cannot be made, or holds something without `overwrite`.
void require_run_folder(const std::string& folder, bool overwrite);
void make_run_folder(const std::string& folder);
constexpr const char* scene_name = "scene.yaml";
/// InputError where one of the files that the new run reads has the place of one that it would
/// remove or write. A scene.yaml that has the text already loses nothing.
void require_no_input_in(const std::string& folder, const std::vector<std::string>& inputs,
                         const std::string& scene_text);
/// Of an earlier run only its own files are removed.
void clear_run_folder(const std::string& folder);
/// What a run that was killed has left half written is removed.
void remove_unfinished(const std::string& folder);

/// A file of lines of text that is there once it has one.
class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  /// Throws std::runtime_error where the disk does not take it; the lines before it stay.
  void add(const std::string& line);
  bool empty() const { return descriptor_ < 0; }
  const std::string& path() const { return path_; }
  /// So far, with a header.
  std::int64_t lines() const { return lines_; }
  /// All lines are on the disk: a checkpoint may count on them.
  void sync() const;
  /// Throws std::runtime_error where the file that has been begun has lost its name.
  void require_there() const;
  /// Goes on with a file that is there: with its first line where it is a header, and of the others
  /// those that are wanted, counted from 0. A last line that is not whole is left out.
  void go_on(bool header, const std::function<bool(std::size_t, const std::string&)>& wanted);

 private:
  std::string path_;
  int descriptor_ = -1;
  off_t whole_ = 0;           // bytes of the lines so far
  mutable off_t synced_ = 0;  // of which are on the disk for sure
  std::int64_t lines_ = 0;
};

/// Throws InputError where what a run has left there is no regular file: it would be waited at.
void require_regular_files(const std::string& folder);

/// A folder in that of a run, which must be there: one that somebody has removed does not come
/// back.
void make_part(const std::string& folder);

struct StepNumber;  // src/app/run/step_numbers.hpp

/// log.csv: a line with the columns that are wanted per call.
class RunLog {
 public:
  RunLog(const std::string& folder, const LogSettings& settings);
  void add(const StepReport& report, const RecordFacts& facts);
  /// With so many lines.
  void go_on(std::size_t lines);
  const LineFile& file() const { return file_; }

 private:
  LineFile file_;
  std::vector<const StepNumber*> columns_;
};

/// removed.csv: one line per body that was removed.
class RemovedList {
 public:
  explicit RemovedList(const std::string& folder);
  void add(const std::vector<RemovedBody>& bodies);
  /// With those of this step and before.
  void go_on(std::int64_t step);
  const LineFile& file() const { return file_; }

 private:
  LineFile file_;
  bool begun_ = false;
};

}  // namespace talus::app
