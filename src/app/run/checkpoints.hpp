#pragma once
// The checkpoints of a run: DIR/checkpoints/checkpoint_STEP.h5.

#include "talus/io/checkpoint_file.hpp"

#include "app/interrupt.hpp"
#include "app/run/run_goal.hpp"
#include "app/run/run_memory.hpp"
#include "app/run/run_observer.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace talus::app {

class CheckpointFolder {
 public:
  /// Of a run's folder. Nothing is made before the first checkpoint.
  explicit CheckpointFolder(const std::string& run_folder);

  std::string path_of(std::int64_t step) const;
  /// Newest first.
  std::vector<std::string> files() const;
  /// Those of later steps are no more part of the run: they go. Returns them.
  std::vector<std::string> drop_after(std::int64_t step) const;
  /// Leaves the newest of them.
  void keep(int newest) const;
  void make() const;

 private:
  std::string folder_;
};

/// Where a run goes on.
struct ResumePoint {
  std::string file;    ///< the checkpoint
  std::string folder;  ///< of the run that wrote it; empty where the file is in none
  Checkpoint checkpoint;
  std::vector<std::string> refused;  ///< newer ones: what is wrong with each
};
/// Of a checkpoint in DIR/checkpoints: DIR; of another file nothing.
std::string run_folder_of(const std::string& file);

/// `path`: a checkpoint, or the folder of a run, of which the newest that is good is taken. Throws
/// InputError, alike on all ranks: none is good, or the one that is asked for is not; says which
/// other one is. `asked`: how messages begin, such as "--resume ". Collective.
ResumePoint find_resume_point(const std::string& path, const Communicator& comm,
                              const std::string& asked);

// When a run writes checkpoints, and when it stops so that there is time left to write one.

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

  /// The stop flags of this rank, as bits for Simulation::ask.
  std::uint32_t stop_flags() const;
  /// After a step of so many seconds, output included: the longest decides when the wall time is
  /// near.
  void step_took(double seconds, const StepReport& step);
  /// Why all ranks stop, empty where they go on.
  static std::string stop_of(std::uint32_t stop_flags);
  /// Whether one is due after a step, by any reason but a stop.
  bool due(double time, std::uint32_t stop_flags);

  /// Throws on all ranks alike where it cannot be written; the older ones are as they were.
  /// Collective.
  void write(Simulation& simulation, const RunMemory& memory);
  /// The newest that is whole; empty: none.
  const std::string& newest() const { return newest_; }
  /// Its step, where this run wrote it; else -1.
  std::int64_t newest_step() const { return newest_step_; }

 private:
  CheckpointSettings settings_;
  Facts facts_;
  Communicator comm_;
  CheckpointFolder folder_;
  Schedule schedule_;
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
