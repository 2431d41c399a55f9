#pragma once
// Which problems a user means who names files, folders and generators.

#include "talus/problem/matrix_problem.hpp"

#include "io/comparison_file.hpp"
#include "io/problem_slice.hpp"
#include "io/report_file.hpp"
#include "partition/partition.hpp"
#include "problem/matrix_part.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::app {

struct ProblemSource {
  std::string name;  ///< of a file, or the generator's text
  bool generated = false;
  bool may_be_other = false;  ///< found in a folder: need not hold a problem
};

struct ProblemSources {
  std::vector<ProblemSource> problems;
  std::vector<LeftOut> skipped;  ///< files of folders that are no HDF5 files by name
};

/// Files in the order given, those of a folder (with its subfolders) by name; then the generated.
/// Throws InputError naming what does not exist and what generators do not know.
ProblemSources find_sources(const std::vector<std::string>& paths,
                            const std::vector<std::string>& generators);

/// ".json" of "a/b.json"
std::string ending_of(const std::string& path);

// A problem ready to be solved, alone or as one rank's share.

/// Where a problem comes from; where `file` is empty, the text makes it (KIND,key=value,...).
struct ProblemOrigin {
  std::string file, generate;
  std::string name() const { return file.empty() ? generate : file; }
};

/// What was found, in the rows of the file.
struct Answer {
  std::optional<SolutionSlice> slice;  ///< of bodies on several ranks
  Solution whole;                      ///< of all else, on the first rank
  std::uint64_t hash = 0;              ///< alike on all ranks for slices, else on the first
};
/// Throws alike on all ranks where it cannot be written. Collective.
void write_answer(const std::string& path, const Answer& answer,
                  const std::vector<Attribute>& attributes, const Communicator& comm);

class LoadedProblem {
 public:
  /// Collective. Throws InputError naming the file, alike on all ranks.
  LoadedProblem(const ProblemOrigin& origin, const PartitionOptions& partition,
                const Communicator& comm);

  const ConeProblem& problem() const;
  const ProblemFile& file() const { return file_; }
  /// What the problem is; who solves it adds how.
  RunFacts facts() const;

  /// Collective.
  Answer answer(const RowVector& impulses, const RowVector& gap) const;
  /// Impulses of a solution in `path`, on the stored rows. Throws InputError where they are not of
  /// this problem, alike on all ranks. Collective.
  RowVector stored_impulses(const std::string& path, const std::string& group) const;

  bool has_bodies() const;
  /// On several ranks, of bodies: how good the partition is.
  const std::optional<PartitionQuality>& quality() const { return quality_; }
  /// What --partition file: would read, on the first rank. Collective.
  std::string partition_lines() const;

 private:
  void set_up_bodies(const BodySlice& slice, const PartitionOptions& partition);
  void set_up_matrices(const PartitionOptions& partition);
  Solution gathered(const Solution& mine) const;

  Communicator comm_;
  ProblemFile file_;                      ///< on several ranks without the data of bodies
  std::shared_ptr<const BodyPart> part_;  ///< of bodies on several ranks
  std::optional<MatrixPart> matrices_;    ///< of matrices on several ranks
  ConeProblem problem_;                   ///< but of matrices on several ranks
  std::optional<PartitionQuality> quality_;
  std::vector<int> owner_;  ///< of the bodies of this rank's slice
};

}  // namespace talus::app
