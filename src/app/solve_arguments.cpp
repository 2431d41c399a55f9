#include "app/solve_arguments.hpp"

#include "app/faults.hpp"
#include "app/remarks.hpp"
#include "app/set_up.hpp"
#include "app/solver_settings.hpp"

#include <cmath>
#include <fmt/format.h>
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

/// Runs `write`; what goes wrong joins `lost`.
template <class Write>
void attempt(std::string& lost, const Write& write) {
  try {
    write();
  } catch (const std::exception& error) {
    lost += (lost.empty() ? "" : "\n") + std::string(error.what());
  }
}

}  // namespace

std::string write_output(const SolveArguments& a, const SolveReport& report, const Answer& answer,
                         const Communicator& comm) {
  std::string lost;
  if (a.output.empty()) return lost;
  attempt(lost, [&] {
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
    if (!path.empty()) attempt(lost, [&] { write_text(path, text()); });
  };
  write(a.report, [&] { return report_json(report, facts); });
  write(a.history, [&] { return history_csv(report); });
  write(common.write_partition, [&] { return partition_lines; });
}

}  // namespace talus::app
