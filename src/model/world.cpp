#include "talus/model/world.hpp"

#include "model/ways.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// The state of a hash can then stand on the stack.
#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's name
#include <xxhash.h>

namespace talus {
namespace {

/// I w in the world frame; zero for what nothing turns (servo walls).
Vec3 angular_momentum(const BodySet& bodies, std::size_t i) {
  if (!std::isfinite(bodies.inertia[i].xx)) return {};
  const Quaternion& q = bodies.orientation[i];
  return rotate(q, bodies.inertia[i] * rotate_back(q, bodies.angular_velocity[i]));
}

}  // namespace

Periodicity World::periodicity() const {
  Periodicity result;
  result.axis = domain.periodic;
  const auto along = [&](bool periodic, double low, double high, double& start, double& period) {
    if (!periodic) return;
    start = low;
    period = high - low;
  };
  along(domain.periodic[0], domain.low.x, domain.high.x, result.low.x, result.period.x);
  along(domain.periodic[1], domain.low.y, domain.high.y, result.low.y, result.period.y);
  along(domain.periodic[2], domain.low.z, domain.high.z, result.low.z, result.period.z);
  return result;
}

Index World::find_group(const std::string& name) const {
  const auto found = std::find(groups.begin(), groups.end(), name);
  return found == groups.end() ? -1 : static_cast<Index>(found - groups.begin());
}

void find_bodies(World& world) {
  ContactSet& contacts = world.contacts;
  contacts.body_a.resize(contacts.name.size());
  contacts.body_b.resize(contacts.name.size());
  for (std::size_t c = 0; c < contacts.name.size(); ++c) {
    contacts.body_a[c] = world.bodies.find(contacts.name[c].a);
    contacts.body_b[c] = world.bodies.find(contacts.name[c].b);
  }
}

Vec3 value_at(const std::array<Expression, 3>& formulas, double t) {
  return {formulas[0].at(t), formulas[1].at(t), formulas[2].at(t)};
}

Vec3 constant_gravity(const World& world) {
  const bool varies = std::any_of(world.gravity.begin(), world.gravity.end(),
                                  [](const Expression& e) { return e.varies(); });
  if (varies) return {};
  return value_at(world.gravity, 0.0);
}

Energies energies_of(const World& world, std::size_t i, const Vec3& gravity) {
  const BodySet& bodies = world.bodies;
  const Vec3& v = bodies.velocity[i];
  return {0.5 * (bodies.mass[i] * dot(v, v) +
                 dot(bodies.angular_velocity[i], angular_momentum(bodies, i))),
          -(bodies.mass[i] * dot(gravity, bodies.position[i]))};
}

Momenta momenta_of(const World& world, std::size_t i) {
  const BodySet& bodies = world.bodies;
  const Vec3 linear = bodies.mass[i] * bodies.velocity[i];
  return {linear, cross(bodies.position[i], linear) + angular_momentum(bodies, i)};
}

// Plain sums in the order of ids: one thread, and the same bits for any number of them elsewhere.

Energies energies_of(const World& world) {
  const Vec3 gravity = constant_gravity(world);
  Energies sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(world.bodies.owned); ++i) {
    if (world.bodies.motion[i] != Motion::Dynamic) continue;
    const Energies one = energies_of(world, i, gravity);
    sum.kinetic += one.kinetic;
    sum.potential += one.potential;
  }
  return sum;
}

Momenta momenta_of(const World& world) {
  Momenta sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(world.bodies.owned); ++i) {
    if (world.bodies.motion[i] != Motion::Dynamic) continue;
    const Momenta one = momenta_of(world, i);
    sum.linear = sum.linear + one.linear;
    sum.angular = sum.angular + one.angular;
  }
  return sum;
}

std::uint64_t trajectory_hash(const BodySet& bodies) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bodies.owned); ++i) {
    const Vec3 &x = bodies.position[i], &v = bodies.velocity[i], &w = bodies.angular_velocity[i];
    const Quaternion& q = bodies.orientation[i];
    std::array<double, 13> numbers{x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
    for (double& number : numbers) number += 0.0;  // -0 and +0 are one
    sum += XXH64(numbers.data(), sizeof(numbers), static_cast<std::uint64_t>(bodies.id[i]));
  }
  return sum;
}

namespace {

double shortest(double way, double period) {
  return period > 0.0 ? way - period * std::round(way / period) : way;
}

}  // namespace

Vec3 shortest_way(const Periodicity& periodicity, const Vec3& a, const Vec3& b) {
  const Vec3 &period = periodicity.period, way = b - a;
  return {shortest(way.x, period.x), shortest(way.y, period.y), shortest(way.z, period.z)};
}

}  // namespace talus
