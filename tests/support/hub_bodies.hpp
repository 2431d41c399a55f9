#pragma once
// Random bodies of which some have more rows than a rank should have of one body.

#include "support/random_bodies.hpp"

namespace talus::support {

struct HubBodies {
  RandomBodies bodies{.bodies = 120, .contacts = 800, .joints = 60, .immovable_body = true};
  Index hub = 1;  ///< half of the contacts and joint rows are shared among them
};

/// The places of the hub bodies; body 0 is never among them.
std::vector<Index> hub_places(const HubBodies& options);

/// Rows of hub bodies with others, with the world, with the immovable body and, where there are
/// several, with each other.
BodyProblem hub_bodies(const HubBodies& options);

}  // namespace talus::support
