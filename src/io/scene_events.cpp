// Forces on groups, and what happens during the run.

#include "talus/core/error.hpp"

#include "io/scene_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::io {
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
    fields.fault(key,
                 fmt::format("{} = '{}' is no body, group or generator: {}{}", key, name,
                             did_you_mean(name, known, "'"),
                             known.empty() ? "there are none"
                                           : fmt::format("known are {}", fmt::join(known, ", "))));
  return -1;
}

/// Joints, their motors, streams, and groups that a force acts on.
void check_switched(SceneReading& reading, const Fields& fields, const std::string& target) {
  std::vector<std::string> known;
  for (const Joint& joint : reading.world().joints) {
    known.push_back(joint.name);
    const bool driven =
        joint.angle_motor.type != MotorType::None || joint.way_motor.type != MotorType::None;
    if (driven) known.push_back(joint.name + ".motor");
  }
  for (const Generator& generator : reading.scene.generators)
    if (generator.kind == Generator::Kind::Stream) known.push_back(generator.name);
  for (const GroupForce& force : reading.world().forces)
    known.push_back(reading.world().groups[force.group]);
  const auto meant = std::count(known.begin(), known.end(), target);
  if (target.empty() || meant > 0 || reading.joints.contains(target)) return;
  fields.fault("target",
               fmt::format("target = '{}' cannot be switched: {}{}", target,
                           did_you_mean(target, known, "'"),
                           known.empty() ? "the scene has no joint, stream or force"
                                         : fmt::format("known are {}", fmt::join(known, ", "))));
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

}  // namespace talus::io
