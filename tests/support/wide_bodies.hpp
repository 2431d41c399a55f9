#pragma once
// Random bodies of which some have more rows than a rank should have of one body.

#include "support/random_bodies.hpp"

namespace talus::support {

struct WideBodies {
  RandomBodies bodies{.bodies = 120, .contacts = 800, .joints = 60, .immovable_body = true};
  Index wide = 1;  ///< half of the contacts and joint rows are shared among them
};

/// The places of the wide bodies; body 0 is never among them.
std::vector<Index> wide_places(const WideBodies& options);

/// Rows of wide bodies with others, with the world, with the immovable body and, where there are
/// several, with each other.
BodyProblem wide_bodies(const WideBodies& options);

}  // namespace talus::support
