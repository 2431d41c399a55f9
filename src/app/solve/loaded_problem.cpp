#include "app/solve/loaded_problem.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/faults.hpp"
#include "app/run/set_up.hpp"
#include "app/solve/warm_start.hpp"
#include "cones/projection.hpp"
#include "generate/generate.hpp"
#include "partition/partition_cones.hpp"

#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

SlicedProblem load_slice(const ProblemOrigin& origin, const Communicator& comm) {
  const Phase phase("reading the problem");
  if (!origin.file.empty()) return alike([&] { return read_problem_slice(origin.file, comm); });
  SlicedProblem made;
  made.file.data = BodyProblem{};
  made.file.format = "generated";
  made.file.path = origin.generate;
  made.bodies = agreed(comm, [&] {
    return generate_slice(parse_generate(origin.generate), comm.rank(), comm.size());
  });
  return made;
}

/// Items of some numbers each, from every rank, put at their places of `total`, on the first rank.
std::vector<double> in_order(const Communicator& comm, const std::vector<GlobalId>& places,
                             const std::vector<double>& values, GlobalId total) {
  const std::vector<Bytes> all_places = comm.gather(to_bytes(places), 0);
  const std::vector<Bytes> all_values = comm.gather(to_bytes(values), 0);
  std::vector<double> whole;
  for (std::size_t r = 0; r < all_places.size(); ++r) {
    const auto place = from_bytes<GlobalId>(all_places[r]);
    const auto value = from_bytes<double>(all_values[r]);
    if (place.empty()) continue;
    const std::size_t width = value.size() / place.size();
    whole.resize(static_cast<std::size_t>(total) * width);
    for (std::size_t i = 0; i < place.size(); ++i)
      std::copy_n(value.data() + width * i, width,
                  whole.data() + width * static_cast<std::size_t>(place[i]));
  }
  return whole;
}

}  // namespace

void write_answer(const std::string& path, const Answer& answer,
                  const std::vector<Attribute>& attributes, const Communicator& comm) {
  const Phase phase("writing the answer");
  if (answer.slice) return alike([&] { write_solution(path, *answer.slice, attributes, comm); });
  agree(comm, [&] {
    if (comm.rank() == 0) write_solution(path, answer.whole, attributes);
  });
}

LoadedProblem::LoadedProblem(const ProblemOrigin& origin, const PartitionOptions& partition,
                             const Communicator& comm)
    : comm_(comm) {
  if (comm_.size() == 1) {
    file_ = load_problem(origin.file, origin.generate);
    problem_ = set_up(file_);
    return;
  }
  SlicedProblem sliced = load_slice(origin, comm_);
  file_ = std::move(sliced.file);
  if (sliced.bodies)
    set_up_bodies(*sliced.bodies, partition);
  else
    set_up_matrices(partition);
}

void LoadedProblem::set_up_bodies(const BodySlice& slice, const PartitionOptions& partition) {
  owner_ = partition_bodies(comm_, slice, partition);
  part_ = std::make_shared<const BodyPart>(distribute(comm_, slice, owner_));
  quality_ = quality_of(comm_, *part_);
  const Phase phase("setting up the rows");
  problem_ = make_cone_problem(part_, comm_);
  agree(comm_, [&] {
    require_finite(file_.path, problem_, {&part_->contact_place, &part_->joint_place});
  });
}

void LoadedProblem::set_up_matrices(const PartitionOptions& partition) {
  const Phase phase("setting up the rows");
  const auto shared = [&](const auto& whole) {
    return alike(
        [&] { return make_cone_problem(whole, partition_cones(comm_, whole, partition), comm_); });
  };
  if (const auto* local = std::get_if<LocalProblem>(&file_.data))
    matrices_ = shared(*local);
  else
    matrices_ = shared(std::get<GlobalProblem>(file_.data));
  agree(comm_, [&] {
    require_finite(file_.path, matrices_->problem,
                   {&matrices_->contact_place, &matrices_->bilateral_place});
  });
}

const ConeProblem& LoadedProblem::problem() const {
  return matrices_ ? matrices_->problem : problem_;
}

bool LoadedProblem::has_bodies() const {
  return std::holds_alternative<BodyProblem>(file_.data);
}

std::string LoadedProblem::partition_lines() const {
  if (part_ != nullptr) return partition_text(comm_, owner_);
  const auto& bodies = std::get<BodyProblem>(file_.data);
  return partition_text(comm_, std::vector<int>(static_cast<std::size_t>(bodies.body_count()), 0));
}

RunFacts LoadedProblem::facts() const {
  RunFacts facts;
  facts.problem = file_.path;
  facts.format = file_.format;
  facts.contacts = problem().total_contacts;
  facts.joint_rows = problem().total_free + problem().total_bounded;
  if (part_ != nullptr)
    facts.bodies = part_->total_bodies;
  else if (const auto* bodies = std::get_if<BodyProblem>(&file_.data))
    facts.bodies = bodies->body_count();
  facts.ranks = comm_.size();
  facts.threads = omp_get_max_threads();
  return facts;
}

Solution LoadedProblem::gathered(const Solution& mine) const {
  Solution whole;
  whole.u = in_order(comm_, matrices_->contact_place, mine.u, problem().total_contacts);
  whole.r = in_order(comm_, matrices_->contact_place, mine.r, problem().total_contacts);
  const GlobalId rows = problem().total_free + problem().total_bounded;
  whole.l = in_order(comm_, matrices_->bilateral_place, mine.l, rows);
  const auto* global = std::get_if<GlobalProblem>(&file_.data);
  if (global != nullptr && comm_.rank() == 0) set_velocities(*global, whole);
  return whole;
}

Answer LoadedProblem::answer(const RowVector& impulses, const RowVector& gap) const {
  const Phase phase("gathering the answer");
  Answer answer;
  if (part_ != nullptr) {
    const Solution mine = make_solution(*part_, problem_, impulses, gap);
    answer.slice = in_rows_of_file(file_, solution_slice(comm_, *part_, mine));
    answer.hash = solution_hash(answer.slice->rows, comm_);
    return answer;
  }
  answer.whole = matrices_
                     ? gathered(make_solution(*matrices_, impulses, gap))
                     : in_rows_of_file(file_, make_solution(file_.data, problem_, impulses, gap));
  answer.hash = solution_hash(answer.whole);
  return answer;
}

RowVector LoadedProblem::stored_impulses(const std::string& path, const std::string& group) const {
  if (comm_.size() == 1) return app::stored_impulses(path, group, file_.data, problem_);
  RowVector impulses;
  agree(comm_, [&] {
    const bool rolls = part_ != nullptr && part_->data.has_rolling();
    const Solution whole =
        in_rows_of_problem(rolls, problem().total_contacts, read_solution(path, group));
    require_rows_of(path, group, problem(), whole);
    project(problem().cones,
            matrices_ ? impulses_from(*matrices_, whole) : impulses_from(*part_, problem_, whole),
            impulses);  // as solve() will
  });
  return impulses;
}

namespace {

namespace fs = std::filesystem;

void add_folder(const std::string& folder, ProblemSources& sources) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());  // a folder lists them in any order
  for (const std::string& file : files) {
    const std::string ending = ending_of(file);
    if (ending == ".h5" || ending == ".hdf5")
      sources.problems.push_back({file, false, true});
    else
      sources.skipped.push_back({file, "its name does not end in .h5 or .hdf5"});
  }
}

}  // namespace

std::string ending_of(const std::string& path) {
  return fs::path(path).extension().string();
}

ProblemSources find_sources(const std::vector<std::string>& paths,
                            const std::vector<std::string>& generators) {
  ProblemSources sources;
  InputErrors faults;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      add_folder(path, sources);
    else if (fs::exists(path, ignored))
      sources.problems.push_back({path});
    else
      faults.add(fmt::format("{}: there is no such file or folder", path));
  }
  for (const std::string& text : generators) {
    collect(faults, [&] { parse_generate(text); });
    sources.problems.push_back({text, true});
  }
  faults.throw_if_any();
  return sources;
}

RowVector start_from(const std::string& file, const LoadedProblem& loaded,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  const ConeProblem& problem = loaded.problem();
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (file.empty()) return zero;
  // "FILE.h5:GROUP", where no file has that name
  const std::size_t colon = file.rfind(".h5:");
  const bool names_group = colon != std::string::npos && !std::filesystem::exists(file);
  RowVector warm = names_group
                       ? loaded.stored_impulses(file.substr(0, colon + 3), file.substr(colon + 4))
                       : loaded.stored_impulses(file, "solution");
  RowVector gap;
  if (names_group) {  // whoever names one wants that start
    remarks.push_back(fmt::format("{}: was taken as the start", file));
    return warm;
  }
  const double reference = reference_of(options.measure, problem, options.law, comm);
  const auto errors_at = [&](const RowVector& x) {
    evaluate_gap(problem, options.law, x, gap);
    return std::pair{evaluate(options.measure, problem, options.law, x, gap, reference, comm),
                     evaluate(Measure::Natural, problem, options.law, x, gap, 1.0, comm)};
  };
  const auto of_warm = errors_at(warm), of_zero = errors_at(zero);
  const std::string errors = fmt::format("{} = {:.3e}, of zero {:.3e}", name_of(options.measure),
                                         of_warm.first, of_zero.first);
  // a measure that sees part of the rows only may call both equal: then the natural residual
  // decides
  if (of_warm < of_zero) {
    remarks.push_back(fmt::format("{}: was taken as the start: {}", file, errors));
    return warm;
  }
  remarks.push_back(
      fmt::format("{}: is a worse start than zero and was not used: {}", file, errors));
  return zero;
}

}  // namespace talus::app
