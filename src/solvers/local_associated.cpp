// The associated law on one cone. Where 0 and the unbound minimum both fail, the answer has x on
// the boundary of K, w on that of K*, so w = alpha J x with J = diag(sine^2, -cosine^2, -cosine^2)
// and alpha > 0: (A - alpha J) x = -b and x J x = 0. A - alpha J is singular at one alpha_max > 0
// only, with the null vector v, which lies in K. x is split in y v + z with v J z = 0. Then y = (-v
// b) / ((alpha_max - alpha) v J v) has the pole and z has none, and x J x = 0 with x in K (not in
// -K) reads
//   Phi(alpha) = alpha - alpha_max + (-v b) / (sqrt(v J v) h(alpha)) = 0,   h^2 = -z J z,
// which has one root, also beyond alpha_max and at it, and is linear where A_TT is a multiple of 1
// and A_nT = 0.

#include "solvers/local_cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

using local::Pair;

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();

/// (n, t1, t2) in the eigenframe of A_TT.
struct Parts {
  double normal = 0.0;
  Pair tangent{};
};

class Boundary {
 public:
  Boundary(const LocalCone& cone, const Vec3& b)
      : cone_(cone),
        p_(cone.friction.sine * cone.friction.sine),
        q_(cone.friction.cosine * cone.friction.cosine),
        b_{b.x, local::rotated(cone.tangent, b.y, b.z)} {
    const TangentFrame& t = cone.tangent;
    drive_ = -b_.normal;
    for (std::size_t i = 0; i < 2; ++i) {
      null_[i] = t.row[i] / (t.eigenvalue[i] + cone.alpha_max * q_);
      drive_ += null_[i] * b_.tangent[i];
    }
    // b without the part that drives v
    b_.normal += drive_ * p_ / cone.pole_norm;
    for (std::size_t i = 0; i < 2; ++i) b_.tangent[i] += drive_ * q_ * null_[i] / cone.pole_norm;
  }

  double drive() const { return drive_; }  ///< -v . b

  /// The z with (A - alpha J) z = -right and v J z = 0, for a right side with v . right = 0.
  Parts deflated(double alpha, const Parts& right) const {
    const TangentFrame& t = cone_.tangent;
    double above = 0.0, below = p_;
    for (std::size_t i = 0; i < 2; ++i) {
      const double ratio = q_ * null_[i] / (t.eigenvalue[i] + alpha * q_);
      above += ratio * right.tangent[i];
      below -= ratio * t.row[i];
    }
    Parts z;
    z.normal = above / below;
    for (std::size_t i = 0; i < 2; ++i)
      z.tangent[i] = -(right.tangent[i] + t.row[i] * z.normal) / (t.eigenvalue[i] + alpha * q_);
    return z;
  }

  double height(const Parts& z) const {
    const double square =
        q_ * (z.tangent[0] * z.tangent[0] + z.tangent[1] * z.tangent[1]) - p_ * z.normal * z.normal;
    return std::sqrt(std::max(square, 0.0));
  }

  std::pair<double, double> value_and_slope(double alpha) const {
    const Parts z = deflated(alpha, b_);
    const Parts minus_jz{-p_ * z.normal, {q_ * z.tangent[0], q_ * z.tangent[1]}};
    const Parts slope = deflated(alpha, minus_jz);
    const double h = height(z);
    const double z_j_slope =
        -(minus_jz.normal * slope.normal + minus_jz.tangent[0] * slope.tangent[0] +
          minus_jz.tangent[1] * slope.tangent[1]);
    const double factor = drive_ / std::sqrt(cone_.pole_norm);
    return {alpha - cone_.alpha_max + factor / h, 1.0 + factor * (z_j_slope / h) / (h * h)};
  }

  /// x at the root.
  Vec3 impulse(double alpha) const {
    Parts x = deflated(alpha, b_);
    const double y = height(x) / std::sqrt(cone_.pole_norm);
    x.normal += y;
    for (std::size_t i = 0; i < 2; ++i) x.tangent[i] -= y * null_[i];
    const Pair back = local::rotated_back(cone_.tangent, x.tangent);
    return {x.normal, back[0], back[1]};
  }

 private:
  const LocalCone& cone_;
  double p_, q_;
  Parts b_;
  Pair null_{};  ///< v = (1, -null_)
  double drive_ = 0.0;
};

/// Phi is convex where drive < 0 (the root lies beyond alpha_max) and concave where it is positive,
/// so that Newton's steps come from one side; the bracket is for rounding.
double boundary_alpha(const Boundary& phi, double alpha_max) {
  double low = 0.0, high = alpha_max, alpha = 0.0;
  if (phi.drive() <= 0.0) {
    low = alpha_max;
    high = std::max(2.0 * alpha_max, rounding_unit);
    for (; high < 1e200 && !(phi.value_and_slope(high).first > 0.0); high *= 16.0) low = high;
    alpha = high;
  }
  for (int step = 0; step < 100; ++step) {
    const auto [value, slope] = phi.value_and_slope(alpha);
    if (value == 0.0 || std::isnan(value)) return alpha;
    (value < 0.0 ? low : high) = alpha;
    double next = alpha - value / slope;
    if (!(low <= next && next <= high)) next = 0.5 * (low + high);
    // the next step would be the square of this one
    if (std::abs(next - alpha) <= local::last_newton_step * std::max(alpha, next)) return next;
    alpha = next;
  }
  return alpha;
}

/// Solves the bordered system in place by elimination with partial pivoting; false where it is
/// singular.
bool solve4(std::array<std::array<double, 5>, 4>& m, std::array<double, 4>& x) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < 4; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (!(std::abs(m[pivot][k]) > 0.0)) return false;
    std::swap(m[k], m[pivot]);
    for (std::size_t i = k + 1; i < 4; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < 5; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  for (std::size_t k = 4; k-- > 0;) {
    double sum = m[k][4];
    for (std::size_t j = k + 1; j < 4; ++j) sum -= m[k][j] * x[j];
    x[k] = sum / m[k][k];
  }
  return true;
}

/// How far (x, alpha) is from A x + b = alpha J x on the boundary, in scaled units, and the right
/// side of Newton's step.
struct Defect {
  Defect(const LocalCone& cone, const Vec3& b, const Vec3& x, double alpha) {
    const double p = cone.friction.sine * cone.friction.sine;
    const double q = cone.friction.cosine * cone.friction.cosine;
    jx = {p * x.x, -q * x.y, -q * x.z};
    rest = times(cone.scaled, x) + b - alpha * jx;
    outside = 0.5 * dot(x, jx);
    const double slope = local::largest_entry(jx);
    size = std::max(local::largest_entry(rest), slope > 0.0 ? std::abs(outside) / slope : 0.0);
  }
  Vec3 jx, rest;
  double outside = 0.0, size = 0.0;
};

/// Newton's steps on A x + b - alpha J x = 0, x J x = 0 from an answer that is nearly right: takes
/// back what the elimination above loses to cancellation in badly conditioned blocks. The bordered
/// matrix is regular at alpha_max too. False where even that leaves more than rounding.
bool polish(const LocalCone& cone, const Vec3& b, Vec3& x, double alpha) {
  const Mat3& a = cone.scaled;
  const double p = cone.friction.sine * cone.friction.sine;
  const double q = cone.friction.cosine * cone.friction.cosine;
  Defect defect(cone, b, x, alpha);
  for (int step = 0; step < 6; ++step) {
    const double rounding =
        4.0 * rounding_unit * (local::largest_entry(x) + local::largest_entry(b));
    if (defect.size <= rounding) return true;
    std::array<std::array<double, 5>, 4> m{
        {{a[0] - alpha * p, a[1], a[2], -defect.jx.x, -defect.rest.x},
         {a[3], a[4] + alpha * q, a[5], -defect.jx.y, -defect.rest.y},
         {a[6], a[7], a[8] + alpha * q, -defect.jx.z, -defect.rest.z},
         {defect.jx.x, defect.jx.y, defect.jx.z, 0.0, -defect.outside}}};
    std::array<double, 4> change{};
    if (!solve4(m, change)) break;
    const Vec3 next = x + Vec3{change[0], change[1], change[2]};
    const double next_alpha = alpha + change[3];
    const Defect next_defect(cone, b, next, next_alpha);
    if (!(next_defect.size < defect.size) || next.x < 0.0 || next_alpha < 0.0) break;
    x = next;
    alpha = next_alpha;
    defect = next_defect;
  }
  return defect.size <= local::null_noise * (local::largest_entry(x) + local::largest_entry(b));
}

/// mu infinite up to rounding: K is the half space x_N >= 0, and x_N > 0 was found impossible.
Vec3 on_the_plane(const LocalCone& cone, const Vec3& b) {
  Pair t = local::rotated(cone.tangent, b.y, b.z);
  for (std::size_t i = 0; i < 2; ++i) t[i] /= -cone.tangent.eigenvalue[i];
  const Pair back = local::rotated_back(cone.tangent, t);
  return {0.0, back[0], back[1]};
}

/// The answer in scaled units; Unsolvable where it is not right up to rounding.
LocalAnswer on_the_boundary(const LocalCone& cone, const Vec3& b) {
  const FrictionAngle& f = cone.friction;
  if (f.sine < local::smallest_slope)
    return {{std::max(0.0, -b.x / cone.scaled[0]), 0.0, 0.0}, LocalState::Slide};
  if (f.cosine < local::smallest_slope) return {on_the_plane(cone, b), LocalState::Slide};
  const Boundary boundary(cone, b);
  const double alpha = boundary_alpha(boundary, cone.alpha_max);
  LocalAnswer answer{boundary.impulse(alpha), LocalState::Slide};
  if (!polish(cone, b, answer.impulse, alpha)) answer.state = LocalState::Unsolvable;
  return answer;
}

/// 0 and the unbound minimum first, which need no search.
LocalAnswer answer_directly(const LocalCone& cone, const Vec3& b) {
  const FrictionAngle& f = cone.friction;
  if (b.x >= 0.0 && f.sine * local::length({b.y, b.z}) <= f.cosine * b.x) return {};
  if (cone.scale == 0.0) return {{}, LocalState::Unsolvable};
  const Pair tangent = local::tangent_impulse(cone, 0.0, local::reduced_tangent(cone, b));
  const double normal = local::normal_impulse(cone, b.x, tangent);
  LocalAnswer answer;
  if (f.cosine * local::length(tangent) <= f.sine * normal) {
    const Pair back = local::rotated_back(cone.schur, tangent);
    answer = {{normal, back[0], back[1]}, LocalState::Stick};
  } else {
    answer = on_the_boundary(cone, b);
  }
  if (!local::is_usable(answer.impulse)) answer.state = LocalState::Unsolvable;
  return answer;
}

/// The proximal point method: minimises with epsilon |x - last x|^2 / 2 added until x stays. For
/// singular blocks whose answer is not unique, where x sits on the boundary with w = 0; there it
/// ends after two or three steps.
LocalAnswer answer_by_proximal_steps(const LocalCone& cone, const Vec3& b) {
  constexpr double weight = 1e-6;
  Mat3 softened = cone.scaled;
  for (std::size_t i = 0; i < 9; i += 4) softened[i] += weight;
  const LocalCone soft = prepare_cone(softened, cone.friction);
  Vec3 x;
  for (int step = 0; step < 30; ++step) {
    const Vec3 right = b - weight * x;
    const double unit = local::power_of_two_above(local::largest_entry(right));
    LocalAnswer next = answer_directly(soft, (1.0 / unit) * right);
    next.impulse = (unit / soft.scale) * next.impulse;
    const double moved = local::largest_entry(next.impulse - x);
    if (next.state == LocalState::Unsolvable || !local::is_usable(next.impulse)) break;
    x = next.impulse;
    if (weight * moved <= local::null_noise * (local::largest_entry(x) + local::largest_entry(b)))
      return next;
  }
  return {x, LocalState::Unsolvable};
}

}  // namespace

LocalAnswer solve_associated(const LocalCone& cone, const Vec3& b) {
  const double largest = local::largest_entry(b);
  if (largest == 0.0) return {};
  const double b_scale = local::power_of_two_above(largest);
  const Vec3 scaled{b.x / b_scale, b.y / b_scale, b.z / b_scale};
  LocalAnswer answer = answer_directly(cone, scaled);
  if (cone.scale == 0.0) return answer;
  if (answer.state == LocalState::Unsolvable) answer = answer_by_proximal_steps(cone, scaled);
  answer.impulse = (b_scale / cone.scale) * answer.impulse;
  return answer;
}

}  // namespace talus
