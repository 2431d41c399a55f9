#pragma once
// When a run writes checkpoints, and when it stops so that there is time left to write one.

#include "app/checkpoint_folder.hpp"
#include "app/interrupt.hpp"
#include "app/rhythm.hpp"
#include "app/run_goal.hpp"
#include "app/run_memory.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace talus::app {

/// Seconds since the program began on this rank.
double program_seconds();

class Checkpoints {
 public:
  struct Facts {
    std::string folder;  ///< of the run
    std::string scene_text;
    double wall_time = infinity;  ///< s from the start of the program, for the whole of it
    double from = 0.0;            ///< simulated s at which this run begins
    std::string newest;           ///< the one that it goes on from; empty: none
  };
  Checkpoints(const CheckpointSettings& settings, Facts facts, const CheckpointSignal& signal,
              const Communicator& comm);

  /// What this rank wishes now, as bits for Simulation::ask.
  std::uint32_t wishes() const;
  /// After a step of so many seconds, output included: the longest decides when the wall time is
  /// near.
  void step_took(double seconds, const StepReport& step);
  /// Why all ranks stop, empty where they go on.
  static std::string stop_of(std::uint32_t wishes);
  /// Whether one is due after a step, by any reason but a stop.
  bool due(double time, std::uint32_t wishes);

  /// Throws on all ranks alike where it cannot be written; the older ones are as they were.
  /// Collective.
  void write(Simulation& simulation, const RunTotals& totals, const RunGoal& goal,
             const Bytes& monitors);
  /// The newest that is whole; empty: none.
  const std::string& newest() const { return newest_; }
  /// Its step, where this run wrote it; else -1.
  std::int64_t newest_step() const { return newest_step_; }

 private:
  CheckpointSettings settings_;
  Facts facts_;
  Communicator comm_;
  CheckpointFolder folder_;
  Rhythm rhythm_;
  InterruptWatch interrupt_;
  const CheckpointSignal& signal_;
  double last_at_ = 0.0;        ///< program seconds, of the last one
  double longest_step_ = 0.0;   ///< s
  double longest_write_ = 0.0;  ///< s; before the first: a guess
  bool has_written_ = false;
  std::string newest_;
  std::int64_t newest_step_ = -1;
};

}  // namespace talus::app
