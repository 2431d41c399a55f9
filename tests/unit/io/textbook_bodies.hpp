#pragma once
// Random problems of rigid bodies, and what they do by the formulas of any textbook: what files and
// matrices are checked against.

#include "talus/core/rotation.hpp"
#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus::test {

/// Bodies, contacts and joint rows of all kinds at random.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  double number() { return uniform_(random_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Vec3 direction() {
    Vec3 d = vector();
    while (length(d) < 0.1) d = vector();
    return (1.0 / length(d)) * d;
  }
  /// L L^T + 1: positive definite, no axis of its own.
  Sym3 inertia() {
    const double a = number(), b = number(), c = number();
    return {1.0 + a * a, a * b, a * c, 1.0 + b * b, b * c, 1.0 + c * c};
  }
  BodyProblem problem(Index bodies, Index contacts, Index joints) {
    BodyProblem p;
    for (Index b = 0; b < bodies; ++b)
      p.add_body(vector(), 1.5 + number(), inertia(),
                 {number(), number(), number(), number(), number(), number()});
    const auto pick = [&] { return static_cast<Index>(random_() % static_cast<unsigned>(bodies)); };
    for (Index c = 0; c < contacts; ++c) {
      Index a = c % 5 == 0 ? no_body : pick(), b = c % 5 == 1 ? no_body : pick();
      if (a == b) a = (b + 1) % bodies;
      p.add_contact(a, b, direction(), vector(), 0.5, vector());
    }
    for (Index j = 0; j < joints; ++j) {
      const Index a = pick();
      p.add_joint_row(a, j % 3 == 0 ? no_body : (a + 1) % bodies,
                      {number(), number(), 1.0, number(), number(), number()},
                      j % 3 == 0 ? Vec6{} : Vec6{number(), 1.0, 0.0, number(), number(), number()},
                      number());
    }
    p.time_step = 0.01;
    p.title = "made";
    return p;
  }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

inline GlobalProblem matrices_of(const BodyProblem& problem) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), problem);
  return std::get<GlobalProblem>(
      read_problem(folder.file("p.h5"), {.recognise_bodies = false}).data);
}

/// Relative velocities of all rows for given body velocities, and the velocities themselves for
/// given impulses, both ways: from the bodies by the textbook formulas, from the matrices by
/// products. They must agree.
inline std::vector<double> gaps_of_bodies(const BodyProblem& p, const std::vector<double>& v) {
  const auto at_point = [&](Index b, const Vec3& point) -> Vec3 {
    if (b == no_body) return {};
    const double* twist = v.data() + 6 * b;
    return Vec3{twist[0], twist[1], twist[2]} +
           cross({twist[3], twist[4], twist[5]}, point - p.centre[b]);
  };
  std::vector<double> gaps;
  for (Index c = 0; c < p.contact_count(); ++c) {
    const Vec3 u =
        at_point(p.contact_body_b[c], p.point_on_b(c)) - at_point(p.contact_body_a[c], p.point[c]);
    const Vec3 n = p.normal[c], t1 = p.tangent[c];
    for (const Vec3& d : {n, t1, cross(n, t1)}) gaps.push_back(dot(d, u));
  }
  for (Index j = 0; j < p.joint_row_count(); ++j) {
    double gap = 0.0;
    for (Index k = 0; k < 6; ++k) {
      if (p.joint_body_a[j] != no_body) gap += p.joint_block_a[j][k] * v[6 * p.joint_body_a[j] + k];
      if (p.joint_body_b[j] != no_body) gap += p.joint_block_b[j][k] * v[6 * p.joint_body_b[j] + k];
    }
    gaps.push_back(gap);
  }
  return gaps;
}

inline std::vector<double> gaps_of_matrices(const GlobalProblem& g, const std::vector<double>& v) {
  std::vector<double> gaps = times(transposed(g.H), v);
  const std::vector<double> joints = times(transposed(g.G), v);
  gaps.insert(gaps.end(), joints.begin(), joints.end());
  return gaps;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "entry " << i;
}

/// Inverse mass and inertia against M: M times M^-1 f must be f.
inline void expect_masses(const GlobalProblem& g, const BodyProblem& p, double tolerance) {
  std::vector<double> v;
  for (std::size_t b = 0; b < p.centre.size(); ++b) {
    const Vec6& f = p.momentum[b];
    const Vec3 turn = p.inverse_inertia[b] * Vec3{f[3], f[4], f[5]};
    for (int k = 0; k < 3; ++k) v.push_back(p.inverse_mass[b] * f[k]);
    v.insert(v.end(), {turn.x, turn.y, turn.z});
  }
  expect_near(times(g.M, v), g.f, tolerance);
}

inline std::vector<double> velocities(std::size_t bodies) {
  Maker maker(99);
  std::vector<double> v(6 * bodies);
  for (double& x : v) x = maker.number();
  return v;
}

/// M^-1 (f + D^T r) by the textbook, for the impulses of a file.
inline std::vector<double> velocities_after(const BodyProblem& p, const Solution& s) {
  std::vector<Vec6> wrench = p.momentum;
  const auto push = [&](Index b, const Vec3& point, const Vec3& force) {
    if (b == no_body) return;
    const Vec3 torque = cross(point - p.centre[b], force);
    const Vec6 add{force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; ++k) wrench[b][k] += add[k];
  };
  for (Index c = 0; c < p.contact_count(); ++c) {
    const Vec3 n = p.normal[c], t1 = p.tangent[c];
    const Vec3 force = s.r[3 * c] * n + s.r[3 * c + 1] * t1 + s.r[3 * c + 2] * cross(n, t1);
    push(p.contact_body_a[c], p.point[c], -force);
    push(p.contact_body_b[c], p.point_on_b(c), force);
  }
  for (Index j = 0; j < p.joint_row_count(); ++j)
    for (int k = 0; k < 6; ++k) {
      if (p.joint_body_a[j] != no_body)
        wrench[p.joint_body_a[j]][k] += p.joint_block_a[j][k] * s.l[j];
      if (p.joint_body_b[j] != no_body)
        wrench[p.joint_body_b[j]][k] += p.joint_block_b[j][k] * s.l[j];
    }
  std::vector<double> v;
  for (std::size_t b = 0; b < wrench.size(); ++b) {
    const Vec6& f = wrench[b];
    const Vec3 w = p.inverse_inertia[b] * Vec3{f[3], f[4], f[5]};
    for (int k = 0; k < 3; ++k) v.push_back(p.inverse_mass[b] * f[k]);
    v.insert(v.end(), {w.x, w.y, w.z});
  }
  return v;
}

}  // namespace talus::test
