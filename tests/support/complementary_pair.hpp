#pragma once
// Draws complementary pairs, cone by cone, for manufactured problems.

#include "talus/metrics/measures.hpp"

#include "generate/random.hpp"

namespace talus::support {

enum class State { Sticking, Sliding, Open };

/// What all copies of a repeated contact share. Components are (n, t1, t2); t2 = 0 in the plane.
struct FrictionState {
  State state = State::Sticking;
  bool degenerate = false;
  double friction = 0.0;
  double t1 = 1.0,
         t2 = 0.0;  ///< direction of the tangential impulse; Law::Box: -1, 0 or 1 per tangent
  Vec3 gap;
};

struct FrictionKind {
  Law law = Law::Associated;
  int dimension = 3;
  double friction = 0.0;
  bool strict = true;
};

FrictionState draw_friction_state(const FrictionKind& kind, KeyedRandom& random);
/// An impulse of order 1 that goes with the gap velocity of `state`.
Vec3 draw_friction_impulse(const FrictionKind& kind, const FrictionState& state,
                           KeyedRandom& random);

enum class ScalarKind { Free, NonNegative, Box };

struct ScalarState {
  double lower = 0.0, upper = 0.0;
  double gap = 0.0;
  int side = 0;  ///< -1: impulse at the lower bound, 1: at the upper, 0: between
};

/// `variant` picks the kind of box: 0 finite, 1 no lower bound, 2 no upper bound.
ScalarState draw_scalar_state(ScalarKind kind, int variant, bool strict, KeyedRandom& random);
double draw_scalar_impulse(const ScalarState& state, KeyedRandom& random);

}  // namespace talus::support
