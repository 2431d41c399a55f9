#include "solvers/local_cone.hpp"

#include "cones/projection.hpp"
#include "metrics/cone_terms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace talus {

namespace local {

double power_of_two_above(double x) {
  constexpr std::uint64_t exponent_bits = 0x7ff0000000000000;
  const double below = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & exponent_bits);
  // the ends of the range: a number without digits before its own, and infinity
  if (!(below > 0.0)) return std::numeric_limits<double>::min();
  return below < 0x1p1022 ? 2.0 * below : 0x1p1023;
}

double largest_entry(const Vec3& b) {
  return std::max({std::abs(b.x), std::abs(b.y), std::abs(b.z)});
}

double length(const Pair& t) {
  return std::sqrt(t[0] * t[0] + t[1] * t[1]);
}

Pair rotated(const TangentFrame& frame, double t1, double t2) {
  return {frame.cosine * t1 + frame.sine * t2, frame.cosine * t2 - frame.sine * t1};
}

Pair rotated_back(const TangentFrame& frame, const Pair& t) {
  return {frame.cosine * t[0] - frame.sine * t[1], frame.cosine * t[1] + frame.sine * t[0]};
}

Pair reduced_tangent(const LocalCone& cone, const Vec3& b) {
  const TangentFrame& frame = cone.schur;
  Pair c = rotated(frame, b.y, b.z);
  for (std::size_t i = 0; i < 2; ++i) {
    c[i] -= frame.column[i] * (b.x / cone.scaled[0]);
    if (frame.eigenvalue[i] <= null_noise && std::abs(c[i]) <= null_noise) c[i] = 0.0;
  }
  return c;
}

Pair tangent_impulse(const LocalCone& cone, double alpha, const Pair& c) {
  const TangentFrame& frame = cone.schur;
  const double s1 = frame.eigenvalue[0] + alpha, s2 = frame.eigenvalue[1] + alpha;
  if (frame.skew == 0.0) return {-c[0] / s1, -c[1] / s2};
  // (s1, -k; k, s2): every term of the determinant is positive, so nothing cancels
  const double k = frame.skew;
  const double determinant = s1 * s2 + k * k;
  return {-(s2 * c[0] + k * c[1]) / determinant, -(s1 * c[1] - k * c[0]) / determinant};
}

double normal_impulse(const LocalCone& cone, double b_normal, const Pair& tangent) {
  const Pair& row = cone.schur.row;
  return -(b_normal + row[0] * tangent[0] + row[1] * tangent[1]) / cone.scaled[0];
}

bool is_usable(const Vec3& x) {
  return largest_entry(x) <= largest_impulse && !std::isnan(x.x + x.y + x.z);
}

}  // namespace local

namespace {

/// Diagonalises the symmetric part of a 2 x 2 matrix by one Jacobi rotation.
TangentFrame frame_of(double m11, double m12, double m21, double m22) {
  TangentFrame frame;
  const double off = 0.5 * (m12 + m21);
  frame.skew = 0.5 * (m21 - m12);
  double tangent = 0.0;
  if (off != 0.0) {
    const double theta = (m22 - m11) / (2.0 * off);
    tangent = std::copysign(1.0, theta) / (std::abs(theta) + length(theta, 1.0));
  }
  // rotation with eigenvectors (cosine, sine) and (-sine, cosine)
  frame.cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
  frame.sine = -tangent * frame.cosine;
  frame.eigenvalue = {std::max(m11 - tangent * off, local::regularisation),
                      std::max(m22 + tangent * off, local::regularisation)};
  return frame;
}

/// Largest eigenvalue of the symmetric part, and a little more. With p the root mean square of the
/// deviator, t = (lambda - mean) / p is the largest root of t^3 - 3 t = 2 h; Newton's steps from t
/// = 2, the largest possible, come down to it. No function of the mathematics library is called:
/// its bits differ between machines.
double largest_eigenvalue(const Mat3& a) {
  const double off01 = 0.5 * (a[1] + a[3]), off02 = 0.5 * (a[2] + a[6]),
               off12 = 0.5 * (a[5] + a[7]);
  const double mean = (a[0] + a[4] + a[8]) / 3.0;
  const double d0 = a[0] - mean, d1 = a[4] - mean, d2 = a[8] - mean;
  const double square =
      d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * (off01 * off01 + off02 * off02 + off12 * off12);
  const double p = std::sqrt(square / 6.0);
  if (p == 0.0) return mean;
  const double determinant = d0 * (d1 * d2 - off12 * off12) - off01 * (off01 * d2 - off12 * off02) +
                             off02 * (off01 * off12 - d1 * off02);
  const double half = std::clamp(determinant / (2.0 * p * p * p), -1.0, 1.0);
  double t = 2.0;
  for (int step = 0; step < 60; ++step) {
    const double slope = 3.0 * (t * t - 1.0);
    if (!(slope > 0.0)) break;  // the double root at t = 1
    const double next = t - (t * (t * t - 3.0) - 2.0 * half) / slope;
    if (!(next < t)) break;
    t = next;
  }
  constexpr double margin = 1.0 + 1e-10;  // covers the rounding of the root
  return margin * (mean + p * t);
}

/// Root of A_nn - sum a_i^2 / (t_i + alpha q) - alpha p: concave and not negative at 0, so Newton's
/// steps from the right come down to it one by one.
double alpha_max_of(double a_nn, const TangentFrame& t, double p, double q) {
  double alpha = a_nn / p;
  for (int step = 0; step < 200; ++step) {
    double value = a_nn - alpha * p, slope = p;
    for (std::size_t i = 0; i < 2; ++i) {
      const double shifted = t.eigenvalue[i] + alpha * q;
      const double ratio = t.row[i] / shifted;
      value -= ratio * t.row[i];
      slope -= q * ratio * ratio;
    }
    const double next = alpha + value / slope;
    if (!(next < alpha)) break;
    alpha = std::max(next, 0.0);
    if (alpha == 0.0) break;
  }
  return alpha;
}

void prepare_associated(LocalCone& cone) {
  const Mat3& a = cone.scaled;
  const double a_n1 = 0.5 * (a[1] + a[3]), a_n2 = 0.5 * (a[2] + a[6]), a_12 = 0.5 * (a[5] + a[7]);
  cone.tangent = frame_of(a[4], a_12, a_12, a[8]);
  cone.tangent.row = cone.tangent.column = local::rotated(cone.tangent, a_n1, a_n2);
  const double p = cone.friction.sine * cone.friction.sine;
  const double q = cone.friction.cosine * cone.friction.cosine;
  if (cone.friction.sine < local::smallest_slope) return;
  cone.alpha_max = alpha_max_of(a[0], cone.tangent, p, q);
  cone.pole_norm = p;
  for (std::size_t i = 0; i < 2; ++i) {
    const double v = cone.tangent.row[i] / (cone.tangent.eigenvalue[i] + cone.alpha_max * q);
    cone.pole_norm -= q * v * v;
  }
}

/// x on the boundary or inside, by shrinking the tangential part: for answers that are right up to
/// rounding.
Vec3 clipped(const FrictionAngle& f, Vec3 x) {
  x.x = std::max(x.x, 0.0);
  const double tangent = length(x.y, x.z);
  if (f.cosine * tangent <= f.sine * x.x) return x;
  const double shrink = f.sine * x.x / (f.cosine * tangent);
  return {x.x, shrink * x.y, shrink * x.z};
}

/// G(alpha) = (sine x_N - cosine |x_T|) / |x_T|: linear in alpha where S is a multiple of 1, hence
/// the few steps.
struct SlideFunction {
  const LocalCone& cone;
  double b_normal;
  local::Pair c;

  local::Pair tangent(double alpha) const { return local::tangent_impulse(cone, alpha, c); }

  std::pair<double, double> value_and_slope(double alpha) const {
    const local::Pair x = tangent(alpha);
    const local::Pair x_slope = local::tangent_impulse(cone, alpha, x);
    const double length = local::length(x);
    const double length_slope = (x[0] * x_slope[0] + x[1] * x_slope[1]) / length;
    const double normal = local::normal_impulse(cone, b_normal, x);
    const double normal_slope = local::normal_impulse(cone, 0.0, x_slope);
    const double sine = cone.friction.sine;
    return {sine * (normal / length) - cone.friction.cosine,
            sine * (normal_slope - normal * (length_slope / length)) / length};
  }

  /// The root if S were a multiple of 1.
  double guess() const {
    const local::Pair& row = cone.schur.row;
    const double length = local::length(c);
    const double inverse = cone.friction.cosine * length * cone.scaled[0] -
                           cone.friction.sine * (row[0] * c[0] + row[1] * c[1]);
    return inverse / (-cone.friction.sine * b_normal) -
           0.5 * (cone.schur.eigenvalue[0] + cone.schur.eigenvalue[1]);
  }

  /// G is positive from here on.
  double upper_end() const {
    const local::Pair& row = cone.schur.row;
    const double drive = local::length(c) * (cone.friction.cosine * cone.scaled[0] +
                                             cone.friction.sine * local::length(row));
    return std::min(1.001 * drive / (-cone.friction.sine * b_normal), 1e200);
  }
};

/// Newton's steps, bisected (in the exponent) whenever they leave the bracket or do not halve it.
double slide_alpha(const SlideFunction& g) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const local::Pair& s = g.cone.schur.eigenvalue;
  const double resolution = std::min(s[0], s[1]);
  double low = 0.0, high = std::max(g.upper_end(), 1e-30);
  double alpha = std::clamp(g.guess(), 1e-3 * epsilon * resolution, high);
  double last_width = high;
  for (int step = 0; step < 200; ++step) {
    const auto [value, slope] = g.value_and_slope(alpha);
    if (value == 0.0) return alpha;
    (value < 0.0 ? low : high) = alpha;
    double next = alpha - value / slope;
    const bool outside = !(low < next && next < high);
    const double width = std::abs(next - alpha);
    if (outside || (step > 6 && width > 0.5 * last_width)) {
      next = std::sqrt(std::max(low, epsilon * epsilon * resolution)) * std::sqrt(high);
      if (!(low < next && next < high)) return alpha;
    }
    last_width = width;
    if (!outside && width <= local::last_newton_step * (alpha + resolution)) return next;
    alpha = next;
  }
  return alpha;
}

Vec3 in_contact_frame(const LocalCone& cone, double normal, const local::Pair& tangent) {
  const local::Pair back = local::rotated_back(cone.schur, tangent);
  return {normal, back[0], back[1]};
}

}  // namespace

Vec3 projected(const FrictionAngle& f, const Vec3& x) {
  return project_spatial(x, {1.0, 0.0, 0.0}, f.cosine, f.sine);
}

LocalCone prepare_cone(const Mat3& block, const FrictionAngle& friction) {
  LocalCone cone;
  cone.block = block;
  cone.friction = friction;
  double largest = 0.0;
  for (const double a : block) largest = std::max(largest, std::abs(a));
  if (!(largest > 0.0)) return cone;
  cone.scale = local::power_of_two_above(largest);
  for (std::size_t i = 0; i < 9; ++i) cone.scaled[i] = block[i] / cone.scale;
  cone.largest_eigenvalue = cone.scale * largest_eigenvalue(cone.scaled);
  for (std::size_t i = 0; i < 9; i += 4) {
    cone.scaled[i] += local::regularisation;
    cone.block[i] += local::regularisation * cone.scale;
  }
  const Mat3& a = cone.scaled;
  const double c1 = a[3] / a[0], c2 = a[6] / a[0];
  cone.schur = frame_of(a[4] - c1 * a[1], a[5] - c1 * a[2], a[7] - c2 * a[1], a[8] - c2 * a[2]);
  cone.schur.row = local::rotated(cone.schur, a[1], a[2]);
  cone.schur.column = local::rotated(cone.schur, a[3], a[6]);
  prepare_associated(cone);
  return cone;
}

Mat3 planar_as_spatial(double nn, double nt, double tn, double tt) {
  const double idle = tt > 0.0 ? tt : 1.0;
  return {nn, nt, 0.0, tn, tt, 0.0, 0.0, 0.0, idle};
}

LocalAnswer solve_coulomb(const LocalCone& cone, const Vec3& b) {
  if (b.x >= 0.0) return {};
  if (cone.scale == 0.0) return {{}, LocalState::Unsolvable};
  const double b_scale = local::power_of_two_above(local::largest_entry(b));
  const Vec3 scaled{b.x / b_scale, b.y / b_scale, b.z / b_scale};
  const double unit = b_scale / cone.scale;
  const FrictionAngle& f = cone.friction;

  LocalAnswer answer;
  if (f.sine < local::smallest_slope) {
    answer = {{-scaled.x / cone.scaled[0], 0.0, 0.0}, LocalState::Slide};
  } else {
    const SlideFunction slide{cone, scaled.x, local::reduced_tangent(cone, scaled)};
    local::Pair tangent = slide.tangent(0.0);
    double normal = local::normal_impulse(cone, scaled.x, tangent);
    answer.state = LocalState::Stick;
    if (!(f.cosine * local::length(tangent) <= f.sine * normal)) {
      answer.state = LocalState::Slide;
      tangent = slide.tangent(slide_alpha(slide));
      normal = local::normal_impulse(cone, scaled.x, tangent);
      // Of |x_T| = mu x_N the larger side is known to more digits.
      if (f.sine > f.cosine) normal = f.cosine / f.sine * local::length(tangent);
    }
    answer.impulse = in_contact_frame(cone, normal, tangent);
    if (answer.state == LocalState::Slide) answer.impulse = clipped(f, answer.impulse);
  }
  if (!local::is_usable(answer.impulse)) answer.state = LocalState::Unsolvable;
  answer.impulse = unit * answer.impulse;
  return answer;
}

Vec3 sweep_box(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega) {
  const Mat3& a = cone.block;
  Vec3 y = x;
  const auto gap = [&](const double* row, double own) {
    return row[0] * y.x + row[1] * y.y + row[2] * y.z + own;
  };
  y.x = scalar_step(y.x, gap(&a[0], b.x), a[0], {0.0, infinity}, omega);
  const double bound = y.x > 0.0 ? cone.friction.mu * y.x : 0.0;  // no infinity times zero
  y.y = scalar_step(y.y, gap(&a[3], b.y), a[4], {-bound, bound}, omega);
  y.z = scalar_step(y.z, gap(&a[6], b.z), a[8], {-bound, bound}, omega);
  return y;
}

Vec3 bound_step_associated(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega) {
  if (!(cone.largest_eigenvalue > 0.0)) return x;
  const Vec3 w = times(cone.block, x) + b;
  return projected(cone.friction, x - omega / cone.largest_eigenvalue * w);
}

Vec3 bound_step_coulomb(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega) {
  if (!(cone.largest_eigenvalue > 0.0)) return x;
  Vec3 w = times(cone.block, x) + b;
  const double slip = length(w.y, w.z);
  if (slip > 0.0) w.x += cone.friction.mu * slip;
  return projected(cone.friction, x - omega / cone.largest_eigenvalue * w);
}

double local_objective(const LocalCone& cone, const Vec3& b, const Vec3& x) {
  return 0.5 * dot(x, times(cone.block, x)) + dot(b, x);
}

double scalar_step(double x, double gap, double diagonal, const std::pair<double, double>& bounds,
                   double omega) {
  if (!(diagonal > 0.0)) return x;
  return std::clamp(x - omega * gap / diagonal, bounds.first, bounds.second);
}

Vec3 times(const Mat3& a, const Vec3& x) {
  return {a[0] * x.x + a[1] * x.y + a[2] * x.z, a[3] * x.x + a[4] * x.y + a[5] * x.z,
          a[6] * x.x + a[7] * x.y + a[8] * x.z};
}

}  // namespace talus
