#include "talus/simulation/step_control.hpp"

#include "model/body_traits.hpp"
#include "simulation/margins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

// Of its own size: how far a body may come within a step. What comes farther asks for margins as
// wide as its neighbourhood.
constexpr double most_way = 0.25;
// A step that is chosen makes less than it may: its error is foreseen from the last one.
constexpr double safety = 0.8;
// How much longer than the last one a step may be.
constexpr std::int64_t most_growth = 2;

}  // namespace

std::vector<double> jumps_of(const World& world, const std::vector<Vec6>& after, double h) {
  const BodySet& bodies = world.bodies;
  std::vector<double> jumps(after.size(), 0.0);
  for (std::size_t b = 0; b < jumps.size(); ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const Vec6& u = after[b];
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    jumps[b] = 0.5 * h *
               (length(v - bodies.velocity[b]) +
                turning_reach(world, b) * length(w - bodies.angular_velocity[b]));
  }
  return jumps;
}

double largest_pace(const World& world, const std::vector<Vec6>& after, const Communicator& comm) {
  std::array<double, 1> pace{0.0};
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b) {
    if (world.bodies.motion[b] != Motion::Dynamic) continue;
    pace[0] = std::max(pace[0], way_of(world, b, after[b], 1.0) / size_of_body(world, b));
  }
  comm.largest(pace);
  return pace[0];
}

std::int64_t next_ticks(const StepControl& control, const StepSettings& settings, double accuracy,
                        std::int64_t left) {
  std::int64_t ticks = 1;
  if (control.any) {
    const double expected = control.expected_error();
    // the error of a step goes with h squared
    const double factor =
        expected > 0.0 ? safety * std::sqrt(accuracy / expected) : static_cast<double>(most_growth);
    ticks = static_cast<std::int64_t>(std::floor(
        static_cast<double>(settings.ticks) * std::min(factor, static_cast<double>(most_growth))));
    const double way = control.pace * settings.tick;  // per tick, in sizes
    if (way > 0.0 && static_cast<double>(ticks) * way > most_way)
      ticks = static_cast<std::int64_t>(std::floor(most_way / way));
    ticks = std::clamp(ticks, std::int64_t{1}, settings.most_ticks);
  }
  if (ticks >= left) return std::max(std::int64_t{1}, left);
  // two equal steps rather than one and a rest
  return 2 * ticks > left ? (left + 1) / 2 : ticks;
}

std::int64_t tick_at(double time, double tick) {
  constexpr double hair = 1e-9;  // times are rounded
  constexpr double most = 9e15;
  const double ticks = std::ceil(time / tick * (1.0 - hair));
  return ticks < most ? static_cast<std::int64_t>(ticks) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace talus
