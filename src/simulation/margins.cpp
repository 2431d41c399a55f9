#include "simulation/margins.hpp"

#include "talus/assembly/contact_rows.hpp"
#include "talus/core/arithmetic.hpp"

#include "model/body_traits.hpp"
#include "simulation/start_values.hpp"

#include <cmath>

namespace talus {

std::vector<double> margins_of(const World& world, double h) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  std::vector<double> margin(count, 0.0);
  const double g = gravity_of(world);
  const std::vector<SpeedGain> gains = speed_gains(world, h);
  const StandardArithmetic arithmetic;
#pragma omp parallel for schedule(static) if (count > 1000) default(none) firstprivate(arithmetic) \
    shared(count, bodies, margin, h, g, gains)
  for (std::size_t b = 0; b < count; ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const SpeedGain gain = gains.empty() ? SpeedGain{} : gains[b];
    const double turning = std::isfinite(bodies.reach[b])
                               ? (length(bodies.angular_velocity[b]) + gain.spin) * bodies.reach[b]
                               : 0.0;
    const double falling = bodies.motion[b] == Motion::Dynamic ? h * g : 0.0;
    const double way = h * (length(bodies.velocity[b]) + turning + falling + gain.speed);
    margin[b] = std::isfinite(way) ? way : 0.0;  // a formula is at fault: told after the step
  }
  return margin;
}

double way_of(const World& world, std::size_t body, const Vec6& velocity, double h) {
  const Vec3 v{velocity[0], velocity[1], velocity[2]}, w{velocity[3], velocity[4], velocity[5]};
  const double reach = turning_reach(world, body);
  const double way = h * (length(v) + (reach > 0.0 ? length(w) * reach : 0.0));
  return std::isfinite(way) ? way : 0.0;
}

}  // namespace talus
