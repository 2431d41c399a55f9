// What a caller does to bodies between steps: docs/library.md.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/simulation/simulation.hpp"

#include "core/key_order.hpp"
#include "model/outer_forces.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace talus {
namespace {

/// Tells what a call says from what others say, as a whole number that a double can hold.
double seal_of(GlobalId body, std::span<const double> numbers) {
  std::uint64_t mixed = mixed_bits(static_cast<std::uint64_t>(body));
  for (const double x : numbers) mixed = mixed_bits(mixed ^ std::bit_cast<std::uint64_t>(x));
  return static_cast<double>(mixed >> 12);
}

std::string name_of(const World& world, GlobalId id) {
  const Index body = world.bodies.find(id);
  const Index group = body < 0 ? -1 : world.bodies.group[body];
  return group < 0 ? fmt::format("body {}", id)
                   : fmt::format("body {} ({})", id, world.groups[group]);
}

std::array<double, 6> numbers_of(const Vec3& a, const Vec3& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

}  // namespace

void Simulation::require_body(const std::string& call, GlobalId body,
                              std::span<const double> numbers) const {
  constexpr double none = -1.0;
  const Index here = world_.bodies.find(body);
  const double motion = here < 0 ? none : static_cast<double>(world_.bodies.motion[here]);
  const double seal = seal_of(body, numbers);
  std::array<double, 3> most{motion, seal, -seal};
  comm_.largest(most);
  if (most[1] != -most[2])
    throw AgreedInputError(
        fmt::format("{}: the ranks do not say the same: all of them give the same body and the "
                    "same numbers",
                    call));
  if (most[0] == none)
    throw AgreedInputError(
        fmt::format("{}: body {} is not there: it has gone, or never was", call, body));
  InputErrors errors;
  if (most[0] != static_cast<double>(Motion::Dynamic))
    errors.add(fmt::format("{}: {} is {}: forces and velocities are for dynamic bodies", call,
                           name_of(world_, body),
                           most[0] == static_cast<double>(Motion::Fixed) ? "fixed" : "kinematic"));
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    errors.add(
        fmt::format("{}: body {}: [{}] must be finite", call, body, fmt::join(numbers, ", ")));
  alike([&] { errors.throw_if_any(); });
}

void Simulation::push(GlobalId body, const Vec3& force, const Vec3& torque) {
  require_body("push", body, numbers_of(force, torque));
  const Index here = world_.bodies.find(body);
  if (here < 0 || !world_.bodies.is_owned(here)) return;
  const auto place = place_of(world_.pushed, body);
  if (place == world_.pushed.end() || place->body != body) {
    world_.pushed.insert(place, {body, force, torque});
    return;
  }
  place->force = place->force + force;
  place->torque = place->torque + torque;
}

void Simulation::hold(GlobalId body, const Vec3& force, const Vec3& torque) {
  const auto numbers = numbers_of(force, torque);
  require_body("hold", body, numbers);
  const auto place = place_of(world_.held, body);
  const bool is_there = place != world_.held.end() && place->body == body;
  const bool is_nothing =
      std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0.0; });
  if (!is_there && !is_nothing)
    world_.held.insert(place, {body, force, torque});
  else if (is_there && is_nothing)
    world_.held.erase(place);
  else if (is_there)
    *place = {body, force, torque};
}

void Simulation::push_owned(std::span<const Vec3> forces, std::span<const Vec3> torques) {
  const BodySet& bodies = world_.bodies;
  const auto owned = static_cast<std::size_t>(bodies.owned);
  InputErrors errors;
  const auto check = [&](std::size_t count, const char* what) {
    if (count != owned)
      errors.add(
          fmt::format("push_owned: {} {} for {} bodies that this rank owns: one of each, in "
                      "the order of world().bodies",
                      count, what, owned));
  };
  check(forces.size(), "forces");
  if (!torques.empty()) check(torques.size(), "torques");
  errors.throw_if_any();
  const std::vector<OuterForce> before = std::move(world_.pushed);
  std::vector<OuterForce>& pushed = world_.pushed;
  pushed.clear();
  pushed.reserve(owned);
  auto known = before.begin();
  for (std::size_t b = 0; b < owned; ++b) {
    OuterForce outer{bodies.id[b], forces[b], torques.empty() ? Vec3{} : torques[b]};
    if (known != before.end() && known->body == outer.body) {
      outer.force = known->force + outer.force;
      outer.torque = known->torque + outer.torque;
      ++known;
    }
    pushed.push_back(outer);
  }
}

}  // namespace talus
