#include "cones/projection.hpp"
#include "metrics/cone_terms.hpp"
#include "solvers/local_cone.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double rounding = 1e-15;    // relative change that is none
constexpr double steps_gain = 1e-4;   // accelerated steps end when they are so much shorter
constexpr int most_steps = 100;       // enough for that up to a condition number of some hundreds
constexpr double secant_gain = 1e-3;  // secant steps end when s is so much nearer
constexpr int most_secants = 8;

double largest_entry(const SixRows& x) {
  return std::max(local::largest_entry(x.linear), local::largest_entry(x.angular));
}

/// A point in units in which the largest entries of A and b are between 1/2 and 1.
struct Scaled {
  Mat6 block{};
  SixRows b, x;
  double largest_eigenvalue = 0.0;
  double unit = 0.0;  ///< of x; 0 where there is nothing to solve

  Scaled(const LocalRolling& cone, const SixRows& given_b, const SixRows& given_x) {
    const double largest = largest_entry(given_b);
    if (cone.scale == 0.0 || largest == 0.0) return;
    const double b_unit = local::power_of_two_above(largest);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = cone.block[i] / cone.scale;
    largest_eigenvalue = cone.largest_eigenvalue / cone.scale;
    unit = b_unit / cone.scale;
    b = (1.0 / b_unit) * given_b;
    x = (1.0 / unit) * given_x;
  }
};

/// Nesterov's steps with restart from p.x, for the right side b; p.x moves.
void accelerated_steps(Scaled& p, const RollingFriction& friction, const SixRows& b) {
  const double step = 1.0 / p.largest_eigenvalue;
  SixRows y = p.x;
  double t = 1.0, first = 0.0;
  for (int k = 0; k < most_steps; ++k) {
    const SixRows z = projected(friction, y - step * (times(p.block, y) + b));
    const double moved = largest_entry(z - y);
    if (k == 0) first = moved;
    const SixRows along = z - p.x;
    const bool against = dot(y - z, along) > 0.0;
    p.x = z;
    if (moved <= std::max(steps_gain * first, rounding * (largest_entry(z) + largest_entry(b))))
      return;
    const double t_next = against ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    y = against ? z : z + ((t - 1.0) / t_next) * along;
    t = t_next;
  }
}

}  // namespace

SixRows projected(const RollingFriction& friction, const SixRows& x) {
  return project_rolling(x, {1.0, 0.0, 0.0}, friction);
}

SixRows times(const Mat6& a, const SixRows& x) {
  const Vec3 &f = x.linear, &m = x.angular;
  const auto row = [&](std::size_t i) {
    const double* r = a.data() + 6 * i;
    return r[0] * f.x + r[1] * f.y + r[2] * f.z + (r[3] * m.x + r[4] * m.y + r[5] * m.z);
  };
  return {{row(0), row(1), row(2)}, {row(3), row(4), row(5)}};
}

LocalRolling prepare_rolling(const Mat6& block, const RollingFriction& friction) {
  LocalRolling cone;
  cone.friction = friction;
  double largest = 0.0, squares = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      cone.block[6 * i + j] = 0.5 * (block[6 * i + j] + block[6 * j + i]);
      largest = std::max(largest, std::abs(cone.block[6 * i + j]));
    }
  if (!(largest > 0.0)) return cone;
  cone.scale = local::power_of_two_above(largest);
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 6; ++j) {
      const double entry = std::abs(cone.block[6 * i + j]) / cone.scale;
      sum += entry;
      squares += entry * entry;
    }
    norm = std::max(norm, sum);
  }
  // the row sum norm and Frobenius's norm are both bounds
  constexpr double margin = 1.0 + 1e-14;  // covers their rounding
  cone.largest_eigenvalue = margin * cone.scale * std::min(norm, std::sqrt(squares));
  return cone;
}

SixRows improve_associated(const LocalRolling& cone, const SixRows& b, const SixRows& x) {
  Scaled p(cone, b, x);
  if (p.unit == 0.0) return cone.scale == 0.0 ? x : SixRows{};
  accelerated_steps(p, cone.friction, p.b);
  return p.unit * p.x;
}

SixRows improve_coulomb(const LocalRolling& cone, const SixRows& b, const SixRows& x) {
  if (b.linear.x >= 0.0) return {};
  Scaled p(cone, b, x);
  if (p.unit == 0.0) return x;
  const auto term_of = [&](const SixRows& w) { return de_saxce_term(cone.friction, w); };
  double low = 0.0, high = term_of(p.b) - p.b.linear.x;  // there x = 0, and s(x) is smaller than s
  double s = std::min(term_of(times(p.block, p.x) + p.b), high);
  double last_s = 0.0, last_rise = 0.0, first = 0.0;
  for (int k = 0; k < most_secants; ++k) {
    SixRows shifted = p.b;
    shifted.linear.x += s;
    accelerated_steps(p, cone.friction, shifted);
    const double rise = term_of(times(p.block, p.x) + p.b) - s;
    if (k == 0) first = std::abs(rise);
    if (std::abs(rise) <= std::max(secant_gain * first, rounding * (1.0 + s)) &&
        (k > 0 || rise == 0.0))
      break;
    (rise > 0.0 ? low : high) = s;
    double next = k == 0 ? s + rise : s - rise * (s - last_s) / (rise - last_rise);
    if (!(low < next && next < high)) next = 0.5 * (low + high);
    last_s = s;
    last_rise = rise;
    s = next;
  }
  return p.unit * p.x;
}

SixRows sweep_rolling_box(const LocalRolling& cone, const SixRows& b, const SixRows& x,
                          double omega) {
  const auto& [bl, ba] = b;
  const std::array<double, 6> own{bl.x, bl.y, bl.z, ba.x, ba.y, ba.z};
  std::array<double, 6> y{x.linear.x,  x.linear.y,  x.linear.z,
                          x.angular.x, x.angular.y, x.angular.z};
  const auto& [sliding, rolling, spinning] = cone.friction;
  const std::array<double, 6> mu{0.0, sliding, sliding, spinning, rolling, rolling};
  for (std::size_t i = 0; i < 6; ++i) {
    double gap = own[i];
    for (std::size_t j = 0; j < 6; ++j) gap += cone.block[6 * i + j] * y[j];
    const double bound = y[0] > 0.0 ? mu[i] * y[0] : 0.0;  // no infinity times zero
    const std::pair<double, double> bounds =
        i == 0 ? std::pair{0.0, infinity} : std::pair{-bound, bound};
    const double a = cone.block[7 * i];
    // a row that nothing moves must not stay outside of bounds that shrink
    y[i] = a > 0.0 ? scalar_step(y[i], gap, a, bounds, omega)
                   : std::clamp(y[i], bounds.first, bounds.second);
  }
  return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

SixRows rolling_bound_step(const LocalRolling& cone, bool coulomb, const SixRows& b,
                           const SixRows& x, double omega) {
  if (!(cone.largest_eigenvalue > 0.0)) return x;
  SixRows w = times(cone.block, x) + b;
  if (coulomb) w.linear.x += de_saxce_term(cone.friction, w);
  return projected(cone.friction, x - omega / cone.largest_eigenvalue * w);
}

double local_objective(const LocalRolling& cone, const SixRows& b, const SixRows& x) {
  return 0.5 * dot(x, times(cone.block, x)) + dot(b, x);
}

}  // namespace talus
