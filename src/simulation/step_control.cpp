#include "talus/simulation/step_control.hpp"

#include "model/body_traits.hpp"
#include "simulation/weighted_mean.hpp"

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

void note_velocities(const World& world, const std::vector<Vec6>& after, double h,
                     const Communicator& comm, StepControl& control) {
  const BodySet& bodies = world.bodies;
  std::vector<double> jumps;
  std::array<double, 1> pace{0.0};
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const Vec6& u = after[b];
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    const bool sphere =
        std::holds_alternative<Sphere>(world.shapes[static_cast<std::size_t>(bodies.shape[b])]);
    const double reach = !sphere && std::isfinite(bodies.reach[b]) ? bodies.reach[b] : 0.0;
    jumps.push_back(
        0.5 * h *
        (length(v - bodies.velocity[b]) + reach * length(w - bodies.angular_velocity[b])));
    const double speed = length(v) + reach * length(w);
    pace[0] = std::max(pace[0], speed / size_of_body(world, b));
  }
  control.jump = self_weighted_mean(jumps, comm);
  comm.largest(pace);
  control.pace = pace[0];
  control.any = true;
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
