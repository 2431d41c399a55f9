// talus info: what a file or the folder of a run holds, before anything is done with it.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/partition/contact_graph.hpp"

#include "app/commands.hpp"
#include "app/info_of_runs.hpp"
#include "app/on_first_rank.hpp"
#include "app/remarks.hpp"
#include "app/set_up.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace talus::app {
namespace {

using Json = nlohmann::ordered_json;

Json range(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {{"min", *low}, {"max", *high}};
}

template <class Problem>
void describe_rolling(const Problem& p, Json& info) {
  if (!p.has_rolling()) return;
  info["rolling_friction_m"] = range(p.rolling_friction);
  info["rows_per_contact"] = p.rows_per_contact();
}

void describe(const BodyProblem& p, Json& info) {
  info["title"] = p.title;
  info["bodies"] = p.body_count();
  info["contacts"] = p.contact_count();
  info["joint_rows"] = p.joint_row_count();
  info["time_step_s"] = p.time_step;
  info["friction"] = range(p.friction);
  describe_rolling(p, info);
  if (p.has_rolling()) info["spinning_friction_m"] = range(p.spinning_friction);
  std::vector<double> masses;
  for (const double inverse : p.inverse_mass)
    if (inverse > 0.0) masses.push_back(1.0 / inverse);
  info["mass_kg"] = range(masses);
  const ContactGraph graph = make_contact_graph(p);
  const Islands islands = find_islands(graph);
  info["contacts_per_body"] =
      p.body_count() > 0 ? static_cast<double>(p.contact_count()) / p.body_count() : 0.0;
  info["islands"] = islands.count;
  info["largest_island_bodies"] = islands.largest;
  info["most_rows_of_a_body"] = most_rows_of_a_body(p);
}

void describe(const LocalProblem& p, Json& info) {
  info["title"] = p.title;
  info["dimension"] = p.dimension;
  info["contacts"] = p.contact_count();
  info["joint_rows"] = p.bilateral_count();
  info["friction"] = range(p.friction);
  describe_rolling(p, info);
  info["nonzeros_of_W"] = p.W.nonzeros();
}

void describe(const GlobalProblem& p, Json& info) {
  info["title"] = p.title;
  info["dimension"] = p.dimension;
  info["degrees_of_freedom"] = p.M.rows;
  info["contacts"] = p.contact_count();
  info["joint_rows"] = p.bilateral_count();
  info["friction"] = range(p.friction);
  describe_rolling(p, info);
  info["nonzeros_of_M"] = p.M.nonzeros();
  info["nonzeros_of_H"] = p.H.nonzeros();
}

std::string as_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "none";
  if (value.is_object() && value.contains("min"))
    return fmt::format("{:.6g} to {:.6g}", value["min"].get<double>(), value["max"].get<double>());
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_array()) {
    std::vector<std::string> words;
    for (const Json& item : value) words.push_back(as_words(item));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
  }
  return value.dump();
}

Json info_of_problem(const std::string& path, const CommonOptions& common) {
  Stopwatch watch;
  const ProblemFile file = read_problem(path);
  detail(common, fmt::format("read in {:.3f} s", watch.lap()));
  const ConeProblem problem = set_up(file);  // also proves M positive definite
  detail(common, fmt::format("set up in {:.3f} s", watch.lap()));
  Json info;
  info["file"] = file.path;
  info["format"] = file.format;
  std::visit([&](const auto& data) { describe(data, info); }, file.data);
  if (!file.description.empty()) info["description"] = file.description;
  info["matrix_free"] = std::holds_alternative<BodyProblem>(file.data);
  info["rows"] = problem.cones.row_count();
  info["mean_diagonal_of_N"] = problem.mean_diagonal;
  info["asymmetry_of_W"] = problem.asymmetry;
  info["solutions"] = file.solutions;
  if (file.reference_objective) info["reference_objective_J"] = *file.reference_objective;
  return info;
}

int show_info(const std::string& path, bool as_json, const CommonOptions& common) {
  std::error_code none;
  const Json info = std::filesystem::is_directory(path, none) ? info_of_run(path)
                    : is_state(path)                          ? info_of_state(path)
                                                              : info_of_problem(path, common);
  if (as_json) {
    fmt::print("{}\n", info.dump(2));
    return exit_within_tolerance;
  }
  for (const auto& [key, value] : info.items()) fmt::print("{:<22} {}\n", key, as_words(value));
  return exit_within_tolerance;
}

}  // namespace

Command add_info(CLI::App& program, CommonOptions& common) {
  struct Arguments {
    std::string path;
    bool json = false;
  };
  const auto a = std::make_shared<Arguments>();
  CLI::App& verb = *program.add_subcommand(
      "info", "Say what a problem, state, checkpoint or run holds, and check it");
  verb.add_option("file", a->path, "Problem, state or checkpoint, or the folder of a run")
      ->required()
      ->type_name("FILE.h5|DIR");
  verb.add_flag("--json", a->json, "The same as JSON");
  add_threads(verb, common);
  add_common(verb, common);
  return [a, &common](const InputErrors& faults) {
    return on_first_rank(common.comm, [&] {
      faults.throw_if_any();
      return show_info(a->path, a->json, common);
    });
  };
}

}  // namespace talus::app
