#pragma once
// Progress of a long solve on stderr: one line that is rewritten on a terminal, a quiet line now
// and then elsewhere.

#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"

namespace talus::app {

class Progress {
 public:
  Progress(const SolveOptions& options, const CommonOptions& common);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const IterateStatus& status);

 private:
  std::string time_left(const IterateStatus& status) const;

  double tolerance_;
  std::string measure_;
  bool quiet_, terminal_;
  bool line_open_ = false;
  double line_every_;  ///< s, on what is no terminal
  double next_line_;
  IterateStatus first_;  ///< where the estimate of the time left starts
};

}  // namespace talus::app
