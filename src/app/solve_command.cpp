// talus solve: one given problem, its answer, and how good the answer is.

#include "talus/core/error.hpp"
#include "talus/core/simd.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/report_file.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/set_up.hpp"
#include "app/solve_summary.hpp"
#include "app/solver_settings.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace talus::app {
namespace {

struct SolveArguments {
  std::string problem, generate;
  std::string warm_start, output, report, history;
  std::vector<std::string> assignments;  ///< of options: "solver.tolerance=1e-5"
  std::vector<std::string> settings;     ///< -s KEY=VALUE: applied last
};

/// Asked before the solve: afterwards it would cost the user the answer.
void check_goals(const SolveArguments& a, InputErrors& faults) {
  if (!a.output.empty()) collect(faults, [&] { require_solution_goal(a.output, "--output"); });
  using Named = std::pair<const char*, const std::string&>;
  std::vector<Named> others{{"the problem", a.problem},
                            {"the warm start", a.warm_start},
                            {"the solution (--output)", a.output}};
  for (const auto& [option, path] : {Named{"--report", a.report}, Named{"--history", a.history}}) {
    if (path.empty()) continue;
    collect(faults, [&, &p = path, &o = option] { require_writable(p, o); });
    for (const auto& [what, other] : others)
      if (is_same_file(path, other))
        faults.add(
            fmt::format("{} {}: is the file of {}; give it a name of its own", option, path, what));
    others.emplace_back("the report (--report)", path);
  }
}

SolveOptions settle(const SolveArguments& a, InputErrors faults) {
  SolveOptions options;
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& assignment : *list)
      collect(faults, [&] { apply_setting(assignment, options); });
  if (a.problem.empty() == a.generate.empty())
    faults.add(
        "give one problem: a file (talus solve PROBLEM.h5) or --generate KIND,key=value,...");
  check_goals(a, faults);
  // the options alone; the problem, which may be large, is read when they are right
  collect(faults, [&] { validate(options, ConeProblem{}); });
  faults.throw_if_any();
  options.keep_history = options.history_all_measures = !a.history.empty();
  return options;
}

/// The start: zero, or the given solution where its residual is smaller than that of zero.
RowVector start_from(const SolveArguments& a, const ProblemData& data, const ConeProblem& problem,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (a.warm_start.empty()) return zero;
  RowVector warm = stored_impulses(a.warm_start, "solution", data, problem);
  RowVector gap;
  const auto residual = [&](const RowVector& x) {
    evaluate_gap(problem, options.law, x, gap);
    return evaluate(Measure::Natural, problem, options.law, x, gap, 1.0, comm);
  };
  if (residual(warm) < residual(zero)) return warm;
  remarks.push_back(a.warm_start + ": is a worse start than zero and was not used");
  return zero;
}

/// Writes what was asked for. A file that cannot be written costs neither the others nor the
/// summary: what went wrong is returned.
std::string write_files(const SolveArguments& a, const SolveReport& report,
                        const Solution& solution, const RunFacts& facts) {
  std::string lost;
  const auto attempt = [&](const std::string& path, const auto& write) {
    if (path.empty()) return;
    try {
      write();
    } catch (const std::exception& error) {
      lost += (lost.empty() ? "" : "\n") + std::string(error.what());
    }
  };
  attempt(a.output, [&] {
    write_solution(a.output, solution,
                   {{"law", name_of(report.law)},
                    {"method", name_of(report.method)},
                    {"measure", name_of(report.measure)},
                    {"error", report.error},
                    {"error_e1", report.errors.siconos},
                    {"error_e2", report.errors.siconos_invariant},
                    {"objective", report.errors.objective},
                    {"origin", std::string("talus ") + TALUS_VERSION}});
  });
  attempt(a.report, [&] { write_text(a.report, report_json(report, facts)); });
  attempt(a.history, [&] { write_text(a.history, history_csv(report)); });
  return lost;
}

int solve_problem(const SolveArguments& a, const CommonOptions& common, InputErrors faults) {
  SolveOptions options = settle(a, std::move(faults));
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& idle : idle_settings(*list, {name_of(options.method)}))
      note(common,
           fmt::format("{} was given, but the method is {}", idle, name_of(options.method)));
  Stopwatch watch;
  const ProblemFile file = load_problem(a.problem, a.generate);
  detail(common, fmt::format("talus {}, SIMD level {}, threads: {}\n{} ({}) in {:.3f} s",
                             TALUS_VERSION, name_of(simd_level()), omp_get_max_threads(), file.path,
                             file.format, watch.lap()));
  const ConeProblem problem = set_up(file);
  detail(common, fmt::format("{} rows set up, mean diagonal of N {:.4g}, in {:.3f} s",
                             problem.cones.row_count(), problem.mean_diagonal, watch.lap()));
  for (const auto& [name, value] : used_settings(options, {name_of(options.method)}))
    detail(common, fmt::format("solver.{} = {}", name, value));
  refuse_blind_measure(options.measure, problem);
  const Communicator comm = Communicator::self();
  SolveReport report;
  RowVector gap;
  std::vector<std::string> remarks;
  RowVector impulses = start_from(a, file.data, problem, options, comm, remarks);
  {
    ProgressLine line(common);
    Progress progress(options, line);
    options.progress = [&](const IterateStatus& status) { progress.show(status); };
    report = solve(problem, options, comm, impulses, gap);
  }
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  const Solution solution = in_rows_of_file(file, make_solution(file.data, problem, impulses, gap));
  RunFacts facts = facts_of(file, problem);
  facts.solution_hash = solution_hash(solution);
  facts.options = used_settings(options, {name_of(options.method)});
  facts.clock_decided = report.status == SolveStatus::TimeLimit;
  watch.lap();
  const std::string lost = write_files(a, report, solution, facts);
  detail(common, fmt::format("files written in {:.3f} s", watch.lap()));
  print_summary(report, facts);
  for (const std::string& remark : report.remarks) note(common, remark);
  if (!lost.empty()) throw std::runtime_error(lost);
  return report.error <= report.tolerance ? exit_within_tolerance : exit_above_tolerance;
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
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](InputErrors faults) { return solve_problem(*a, common, std::move(faults)); };
}

}  // namespace talus::app
