// talus solve: one given problem, its answer, and how good the answer is.

#include "talus/core/error.hpp"
#include "talus/generate/generate.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/report_file.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/progress.hpp"
#include "app/solver_settings.hpp"

#include <omp.h>

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace talus::app {
namespace {

struct SolveArguments {
  std::string problem, generate;
  std::string method = "apgd", law = "coulomb", measure = "natural_relative";
  std::string warm_start, output, report, history;
  std::vector<std::string> settings;                                ///< -s KEY=VALUE
  std::vector<std::pair<std::string, std::string>> method_options;  ///< --METHOD.OPTION VALUE
  SolveOptions options;
};

ProblemFile load(const SolveArguments& a) {
  if (a.problem.empty() == a.generate.empty())
    throw InputError(
        "give one problem: a file (talus solve PROBLEM.h5) or --generate KIND,key=value,...");
  if (!a.problem.empty()) return read_problem(a.problem);
  ProblemFile made;
  made.data = generate(parse_generate(a.generate));
  made.format = "generated";
  made.path = a.generate;
  return made;
}

SolveOptions settle(SolveArguments& a) {
  InputErrors errors;
  const auto collect = [&](const auto& action) {
    try {
      action();
    } catch (const InputError& error) {
      for (const std::string& message : error.messages()) errors.add(message);
    }
  };
  collect([&] { a.options.method = method_named(a.method); });
  collect([&] { a.options.law = law_named(a.law); });
  collect([&] { a.options.measure = measure_named(a.measure); });
  for (const auto& [name, value] : a.method_options)
    collect([&, &n = name, &v = value] { apply_setting("solver." + n + "=" + v, a.options); });
  for (const std::string& assignment : a.settings)
    collect([&] { apply_setting(assignment, a.options); });
  for (const auto& [path, option] :
       {std::pair{a.output, "--output"}, {a.report, "--report"}, {a.history, "--history"}})
    if (!path.empty()) collect([&, &p = path, &o = option] { require_writable(p, o); });
  errors.throw_if_any();
  a.options.keep_history = a.options.history_all_measures = !a.history.empty();
  return a.options;
}

/// The start: zero, or the given solution where its residual is smaller than that of zero.
RowVector start_from(const SolveArguments& a, const ConeProblem& problem,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (a.warm_start.empty()) return zero;
  const Solution given = read_solution(a.warm_start);
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
  RowVector warm = impulses_from(problem, given), gap;
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

void print_summary(const SolveReport& report, const RunFacts& facts) {
  const ErrorReport& e = report.errors;
  fmt::print("problem     {} ({}): {} contacts, {} joint rows\n", facts.problem, facts.format,
             facts.contacts, facts.joint_rows);
  fmt::print("law, method {}, {}\n", name_of(report.law), name_of(report.method));
  fmt::print("status      {}: {} = {:.3e}, wanted {:.1e}{}\n", name_of(report.status),
             name_of(report.measure), report.error, report.tolerance,
             report.error <= report.tolerance ? "" : "  ABOVE TOLERANCE");
  fmt::print(
      "work        {} iterations{}, {} products, {} reductions, {:.3f} s, {} thread{}\n",
      report.iterations,
      report.outer_iterations > 0 ? fmt::format(" in {} outer steps", report.outer_iterations) : "",
      report.operator_products, report.reductions, report.seconds, facts.threads,
      facts.threads == 1 ? "" : "s");
  fmt::print("errors, verified with a fresh product, of the {} law:\n", name_of(report.law));
  fmt::print("  natural            {:.3e} sqrt(J)   relative {:.3e}\n", e.natural,
             e.natural_relative);
  fmt::print("  natural, velocity  {:.3e} m/s rms   largest {:.3e} m/s\n", e.natural_velocity,
             e.natural_velocity_max);
  fmt::print("  natural, tau form  {:.3e} (relative)\n", e.natural_tau);
  fmt::print("  energy             {:.3e} J\n", e.energy);
  fmt::print("  Fischer-Burmeister {:.3e} J\n", e.fischer_burmeister);
  fmt::print("  Siconos e1, e2     {:.3e}, {:.3e}\n", e.siconos, e.siconos_invariant);
  fmt::print("  bilateral          {:.3e} m/s\n", e.bilateral);
  fmt::print("objective   {:.12e} J   duality gap {:.3e} J, dual violation {:.3e} m/s\n",
             e.objective, e.duality_gap, e.dual_violation);
  fmt::print("hash        {:016x}   reproducible: {}\n", facts.solution_hash,
             reproducible(report, facts));
}

int solve_file(SolveArguments& a, const CommonOptions& common) {
  const SolveOptions settled = settle(a);
  const ProblemFile file = load(a);
  const ConeProblem problem = make_cone_problem(file.data);
  validate(settled, problem);
  const Communicator comm = Communicator::self();
  SolveOptions options = settled;
  SolveReport report;
  RowVector gap;
  std::vector<std::string> remarks;
  RowVector impulses = start_from(a, problem, options, comm, remarks);
  {
    Progress progress(options, common.quiet);
    options.progress = [&](const IterateStatus& status) { progress.show(status); };
    report = solve(problem, options, comm, impulses, gap);
  }
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  const Solution solution = make_solution(file.data, problem, impulses, gap);
  RunFacts facts = facts_of(file, problem, solution);
  facts.clock_decided = report.status == SolveStatus::TimeLimit;

  if (!a.output.empty())
    write_solution(a.output, solution,
                   {{"law", name_of(report.law)},
                    {"method", name_of(report.method)},
                    {"measure", name_of(report.measure)},
                    {"error", report.error},
                    {"error_e1", report.errors.siconos},
                    {"error_e2", report.errors.siconos_invariant},
                    {"objective", report.errors.objective},
                    {"origin", std::string("talus ") + TALUS_VERSION}});
  if (!a.report.empty()) write_text(a.report, report_json(report, facts));
  if (!a.history.empty()) write_text(a.history, history_csv(report));
  print_summary(report, facts);
  if (!common.quiet)
    for (const std::string& remark : report.remarks) fmt::print(stderr, "note: {}\n", remark);
  return report.error <= report.tolerance ? exit_within_tolerance : exit_above_tolerance;
}

void add_method_options(CLI::App& verb, const std::shared_ptr<SolveArguments>& a) {
  for (const SolverSetting& setting : method_settings(a->options)) {
    const std::string name = setting.name;
    verb.add_option_function<std::string>(
            "--" + name,
            [a, name](const std::string& value) { a->method_options.emplace_back(name, value); },
            fmt::format("{} [{}]", setting.help, setting.default_value))
        ->group("Options of methods");
  }
}

}  // namespace

Command add_solve(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<SolveArguments>();
  CLI::App& verb = *program.add_subcommand(
      "solve", "Solve one contact problem (native or FCLib HDF5 file) and verify the answer");
  verb.add_option("problem", a->problem, "Problem file");
  verb.add_option("--generate", a->generate,
                  "Make the problem instead: KIND,key=value,... (see talus generate --help)");
  verb.add_option("--method", a->method,
                  fmt::format("One of {} [apgd]", fmt::join(method_names(), ", ")));
  verb.add_option("--law", a->law, "Friction law: coulomb, associated or box [coulomb]");
  verb.add_option("--measure", a->measure,
                  fmt::format("Error that stops the solve: {} [natural_relative]",
                              fmt::join(measure_names(), ", ")));
  verb.add_option("--tolerance", a->options.tolerance, "Wanted value of that error [1e-6]");
  verb.add_option("--max-iterations", a->options.max_iterations, "[100000]");
  verb.add_option("--stall-iterations", a->options.stall_iterations,
                  "Stop when the best error fell by less than 1 % over so many iterations [50000]");
  verb.add_option(
      "--time-limit", a->options.time_limit,
      "Seconds; the best iterate so far is returned. The answer then depends on the clock");
  verb.add_option("--warm-start", a->warm_start,
                  "Start from the /solution of this file, if better than zero");
  verb.add_option("--output", a->output, "Write the answer here (FCLib's /solution layout)");
  verb.add_option("--report", a->report, "Write the report here (JSON)");
  verb.add_option("--history", a->history,
                  "Write all errors of every iteration here (CSV); takes many times longer");
  verb.add_option("-s,--set", a->settings, "solver.KEY=VALUE; may be repeated");
  add_method_options(verb, a);
  add_common(verb, common);
  return [a, &common] { return solve_file(*a, common); };
}

}  // namespace talus::app
