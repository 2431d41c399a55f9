#pragma once
// What happens at step boundaries: bodies removed, added, fixed, released; things switched.

#include "talus/simulation/simulation.hpp"

#include <vector>

namespace talus {

/// What the condition of an event may ask, over all ranks.
struct EventValues {
  std::int64_t bodies = 0, contacts = 0;
  double kinetic = 0.0, largest_speed = 0.0;
};
/// Some event that has not happened yet has a condition.
bool has_conditions(const Scene& scene);

/// What events do to the bodies: marks of those that are taken out (per body, 0), and new ones.
struct EventEffects {
  bool changed = false;  ///< bodies came, went or changed how they move
  std::vector<std::uint8_t> stays;
  std::vector<NewBody> added;
};
/// Runs the events that are due at the world's time and marks them done; bodies that go and come
/// are left to the caller. Alike on all ranks, each with its own bodies.
EventEffects run_events(Scene& scene, World& world, const EventValues& values);

/// A joint, "axle.motor", a stream, forces of a group.
void switch_named(Scene& scene, World& world, const std::string& target, bool on);

/// Takes out those of bodies (ids ascending), with what they carried.
void forget_contacts(ContactSet& contacts, const std::vector<GlobalId>& ids);
/// Takes bodies out of the world (ids ascending), with the warm starts of their contacts; joints to
/// them are off from now on.
void take_out(World& world, const std::vector<GlobalId>& ids);

}  // namespace talus
