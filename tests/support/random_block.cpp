#include "support/random_block.hpp"

#include "talus/cones/cone_set.hpp"

#include <algorithm>
#include <cmath>

namespace talus::support {

FrictionAngle angle_of(double mu) {
  if (std::isinf(mu)) return {mu, 0.0, 1.0};
  const double length = std::hypot(1.0, mu);
  return {mu, 1.0 / length, mu / length};
}

double length_of(const Vec3& x) {
  return std::hypot(x.x, x.y, x.z);
}

double largest_of(const Mat3& a) {
  double largest = 0.0;
  for (const double entry : a) largest = std::max(largest, std::abs(entry));
  return largest;
}

double power_of_ten(KeyedRandom& random, double from, double to) {
  return std::pow(10.0, random.uniform(from, to));
}

Mat3 random_block(Kind kind, KeyedRandom& random) {
  const Vec3 q0 = random.direction();
  const Vec3 q1 = tangent_of(q0);
  const std::array<Vec3, 3> q{q0, q1, cross(q0, q1)};
  Mat3 a{};
  for (std::size_t k = 0; k < 3; ++k) {
    double value = random.uniform(0.2, 3.0);
    if (kind == Kind::Ill) value = power_of_ten(random, -12.0, 0.0);
    if (kind == Kind::Singular && random.chance(0.4)) value = 0.0;
    if (kind == Kind::Diagonal) {
      a[4 * k] = power_of_ten(random, -3.0, 3.0);
      continue;
    }
    const std::array<double, 3> e{q[k].x, q[k].y, q[k].z};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) a[3 * i + j] += value * e[i] * e[j];
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) a[3 * i + j] = a[3 * j + i];
  return a;
}

Vec3 random_vector(KeyedRandom& random) {
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

Vec3 nearest(double mu, const Vec3& x) {
  const double tangent = std::hypot(x.y, x.z);
  if (mu * tangent <= -x.x) return {};
  if (tangent <= mu * x.x) return x;
  const double normal = (x.x / mu + tangent) / (1.0 / mu + mu);
  return {normal, mu * normal / tangent * x.y, mu * normal / tangent * x.z};
}

double fault(bool coulomb, double mu, const Mat3& a, const Vec3& b, const Vec3& x) {
  const double size = largest_of(a);
  Vec3 w = times(a, x) + b;
  if (coulomb) w.x += mu * std::hypot(w.y, w.z);
  const Vec3 moved = x - (1.0 / size) * w;
  const Vec3 to = mu > 0.0 ? nearest(mu, moved) : Vec3{std::max(moved.x, 0.0), 0.0, 0.0};
  const double enlarged = coulomb ? std::max(1.0, mu) : 1.0;
  return length_of(x - to) / (length_of(x) + length_of(b) / size) / enlarged;
}

}  // namespace talus::support
