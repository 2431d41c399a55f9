#include "app/loaded_problem.hpp"

#include "talus/cones/projection.hpp"
#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/gathered_solution.hpp"
#include "app/set_up.hpp"

#include <omp.h>

#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

const BodyProblem& bodies_of(const ProblemFile& file) {
  if (const auto* bodies = std::get_if<BodyProblem>(&file.data)) return *bodies;
  throw InputError(
      fmt::format("{}: problems given by matrices are solved on one rank so far: start talus "
                  "without mpirun and use --threads N",
                  file.path));
}

}  // namespace

LoadedProblem::LoadedProblem(const ProblemOrigin& origin, const PartitionOptions& partition,
                             const Communicator& comm)
    : comm_(comm) {
  const Phase phase("reading the problem");
  file_ = agreed(comm_, [&] { return load_problem(origin.file, origin.generate); });
  if (comm_.size() > 1)
    distribute_bodies(partition);
  else
    set_up_alone();
}

void LoadedProblem::set_up_alone() {
  problem_ = set_up(file_);
  if (const auto* bodies = std::get_if<BodyProblem>(&file_.data))
    for (Index b = 0; b < bodies->body_count(); ++b) partition_lines_ += "0\n";
}

void LoadedProblem::distribute_bodies(const PartitionOptions& partition) {
  BodySlice slice = agreed(comm_, [&] {
    const BodyProblem& whole = bodies_of(file_);
    rolls_ = whole.has_rolling();
    return slice_of(whole, comm_.rank(), comm_.size());
  });
  file_.data = BodyProblem{};
  const std::vector<int> owner = partition_bodies(comm_, slice, partition);
  partition_lines_ = partition_text(comm_, owner);
  part_ = std::make_shared<const BodyPart>(distribute(comm_, slice, owner));
  quality_ = quality_of(comm_, *part_);
  const Phase phase("setting up the rows");
  problem_ = make_cone_problem(part_, comm_);
  agree(comm_, [&] { require_finite(file_.path, problem_, part_.get()); });
}

RunFacts LoadedProblem::facts() const {
  RunFacts facts;
  facts.problem = file_.path;
  facts.format = file_.format;
  facts.contacts = problem_.total_contacts;
  facts.joint_rows = problem_.total_free + problem_.total_bounded;
  if (part_ != nullptr)
    facts.bodies = part_->total_bodies;
  else if (const auto* bodies = std::get_if<BodyProblem>(&file_.data))
    facts.bodies = bodies->body_count();
  facts.ranks = comm_.size();
  facts.threads = omp_get_max_threads();
  return facts;
}

Solution LoadedProblem::solution(const RowVector& impulses, const RowVector& gap) const {
  if (part_ == nullptr)
    return in_rows_of_file(file_, make_solution(file_.data, problem_, impulses, gap));
  const Solution mine = make_solution(*part_, problem_, impulses, gap);
  return in_rows_of_file(file_.format, rolls_, gathered_solution(comm_, *part_, mine));
}

RowVector LoadedProblem::stored_impulses(const std::string& path, const std::string& group) const {
  if (part_ == nullptr) return app::stored_impulses(path, group, file_.data, problem_);
  RowVector impulses;
  agree(comm_, [&] {
    const Solution whole =
        in_rows_of_problem(rolls_, problem_.total_contacts, read_solution(path, group));
    require_rows_of(path, group, problem_, whole);
    project(problem_.cones, impulses_from(*part_, problem_, whole), impulses);  // as solve() will
  });
  return impulses;
}

}  // namespace talus::app
