#include "app/info_of_runs.hpp"

#include "talus/core/error.hpp"
#include "talus/io/checkpoint_file.hpp"
#include "talus/io/state_file.hpp"

#include "app/checkpoint_folder.hpp"
#include "app/run_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace talus::app {
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
  const CheckpointFacts& facts = checkpoint.facts;
  Json info;
  info["scene"] = facts.scene.file;
  info["title"] = facts.scene.title;
  info["end_s"] = facts.scene.time.end;
  info["time_step_s"] = facts.settings.h;
  info["tolerance_m_s"] = facts.tolerance;
  info["joints"] = facts.world.joints.size();
  info["motions_prescribed"] = facts.world.motions.size();
  info["generators"] = facts.scene.generators.size();
  info["events_left"] = std::count_if(facts.scene.events.begin(), facts.scene.events.end(),
                                      [](const Event& event) { return !event.done; });
  info["contacts"] = checkpoint.share.total_contacts;
  return info;
}

/// What can be known of a file only by reading all of it.
std::string soundness_of(const std::string& file) {
  try {
    read_checkpoint(file, Communicator::self());
    return "good";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

bool is_state(const std::string& path) {
  return time_of_state(path).has_value();
}

nlohmann::ordered_json info_of_state(const std::string& path) {
  Json info;
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
  Json info;
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
  Json monitors = Json::array(), checkpoints = Json::array();
  for (const auto& [name, columns] : numbers.monitors) monitors.push_back(name);
  info["monitors"] = monitors;
  for (const std::string& file : CheckpointFolder(folder).files())
    checkpoints.push_back(
        fmt::format("{} ({})", fs::path(file).filename().string(), soundness_of(file)));
  info["checkpoints"] = checkpoints;
  return info;
}

}  // namespace talus::app
