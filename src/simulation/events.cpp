#include "simulation/events.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

double largest_speed(const BodySet& bodies) {
  double largest = 0.0;
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    if (bodies.motion[b] == Motion::Dynamic)
      largest = std::max(largest, length(bodies.velocity[b]));
  return largest;
}

bool is_due(const Event& event, const World& world) {
  // Half a rounding of a time that is a multiple of the step must not make it a step late.
  constexpr double hair = 1e-9;
  if (event.done) return false;
  if (event.at >= 0.0) return world.time >= event.at * (1.0 - hair);
  const std::array<double, 6> values{world.time,
                                     static_cast<double>(world.step),
                                     static_cast<double>(world.bodies.count()),
                                     static_cast<double>(world.contacts.count()),
                                     energies_of(world).kinetic,
                                     largest_speed(world.bodies)};
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

void switch_named(Scene& scene, World& world, const Event& event) {
  for (Joint& joint : world.joints)
    if (joint.name == event.target) joint.on = event.on;
  for (Generator& generator : scene.generators)
    if (generator.name == event.target) generator.on = event.on;
  const Index group = world.find_group(event.target);
  for (GroupForce& force : world.forces)
    if (group >= 0 && force.group == group) force.on = event.on;
}

/// "axle.motor" switches the motors of a joint, not the joint.
bool switch_motor(World& world, const Event& event) {
  const std::size_t dot = event.target.rfind(".motor");
  if (dot == std::string::npos) return false;
  for (Joint& joint : world.joints)
    if (joint.name == event.target.substr(0, dot))
      joint.angle_motor.on = joint.way_motor.on = event.on;
  return true;
}

bool run(Event& event, Scene& scene, World& world, std::vector<RemovedBody>& removed) {
  event.done = true;
  switch (event.kind) {
    case Event::Kind::Remove: {
      std::vector<std::uint8_t> stays(world.bodies.id.size(), 1);
      for (const std::size_t b : bodies_named(world, event.target)) stays[b] = 0;
      keep_bodies(world, stays, world.step + 1, removed);
      return true;
    }
    case Event::Kind::Fix:
      for (const std::size_t b : bodies_named(world, event.target)) {
        world.bodies.motion[b] = Motion::Fixed;
        world.bodies.velocity[b] = world.bodies.angular_velocity[b] = Vec3{};
      }
      return true;
    case Event::Kind::Release:
      for (const std::size_t b : bodies_named(world, event.target))
        world.bodies.motion[b] = Motion::Dynamic;
      return true;
    case Event::Kind::Switch:
      if (!switch_motor(world, event)) switch_named(scene, world, event);
      return false;
    case Event::Kind::Gravity:
      world.gravity = event.gravity;
      return false;
    case Event::Kind::Add:
      for (const SceneBody& body : event.added) add_body(world, body);
      return true;
  }
  return false;
}

/// Contacts of bodies that stay, with the indices that their bodies will have.
void keep_contacts(ContactSet& contacts, const std::vector<std::uint8_t>& marks) {
  std::vector<Index> place(marks.size(), 0);
  Index next = 0;
  for (std::size_t b = 0; b < marks.size(); ++b) {
    place[b] = next;
    if (marks[b] != 0) ++next;
  }
  const auto at = [](Index body) { return static_cast<std::size_t>(body); };
  ContactSet kept;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const Index a = contacts.body_a[c], b = contacts.body_b[c];
    if (marks[at(a)] == 0 || marks[at(b)] == 0) continue;
    kept.name.push_back(contacts.name[c]);
    kept.body_a.push_back(place[at(a)]);
    kept.body_b.push_back(place[at(b)]);
    kept.point.push_back(contacts.point[c]);
    kept.normal.push_back(contacts.normal[c]);
    kept.gap.push_back(contacts.gap[c]);
    kept.impulse.push_back(contacts.impulse[c]);
    if (!contacts.angular_impulse.empty())
      kept.angular_impulse.push_back(contacts.angular_impulse[c]);
  }
  contacts = std::move(kept);
}

}  // namespace

void keep_bodies(World& world, const std::vector<std::uint8_t>& marks, std::int64_t step,
                 std::vector<RemovedBody>& removed) {
  const std::size_t before = removed.size();
  const BodySet& bodies = world.bodies;
  for (std::size_t b = 0; b < marks.size(); ++b)
    if (marks[b] == 0)
      removed.push_back({bodies.id[b], world.groups[static_cast<std::size_t>(bodies.group[b])],
                         step, bodies.position[b], bodies.velocity[b]});
  if (removed.size() == before) return;
  world.removed += static_cast<std::int64_t>(removed.size() - before);
  for (Joint& joint : world.joints)
    for (const GlobalId id : {joint.body_a, joint.body_b}) {
      const Index b = id == world_id ? Index{-1} : world.bodies.find(id);
      if (b >= 0 && marks[static_cast<std::size_t>(b)] == 0) joint.on = false;
    }
  std::erase_if(world.motions, [&](const KinematicMotion& motion) {
    const Index b = world.bodies.find(motion.body);
    return b >= 0 && marks[static_cast<std::size_t>(b)] == 0;
  });
  keep_contacts(world.contacts, marks);
  world.bodies.keep(marks);
}

bool run_events(Scene& scene, World& world, std::vector<RemovedBody>& removed) {
  bool changed = false;
  for (Event& event : scene.events)
    if (is_due(event, world)) changed = run(event, scene, world, removed) || changed;
  return changed;
}

}  // namespace talus
