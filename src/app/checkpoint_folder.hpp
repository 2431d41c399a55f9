#pragma once
// The checkpoints of a run: DIR/checkpoints/checkpoint_STEP.h5.

#include "talus/io/checkpoint_file.hpp"

#include <cstdint>
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

}  // namespace talus::app
