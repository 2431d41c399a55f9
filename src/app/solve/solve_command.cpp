#include "talus/parallel/agreement.hpp"

#include "app/faults.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/run/set_up.hpp"
#include "app/solve/loaded_problem.hpp"
#include "app/solve/solve_arguments.hpp"
#include "app/solve/warm_start.hpp"
#include "app/solver_settings.hpp"
#include "app/streams.hpp"
#include "core/simd.hpp"
#include "core/words.hpp"
#include "solvers/compare.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace talus::app {
namespace {

/// Asked before the solve: afterwards it would cost the user the answer.
void check_goals(const SolveArguments& a, const CommonOptions& common, InputErrors& faults) {
  if (!a.output.empty()) collect(faults, [&] { require_solution_goal(a.output, "--output"); });
  using Named = std::pair<const char*, const std::string&>;
  std::vector<Named> others{{"the problem", a.problem},
                            {"the warm start", a.warm_start},
                            {"the solution (--output)", a.output}};
  struct Goal {
    const char *option, *what;
    const std::string& path;
  };
  for (const Goal& goal :
       {Goal{"--report", "the report (--report)", a.report},
        Goal{"--history", "the history (--history)", a.history},
        Goal{"--write-partition", "the partition (--write-partition)", common.write_partition}}) {
    if (goal.path.empty()) continue;
    collect(faults, [&] { require_writable(goal.path, goal.option); });
    for (const auto& [what, other] : others)
      if (is_same_file(goal.path, other))
        faults.add(fmt::format("{} {}: is the file of {}; give it a name of its own", goal.option,
                               goal.path, what));
    others.emplace_back(goal.what, goal.path);
  }
}

bool was_given(const SolveArguments& a, const std::string& option) {
  const std::string begin = "solver." + option + "=";
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& assignment : *list)
      if (assignment.rfind(begin, 0) == 0) return true;
  return false;
}

}  // namespace

SolveOptions settle(const SolveArguments& a, const CommonOptions& common, InputErrors faults) {
  SolveOptions options;
  // an unknown option leaves its value behind, which looks like a problem
  const bool may_be_a_value = !faults.empty();
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& assignment : *list)
      collect(faults, [&] { apply_setting(assignment, options); });
  const bool both = !a.problem.empty() && !a.generate.empty();
  if ((both && !may_be_a_value) || (a.problem.empty() && a.generate.empty()))
    faults.add(
        "give one problem: a file (talus solve PROBLEM.h5) or --generate KIND,key=value,...");
  if (was_given(a, "method") && was_given(a, "methods"))
    faults.add(
        "--method and --methods: give one of them; --methods runs several and takes the best "
        "answer");
  if (common.speaks()) check_goals(a, common, faults);
  collect(faults, [&] { parse_partition(common.partition); });
  if (!common.model.empty()) collect(faults, [&] { parse_network_model(common.model); });
  // the options alone; the problem, which may be large, is read when they are right
  collect(faults, [&] { validate(options, ConeProblem{}); });
  faults.throw_if_any();
  options.keep_history = options.history_all_measures = !a.history.empty();
  return options;
}

void require_fit(const SolveOptions& options, const ConeProblem& problem, const std::string& path) {
  try {
    validate(options, problem);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  refuse_blind_measure(options.measure, problem);
}

void note_idle_options(const SolveArguments& a, const SolveOptions& options,
                       const CommonOptions& common) {
  const std::vector<std::string> methods = asked_methods(options);
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& idle : idle_settings(*list, methods))
      note(common, fmt::format("{} was given, but the method{} {}", idle,
                               methods.size() == 1 ? " is" : "s are", fmt::join(methods, ", ")));
}

std::vector<std::string> asked_methods(const SolveOptions& options) {
  std::vector<std::string> names;
  for (const Method method : options.methods) names.push_back(name_of(method));
  if (names.empty()) names.push_back(name_of(options.method));
  return names;
}

namespace {

/// Runs `write`; what goes wrong joins `lost`. Where ranks write together, what one of them alone
/// knows of ends all: the others wait for it.
template <class Write>
void attempt(std::string& lost, const Communicator& comm, const Write& write) {
  try {
    write();
  } catch (const std::exception& error) {
    if (!is_known_to_all(error, comm)) throw;
    lost += (lost.empty() ? "" : "\n") + failure_text(error);
  }
}

}  // namespace

std::string write_output(const SolveArguments& a, const SolveReport& report, const Answer& answer,
                         const Communicator& comm) {
  std::string lost;
  if (a.output.empty()) return lost;
  attempt(lost, comm, [&] {
    std::vector<Attribute> attributes{
        {"law", name_of(report.law)},           {"method", name_of(report.method)},
        {"measure", name_of(report.measure)},   {"error", report.error},
        {"objective", report.errors.objective}, {"origin", std::string("talus ") + TALUS_VERSION}};
    if (!std::isnan(report.errors.siconos)) {  // there are contacts
      attributes.push_back({"error_e1", report.errors.siconos});
      attributes.push_back({"error_e2", report.errors.siconos_invariant});
    }
    write_answer(a.output, answer, attributes, comm);
  });
  return lost;
}

void write_texts(const SolveArguments& a, const CommonOptions& common, const SolveReport& report,
                 const RunFacts& facts, const std::string& partition_lines, std::string& lost) {
  const auto write = [&](const std::string& path, const auto& text) {
    if (!path.empty()) attempt(lost, Communicator::self(), [&] { write_text(path, text()); });
  };
  write(a.report, [&] { return report_json(report, facts); });
  write(a.history, [&] { return history_csv(report); });
  write(common.write_partition, [&] { return partition_lines; });
}

namespace {

std::string with_unit(const std::string& number, Measure measure) {
  const std::string unit = unit_of(measure);
  return unit.empty() ? number : number + " " + unit;
}

/// "20 products", which a sweep of psor is one of.
std::string products_text(std::int64_t work, std::int64_t products) {
  return counted(work, "product") +
         (work > products ? " (" + counted(work - products, "sweep") + " counted in)" : "");
}

void print_work(const SolveReport& report, const RunFacts& facts) {
  const bool several = report.candidates.size() > 1;
  const std::string damped = report.dampings > 0 && !several
                                 ? ", momentum limited " + counted(report.dampings, "time")
                                 : std::string();
  say("work        {}{}{}, {}, {}, {:.3f} s, {}\n", several ? "of all methods: " : "",
      counted(all_iterations(report), "iteration"), damped,
      products_text(work_of(report), report.operator_products),
      counted(report.reductions, "reduction"), report.seconds, counted(facts.threads, "thread"));
}

/// On several ranks: how the work was shared and what sharing cost.
void print_ranks(const SolveReport& report, const RunFacts& facts) {
  if (facts.quality) {
    const PartitionQuality& q = *facts.quality;
    say("ranks       {} by {}: imbalance {:.3f}, {:.1f} % of the rows mirrored, {:.1f} % of "
        "the bodies at borders, at most {}\n",
        facts.ranks, facts.partition, q.imbalance, 100.0 * q.mirrored_share,
        100.0 * q.boundary_share, counted(q.most_neighbours, "neighbour"));
  }
  if (facts.ledger) {
    const Ledger& l = *facts.ledger;
    const double per = 1.0 / static_cast<double>(std::max<std::int64_t>(1, all_iterations(report)));
    say("ledger      per iteration and rank: {:.2f} reductions, {:.2f} exchanges, {:.2f} "
        "messages, {:.1f} kB\n",
        per * static_cast<double>(l.reductions), per * static_cast<double>(l.exchanges),
        per * l.messages.mean, 1e-3 * per * l.bytes.mean);
    const auto seconds = [](const Spread& s) {
      return fmt::format("{:.3f} s ({:.3f} to {:.3f})", s.mean, s.least, s.most);
    };
    say("            computing {}, waiting {}, reducing {}; imbalance {:.2f}\n",
        seconds(l.compute_seconds), seconds(l.wait_seconds), seconds(l.reduction_seconds),
        l.imbalance());
  }
  if (facts.model) {
    const ModelEstimate& m = *facts.model;
    say("model       {} ranks, latency {:g} s, {:g} bytes/s: {:.3g} s = computing {:.3g} + "
        "exchanges {:.3g} + reductions {:.3g}; efficiency {:.2f}\n",
        m.network.ranks, m.network.latency, m.network.bandwidth, m.seconds(), m.compute_seconds,
        m.exchange_seconds, m.reduction_seconds, m.efficiency);
  }
}

/// "apgd", or "auto: minres (free rows only)".
std::string described_method(const SolveReport& report) {
  if (report.method != Method::Auto) return name_of(report.method);
  constexpr std::size_t most_shown = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(most_shown, report.stages.size()); ++k) {
    const StageReport& stage = report.stages[k];
    text += fmt::format("{} {}{}", k == 0 ? ":" : ",", name_of(stage.method),
                        stage.averaged ? "" : " on the mean diagonal");
    if (stage.method == Method::Minres) text += " (free rows only)";
  }
  if (report.stages.size() > most_shown)
    text += fmt::format(" ... {} stages", report.stages.size());
  return name_of(report.method) + text;
}

void print_candidates(const SolveReport& report) {
  const char* label = "candidates";
  for (const CandidateReport& c : report.candidates) {
    say("{:<11} {:<7} {}, {}, {}, {}, {:.3f} s{}\n", label, name_of(c.method), name_of(c.status),
        with_unit(fmt::format("{:.3e}", c.error), report.measure),
        counted(c.iterations, "iteration"),
        counted(work_of(c.method, c.iterations, c.operator_products), "product"), c.seconds,
        report.candidates.size() > 1 && c.method == report.method ? "; taken" : "");
    label = "";
  }
}

void print_errors(const SolveReport& report, const RunFacts& facts) {
  const ErrorReport& e = report.errors;
  if (facts.contacts > 0)
    say("errors of the {} law, verified with a fresh product:\n", name_of(report.law));
  else
    say("errors, verified with a fresh product:\n");
  say("  natural            {:.3e} sqrt(J), relative to the start from zero {:.3e}\n", e.natural,
      e.natural_relative);
  say("  natural, velocity  {:.3e} m/s rms, largest {:.3e} m/s\n", e.natural_velocity,
      e.natural_velocity_max);
  say("  natural, local     {:.3e} m/s rms around the worst body\n", e.natural_local);
  say("  natural, impulse   {:.3e} N s rms, largest {:.3e} N s\n", e.natural_impulse,
      e.natural_impulse_max);
  say("  natural, tau form  {:.3e} relative\n", e.natural_tau);
  say("  energy             {:.3e} J\n", e.energy);
  if (std::isfinite(e.fischer_burmeister))
    say("  Fischer-Burmeister {:.3e} J\n", e.fischer_burmeister);
  else
    say("  Fischer-Burmeister - (not defined for this problem)\n");
  if (facts.contacts > 0)
    say("  Siconos            e1 {:.3e} (depends on units), e2 {:.3e} (does not)\n", e.siconos,
        e.siconos_invariant);
  else
    say("  Siconos            - (of contacts only)\n");
  if (facts.joint_rows > 0) say("  bilateral          {:.3e} m/s largest\n", e.bilateral);
  say("  penalised gap      {:.3e} J\n", e.penalised_gap);
  say("objective   {:.12e} J; duality gap {:.3e} J, dual violation {:.3e} m/s\n", e.objective,
      e.duality_gap, e.dual_violation);
}

}  // namespace

std::string unit_of(Measure measure) {
  switch (measure) {
    case Measure::Natural:
      return "sqrt(J)";
    case Measure::NaturalVelocity:
    case Measure::NaturalLocal:
    case Measure::Bilateral:
      return "m/s";
    case Measure::Energy:
    case Measure::FischerBurmeister:
    case Measure::PenalisedGap:
      return "J";
    case Measure::NaturalRelative:
    case Measure::NaturalTau:
    case Measure::Siconos:
    case Measure::SiconosInvariant:
      break;
  }
  return "";
}

void print_problem(const RunFacts& facts) {
  const std::string bodies =
      facts.bodies > 0 ? counted(facts.bodies, "body", "bodies") + ", " : std::string();
  say("problem     {} ({}): {}{}, {}\n", facts.problem, facts.format, bodies,
      counted(facts.contacts, "contact"), counted(facts.joint_rows, "joint row"));
}

void print_summary(const SolveReport& report, const RunFacts& facts) {
  print_problem(facts);
  say("law, method {}, {}\n", facts.contacts > 0 ? name_of(report.law) : "none (no contacts)",
      described_method(report));
  say("status      {}: {} = {}, wanted {}{}\n", name_of(report.status), name_of(report.measure),
      with_unit(fmt::format("{:.3e}", report.error), report.measure),
      with_unit(fmt::format("{:.1e}", report.tolerance), report.measure),
      report.error <= report.tolerance ? "" : "  ABOVE TOLERANCE");
  print_work(report, facts);
  print_ranks(report, facts);
  print_candidates(report);
  print_errors(report, facts);
  say("hash        {:016x}; reproducible: {}\n", facts.solution_hash, reproducible(report));
}

// talus solve: one given problem, its answer, and how good the answer is.

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
