#pragma once
// What the makers of manufactured problems share.

#include "generate/random.hpp"
#include "support/manufactured_problem.hpp"

namespace talus::support {

/// What a random number is for: part of its key.
namespace purpose {
inline constexpr std::uint32_t body = 1, contact = 2, joint = 3, matrix = 4;
}

/// The first `count` (2 or 3) components.
void append(std::vector<double>& values, const Vec3& v, int count = 3);

/// Body 0 has mass 1 and body 1 the mass ratio; the others lie between, evenly in the logarithm.
double mass_of(const ManufacturedOptions& options, Index body, KeyedRandom& random);

double friction_of(const ManufacturedOptions& options, Index contact, KeyedRandom& random);

}  // namespace talus::support
