#include "support/complementary_pair.hpp"

#include "talus/core/error.hpp"

#include <cmath>

namespace talus::support {
namespace {

// Strict pairs keep this far from the boundary of the faces they lie in, relative to their size.
constexpr double margin = 0.2;

/// Cosine and sine of the half angle: finite also for a huge mu.
struct Angle {
  double cosine, sine;
};
Angle angle_of(double friction) {
  const double cosine = 1.0 / std::sqrt(1.0 + friction * friction);
  return {cosine, friction * cosine};
}

void draw_tangent(int dimension, KeyedRandom& random, double& t1, double& t2) {
  t1 = random.sign();
  t2 = 0.0;
  if (dimension == 2) return;
  const Vec3 d = random.direction();
  const double length = std::sqrt(d.x * d.x + d.y * d.y);
  if (length == 0.0) return;
  t1 = d.x / length;
  t2 = d.y / length;
}

/// w on the boundary of K* (sliding) or inside it (open); with Coulomb, w less the De Saxce term.
Vec3 cone_gap(const FrictionKind& kind, const FrictionState& state, KeyedRandom& random) {
  const double size = random.uniform(0.5, 1.5);
  if (kind.law == Law::Coulomb) {
    if (state.state == State::Sliding) return {0.0, -size * state.t1, -size * state.t2};
    double t1 = 0.0, t2 = 0.0;
    draw_tangent(kind.dimension, random, t1, t2);
    const double tangent = random.uniform(0.0, 1.0);
    return {size, tangent * t1, tangent * t2};
  }
  const Angle angle = angle_of(kind.friction);
  const Vec3 boundary{size * angle.sine, -size * angle.cosine * state.t1,
                      -size * angle.cosine * state.t2};
  if (state.state == State::Sliding) return boundary;
  return (1.0 - margin) * random.uniform() * boundary + Vec3{random.uniform(margin, 1.0), 0.0, 0.0};
}

Vec3 box_gap(const FrictionState& state, KeyedRandom& random) {
  const double a = random.uniform(0.5, 1.5), b = random.uniform(0.5, 1.5);
  if (state.state == State::Sliding) return {0.0, -a * state.t1, -b * state.t2};
  return {random.uniform(0.5, 1.5), a * state.t1, b * state.t2};
}

double bounded(double value) {
  return std::min(value, 2.0);
}  // a huge mu needs no huge impulse to stick

Vec3 box_impulse(const FrictionKind& kind, const FrictionState& state, KeyedRandom& random) {
  const double normal = random.uniform(0.5, 1.5);
  const double inside = (1.0 - margin) * normal * bounded(kind.friction);
  const double s1 = random.uniform(-1.0, 1.0), s2 = random.uniform(-1.0, 1.0);
  const bool bound = state.state == State::Sliding || state.degenerate;
  const double most = kind.friction * normal;
  const double x1 = bound && state.t1 != 0.0 ? state.t1 * most : s1 * inside;
  const double x2 = bound && state.t2 != 0.0 ? state.t2 * most : s2 * inside;
  return {normal, x1, kind.dimension == 2 ? 0.0 : x2};
}

}  // namespace

FrictionState draw_friction_state(const FrictionKind& kind, KeyedRandom& random) {
  FrictionState state;
  state.friction = kind.friction;
  state.state = static_cast<State>(random.below(3));
  state.degenerate = !kind.strict && random.chance(0.5);
  if (kind.law == Law::Box) {
    state.t1 = random.sign();
    state.t2 = kind.dimension == 2 ? 0.0 : static_cast<double>(random.below(3)) - 1.0;
  } else {
    draw_tangent(kind.dimension, random, state.t1, state.t2);
  }
  const bool at_rest =
      state.state == State::Sticking || (state.state == State::Open && state.degenerate);
  if (!at_rest)
    state.gap = kind.law == Law::Box ? box_gap(state, random) : cone_gap(kind, state, random);
  return state;
}

Vec3 draw_friction_impulse(const FrictionKind& kind, const FrictionState& state,
                           KeyedRandom& random) {
  if (state.state == State::Open) return {};
  if (state.state == State::Sliding && state.degenerate) return {};
  if (kind.law == Law::Box) return box_impulse(kind, state, random);
  const Angle angle = angle_of(kind.friction);
  const double size = random.uniform(0.5, 1.5);
  const Vec3 boundary{size * angle.cosine, size * angle.sine * state.t1,
                      size * angle.sine * state.t2};
  if (state.state == State::Sliding || state.degenerate) return boundary;
  return (1.0 - margin) * random.uniform() * boundary + Vec3{random.uniform(margin, 1.0), 0.0, 0.0};
}

ScalarState draw_scalar_state(ScalarKind kind, int variant, bool strict, KeyedRandom& random) {
  ScalarState state;
  const double low = -random.uniform(0.5, 1.5), high = random.uniform(0.5, 1.5);
  const int side = static_cast<int>(random.below(3)) - 1;
  const double size = random.uniform(0.5, 1.5);
  const bool degenerate = !strict && random.chance(0.5);
  state.lower = kind == ScalarKind::NonNegative ? 0.0 : low;
  state.upper = high;
  if (kind == ScalarKind::Free || (kind == ScalarKind::Box && variant == 1))
    state.lower = -infinity;
  if (kind != ScalarKind::Box || variant == 2) state.upper = infinity;
  const bool possible =
      side == 0 || (side < 0 ? state.lower != -infinity : state.upper != infinity);
  state.side = possible ? side : 0;
  // at the lower bound w >= 0 holds the impulse down, at the upper w <= 0
  state.gap = degenerate ? 0.0 : -state.side * size;
  return state;
}

double draw_scalar_impulse(const ScalarState& state, KeyedRandom& random) {
  if (state.side < 0) return state.lower;
  if (state.side > 0) return state.upper;
  const double from = std::max(state.lower, state.upper == infinity ? -1.5 : state.upper - 1.5);
  const double to = std::min(state.upper, from + 1.5);
  return random.uniform(from + margin * (to - from), to - margin * (to - from));
}

}  // namespace talus::support
