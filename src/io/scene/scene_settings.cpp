// What the solver shall do.

#include "talus/core/error.hpp"

#include "io/scene/scene_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::io {
namespace {

/// "solver.psor.relaxation=1.2": the application knows the options of methods and what they may be.
class Assignments {
 public:
  explicit Assignments(SceneReading& reading) : reading_(reading) {}

  void add(const std::string& key, const std::string& value, const Place& place) {
    reading_.scene.solver_assignments.push_back("solver." + key + "=" + value);
    reading_.scene.solver_places.push_back(text_of(place));
  }

  void add_option(const std::string& key, const Value& value) {
    if (value.kind != Value::Kind::Scalar) {
      reading_.faults().add(value.place, fmt::format("solver.{} must be a number or a word, is {}",
                                                     key, described(value)));
      return;
    }
    add(key, plain(value), value.place);
  }

  void add_options(const std::string& method, const Value& value) {
    if (value.kind != Value::Kind::Map) {
      reading_.faults().add(
          value.place,
          fmt::format("solver.{} must be a table of its options, is {}", method, described(value)));
      return;
    }
    for (const Entry& option : value.entries) add_option(method + "." + option.key, option.value);
  }

 private:
  /// Words stay; formulas of variables become numbers.
  std::string plain(const Value& value) const {
    try {
      const double number = Expression(value.text, reading_.context.variables, {}).at(0.0);
      return plain_number(value.text) ? value.text : fmt::format("{}", number);
    } catch (const InputError&) {
      return value.text;
    }
  }

  SceneReading& reading_;
};

/// The table of the solver without the options of methods, which the table of keys does not have.
Value without_options(const Value& solver, Assignments& assignments) {
  const std::vector<std::string>& methods = section_rules("solver").find("method")->choices;
  const auto is_method = [&](const std::string& word) {
    return std::find(methods.begin(), methods.end(), word) != methods.end();
  };
  Value rest = solver;
  rest.entries.clear();
  for (const Entry& entry : solver.entries) {
    const std::size_t dot = entry.key.find('.');
    if (dot == std::string::npos && is_method(entry.key))
      assignments.add_options(entry.key, entry.value);
    else if (dot != std::string::npos && is_method(entry.key.substr(0, dot)))
      assignments.add_option(entry.key, entry.value);
    else
      rest.entries.push_back(entry);
  }
  return rest;
}

void add_general(const Fields& solver, Assignments& assignments) {
  for (const KeyRule& rule : section_rules("solver").keys) {
    if (!solver.has(rule.name) || rule.name == "unconverged") continue;
    const Place place = solver.place(rule.name);
    if (rule.type == KeyType::Choice) {
      assignments.add(rule.name, solver.text(rule.name), place);
    } else if (rule.type == KeyType::Choices) {
      assignments.add("methods", fmt::format("{}", fmt::join(solver.texts(rule.name), ",")), place);
    } else if (rule.type == KeyType::Whole) {
      if (const auto whole = solver.whole(rule.name))
        assignments.add(rule.name, fmt::format("{}", *whole), place);
    } else if (const auto number = solver.number(rule.name)) {
      assignments.add(rule.name, fmt::format("{}", *number), place);
    }
  }
}

}  // namespace

void read_solver(SceneReading& reading, const Fields& root) {
  const Value* given = root.value("solver");
  if (given == nullptr || given->kind == Value::Kind::Nothing) return;
  Assignments assignments(reading);
  const Value rest = without_options(*given, assignments);
  const Fields solver(reading.context, rest, "solver");
  add_general(solver, assignments);
  if (solver.has("methods") && solver.has("candidates"))
    solver.fault("candidates", "solver has methods or candidates, which are the same, not both");
  reading.scene.stop_unconverged = solver.text("unconverged") == "stop";
}

// Forces on groups, and what happens during the run.

namespace {

using EventKind = Event::Kind;

EventKind event_kind(const std::string& kind) {
  static const std::map<std::string, EventKind> kinds{
      {"remove", EventKind::Remove},   {"fix", EventKind::Fix},
      {"release", EventKind::Release}, {"switch", EventKind::Switch},
      {"gravity", EventKind::Gravity}, {"add", EventKind::Add}};
  return kinds.at(kind);
}

/// Index of the group of that name, or a fault.
Index group_of(SceneReading& reading, const Fields& fields, const std::string& key) {
  const std::string name = fields.text(key);
  if (name.empty()) return -1;
  const Index found = reading.world().find_group(name);
  if (found >= 0 || reading.faulty.contains(name)) return found;
  const std::vector<std::string>& known = reading.world().groups;
  if (reading.bodies.contains(name))
    fields.fault(key,
                 fmt::format("{} = '{}' is a body of a group: name the group, or leave the group "
                             "of {} out",
                             key, name, name));
  else
    fields.fault(key, key + " = " + is_none_of(name, "body, group or generator", known));
  return -1;
}

/// Joints, their motors, streams, and groups that a force acts on.
void check_switched(SceneReading& reading, const Fields& fields, const std::string& target) {
  if (target.empty() || reading.joints.contains(target)) return;
  const std::string fault = fault_of_switch(reading.scene, reading.world(), target);
  if (!fault.empty()) fields.fault("target", "target = " + fault);
}

/// A fixed body that is let go has the mass that it was made with: none.
void check_released(SceneReading& reading, const Fields& fields, const std::string& target) {
  const Index group = reading.world().find_group(target);
  for (const SceneBody& body : reading.scene.bodies)
    if (body.group == group && group >= 0 &&
        std::holds_alternative<Plane>(reading.world().shapes[body.shape]))
      fields.fault("target",
                   fmt::format("target = '{}' is a plane, which cannot move by forces", target));
}

void read_time(const Fields& fields, Event& event) {
  if (fields.has("at") == fields.has("when"))
    fields.fault("when", fields.has("at") ? "an event has at or when, not both"
                                          : "an event needs the key at (s) or when (a condition)");
  event.at = fields.number("at", -1.0);
  if (!fields.has("at")) event.when = fields.formula("when").value_or(Expression());
}

void read_added(SceneReading& reading, const Fields& fields, Event& event) {
  for (const Fields& body : fields.sections("bodies"))
    if (std::optional<SceneBody> read = read_body(reading, body, false))
      event.added.push_back(std::move(*read));
}

}  // namespace

void read_forces(SceneReading& reading, const Fields& root) {
  for (const Fields& fields : root.sections("forces")) {
    GroupForce force;
    force.group = group_of(reading, fields, "on");
    if (!fields.has("force") && !fields.has("torque") && !fields.has("acceleration"))
      fields.fault("", "a force needs the key force (N), torque (N m) or acceleration (m/s2)");
    if (const auto f = fields.formulas("force")) force.force = *f;
    if (const auto t = fields.formulas("torque")) force.torque = *t;
    if (const auto a = fields.formulas("acceleration")) force.acceleration = *a;
    if (force.group >= 0) reading.world().forces.push_back(std::move(force));
  }
}

void read_events(SceneReading& reading, const Fields& root) {
  const std::vector<Fields> all = root.sections("events");
  std::vector<Event> events(all.size());
  // bodies that appear are known to all other events
  for (std::size_t i = 0; i < all.size(); ++i) read_added(reading, all[i], events[i]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Fields& fields = all[i];
    Event& event = events[i];
    event.place = text_of(fields.place());
    read_time(fields, event);
    if (fields.kind().empty()) continue;
    event.kind = event_kind(fields.kind());
    event.target = fields.text("target");
    event.on = fields.flag("on", true);
    if (event.kind == EventKind::Switch)
      check_switched(reading, fields, event.target);
    else if (fields.has("target"))
      group_of(reading, fields, "target");
    if (event.kind == EventKind::Release) check_released(reading, fields, event.target);
    if (const auto gravity = fields.formulas("value")) event.gravity = *gravity;
  }
  reading.scene.events = std::move(events);
}

// What is written while a scene runs.

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
  fields.fault("of", "of = " + is_none_of(name, what, known));
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
