// talus solve: one given problem, its answer, and how good the answer is.

#include "talus/cones/projection.hpp"
#include "talus/core/error.hpp"
#include "talus/core/simd.hpp"
#include "talus/generate/generate.hpp"
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

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !a.empty() && !b.empty() &&
         std::filesystem::weakly_canonical(a, ignored) ==
             std::filesystem::weakly_canonical(b, ignored);
}

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

ProblemFile load(const SolveArguments& a) {
  if (!a.problem.empty()) return read_problem(a.problem);
  ProblemFile made;
  made.data = generate(parse_generate(a.generate));
  made.format = "generated";
  made.path = a.generate;
  return made;
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

/// What a user may have meant otherwise: an option of a method that does not run.
void note_idle_options(const SolveArguments& a, const SolveOptions& options,
                       const CommonOptions& common) {
  for (const auto* list : {&a.assignments, &a.settings}) {
    for (const std::string& assignment : *list) {
      const std::string key = assignment.substr(0, assignment.find('='));
      const std::size_t begin = key.find('.') + 1, end = key.find('.', begin);
      const std::string method = key.substr(begin, end - begin);
      if (end != std::string::npos && method != name_of(options.method))
        note(common, fmt::format("{} was given, but the method is {}", key.substr(begin),
                                 name_of(options.method)));
    }
  }
}

/// The start: zero, or the given solution where its residual is smaller than that of zero.
RowVector start_from(const SolveArguments& a, const ProblemData& data, const ConeProblem& problem,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (a.warm_start.empty()) return zero;
  const Solution given = in_rows_of_problem(data, read_solution(a.warm_start));
  const ConeSet& cones = problem.cones;
  const auto wanted_r = static_cast<std::size_t>(2 * cones.planar_count + 3 * cones.spatial_count);
  const auto wanted_l = static_cast<std::size_t>(cones.scalar_count);
  InputErrors errors;
  errors.require(given.r.size() == wanted_r, a.warm_start + ": length of solution/r",
                 static_cast<double>(given.r.size()),
                 fmt::format("does not fit the problem, which has {} contact rows", wanted_r));
  errors.require(given.l.size() == wanted_l, a.warm_start + ": length of solution/l",
                 static_cast<double>(given.l.size()),
                 fmt::format("does not fit the problem, which has {} joint rows", wanted_l));
  errors.throw_if_any();
  RowVector warm, gap;
  project(cones, impulses_from(problem, given), warm);  // as solve() will
  const auto residual = [&](const RowVector& x) {
    evaluate_gap(problem, options.law, x, gap);
    return evaluate(Measure::Natural, problem, options.law, x, gap, 1.0, comm);
  };
  if (residual(warm) < residual(zero)) return warm;
  remarks.push_back(a.warm_start + ": is a worse start than zero and was not used");
  return zero;
}

RunFacts facts_of(const ProblemFile& file, const ConeProblem& problem, const Solution& solution) {
  RunFacts facts;
  facts.problem = file.path;
  facts.format = file.format;
  facts.contacts = problem.cones.planar_count + problem.cones.spatial_count;
  facts.joint_rows = problem.cones.scalar_count;
  if (const auto* bodies = std::get_if<BodyProblem>(&file.data))
    facts.bodies = bodies->body_count();
  facts.threads = omp_get_max_threads();
  facts.solution_hash = solution_hash(solution);
  return facts;
}

/// Without free rows the bilateral violation is 0 whatever the answer: no success to report.
void refuse_blind_measure(const SolveOptions& options, const ConeProblem& problem) {
  if (options.measure != Measure::Bilateral) return;
  for (Index i = 0; i < problem.cones.scalar_count; ++i)
    if (problem.cones.is_free(i)) return;
  throw InputError(
      "--measure bilateral sees free joint rows only, and the problem has none: choose another");
}

/// Limits and options that the solve used, by name.
std::vector<std::pair<std::string, std::string>> used_options(SolveOptions options) {
  std::vector<std::pair<std::string, std::string>> used{
      {"max_iterations", fmt::format("{}", options.max_iterations)},
      {"stall_iterations", fmt::format("{}", options.stall_iterations)}};
  if (options.time_limit < infinity)
    used.emplace_back("time_limit", fmt::format("{}", options.time_limit));
  const std::string mine = name_of(options.method) + ".";
  for (const SolverSetting& setting : method_settings(options))
    if (setting.name.rfind(mine, 0) == 0) used.emplace_back(setting.name, setting.value);
  return used;
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
  note_idle_options(a, options, common);
  Stopwatch watch;
  const ProblemFile file = load(a);
  detail(common, fmt::format("talus {}, SIMD level {}, threads: {}\n{} ({}) in {:.3f} s",
                             TALUS_VERSION, name_of(simd_level()), omp_get_max_threads(), file.path,
                             file.format, watch.lap()));
  const ConeProblem problem = set_up(file);
  detail(common, fmt::format("{} rows set up, mean diagonal of N {:.4g}, in {:.3f} s",
                             problem.cones.row_count(), problem.mean_diagonal, watch.lap()));
  for (const auto& [name, value] : used_options(options))
    detail(common, fmt::format("solver.{} = {}", name, value));
  refuse_blind_measure(options, problem);
  const Communicator comm = Communicator::self();
  SolveReport report;
  RowVector gap;
  std::vector<std::string> remarks;
  RowVector impulses = start_from(a, file.data, problem, options, comm, remarks);
  {
    Progress progress(options, common);
    options.progress = [&](const IterateStatus& status) { progress.show(status); };
    report = solve(problem, options, comm, impulses, gap);
  }
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  const Solution solution = in_rows_of_file(file, make_solution(file.data, problem, impulses, gap));
  RunFacts facts = facts_of(file, problem, solution);
  facts.options = used_options(options);
  facts.clock_decided = report.status == SolveStatus::TimeLimit;
  watch.lap();
  const std::string lost = write_files(a, report, solution, facts);
  detail(common, fmt::format("files written in {:.3f} s", watch.lap()));
  print_summary(report, facts);
  for (const std::string& remark : report.remarks) note(common, remark);
  if (!lost.empty()) throw std::runtime_error(lost);
  return report.error <= report.tolerance ? exit_within_tolerance : exit_above_tolerance;
}

void add_setting(CLI::App& verb, const std::shared_ptr<SolveArguments>& a,
                 const SolverSetting& setting, const char* group) {
  std::string option = "--" + setting.name;
  if (setting.name.find('.') == std::string::npos)
    std::replace(option.begin(), option.end(), '_', '-');
  verb.add_option_function<std::string>(
          option,
          [a, name = setting.name](const std::string& value) {
            a->assignments.push_back("solver." + name + "=" + value);
          },
          fmt::format("{} [{}]", setting.help, setting.value))
      ->type_name("V")
      ->group(group);
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
  for (const SolverSetting& setting : general_settings(defaults))
    add_setting(verb, a, setting, "What is solved, and when it ends");
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
    add_setting(verb, a, setting, "Options of methods (short for -s solver.METHOD.OPTION=V)");
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](InputErrors faults) { return solve_problem(*a, common, std::move(faults)); };
}

}  // namespace talus::app
