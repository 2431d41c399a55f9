#include "app/solve/comparison_tables.hpp"

#include "app/solve/solve_arguments.hpp"
#include "app/streams.hpp"
#include "core/words.hpp"
#include "io/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::app {
namespace {

using io::TextTable;

constexpr std::size_t width = 100;  // of a terminal, characters
constexpr std::size_t widest_name = 40;
constexpr const char* nothing = "-";

/// A measure that is not defined for the problem is no number.
std::string error_text(double value) {
  return std::isnan(value) ? nothing : fmt::format("{:.2e}", value);
}

std::string seconds_text(double seconds) {
  return seconds < 1000.0 ? fmt::format("{:#.3g}", seconds) : fmt::format("{:.0f}", seconds);
}

std::string block(const TextTable& table) {
  return table.rows.empty() ? "" : fmt::format("\n{}", io::text_table(table, width));
}

std::string goals_text(const Comparison& comparison) {
  std::vector<std::string> goals;
  for (const double tolerance : comparison.tolerances)
    goals.push_back(fmt::format("{:g}", tolerance));
  const std::string unit = unit_of(comparison.measure);
  return fmt::format("{}{}{}", fmt::join(goals, ", "), unit.empty() ? "" : " ", unit);
}

/// Solves that were not begun, problem by problem: "wall.h5 (apgd, psor), net.h5 and 12 more".
std::string not_run_text(const Comparison& comparison) {
  constexpr std::size_t most_shown = 3;
  const std::vector<NotRun>& rest = comparison.not_run;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(most_shown, rest.size()); ++k)
    words.push_back(
        rest[k].methods.size() == comparison.methods.size()
            ? rest[k].problem
            : fmt::format("{} ({})", rest[k].problem, fmt::join(rest[k].methods, ", ")));
  const std::size_t more = rest.size() - words.size();
  return fmt::format("{}{}", fmt::join(words, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

void print_heading(const Comparison& comparison) {
  const bool any_contacts =
      std::any_of(comparison.problems.begin(), comparison.problems.end(),
                  [](const ComparedProblem& problem) { return problem.facts.contacts > 0; });
  say("compared    law {}, {} to {}, from zero, {}\n",
      any_contacts ? name_of(comparison.law) : "none (no contacts)", name_of(comparison.measure),
      goals_text(comparison), counted(comparison.threads, "thread"));
  if (!comparison.finished)
    say("INCOMPLETE  stopped by hand; not run: {}\n", comparison.not_run.empty()
                                                          ? "nothing but the rest of the last solve"
                                                          : not_run_text(comparison));
}

/// A row per method that ran.
template <class Cells>
TextTable per_method(const ComparedProblem& problem, std::vector<std::string> heading,
                     const Cells& cells) {
  TextTable table{std::move(heading), {}};
  for (const MethodRun& run : problem.runs) {
    if (!run.ran()) continue;
    std::vector<std::string> row = cells(run);
    row.insert(row.begin(), run.method);
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable work_table(const ComparedProblem& problem) {
  TextTable table = per_method(
      problem, {"method", "status", "iterations", "products", "damped", "seconds", "error", ""},
      [](const MethodRun& run) -> std::vector<std::string> {
        const SolveReport& r = run.report;
        return {name_of(r.status),
                fmt::format("{}", r.iterations),
                fmt::format("{}", run.work),
                r.dampings > 0 ? fmt::format("{}", r.dampings) : nothing,
                seconds_text(r.seconds),
                error_text(r.error),
                run.within_tolerance() ? "" : "ABOVE"};
      });
  table.words = 2;
  return table;
}

/// What tolerances [from, to) cost.
TextTable milestone_table(const Comparison& comparison, const ComparedProblem& problem,
                          std::size_t from, std::size_t to) {
  std::vector<std::string> heading{"first at"};
  for (std::size_t t = from; t < to; ++t)
    for (const char* what : {"iter.", "prod.", "sec."})
      heading.push_back(fmt::format("{:g} {}", comparison.tolerances[t], what));
  return per_method(problem, heading, [&](const MethodRun& run) {
    std::vector<std::string> cells;
    for (std::size_t t = from; t < to; ++t) {
      const Milestone& m = run.milestones[t];
      cells.push_back(m.met ? fmt::format("{}", m.iterations) : nothing);
      cells.push_back(m.met ? fmt::format("{}", m.work) : nothing);
      cells.push_back(m.met ? seconds_text(m.seconds) : nothing);
    }
    return cells;
  });
}

TextTable error_table(const ComparedProblem& problem) {
  const bool joints = problem.facts.joint_rows > 0;
  return per_method(problem,
                    {"errors", "natural", "relative", "energy, J", "F-B, J", "e1", "e2",
                     "bilateral", "objective, J"},
                    [&](const MethodRun& run) -> std::vector<std::string> {
                      const ErrorReport& e = run.report.errors;
                      return {error_text(e.natural),
                              error_text(e.natural_relative),
                              error_text(e.energy),
                              error_text(e.fischer_burmeister),
                              error_text(e.siconos),
                              error_text(e.siconos_invariant),
                              joints ? error_text(e.bilateral) : nothing,
                              fmt::format("{:.10e}", e.objective)};
                    });
}

TextTable distance_table(const ComparedProblem& problem) {
  if (problem.known.empty()) return {};
  return per_method(
      problem,
      {fmt::format("against {}", problem.known), "objective, J", "relative", "velocity, m/s",
       "energy norm"},
      [&](const MethodRun& run) -> std::vector<std::string> {
        if (!run.distance) return {nothing, nothing, nothing, nothing};
        const double difference = run.report.errors.objective - problem.known_objective;
        return {fmt::format("{:+.2e}", difference),
                problem.known_objective == 0.0
                    ? nothing
                    : error_text(std::abs(difference / problem.known_objective)),
                error_text(run.distance->velocity), error_text(run.distance->energy_norm)};
      });
}

void print_refusals(const ComparedProblem& problem) {
  for (const MethodRun& run : problem.runs)
    if (!run.ran()) say("not applicable to {}: {}\n", problem.facts.problem, run.refusal);
}

void print_one(const Comparison& comparison) {
  const ComparedProblem& problem = comparison.problems.front();
  print_problem(problem.facts);
  print_heading(comparison);
  say("{}", block(work_table(problem)));
  constexpr std::size_t abreast = 2;  // tolerances in one block
  const std::size_t tolerances = comparison.tolerances.size();
  for (std::size_t t = 0; t < tolerances; t += abreast)
    say("{}", block(milestone_table(comparison, problem, t, std::min(tolerances, t + abreast))));
  say("{}{}", block(error_table(problem)), block(distance_table(problem)));
  if (!problem.known.empty())
    say("({}: its own error in this measure is {})\n", problem.known,
        error_text(problem.known_error));
  say("\n");
  print_refusals(problem);
}

/// Names of the problems without what all of them have in common: folder and ending.
std::vector<std::string> short_names(const std::vector<ComparedProblem>& problems) {
  std::string common = problems.front().facts.problem;
  for (const ComparedProblem& problem : problems) {
    const std::string& name = problem.facts.problem;
    const auto differ = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common.erase(differ, common.end());
  }
  const std::size_t slash = common.rfind('/');
  const std::size_t skipped = slash == std::string::npos ? 0 : slash + 1;
  std::vector<std::string> names;
  for (const ComparedProblem& problem : problems) {
    std::string name = problem.facts.problem.substr(skipped);
    for (const char* ending : {".hdf5", ".h5"})
      if (name.size() > std::string(ending).size() && name.ends_with(ending))
        name.erase(name.size() - std::string(ending).size());
    names.push_back(io::shortened(name, widest_name));
  }
  return names;
}

/// Null where the method was not run; it may have been refused.
const MethodRun* entry_of(const ComparedProblem& problem, const std::string& method) {
  for (const MethodRun& run : problem.runs)
    if (run.method == method) return &run;
  return nullptr;
}

const MethodRun* run_of(const ComparedProblem& problem, const std::string& method) {
  const MethodRun* entry = entry_of(problem, method);
  return entry != nullptr && entry->ran() ? entry : nullptr;
}

/// Methods that took part anywhere.
std::vector<std::string> methods_of(const Comparison& comparison) {
  std::vector<std::string> methods;
  for (const ProfileLine& line : profile_of(comparison, 0, Cost::Work))
    methods.push_back(line.method);
  return methods;
}

TextTable problem_table(const Comparison& comparison) {
  const std::vector<std::string> methods = methods_of(comparison);
  const std::vector<std::string> names = short_names(comparison.problems);
  TextTable table{
      {fmt::format("products to {:g}", comparison.tolerances.back()), "contacts", "joints"}, {}};
  table.heading.insert(table.heading.end(), methods.begin(), methods.end());
  for (std::size_t p = 0; p < names.size(); ++p) {
    const ComparedProblem& problem = comparison.problems[p];
    std::vector<std::string> row{names[p], fmt::format("{}", problem.facts.contacts),
                                 fmt::format("{}", problem.facts.joint_rows)};
    for (const std::string& method : methods) {
      const MethodRun* run = entry_of(problem, method);
      row.push_back(run == nullptr            ? nothing
                    : !run->ran()             ? "n/a"
                    : run->within_tolerance() ? fmt::format("{}", run->milestones.back().work)
                                              : fmt::format("({:.0e})", run->report.error));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// How many problems a method took and solved, and its performance profile at a few factors.
TextTable profile_table(const Comparison& comparison, std::size_t tolerance, Cost cost) {
  constexpr double factors[] = {1.0, 1.5, 2.0, 5.0, 10.0, 100.0};
  TextTable table{{fmt::format("{:g} by {}", comparison.tolerances[tolerance],
                               cost == Cost::Work ? "products" : "seconds"),
                   "taken", "solved", "best", "within 1.5x", "2x", "5x", "10x", "100x"},
                  {}};
  for (const ProfileLine& line : profile_of(comparison, tolerance, cost)) {
    int taken = 0, solved = 0;
    for (const ComparedProblem& problem : comparison.problems)
      if (const MethodRun* run = run_of(problem, line.method);
          run != nullptr && comparison.is_complete(problem)) {
        ++taken;
        solved += run->milestones[tolerance].met ? 1 : 0;
      }
    std::vector<std::string> row{line.method, fmt::format("{}", taken), fmt::format("{}", solved)};
    for (const double factor : factors)
      row.push_back(fmt::format("{:.0f} %", 100.0 * share_within(line, factor)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void print_several(const Comparison& comparison) {
  say("problems    {}\n", comparison.problems.size());
  print_heading(comparison);
  say("{}", block(problem_table(comparison)));
  say("(in brackets: the error where it stopped above {:g}; n/a: not applicable{})\n",
      comparison.tolerances.back(), comparison.finished ? "" : "; -: not run");
  for (std::size_t t = 0; t < comparison.tolerances.size(); ++t)
    for (const Cost cost : {Cost::Work, Cost::Seconds})
      say("{}", block(profile_table(comparison, t, cost)));
  say("(share of all {}problems solved at no more than so many times the cost of the best)\n",
      comparison.finished ? "" : "complete ");
}

}  // namespace

void print_comparison(const Comparison& comparison, bool reasons) {
  if (comparison.problems.empty()) return print_heading(comparison);
  if (comparison.problems.size() == 1) {
    print_one(comparison);
  } else {
    print_several(comparison);
    if (reasons)
      for (const ComparedProblem& problem : comparison.problems) print_refusals(problem);
  }
  if (std::find(comparison.methods.begin(), comparison.methods.end(), name_of(Method::Psor)) !=
      comparison.methods.end())
    say("products of psor: its sweeps are counted in, each reads N once as a product does\n");
  // the reasons stand on stderr and in the files
  for (const LeftOut& left : comparison.unread) say("not compared: {}\n", left.file);
}

}  // namespace talus::app
