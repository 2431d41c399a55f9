#include "io/comparison_file.hpp"

#include "io/json_parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

using io::Json;

constexpr double least_work = 1.0;        // product
constexpr double least_seconds = 1.0e-6;  // below it a clock says little

bool counts(const Comparison& comparison, const ComparedProblem& problem) {
  return comparison.is_complete(problem) &&
         std::any_of(problem.runs.begin(), problem.runs.end(),
                     [](const MethodRun& run) { return run.ran(); });
}

/// To reach a tolerance on a problem; infinite where a method did not, or does not take it.
double cost_of(const ComparedProblem& problem, const std::string& method, std::size_t tolerance,
               Cost cost) {
  for (const MethodRun& run : problem.runs) {
    if (run.method != method || !run.ran()) continue;
    const Milestone& milestone = run.milestones[tolerance];
    if (milestone.met)
      return cost == Cost::Work ? static_cast<double>(milestone.work) : milestone.seconds;
  }
  return infinity;
}

Json milestone_json(const Milestone& m) {
  Json json = {{"tolerance", m.tolerance}, {"met", m.met}};
  json["iterations"] = m.met ? Json(m.iterations) : Json(nullptr);
  json["work"] = m.met ? Json(m.work) : Json(nullptr);
  json["seconds"] = m.met ? Json(m.seconds) : Json(nullptr);
  return json;
}

Json curve_json(const std::vector<CurvePoint>& curve) {
  Json iteration = Json::array(), work = Json::array(), seconds = Json::array(),
       error = Json::array();
  for (const CurvePoint& point : curve) {
    iteration.push_back(point.iteration);
    work.push_back(point.work);
    seconds.push_back(point.seconds);
    error.push_back(io::number(point.error));
  }
  return {{"iteration", iteration}, {"work", work}, {"seconds", seconds}, {"error", error}};
}

/// What a run is against the stored answer.
void add_distance(const ComparedProblem& problem, const MethodRun& run, Json& json) {
  if (!run.distance) return;
  json["objective_difference"] = io::number(run.report.errors.objective - problem.known_objective);
  json["velocity_difference"] = io::number(run.distance->velocity);
  json["energy_norm_difference"] = io::number(run.distance->energy_norm);
}

Json run_json(const ComparedProblem& problem, const MethodRun& run, bool with_curve) {
  Json json = {{"method", run.method}, {"applicable", run.ran()}};
  if (!run.ran()) {
    json["reason"] = run.refusal;
    return json;
  }
  const SolveReport& report = run.report;
  json["status"] = name_of(report.status);
  json["within_tolerance"] = run.within_tolerance();
  json["error"] = io::number(report.error);
  json["iterations"] = report.iterations;
  json["dampings"] = report.dampings;
  json["operator_products"] = report.operator_products;
  json["work"] = run.work;
  json["reductions"] = report.reductions;
  json["seconds"] = report.seconds;
  json["errors"] = io::errors_json(report.errors);
  json["objective"] = io::number(report.errors.objective);
  add_distance(problem, run, json);
  json["met"] = Json::array();
  for (const Milestone& milestone : run.milestones)
    json["met"].push_back(milestone_json(milestone));
  json["solution_hash"] = fmt::format("{:016x}", run.solution_hash);
  json["remarks"] = report.remarks;
  if (with_curve) json["curve"] = curve_json(run.curve);
  return json;
}

Json problem_json(const ComparedProblem& problem, bool with_curves) {
  Json json = {{"problem", problem.facts.problem},       {"format", problem.facts.format},
               {"bodies", problem.facts.bodies},         {"contacts", problem.facts.contacts},
               {"joint_rows", problem.facts.joint_rows}, {"known_answer", nullptr}};
  if (!problem.known.empty())
    json["known_answer"] = {{"group", problem.known},
                            {"error", io::number(problem.known_error)},
                            {"objective", io::number(problem.known_objective)}};
  json["runs"] = Json::array();
  for (const MethodRun& run : problem.runs)
    json["runs"].push_back(run_json(problem, run, with_curves));
  return json;
}

Json profiles_json(const Comparison& comparison) {
  const auto problems =
      std::count_if(comparison.problems.begin(), comparison.problems.end(),
                    [&](const ComparedProblem& problem) { return counts(comparison, problem); });
  Json profiles = Json::array();
  for (std::size_t t = 0; t < comparison.tolerances.size(); ++t)
    for (const Cost cost : {Cost::Work, Cost::Seconds}) {
      Json lines = Json::object();
      for (const ProfileLine& line : profile_of(comparison, t, cost))
        lines[line.method] = {{"tau", line.tau}, {"share", line.share}};
      profiles.push_back({{"tolerance", comparison.tolerances[t]},
                          {"cost", cost == Cost::Work ? "work" : "seconds"},
                          {"problems", problems},
                          {"methods", lines}});
    }
  return profiles;
}

Json left_out_json(const std::vector<LeftOut>& files) {
  Json json = Json::array();
  for (const LeftOut& left : files) json.push_back({{"file", left.file}, {"reason", left.reason}});
  return json;
}

/// A field of a CSV line, in quotes where RFC 4180 asks for them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string digits(double value) {
  return fmt::format("{:.17g}", value);
}

/// Heading and value of every column of a run.
std::vector<std::pair<std::string, std::string>> columns_of(const Comparison& comparison,
                                                            const ComparedProblem& problem,
                                                            const MethodRun& run) {
  const SolveReport& report = run.report;
  const ErrorReport& e = report.errors;
  const auto when = [](bool known, std::string text) { return known ? std::move(text) : ""; };
  std::vector<std::pair<std::string, std::string>> columns{
      {"problem", problem.facts.problem},
      {"format", problem.facts.format},
      {"bodies", fmt::format("{}", problem.facts.bodies)},
      {"contacts", fmt::format("{}", problem.facts.contacts)},
      {"joint_rows", fmt::format("{}", problem.facts.joint_rows)},
      {"law", name_of(comparison.law)},
      {"measure", name_of(comparison.measure)},
      {"method", run.method},
      {"not_applicable", run.refusal},
      {"status", when(run.ran(), name_of(report.status))},
      {"within_tolerance", when(run.ran(), fmt::format("{}", run.within_tolerance()))}};
  const auto add = [&](const char* name, const auto& value) {
    columns.emplace_back(name, when(run.ran(), fmt::format("{}", value)));
  };
  add("iterations", report.iterations);
  add("dampings", report.dampings);
  add("operator_products", report.operator_products);
  add("work", run.work);
  add("reductions", report.reductions);
  add("seconds", digits(report.seconds));
  add("error", digits(report.error));
  // the same numbers under the same names as in the JSON file
  const Json errors = io::errors_json(e);
  for (const auto& [name, value] : errors.items())
    add(name.c_str(), value.is_null() ? "" : digits(value.get<double>()));
  add("objective", digits(e.objective));
  columns.emplace_back("known_answer", problem.known);
  const bool near = run.distance.has_value();
  const AnswerDistance distance = run.distance.value_or(AnswerDistance{});
  columns.emplace_back("objective_difference",
                       when(near, digits(e.objective - problem.known_objective)));
  columns.emplace_back("velocity_difference", when(near, digits(distance.velocity)));
  columns.emplace_back("energy_norm_difference", when(near, digits(distance.energy_norm)));
  for (std::size_t t = 0; t < comparison.tolerances.size(); ++t) {
    const Milestone m = run.ran() ? run.milestones[t] : Milestone{};
    const std::string goal = fmt::format("{:g}", comparison.tolerances[t]);
    columns.emplace_back("iterations_to_" + goal, when(m.met, fmt::format("{}", m.iterations)));
    columns.emplace_back("work_to_" + goal, when(m.met, fmt::format("{}", m.work)));
    columns.emplace_back("seconds_to_" + goal, when(m.met, digits(m.seconds)));
  }
  columns.emplace_back("solution_hash", when(run.ran(), fmt::format("{:016x}", run.solution_hash)));
  return columns;
}

}  // namespace

bool Comparison::is_complete(const ComparedProblem& problem) const {
  return problem.runs.size() == methods.size() &&
         std::none_of(problem.runs.begin(), problem.runs.end(), [](const MethodRun& run) {
           return run.ran() && run.report.status == SolveStatus::Interrupted;
         });
}

std::vector<ProfileLine> profile_of(const Comparison& comparison, std::size_t tolerance,
                                    Cost cost) {
  std::vector<std::string> methods;
  for (const std::string& method : comparison.methods)
    for (const ComparedProblem& problem : comparison.problems) {
      const auto mine = [&](const MethodRun& run) { return run.method == method && run.ran(); };
      if (!std::any_of(problem.runs.begin(), problem.runs.end(), mine)) continue;
      methods.push_back(method);
      break;
    }
  std::vector<std::vector<double>> costs;
  for (const ComparedProblem& problem : comparison.problems) {
    if (!counts(comparison, problem)) continue;
    costs.emplace_back();
    for (const std::string& method : methods)
      costs.back().push_back(cost_of(problem, method, tolerance, cost));
  }
  return performance_profile(methods, costs, cost == Cost::Work ? least_work : least_seconds);
}

std::string comparison_json(const Comparison& comparison) {
  const bool several = comparison.problems.size() > 1;
  Json json = {{"law", name_of(comparison.law)},
               {"measure", name_of(comparison.measure)},
               {"tolerances", comparison.tolerances},
               {"methods", comparison.methods},
               {"options", io::options_json(comparison.options)},
               {"threads", comparison.threads},
               {"finished", comparison.finished}};
  json["problems"] = Json::array();
  for (const ComparedProblem& problem : comparison.problems)
    json["problems"].push_back(problem_json(problem, !several));
  json["unread"] = left_out_json(comparison.unread);
  json["skipped"] = left_out_json(comparison.skipped);
  json["not_run"] = Json::array();
  for (const NotRun& rest : comparison.not_run)
    json["not_run"].push_back({{"problem", rest.problem}, {"methods", rest.methods}});
  if (several) json["profiles"] = profiles_json(comparison);
  json["versions"] = io::versions_json();
  return json.dump(1) + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::string heading, text;
  for (const ComparedProblem& problem : comparison.problems)
    for (const MethodRun& run : problem.runs) {
      std::vector<std::string> names, values;
      for (const auto& [name, value] : columns_of(comparison, problem, run)) {
        names.push_back(field(name));
        values.push_back(field(value));
      }
      heading = fmt::format("{}\n", fmt::join(names, ","));
      text += fmt::format("{}\n", fmt::join(values, ","));
    }
  return heading + text;
}

}  // namespace talus
