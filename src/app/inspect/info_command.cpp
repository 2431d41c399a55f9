#include "talus/core/error.hpp"
#include "talus/io/checkpoint_file.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/state_file.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/inspect/info_of_runs.hpp"
#include "app/pictures/run_numbers.hpp"
#include "app/remarks.hpp"
#include "app/run/checkpoints.hpp"
#include "app/run/set_up.hpp"
#include "app/streams.hpp"
#include "partition/contact_graph.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> snapshots_of(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "snapshots", ignored))
    if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string state_file_of(const std::string& path, const std::optional<double>& time) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw InputError(fmt::format("{}: is not there; give a folder of talus run or a state", path));
  if (!fs::is_directory(path, ignored)) return path;
  std::string last = (fs::path(path) / "state.h5").string();
  if (!time && fs::exists(last, ignored)) return last;
  std::vector<std::string> files = snapshots_of(path);
  files.push_back(last);
  std::string best;
  double best_time = 0.0;
  for (const std::string& file : files) {
    const std::optional<double> its = time_of_state(file);
    if (!its) continue;
    const bool better =
        time ? std::abs(*its - *time) < std::abs(best_time - *time) : *its >= best_time;
    if (!best.empty() && !better) continue;
    best = file;
    best_time = *its;
  }
  if (best.empty())
    throw InputError(fmt::format(
        "{}: has no state: neither state.h5 nor snapshots/*.h5; give a folder of talus run", path));
  return best;
}

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

void describe_bodies(const SavedState& state, Json& info) {
  std::map<std::string, std::int64_t> motions, shapes, groups;
  Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  double mass = 0.0, fastest = 0.0;
  const char* const names[] = {"dynamic", "fixed", "kinematic"};
  for (const NewBody& body : state.bodies) {
    ++motions[names[static_cast<std::size_t>(body.motion)]];
    ++shapes[name_of(state.shapes[body.shape])];
    ++groups[state.groups[body.group]];
    if (body.motion != Motion::Dynamic) continue;
    const Vec3& x = body.pose.position;
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    mass += body.mass;
    fastest = std::max(fastest, length(body.velocity));
  }
  const auto list = [](const std::map<std::string, std::int64_t>& counts) {
    Json words = Json::array();
    for (const auto& [name, count] : counts) words.push_back(fmt::format("{} {}", count, name));
    return words;
  };
  info["step"] = state.step;
  info["time_s"] = state.time;
  info["bodies"] = state.bodies.size();
  info["motions"] = list(motions);
  info["shapes"] = list(shapes);
  info["groups"] = list(groups);
  info["materials"] = state.materials;
  if (!(low.x <= high.x)) return;  // nothing moves
  info["mass_kg"] = mass;
  info["largest_speed_m_s"] = fastest;
  info["lowest_centre_m"] = {low.x, low.y, low.z};
  info["highest_centre_m"] = {high.x, high.y, high.z};
}

Json describe_checkpoint(const Checkpoint& checkpoint) {
  Json info = Json::object();
  info["scene"] = checkpoint.scene.file;
  info["title"] = checkpoint.scene.title;
  info["end_s"] = checkpoint.scene.time.end;
  info["time_step_s"] = checkpoint.settings.h;
  info["tolerance_m_s"] = checkpoint.tolerance;
  info["joints"] = checkpoint.world.joints.size();
  info["motions_prescribed"] = checkpoint.world.motions.size();
  info["generators"] = checkpoint.scene.generators.size();
  info["events_left"] =
      std::count_if(checkpoint.scene.events.begin(), checkpoint.scene.events.end(),
                    [](const Event& event) { return !event.done; });
  info["contacts"] = checkpoint.total_contacts;
  return info;
}

/// What can be known of a file only by reading all of it.
template <class Read>
std::string soundness_of(const std::string& file, const Read& read) {
  const std::string name = fs::path(file).filename().string();
  try {
    read(file);
    return fmt::format("{} (good)", name);
  } catch (const InputError& error) {
    return fmt::format("{} ({})", name, error.what());
  }
}

}  // namespace

bool is_state(const std::string& path) {
  return time_of_state(path).has_value();
}

nlohmann::ordered_json info_of_state(const std::string& path) {
  Json info = Json::object();
  info["file"] = path;
  const bool goes_on = is_checkpoint(path);
  info["format"] = goes_on ? "checkpoint" : "state";
  // first what finds damage
  Json beside = Json::object();
  if (goes_on) beside = describe_checkpoint(read_checkpoint(path, Communicator::self()));
  describe_bodies(read_state(path), info);
  info.update(beside);
  return info;
}

nlohmann::ordered_json info_of_run(const std::string& folder) {
  const RunNumbers numbers = read_numbers(folder);
  Json info = Json::object();
  info["folder"] = folder;
  info["status"] = numbers.report.is_null() ? "no report yet: it goes on, or was killed" : "";
  for (const char* key : {"status", "reason", "scene", "title", "step", "time", "bodies", "joints",
                          "method", "tolerance", "ranks", "threads", "trajectory_hash"})
    if (const auto found = numbers.report.find(key); found != numbers.report.end())
      if (!found->is_string() || !found->get_ref<const std::string&>().empty()) info[key] = *found;
  if (numbers.report.contains("error")) {
    info["worst_error_m_s"] = numbers.report["error"]["worst"];
    info["unconverged_steps"] = numbers.report["error"]["unconverged_steps"];
  }
  const std::string state = (fs::path(folder) / "state.h5").string();
  if (std::error_code none; fs::exists(state, none))
    info["state"] = soundness_of(state, [](const std::string& path) { read_state(path); });
  Json monitors = Json::array(), checkpoints = Json::array();
  for (const auto& [name, columns] : numbers.monitors) monitors.push_back(name);
  info["monitors"] = monitors;
  for (const std::string& file : CheckpointFolder(folder).files())
    checkpoints.push_back(soundness_of(
        file, [](const std::string& path) { read_checkpoint(path, Communicator::self()); }));
  info["checkpoints"] = checkpoints;
  return info;
}

// talus info: what a file or the folder of a run holds, before anything is done with it.

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
  Json info = Json::object();
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
    say("{}\n", info.dump(2));
    return exit_within_tolerance;
  }
  for (const auto& [key, value] : info.items()) say("{:<22} {}\n", key, as_words(value));
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
