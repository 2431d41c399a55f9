#pragma once
// What can only be seen once all bodies are there, and what is watched during a run. What has a
// communicator is collective: every rank looks at its own bodies, and all say the same.

#include "talus/model/scene.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/stepping/step_settings.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace talus {

/// InputError where bodies overlap by more than scene.max_overlap of the smaller one's size: how
/// many, and the worst by name and place.
void refuse_overlaps(const Scene& scene, const World& world, const Communicator& comm);

/// What a scene is refused for because of this body by itself: a plane that does not go on across a
/// periodic boundary as it is; what is, or will be, moved and is so light that what is computed
/// from its mass is no number; too long or too far away for an axis that is periodic.
/// `to_release`: groups_to_release().
std::vector<std::string> faults_of_body(const World& world, std::size_t body,
                                        const std::set<std::string>& to_release);
/// Empty where an event may release it: "cannot be released: ..."
std::string fault_of_release(const BodySet& bodies, std::size_t body);

/// Empty where its centre is in the domain or, along periodic axes, can be brought back into it:
/// "at (0, 0, 9) m is outside the domain: ..."
std::string fault_of_place(const Domain& domain, const Vec3& place);

/// Empty where a body may be at a place and move so, but for the domain: m, m/s, rad/s. "its place,
/// its size or its motion is beyond 1e+100 ..."
std::string fault_of_motion(const Vec3& position, const Vec3& velocity,
                            const Vec3& angular_velocity);

/// InputError where an event releases a body without mass, or adds one that a scene would be
/// refused for.
void refuse_events(const Scene& scene, const World& world);

/// InputError where bodies are outside a domain that none may leave.
void refuse_outside(const Scene& scene, const World& world, const Communicator& comm);

/// Where joints stand in the scene; those that are made in code need not say it.
std::vector<std::string> places_of_joints(const Scene& scene, const World& world);

// InputError with all bodies with names that have one of these faults.
void refuse_broken_planes(const Scene& scene, const World& world);
void refuse_light_bodies(const Scene& scene, const World& world);
/// Here of bodies without names and of generators, too: where they are, and how fast.
void refuse_far_bodies(const Scene& scene, const World& world);

/// m/s2: the largest that gravity is from its start to time.end, whatever of it events or formulas
/// set. Formulas are looked at 1000 times.
double largest_gravity(const Scene& scene, const World& world);

/// A speed and step that carry bodies through walls or through each other.
std::vector<std::string> step_warnings(const World& world, double h, const Communicator& comm);

/// Of joints that will be stiffer than the step can follow; empty: of none. While all ranks have
/// all bodies that are in joints.
std::string warning_of_stiff_start(const World& world, double h, double gravity);

/// The text of the rank with the largest key (of the first of them), on all ranks. Collective.
std::string text_of_largest(const Communicator& comm, double key, const std::string& text);

/// "body 17 (dam), position (..) m, velocity (..) m/s, last contacts with ..."
std::string describe(const World& world, std::size_t body);

/// How the bodies that are owned here are after a step.
struct Outcome {
  std::vector<std::uint8_t> stays;  ///< per body: 0 where the domain takes it out
  std::vector<std::size_t> lost,
      fast;  ///< that must not be out, or are no numbers; > size per step
  bool any_goes() const {
    return std::find(stays.begin(), stays.end(), std::uint8_t{0}) != stays.end();
  }
};
Outcome outcome_of(const World& world, double h);
/// m, m/s, rad/s: beyond it a body is lost. Squares of what is within it, and what detection and
/// solvers make of them, are numbers.
inline constexpr double most_of_bodies = 1e100;
/// Whether its place and motion are within it.
bool can_go_on(const BodySet& bodies, std::size_t body);

/// Of all overlaps of the world's contacts: the deepest, and the largest share of the smaller body.
struct Overlaps {
  double deepest = 0.0, share = 0.0;
};
Overlaps overlaps_of(const World& world);

}  // namespace talus
