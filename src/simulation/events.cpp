#include "simulation/events.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

bool is_due(const Event& event, const World& world, const EventValues& v) {
  // Half a rounding of a time that is a multiple of the step must not make it a step late.
  constexpr double hair = 1e-9;
  if (event.done) return false;
  if (event.at >= 0.0) return world.time >= event.at * (1.0 - hair);
  const std::array<double, 6> values{world.time,
                                     static_cast<double>(world.step),
                                     static_cast<double>(v.bodies),
                                     static_cast<double>(v.contacts),
                                     v.kinetic,
                                     v.largest_speed};
  return event.when(values) != 0.0;
}

/// Indices of the bodies that a name means.
std::vector<std::size_t> bodies_named(const World& world, const std::string& name) {
  std::vector<std::size_t> found;
  const Index group = world.find_group(name);
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    if (world.bodies.group[b] == group) found.push_back(b);
  return found;
}

/// "axle.motor" switches the motors of a joint, not the joint.
bool switch_motor(World& world, const std::string& target, bool on) {
  const std::size_t dot = target.rfind(".motor");
  if (dot == std::string::npos) return false;
  for (Joint& joint : world.joints)
    if (joint.name == target.substr(0, dot)) joint.angle_motor.on = joint.way_motor.on = on;
  return true;
}

void run(Event& event, Scene& scene, World& world, EventEffects& effects) {
  event.done = true;
  switch (event.kind) {
    case Event::Kind::Remove:
      for (const std::size_t b : bodies_named(world, event.target)) effects.stays[b] = 0;
      effects.changed = true;
      break;
    case Event::Kind::Fix:
      for (const std::size_t b : bodies_named(world, event.target)) {
        world.bodies.motion[b] = Motion::Fixed;
        world.bodies.velocity[b] = world.bodies.angular_velocity[b] = Vec3{};
      }
      effects.changed = true;
      break;
    case Event::Kind::Release:
      for (const std::size_t b : bodies_named(world, event.target))
        world.bodies.motion[b] = Motion::Dynamic;
      effects.changed = true;
      break;
    case Event::Kind::Switch:
      switch_named(scene, world, event.target, event.on);
      break;
    case Event::Kind::Gravity:
      world.gravity = event.gravity;
      break;
    case Event::Kind::Add:
      for (const SceneBody& body : event.added) effects.added.push_back(next_body(world, body));
      effects.changed = true;
      break;
  }
}

}  // namespace

void switch_named(Scene& scene, World& world, const std::string& target, bool on) {
  if (switch_motor(world, target, on)) return;
  for (Joint& joint : world.joints)
    if (joint.name == target) joint.on = on;
  for (Generator& generator : scene.generators)
    if (generator.name == target) generator.on = on;
  const Index group = world.find_group(target);
  for (GroupForce& force : world.forces)
    if (group >= 0 && force.group == group) force.on = on;
}

bool has_conditions(const Scene& scene) {
  return std::any_of(scene.events.begin(), scene.events.end(),
                     [](const Event& event) { return !event.done && event.at < 0.0; });
}

void forget_contacts(ContactSet& contacts, const std::vector<GlobalId>& ids) {
  const auto is_one = [&](GlobalId id) { return std::binary_search(ids.begin(), ids.end(), id); };
  std::vector<std::uint8_t> marks(contacts.gap.size(), 1);
  for (std::size_t c = 0; c < marks.size(); ++c)
    if (is_one(contacts.name[c].a) || is_one(contacts.name[c].b)) marks[c] = 0;
  keep(contacts, marks);
}

void take_out(World& world, const std::vector<GlobalId>& ids) {
  if (ids.empty()) return;
  const auto goes = [&](GlobalId id) { return std::binary_search(ids.begin(), ids.end(), id); };
  world.removed += static_cast<std::int64_t>(ids.size());
  for (Joint& joint : world.joints)
    if (goes(joint.body_a) || goes(joint.body_b)) {
      // nobody owns what it remembers any more: it has nothing to remember, on all ranks
      joint.on = false;
      joint.angle = 0.0;
      joint.impulse = {};
      joint.reaction_force = joint.reaction_torque = {};
    }
  std::erase_if(world.motions, [&](const KinematicMotion& motion) { return goes(motion.body); });
  for (auto* list : {&world.held, &world.pushed})
    std::erase_if(*list, [&](const OuterForce& outer) { return goes(outer.body); });
  forget_contacts(world.contacts, ids);
  std::vector<std::uint8_t> stays(world.bodies.id.size(), 1);
  std::vector<Index> place(stays.size(), -1);
  Index next = 0;
  for (std::size_t b = 0; b < stays.size(); ++b) {
    if (goes(world.bodies.id[b])) stays[b] = 0;
    if (stays[b] != 0) place[b] = next++;
  }
  for (auto* list : {&world.contacts.body_a, &world.contacts.body_b})
    for (Index& body : *list)
      if (body >= 0) body = place[body];
  world.bodies.keep(stays);
}

EventEffects run_events(Scene& scene, World& world, const EventValues& values) {
  EventEffects effects;
  effects.stays.assign(world.bodies.id.size(), 1);
  for (Event& event : scene.events)
    if (is_due(event, world, values)) run(event, scene, world, effects);
  return effects;
}

}  // namespace talus
