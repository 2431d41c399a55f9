#pragma once
// What must hold for every made problem, worked out from the data alone.

#include "talus/core/rotation.hpp"

#include "generate/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace talus {

inline Vec3 centre_of(const BodyProblem& problem, Index body) {
  return problem.centre[static_cast<std::size_t>(body)];
}

inline double total_mass(const BodyProblem& problem) {
  double mass = 0.0;
  for (const double inverse : problem.inverse_mass) mass += 1.0 / inverse;
  return mass;
}

inline Vec3 total_momentum(const BodyProblem& problem) {
  Vec3 sum;
  for (const Vec6& f : problem.momentum) sum = sum + Vec3{f[0], f[1], f[2]};
  return sum;
}

/// Velocity before the step: momentum less the weight's share.
inline Vec3 speed_before(const BodyProblem& problem, std::size_t body) {
  const Vec6& f = problem.momentum[body];
  const Vec3 v = problem.inverse_mass[body] * Vec3{f[0], f[1], f[2]};
  return v + Vec3{0.0, 0.0, problem.time_step * 9.81};
}

inline void expect_sound(const BodyProblem& problem) {
  EXPECT_NO_THROW(validate(problem, problem.title));
  EXPECT_FALSE(problem.title.empty());
  EXPECT_GT(problem.time_step, 0.0);
  const std::set<GlobalId> contact_keys(problem.contact_key.begin(), problem.contact_key.end());
  EXPECT_EQ(contact_keys.size(), problem.contact_key.size());
  const std::set<GlobalId> joint_keys(problem.joint_key.begin(), problem.joint_key.end());
  EXPECT_EQ(joint_keys.size(), problem.joint_key.size());
  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    ASSERT_NEAR(length(problem.normal[c]), 1.0, 1e-14);  // a division and a root: a few ulp
    ASSERT_GE(problem.contact_bias[c].x, 0.0);
    ASSERT_EQ(problem.contact_bias[c].y, 0.0);
    ASSERT_EQ(problem.contact_bias[c].z, 0.0);
    const Index a = problem.contact_body_a[c], b = problem.contact_body_b[c];
    ASSERT_NE(b, no_body);
    // both bodies are convex and the point lies between them: seen from it, B is ahead and A behind
    ASSERT_GT(dot(problem.normal[c], centre_of(problem, b) - problem.point[c]), 0.0);
    if (a != no_body) {
      ASSERT_LT(dot(problem.normal[c], centre_of(problem, a) - problem.point[c]), 0.0);
    }
  }
}

/// Weight balance: horizontal velocities apart, momentum is that of free fall through the step.
inline void expect_weight(const BodyProblem& problem) {
  double falling = 0.0;  // z momentum that the bodies brought along
  for (std::size_t i = 0; i < problem.centre.size(); ++i)
    falling += speed_before(problem, i).z / problem.inverse_mass[i];
  const double weight = total_mass(problem) * 9.81 * problem.time_step;
  EXPECT_NEAR(total_momentum(problem).z, falling - weight, 1e-12 * weight);
}

inline bool same_bits(const BodyProblem& a, const BodyProblem& b) {
  const auto same = [](const std::vector<Vec3>& x, const std::vector<Vec3>& y) {
    return x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(), [](const Vec3& p, const Vec3& q) {
             return p.x == q.x && p.y == q.y && p.z == q.z;
           });
  };
  return same(a.centre, b.centre) && same(a.point, b.point) && same(a.normal, b.normal) &&
         same(a.contact_bias, b.contact_bias) && a.momentum == b.momentum &&
         a.inverse_mass == b.inverse_mass && a.contact_key == b.contact_key &&
         a.joint_key == b.joint_key && a.joint_block_a == b.joint_block_a &&
         a.joint_block_b == b.joint_block_b;
}

}  // namespace talus
