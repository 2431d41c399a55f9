#pragma once
// What the makers of problems share: bodies of simple shape, contacts with their keys, and
// arithmetic that has the same bits on every machine (only + - * / and sqrt are rounded the same by
// every libm).

#include "talus/problem/body_problem.hpp"

#include "core/elementary.hpp"

namespace talus {

inline constexpr double standard_gravity = 9.81;  ///< m/s2, along -z

/// x^(1/3) and x^t for x > 0 and t in [0, 1].
double cube_root(double x);
double fractional_power(double x, double t);

/// How a body moves into the step, in which gravity acts on it for `step` seconds.
struct Departure {
  Vec3 velocity;
  double step = 0.0;
};

Index add_box(BodyProblem& problem, const Vec3& centre, const Vec3& size, double mass,
              const Departure& motion);
Index add_sphere(BodyProblem& problem, const Vec3& centre, double radius, double mass,
                 const Departure& motion);

struct PointContact {
  Index body_a = no_body, body_b = no_body;
  int feature = 0;  ///< which of several points of the same pair, below 512
  Vec3 normal, point;
  double gap = 0.0;  ///< m; the bodies may approach at gap / step
};

/// The key comes from the ids of the bodies and the feature, so that it does not depend on the
/// order of storage.
void add_contact(BodyProblem& problem, const PointContact& contact, double friction, double step);

/// A scalar row that holds the velocity of B at `point` along `axis` to that of A (linear), or
/// their angular velocities.
struct AxisRow {
  Index body_a = no_body, body_b = no_body;
  int feature = 0;
  Vec3 axis, point;
  bool angular = false;
};
void add_joint(BodyProblem& problem, const AxisRow& row);

/// Three rows: the point is the same on both bodies. They take three features from `feature` on.
void add_ball_joint(BodyProblem& problem, Index body_a, Index body_b, const Vec3& point,
                    int feature = 0);

}  // namespace talus
