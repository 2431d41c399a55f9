#pragma once
// Progress of long work on stderr: one line that is rewritten on a terminal, a quiet line now and
// then elsewhere.

#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"

namespace talus::app {

/// The one line, whoever writes it.
class ProgressLine {
 public:
  explicit ProgressLine(const CommonOptions& common);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `seconds` since the work began.
  void show(const std::string& text, double seconds);
  /// Ends the line, so that something else can be said.
  void close();

 private:
  bool quiet_, terminal_;
  bool open_ = false;
  double line_every_;  ///< s, on what is no terminal
  double next_line_;
};

/// Progress of one solve.
class Progress {
 public:
  /// `prefix` begins the line; the solve began at `started` seconds of the whole work.
  Progress(const SolveOptions& options, ProgressLine& line, std::string prefix = "",
           double started = 0.0);

  void show(const IterateStatus& status);

 private:
  std::string time_left(const IterateStatus& status) const;

  double tolerance_;
  std::string measure_;
  ProgressLine& line_;
  std::string prefix_;
  double started_;
  IterateStatus first_;  ///< where the estimate of the time left starts
};

/// "12 s" or "3 min": rounded, because it is a guess.
std::string about(double seconds);

}  // namespace talus::app
