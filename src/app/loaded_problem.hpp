#pragma once
// A problem ready to be solved, alone or as one rank's share.

#include "talus/io/problem_file.hpp"
#include "talus/io/report_file.hpp"
#include "talus/partition/partition.hpp"

#include <memory>
#include <optional>
#include <string>

namespace talus::app {

/// Where a problem comes from; where `file` is empty, the text makes it (KIND,key=value,...).
struct ProblemOrigin {
  std::string file, generate;
  std::string name() const { return file.empty() ? generate : file; }
};

class LoadedProblem {
 public:
  /// Collective. Throws InputError naming the file, alike on all ranks.
  LoadedProblem(const ProblemOrigin& origin, const PartitionOptions& partition,
                const Communicator& comm);

  const ConeProblem& problem() const { return problem_; }
  const ProblemFile& file() const { return file_; }
  /// What the problem is; who solves it adds how.
  RunFacts facts() const;

  /// The whole answer in the rows of the file, on the first rank; elsewhere empty. Collective.
  Solution solution(const RowVector& impulses, const RowVector& gap) const;
  /// Impulses of a solution in `path`, on the stored rows. Throws InputError where they are not of
  /// this problem, alike on all ranks. Collective.
  RowVector stored_impulses(const std::string& path, const std::string& group) const;

  /// On several ranks: how good the partition is. On the first rank: what --partition file: would
  /// read.
  const std::optional<PartitionQuality>& quality() const { return quality_; }
  const std::string& partition_lines() const { return partition_lines_; }

 private:
  void set_up_alone();
  void distribute_bodies(const PartitionOptions& partition);

  Communicator comm_;
  ProblemFile file_;  ///< on several ranks without the data of bodies
  bool rolls_ = false;
  std::shared_ptr<const BodyPart> part_;  ///< on several ranks
  ConeProblem problem_;
  std::optional<PartitionQuality> quality_;
  std::string partition_lines_;
};

}  // namespace talus::app
