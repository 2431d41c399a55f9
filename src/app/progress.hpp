#pragma once
// Progress of long work on stderr: one line that is rewritten on a terminal, a line now and then
// elsewhere.

#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"

#include <cstddef>
#include <string>

namespace talus::app {

/// The one line, whoever writes it.
class ProgressLine {
 public:
  explicit ProgressLine(const CommonOptions& common);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether show() would show something now, `seconds` after the work began: ten times a second
  /// on a terminal; elsewhere after 3 s and then every 30 s, every second with --verbose.
  bool is_due(double seconds) const;
  void show(const std::string& text, double seconds);
  /// As many letters as the line has room for.
  std::size_t width() const;
  /// Ends the line, so that something else can be said.
  void close();
  /// The same; where a line stands it is `last` that stays.
  void close(const std::string& last);

 private:
  bool quiet_, terminal_;
  bool open_ = false;
  double every_;  ///< s, from one to the next
  double next_;
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

}  // namespace talus::app
