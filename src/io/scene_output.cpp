// What is written while a scene runs.

#include "talus/core/error.hpp"

#include "io/scene_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::io {
namespace {

using MonitorKind = MonitorSettings::Kind;

MonitorKind monitor_kind(const std::string& kind) {
  const auto found = std::find(monitor_kinds.begin(), monitor_kinds.end(), kind);
  return static_cast<MonitorKind>(found - monitor_kinds.begin());
}

bool is_one_of(MonitorKind kind, std::initializer_list<MonitorKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

int axis_named(const std::string& name, int fallback) {
  return name.empty() ? fallback : name[0] - 'x';
}

void unknown(const Fields& fields, const std::string& what, const std::string& name,
             const std::vector<std::string>& known) {
  fields.fault("of",
               fmt::format("of = '{}' is no {}: {}{}", name, what, did_you_mean(name, known, "'"),
                           known.empty() ? "there are none"
                                         : fmt::format("known are {}", fmt::join(known, ", "))));
}

/// Whom it watches.
void read_of(const SceneReading& reading, const Fields& fields, MonitorSettings& monitor) {
  const std::string name = fields.text("of");
  if (name.empty()) {
    if (is_one_of(monitor.kind, {MonitorKind::Load, MonitorKind::Reaction, MonitorKind::Track}))
      fields.fault(
          "of", fmt::format("a monitor of type {} needs the key of: {}", fields.kind(),
                            monitor.kind == MonitorKind::Reaction ? "the name of a joint"
                                                                  : "the name of a body or group"));
    return;
  }
  if (monitor.kind == MonitorKind::Reaction) {
    std::vector<std::string> known;
    for (const Joint& joint : reading.scene.world.joints) known.push_back(joint.name);
    monitor.joint = name;
    const bool there = std::find(known.begin(), known.end(), name) != known.end();
    if (!there && !reading.joints.contains(name)) unknown(fields, "joint or spring", name, known);
    return;
  }
  monitor.group = reading.scene.world.find_group(name);
  if (monitor.group < 0 && !reading.faulty.contains(name))
    unknown(fields, "body, group or generator", name, reading.scene.world.groups);
}

void read_bins(const Fields& fields, MonitorSettings& monitor) {
  constexpr int of_profile = 20, of_forces = 60;
  constexpr double most_of_mean = 6.0;
  const bool profile = monitor.kind == MonitorKind::Profile;
  monitor.bins = static_cast<int>(fields.whole("bins").value_or(profile ? of_profile : of_forces));
  monitor.from = fields.number("from", 0.0);
  monitor.to = fields.number("to", most_of_mean);
  if (profile && !fields.has("to"))
    fields.fault("to", "a monitor of type profile needs the key to: where the last bin ends, m");
  else if (!(monitor.from < monitor.to))
    fields.fault("to", fmt::format("to = {} must be above from = {}", monitor.to, monitor.from));
}

MonitorSettings read_monitor(SceneReading& reading, const Fields& fields) {
  MonitorSettings monitor;
  monitor.kind = monitor_kind(fields.kind());
  monitor.every = fields.number("every", 0.0);
  read_of(reading, fields, monitor);
  if (const std::optional<Fields> region = fields.section("region"))
    monitor.region = read_region(*region, false);
  else if (is_one_of(monitor.kind, {MonitorKind::SolidFraction, MonitorKind::Stress}) &&
           !fields.has("region"))
    fields.fault("region", fmt::format("a monitor of type {} needs the key region: it divides by "
                                       "its volume",
                                       fields.kind()));
  monitor.axis = axis_named(fields.text("axis"), 0);
  monitor.up = axis_named(fields.text("up"), 2);
  monitor.values = fields.numbers("values").value_or(monitor.kind == MonitorKind::Profile
                                                         ? std::vector<double>{0.5, 0.9}
                                                         : std::vector<double>{0.5});
  monitor.at = fields.vector("at", {});
  if (fields.has("normal")) monitor.normal = fields.direction("normal").value_or(monitor.normal);
  if (is_one_of(monitor.kind, {MonitorKind::Profile, MonitorKind::Forces}))
    read_bins(fields, monitor);
  return monitor;
}

/// Words of a list, each at most once.
std::vector<std::string> words_of(const Fields& fields, const std::string& key,
                                  const std::vector<std::string>& otherwise) {
  if (!fields.has(key)) return otherwise;
  std::vector<std::string> words = fields.texts(key);
  std::vector<std::string> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    fields.fault(key, fmt::format("{} has {} twice: leave one out", key, *twice));
  return words;
}

void read_paraview(const Fields& fields, ParaViewSettings& settings) {
  settings.every = fields.number("every", 0.0);
  settings.bodies = words_of(fields, "bodies", settings.bodies);
  settings.contacts = words_of(fields, "contacts", settings.contacts);
  settings.parts = words_of(fields, "parts", settings.parts);
  settings.ranks_per_file =
      static_cast<int>(fields.whole("ranks_per_file").value_or(settings.ranks_per_file));
}

}  // namespace

void read_output(SceneReading& reading, const Fields& root) {
  std::map<std::string, Place> names;
  for (const Fields& fields : root.sections("monitors")) {
    const std::string name = read_name(fields, names);
    if (fields.kind().empty()) continue;
    MonitorSettings monitor = read_monitor(reading, fields);
    monitor.name = name;
    reading.scene.monitors.push_back(std::move(monitor));
  }
  if (const std::optional<Fields> output = root.section("output")) {
    if (const std::optional<Fields> log = output->section("log")) {
      reading.scene.log.every = log->number("every", 0.0);
      reading.scene.log.columns = log->texts("columns");
    }
    if (const std::optional<Fields> paraview = output->section("paraview"))
      read_paraview(*paraview, reading.scene.paraview);
    if (const std::optional<Fields> snapshots = output->section("snapshots"))
      reading.scene.snapshots.every = snapshots->number("every", 0.0);
    reading.scene.energy_ledger = output->flag("energy_ledger", true);
  }
  if (const std::optional<Fields> checkpoint = root.section("checkpoint")) {
    CheckpointSettings& settings = reading.scene.checkpoint;
    settings.every = checkpoint->number("every", settings.every);
    settings.wall = checkpoint->number("wall", settings.wall);
    settings.keep = static_cast<int>(checkpoint->whole("keep").value_or(settings.keep));
  }
}

}  // namespace talus::io
