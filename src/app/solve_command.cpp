// talus solve: one given problem, its answer, and how good the answer is.

#include "talus/core/simd.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/interrupt.hpp"
#include "app/loaded_problem.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/solve_arguments.hpp"
#include "app/solve_summary.hpp"
#include "app/solver_settings.hpp"
#include "app/warm_start.hpp"

#include <omp.h>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace talus::app {
namespace {

/// With progress shown, and Ctrl-C as a way out.
SolveReport watched_solve(const ConeProblem& problem, SolveOptions options,
                          const CommonOptions& common, RowVector& impulses, RowVector& gap) {
  ProgressLine line(common);
  Progress progress(options, line);
  const InterruptWatch interrupt;
  options.progress = [&](const IterateStatus& status) { progress.show(status); };
  options.interrupted = [&] { return interrupt.asked(); };
  const Phase phase("solving");
  return solve(problem, options, common.comm, impulses, gap);
}

int exit_code_of(const SolveReport& report) {
  const auto& candidates = report.candidates;
  if (report.status == SolveStatus::Interrupted ||
      std::any_of(candidates.begin(), candidates.end(),
                  [](const CandidateReport& c) { return c.status == SolveStatus::Interrupted; }))
    return exit_interrupted;
  return report.error <= report.tolerance ? exit_within_tolerance : exit_above_tolerance;
}

/// What several ranks have cost, and what others would.
void add_ledger(const CommonOptions& common, const LoadedProblem& loaded, const SolveReport& report,
                RunFacts& facts) {
  const Ledger ledger = ledger_of(common.comm, report.traffic, report.seconds);
  // where there are no bodies, the blocks of a matrix are what is cut
  CutFacts cut{static_cast<double>(
      facts.bodies > 0 ? facts.bodies : std::max<GlobalId>(1, facts.contacts + facts.joint_rows))};
  if (common.comm.size() > 1) {
    facts.partition = common.partition;
    facts.quality = loaded.quality();
    facts.ledger = ledger;
  }
  if (facts.quality) {
    cut.mirrored_share = facts.quality->mirrored_share;
    cut.neighbours = facts.quality->most_neighbours;
  }
  if (!common.model.empty()) facts.model = estimate(ledger, cut, parse_network_model(common.model));
}

int solve_problem(const SolveArguments& a, const CommonOptions& common, InputErrors faults) {
  const SolveOptions options =
      agreed(common.comm, [&] { return settle(a, common, std::move(faults)); });
  note_idle_options(a, options, common);
  if (common.comm.size() == 1 && common.partition != "metis")
    note(common, "--partition was given, but there is one rank, which owns everything");
  Stopwatch watch;
  const LoadedProblem loaded({a.problem, a.generate}, parse_partition(common.partition),
                             common.comm);
  const ConeProblem& problem = loaded.problem();
  detail(common, fmt::format("talus {}, SIMD level {}, ranks: {}, threads: {}\n{} ({}): {} "
                             "rows, mean diagonal of N {:.4g}, in {:.3f} s",
                             TALUS_VERSION, name_of(simd_level()), common.comm.size(),
                             omp_get_max_threads(), loaded.file().path, loaded.file().format,
                             problem.total_rows, problem.mean_diagonal, watch.lap()));
  agree(common.comm, [&] {
    if (!common.write_partition.empty() && !loaded.has_bodies())
      throw InputError("--write-partition: the problem is given by matrices and has no bodies");
  });
  for (const auto& [name, value] : used_settings(options, asked_methods(options)))
    detail(common, fmt::format("solver.{} = {}", name, value));
  agree(common.comm, [&] { require_fit(options, problem, loaded.file().path); });
  std::vector<std::string> remarks;
  RowVector gap, impulses = start_from(a.warm_start, loaded, options, common.comm, remarks);
  SolveReport report = watched_solve(problem, options, common, impulses, gap);
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  const Answer answer = loaded.answer(impulses, gap);
  RunFacts facts = loaded.facts();
  facts.solution_hash = answer.hash;
  add_ledger(common, loaded, report, facts);
  facts.options = used_settings(options, asked_methods(options));
  watch.lap();
  const std::string owners =
      common.write_partition.empty() ? std::string() : loaded.partition_lines();
  std::string lost = write_output(a, report, answer, common.comm);
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    write_texts(a, common, report, facts, owners, lost);
    detail(common, fmt::format("files written in {:.3f} s", watch.lap()));
    print_summary(report, facts);
    for (const std::string& remark : report.remarks) note(common, remark);
    if (!lost.empty()) throw std::runtime_error(lost);
  });
  return exit_code_of(report);
}

}  // namespace

Command add_solve(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<SolveArguments>();
  CLI::App& verb = *program.add_subcommand(
      "solve", "Solve one contact problem (native or FCLib HDF5 file) and verify the answer");
  verb.add_option("problem", a->problem, "Problem file")->type_name("FILE.h5");
  verb.add_option("--generate", a->generate,
                  "Make the problem instead: KIND,key=value,... (keys: talus generate --help)")
      ->type_name("TEXT");
  SolveOptions defaults;
  const std::shared_ptr<std::vector<std::string>> assignments(a, &a->assignments);
  for (const SolverSetting& setting : general_settings(defaults))
    add_setting(verb, assignments, setting, "What is solved, and when it ends");
  verb.add_option("--warm-start", a->warm_start,
                  "Start from the solution in this file, where that is better than zero")
      ->type_name("FILE.h5");
  verb.add_option(
          "--output", a->output,
          "Write the answer here, as FCLib lays out /solution; a problem file keeps all else")
      ->type_name("FILE.h5");
  verb.add_option("--report", a->report, "Write the report here")->type_name("FILE.json");
  verb.add_option("--history", a->history,
                  "Write all errors of every iteration here; takes many times longer")
      ->type_name("FILE.csv");
  verb.add_option(
          "-s,--set", a->settings,
          "An option as in a scene, such as solver.tolerance=1e-5; may be repeated, applied last")
      ->type_name("KEY=V")
      ->allow_extra_args(false);
  for (const SolverSetting& setting : method_settings(defaults))
    add_setting(verb, assignments, setting,
                "Options of methods (short for -s solver.METHOD.OPTION=V)");
  add_partition(verb, common);
  add_write_partition(verb, common);
  add_model(verb, common);
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](InputErrors faults) { return solve_problem(*a, common, std::move(faults)); };
}

}  // namespace talus::app
