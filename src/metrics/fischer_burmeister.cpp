// Fischer-Burmeister merit 1/2 |Phi|^2. Impulses enter as g^1/2 x and velocities as w / g^1/2, both
// in sqrt(J), with g the mean diagonal of the cone, so that the merit is an energy in any system of
// units.

#include "metrics/fischer_burmeister.hpp"

#include "metrics/definitions.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}

double square(double a) {
  return a * a;
}

double box_merit(const Vec3& x, const Vec3& w, double bound) {
  return 0.5 * (square(complementarity(x.x, w.x)) +
                square(interval_complementarity(x.y, w.y, -bound, bound)) +
                square(interval_complementarity(x.z, w.z, -bound, bound)));
}

// (mu x_n, x_t) and (w_n / mu, w_t) lie in the self-dual cone exactly when x is in K and w in K*,
// and their product is x . w. At the ends of the range of mu the tangents leave the cone: mu = 0
// admits no x_t, infinite mu no w_t.
double cone_merit(const Vec3& x, const Vec3& w, double mu) {
  constexpr double least = 1e-150,
                   most = 1e150;  // beyond them mu x_n and w_n / mu leave the doubles
  if (mu < least) return 0.5 * (square(complementarity(x.x, w.x)) + square(length(x.y, x.z)));
  if (mu > most) return 0.5 * (square(complementarity(x.x, w.x)) + square(length(w.y, w.z)));
  const Vec3 phi = cone_complementarity({mu * x.x, x.y, x.z}, {w.x / mu, w.y, w.z});
  return 0.5 * square(safe_length(phi));
}

double contact_merit(Law law, const ConeState& contact, double scale) {
  // an intersection of cones has no Jordan algebra: the sum is then no number, which is reported
  if (contact.rolls) return std::numeric_limits<double>::quiet_NaN();
  const double root = std::sqrt(scale);
  const Vec3 x = root * contact.impulse;
  const Vec3 w = law_gap(law, contact) / root;
  if (law == Law::Box) return box_merit(x, w, root * box_bound(contact));
  return cone_merit(x, w, contact.friction);
}

// Sums of non-negative terms where the textbook's |.|^2 - 2 a b would cancel; both arguments are at
// most 1 here.
Vec3 cone_complementarity_in_range(const Vec3& x, const Vec3& y) {
  // z = x^2 + y^2 has the vector part v and the eigenvalues |x_v -+ x_0 c|^2 + |y_v -+ y_0 c|^2,
  // where c = v / |v|
  const double v1 = 2.0 * (x.x * x.y + y.x * y.y);
  const double v2 = 2.0 * (x.x * x.z + y.x * y.z);
  const double v = length(v1, v2);
  const double c1 = v > 0.0 ? v1 / v : 1.0;
  const double c2 = v > 0.0 ? v2 / v : 0.0;
  const auto root_of_eigenvalue = [&](double sign) {
    return length(length(x.y + sign * x.x * c1, x.z + sign * x.x * c2),
                  length(y.y + sign * y.x * c1, y.z + sign * y.x * c2));
  };
  const double sum = root_of_eigenvalue(-1.0) + root_of_eigenvalue(1.0);
  if (sum == 0.0) return {-x.x - y.x, -x.y - y.y, -x.z - y.z};
  return {0.5 * sum - x.x - y.x, v1 / sum - x.y - y.y, v2 / sum - x.z - y.z};
}

}  // namespace

double complementarity(double a, double b) {
  if (std::isinf(a)) return -b;
  const double sum = a + b;
  const double root = length(a, b);
  if (!(sum > 0.0)) return root - sum;  // no cancellation: both are added
  // (root - sum)(root + sum) = -2 a b; the larger factor is divided first, so that nothing
  // overflows
  const bool a_is_larger = std::abs(a) >= std::abs(b);
  const double larger = a_is_larger ? a : b, smaller = a_is_larger ? b : a;
  return -2.0 * smaller * (larger / (root + sum));
}

double interval_complementarity(double x, double w, double lower, double upper) {
  return complementarity(x - lower, complementarity(upper - x, -w));
}

Vec3 cone_complementarity(const Vec3& x, const Vec3& y) {
  const double size = std::max(
      {std::abs(x.x), std::abs(x.y), std::abs(x.z), std::abs(y.x), std::abs(y.y), std::abs(y.z)});
  if (size == 0.0) return {};
  return size * cone_complementarity_in_range(x / size, y / size);
}

double fischer_burmeister(const Iterate& iterate) {
  const ConeSet& cones = iterate.problem.cones;
  const RowVector& scale = iterate.problem.scale;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const double root = std::sqrt(scale[k]);
    return 0.5 * square(interval_complementarity(root * iterate.impulses[k], iterate.gap[k] / root,
                                                 root * cones.lower[k], root * cones.upper[k]));
  };
  const auto of_contact = [&](const ConeState& contact) {
    return contact_merit(iterate.law, contact, scale[contact.slot]);
  };
  return total(iterate.comm, cone_terms(iterate, of_row, of_contact));
}

}  // namespace talus
