#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/remarks.hpp"
#include "app/run/set_up.hpp"
#include "app/solve/compare_plan.hpp"
#include "app/solve/comparison_tables.hpp"
#include "app/solve/loaded_problem.hpp"
#include "app/solver_settings.hpp"
#include "app/streams.hpp"
#include "core/words.hpp"
#include "io/comparison_file.hpp"
#include "io/report_file.hpp"
#include "solvers/compare.hpp"

#include <omp.h>

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace talus::app {
namespace {

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::vector<std::string> chosen_methods(const std::string& text, InputErrors& faults) {
  std::vector<std::string> methods;
  if (text.empty()) {  // auto is one of the others most of the time
    methods = method_names();
    methods.erase(std::find(methods.begin(), methods.end(), name_of(Method::Auto)));
    return methods;
  }
  for (const std::string& name : listed(text))
    collect(faults, [&] {
      method_named(name);
      if (std::find(methods.begin(), methods.end(), name) == methods.end()) methods.push_back(name);
    });
  return methods;
}

std::vector<double> chosen_tolerances(const std::string& text, InputErrors& faults) {
  std::set<double, std::greater<>> tolerances;
  for (const std::string& word : listed(text))
    collect(faults, [&] {
      const auto value = parse_number<double>("--tolerances", word, "a number");
      if (!(value > 0.0) || !(value < infinity))
        throw InputError(fmt::format("--tolerances = {} must be above 0 and finite", word));
      tolerances.insert(value);
    });
  return {tolerances.begin(), tolerances.end()};
}

void apply(const CompareArguments& a, SolveOptions& options, InputErrors& faults) {
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& assignment : *list)
      collect(faults, [&] {
        const std::string key = assignment.substr(0, assignment.find('='));
        for (const std::string word : {"method", "methods", "tolerance"})
          if (key == "solver." + word)
            throw InputError(fmt::format("-s {}: compare takes several: give --{}", key,
                                         word == "tolerance" ? "tolerances" : "methods"));
        apply_setting(assignment, options);
      });
}

/// Values of options; whether a method takes a law or a problem is not asked here.
void check_options(const ComparePlan& plan, InputErrors& faults) {
  std::set<std::string> known;  // what is wrong for all methods is said once
  for (const std::string& name : plan.methods) {
    SolveOptions options = plan.options;
    options.method = method_named(name);
    if (!refusal_of(ConeProblem{}, options.method, options.law).empty()) continue;
    InputErrors mine;
    collect(mine, [&] { validate(options, ConeProblem{}); });
    try {
      mine.throw_if_any();
    } catch (const InputError& error) {
      for (const std::string& message : error.messages())
        if (known.insert(message).second) faults.add(message);
    }
  }
}

void check_goals(const CompareArguments& a, const ProblemSources& sources, InputErrors& faults) {
  if (!a.output.empty()) {
    const std::vector<std::string> endings{".csv", ".json"};
    const std::string ending = ending_of(a.output);
    if (std::find(endings.begin(), endings.end(), ending) == endings.end())
      faults.add(fmt::format("--output {}: the ending chooses the format: {}give it {}", a.output,
                             did_you_mean(ending, endings), fmt::join(endings, " or ")));
    else
      collect(faults, [&] { require_writable(a.output, "--output"); });
  }
  for (const auto& [option, path] :
       {std::pair<const char*, const std::string&>{"--output", a.output}, {"--plot", a.plot}})
    for (const ProblemSource& source : sources.problems)
      if (!source.generated && is_same_file(path, source.name))
        faults.add(
            fmt::format("{} {}: is a problem file; give it a name of its own", option, path));
  if (is_same_file(a.output, a.plot))
    faults.add(
        fmt::format("--plot {}: is the file of --output; give it a name of its own", a.plot));
}

}  // namespace

ComparePlan settle_comparison(const CompareArguments& a, const CommonOptions& common,
                              InputErrors faults) {
  ComparePlan plan;
  const std::size_t faults_before = faults.count();
  apply(a, plan.options, faults);
  plan.methods = chosen_methods(a.methods, faults);
  plan.tolerances = chosen_tolerances(a.tolerances, faults);
  if (!plan.tolerances.empty()) plan.options.tolerance = plan.tolerances.back();
  plan.output = a.output;
  if (a.problems.empty() && a.generate.empty())
    faults.add(
        "give problems: files or folders (talus compare PROBLEM.h5) or --generate "
        "KIND,key=value,...");
  // an unknown option leaves its value behind, which looks like a problem
  if (faults_before == 0)
    collect(faults, [&] { plan.sources = find_sources(a.problems, a.generate); });
  check_options(plan, faults);
  collect(faults, [&] { parse_partition(common.partition); });
  if (common.speaks()) check_goals(a, plan.sources, faults);
  if (!a.plot.empty() && common.speaks())
    collect(faults, [&] { plan.plotter.emplace(a.plot, "--plot"); });
  faults.throw_if_any();
  return plan;
}

// talus compare: several methods on one problem or on many, what each costs and how good it gets.

namespace {

/// Runs a plan, problem after problem, method after method: nothing else runs beside them, so that
/// their seconds can be compared.
class ComparisonRun {
 public:
  ComparisonRun(const ComparePlan& plan, const CommonOptions& common)
      : plan_(plan), common_(common), line_(common), comm_(common.comm) {
    result_.law = plan.options.law;
    result_.measure = plan.options.measure;
    result_.tolerances = plan.tolerances;
    result_.methods = plan.methods;
    result_.options = used_settings(plan.options, plan.methods);
    result_.threads = omp_get_max_threads();
    result_.skipped = plan.sources.skipped;
    result_.finished = false;
  }

  const Comparison& run() {
    const std::vector<ProblemSource>& sources = plan_.sources.problems;
    for (number_ = 0; number_ < sources.size(); ++number_) {
      if (is_ended())
        result_.not_run.push_back({sources[number_].name, plan_.methods});
      else
        compare(sources[number_]);
      // a long run that is ended leaves what it found
      if (!plan_.output.empty() && sources.size() > 1 && !result_.problems.empty())
        agree(comm_, [this] { write(); });
    }
    result_.finished = !ended_;
    line_.close();
    return result_;
  }

  void write() const {
    if (!common_.speaks()) return;
    write_text(plan_.output, ending_of(plan_.output) == ".csv" ? comparison_csv(result_)
                                                               : comparison_json(result_));
  }

 private:
  void compare(const ProblemSource& source) {
    line_.show(prefix("reading"), since_start());
    try {
      if (source.may_be_other && !agreed(comm_, [&] { return holds_problem(source.name); })) {
        result_.skipped.push_back({source.name, "holds no problem"});
        return;
      }
      const std::string none;
      solve_all(LoadedProblem(
          source.generated ? ProblemOrigin{none, source.name} : ProblemOrigin{source.name, none},
          parse_partition(common_.partition), comm_));
    } catch (const std::bad_alloc&) {
      if (comm_.size() > 1) throw;  // the others do not know
      leave_out(source, source.name + ": too large for the memory of this machine");
    } catch (const InputError& error) {
      leave_out(source, error.what());
    }
  }

  void leave_out(const ProblemSource& source, const std::string& reason) {
    // faults of a file begin with its name; those of a problem that was read do not
    const bool named = reason.rfind(source.name, 0) == 0;
    result_.unread.push_back({source.name, named ? reason : source.name + ": " + reason});
    line_.close();
    if (plan_.sources.problems.size() > 1 && common_.speaks())
      say(stderr, "talus: not compared: {}\n", result_.unread.back().reason);
  }

  void solve_all(const LoadedProblem& loaded) {
    agree(comm_, [&] { refuse_blind_measure(plan_.options.measure, loaded.problem()); });
    ComparedProblem compared;
    compared.facts = loaded.facts();
    const std::optional<KnownAnswer> known = known_answer(loaded, compared);
    NotRun rest{loaded.file().path, {}};
    for (const std::string& method : plan_.methods)
      if (is_ended())
        rest.methods.push_back(method);
      else
        compared.runs.push_back(run_one(loaded, known, method));
    if (!compared.runs.empty()) result_.problems.push_back(std::move(compared));
    if (!rest.methods.empty()) result_.not_run.push_back(std::move(rest));
  }

  /// Whether the user wants an end; alike on all ranks. Collective.
  bool is_ended() {
    if (!ended_) ended_ = !comm_.all_agree(!interrupt_.asked());
    return ended_;
  }

  /// The stored answer of the law that is compared, if there is one.
  std::optional<KnownAnswer> known_answer(const LoadedProblem& loaded, ComparedProblem& compared) {
    const ProblemFile& file = loaded.file();
    const ConeProblem& problem = loaded.problem();
    const Law law = plan_.options.law;
    const Measure measure = plan_.options.measure;
    const std::string group = agreed(comm_, [&] {
      return file.solutions.empty() ? std::string() : stored_answer(file, name_of(law));
    });
    if (group.empty()) return std::nullopt;
    KnownAnswer known;
    try {
      known.impulses = loaded.stored_impulses(file.path, group);
    } catch (const InputError& error) {
      line_.close();
      note(common_, error.what());
      return std::nullopt;
    }
    evaluate_gap(problem, law, known.impulses, known.gap);
    compared.known = group;
    compared.known_error = evaluate(measure, problem, law, known.impulses, known.gap,
                                    reference_of(measure, problem, law, comm_), comm_);
    compared.known_objective =
        evaluate_all(problem, law, known.impulses, known.gap, comm_).objective;
    return known;
  }

  MethodRun run_one(const LoadedProblem& loaded, const std::optional<KnownAnswer>& known,
                    const std::string& method) {
    const ConeProblem& problem = loaded.problem();
    SolveOptions options = plan_.options;
    options.method = method_named(method);
    MethodRun run;
    run.method = method;
    run.refusal = refusal_of(problem, options.method, options.law);
    if (!run.ran()) return run;
    line_.show(prefix(method), since_start());
    Progress progress(options, line_, prefix(method) + ": ", since_start());
    options.progress = [&](const IterateStatus& status) { progress.show(status); };
    options.interrupted = [&] { return interrupt_.asked(); };
    RowVector impulses, gap;
    run = run_method(problem, options, plan_.tolerances, comm_, impulses, gap);
    if (run.report.status == SolveStatus::Interrupted) ended_ = true;
    run.solution_hash = loaded.answer(impulses, gap).hash;
    if (known) run.distance = distance_between(problem, impulses, gap, *known, comm_);
    detail(common_,
           fmt::format("{}, {}: {} after {} iterations, {} = {:.3e}, {:.3g} s", loaded.file().path,
                       method, name_of(run.report.status), run.report.iterations,
                       name_of(run.report.measure), run.report.error, run.report.seconds));
    return run;
  }

  double since_start() { return passed_ += watch_.lap(); }

  /// "3/26, about 4 min left, apgd"
  std::string prefix(const std::string& what) {
    const std::size_t count = plan_.sources.problems.size();
    if (count == 1) return what;
    const double done = static_cast<double>(number_), left = static_cast<double>(count) - done;
    const double guess = number_ > 0 ? since_start() / done * left : 0.0;
    return fmt::format("{}/{}{}, {}", number_ + 1, count,
                       guess > 1.0 ? fmt::format(", about {} left", about(guess)) : "", what);
  }

  const ComparePlan& plan_;
  const CommonOptions& common_;
  ProgressLine line_;
  Communicator comm_;
  Comparison result_;
  const InterruptWatch interrupt_;
  bool ended_ = false;  ///< by the user
  std::size_t number_ = 0;
  Stopwatch watch_;
  double passed_ = 0.0;
};

/// Files of folders that are something else are no fault, but are not passed over in silence.
void note_skipped(const Comparison& comparison, const CommonOptions& common) {
  if (comparison.skipped.empty()) return;
  note(common, fmt::format("{} file{} skipped, which hold{} no problem; --verbose names {}",
                           comparison.skipped.size(), comparison.skipped.size() == 1 ? "" : "s",
                           comparison.skipped.size() == 1 ? "s" : "",
                           comparison.skipped.size() == 1 ? "it" : "them"));
  for (const LeftOut& file : comparison.skipped)
    detail(common, fmt::format("skipped {}: {}", file.file, file.reason));
}

/// Throws InputError with all reasons where no method ran on anything. Of several problems, the
/// faults of each were named when it was read.
void require_anything(const Comparison& comparison, std::size_t problems_given) {
  const bool named = problems_given > 1 && !comparison.unread.empty();
  InputErrors reasons;
  reasons.add(named ? "nothing could be compared: the reasons stand above"
                    : "nothing could be compared:");
  if (!named)
    for (const LeftOut& file : comparison.unread) reasons.add(file.reason);
  for (const ComparedProblem& problem : comparison.problems)
    for (const MethodRun& run : problem.runs) {
      if (run.ran()) return;
      reasons.add(fmt::format("{}: {}", problem.facts.problem, run.refusal));
    }
  if (!named && reasons.count() == 1) reasons.add("no problem files were found");
  reasons.throw_if_any();
}

bool all_within_tolerance(const Comparison& comparison) {
  for (const ComparedProblem& problem : comparison.problems)
    for (const MethodRun& run : problem.runs)
      if (run.ran() && !run.within_tolerance()) return false;
  return comparison.unread.empty();
}

int compare_methods(const CompareArguments& a, const CommonOptions& common, InputErrors faults) {
  const ComparePlan plan =
      agreed(common.comm, [&] { return settle_comparison(a, common, std::move(faults)); });
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& idle : idle_settings(*list, plan.methods))
      note(common, fmt::format("{} was given, but its method is not compared", idle));
  ComparisonRun work(plan, common);
  const Comparison& comparison = work.run();
  note_skipped(comparison, common);
  agree(common.comm, [&] {
    if (comparison.finished) require_anything(comparison, plan.sources.problems.size());
  });
  std::string lost;  // a file that cannot be written does not cost the tables
  const auto attempt = [&](bool wanted, const auto& write) {
    try {
      if (wanted) write();
    } catch (const std::exception& error) {
      lost += (lost.empty() ? "" : "\n") + std::string(error.what());
    }
  };
  agree(common.comm, [&] {
    if (!common.speaks()) return;
    const bool any = !comparison.problems.empty();  // not where the user ended it at once
    attempt(any && !plan.output.empty(), [&] { work.write(); });
    attempt(any && plan.plotter, [&] { plan.plotter->draw(comparison_json(comparison)); });
    print_comparison(comparison, common.verbose);
    if (!lost.empty()) throw std::runtime_error(lost);
  });
  if (!comparison.finished) return exit_interrupted;
  return all_within_tolerance(comparison) ? exit_within_tolerance : exit_above_tolerance;
}

void add_options(CLI::App& verb, const std::shared_ptr<CompareArguments>& a) {
  verb.add_option("problems", a->problems,
                  "Problem files, and folders that are searched for them (.h5, .hdf5), subfolders "
                  "included")
      ->type_name("FILE.h5|FOLDER");
  verb.add_option(
          "--generate", a->generate,
          "Make a problem: KIND,key=value,... (keys: talus generate --help); may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  verb.add_option(
          "--methods", a->methods,
          fmt::format("Which, as a,b,... of {} [all but auto]", fmt::join(method_names(), ", ")))
      ->type_name("LIST");
  verb.add_option("--tolerances", a->tolerances,
                  fmt::format("Values of the error whose cost is compared; every method goes on to "
                              "the least [{}]",
                              a->tolerances))
      ->type_name("LIST");
  verb.add_option("--plot", a->plot,
                  "Draw here (.png, .svg, .pdf): one problem: error over products and over time; "
                  "several: performance profile. Needs Debian's python3-matplotlib")
      ->type_name("FILE.png");
  verb.add_option("--output", a->output,
                  "Write everything here: .json, or .csv with a line per run")
      ->type_name("FILE.json");
  verb.add_option("-s,--set", a->settings,
                  "An option as in a scene, such as solver.psor.relaxation=1.2; may be repeated")
      ->type_name("KEY=V")
      ->allow_extra_args(false);
}

}  // namespace

Command add_compare(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<CompareArguments>();
  CLI::App& verb = *program.add_subcommand(
      "compare", "Solve problems with several methods: what each costs, how good it gets");
  add_options(verb, a);
  SolveOptions defaults;
  const std::shared_ptr<std::vector<std::string>> assignments(a, &a->assignments);
  for (const SolverSetting& setting : general_settings(defaults))
    if (setting.name != "method" && setting.name != "methods" && setting.name != "tolerance")
      add_setting(verb, assignments, setting, "What is solved, and when it ends");
  for (const SolverSetting& setting : method_settings(defaults))
    add_setting(verb, assignments, setting,
                "Options of methods (short for -s solver.METHOD.OPTION=V)");
  add_partition(verb, common);
  add_threads(verb, common);
  add_common(verb, common);
  return
      [a, &common](InputErrors faults) { return compare_methods(*a, common, std::move(faults)); };
}

}  // namespace talus::app
