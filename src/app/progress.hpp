#pragma once
// Progress of a long solve on stderr: one line that is rewritten on a terminal, a quiet line now
// and then elsewhere.

#include "talus/solvers/solve.hpp"

namespace talus::app {

class Progress {
 public:
  Progress(const SolveOptions& options, bool quiet);
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
  double next_line_ = 10.0;  ///< s, on what is no terminal
  IterateStatus first_;      ///< where the estimate of the time left starts
};

}  // namespace talus::app
