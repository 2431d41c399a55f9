// The figures that Siconos 4.4 prints (fc3d_compute_error, fc2d likewise), over contacts only, and
// their unit-invariant variant: e = |r - P(r - u^ / rho)| / max(|q| / rho, |r|, |u| / rho) with rho
// = 1 (e1) or the mean block size (e2).

#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"
#include "problem/rolling_block.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

bool spin_counts(const ConeSet& cones, Index rolling_cone) {
  return cones.rows_that_count(rolling_cone)[5];
}

/// Torques in N m s and angular velocities in rad/s: Siconos adds them to the others as they are.
ConeState in_given_units(const ConeSet& cones, ConeState contact) {
  if (!contact.rolls) return contact;
  const Index c = contact.slot - cones.rolling_first_slot();
  const double length = cones.rolling_length[c];
  if (!spin_counts(cones, c)) contact.torque.x = contact.turn.x = 0.0;
  contact.torque = length * contact.torque;
  contact.turn = (1.0 / length) * contact.turn;
  contact.rolling *= length;
  contact.spinning *= length;
  return contact;
}

enum class Quantity { Impulse, Velocity };

std::vector<double> contact_squares(const ConeSet& cones, const RowVector& rows, Quantity kind) {
  std::vector<double> squares;
  each_row_of(cones, {0, cones.planar_count, cones.spatial_count, 0},
              [&](Index row, Index /*slot*/) {
                const double value = rows[row];
                squares.push_back(value * value);
              });
  for (Index c = 0; c < cones.rolling_count; ++c) {
    auto [f, m] = rolling_to_contact_frame(cones, c, rolling_value(cones, rows, c));
    const double length = cones.rolling_length[c];
    m = (kind == Quantity::Impulse ? length : 1.0 / length) * m;
    if (!spin_counts(cones, c)) m.x = 0.0;
    squares.push_back(dot(f, f) + dot(m, m));
  }
  return squares;
}

struct Norms {
  double defect = 0.0;  ///< |r - P(r - u^ / rho)|
  double scale = 0.0;   ///< max(|q| / rho, |r|, |u| / rho)
};

Norms contact_norms(const Iterate& iterate, double rho) {
  const ConeSet& cones = iterate.problem.cones;
  const auto of_contact = [&](const ConeState& contact) {
    const double defect = contact_defect(iterate.law, in_given_units(cones, contact), rho);
    return defect * defect;
  };
  const std::vector<double> defect = cone_terms(
      iterate, [](Index /*scalar row*/) { return 0.0; }, of_contact);
  const std::vector<double> sums =
      totals(iterate.comm,
             {defect, contact_squares(cones, iterate.problem.free_velocity, Quantity::Velocity),
              contact_squares(cones, iterate.impulses, Quantity::Impulse),
              contact_squares(cones, iterate.gap, Quantity::Velocity)});
  return {std::sqrt(sums[0]),
          std::max({std::sqrt(sums[1]) / rho, std::sqrt(sums[2]), std::sqrt(sums[3]) / rho})};
}

double infinity_norm(const Mat3& a) {
  double norm = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    norm = std::max(norm, std::abs(a[3 * i]) + std::abs(a[3 * i + 1]) + std::abs(a[3 * i + 2]));
  return norm;
}

// Only the Coulomb law uses the whole of a W that is not symmetric. Such a W is a given matrix,
// whose rows are in contact frames already.
double block_scale(const Iterate& iterate) {
  const ConeProblem& problem = iterate.problem;
  const ConeSet& cones = problem.cones;
  if (iterate.law != Law::Coulomb || problem.skew == nullptr) return problem.siconos_scale;
  std::vector<double> norms;
  for (Index c = 0; c < cones.planar_count; ++c) {
    const auto [nn, nt, tt] = problem.delassus->planar_block(c);
    const double skew = problem.skew->planar_block(c)[1];
    norms.push_back(infinity_norm({nn, nt + skew, 0.0, nt - skew, tt, 0.0, 0.0, 0.0, 0.0}));
  }
  for (Index c = 0; c < cones.spatial_count; ++c) {
    Mat3 block = problem.delassus->spatial_block(c);
    const Mat3 skew = problem.skew->spatial_block(c);
    for (std::size_t k = 0; k < block.size(); ++k) block[k] += skew[k];
    norms.push_back(infinity_norm(block));
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    Mat6 block = problem.delassus->rolling_block(c);
    const Mat6 skew = problem.skew->rolling_block(c);
    for (std::size_t k = 0; k < block.size(); ++k) block[k] += skew[k];
    norms.push_back(rolling_block_norm(cones, c, block));
  }
  const double contacts = cones.contact_count();
  const std::vector<double> sums = totals(iterate.comm, {norms, {&contacts, 1}});
  return sums[0] > 0.0 ? sums[0] / sums[1] : problem.siconos_scale;
}

}  // namespace

double siconos_error(const Iterate& iterate) {
  const Norms norms = contact_norms(iterate, 1.0);
  const bool negligible = norms.scale <= std::numeric_limits<double>::epsilon();  // as Siconos does
  return negligible ? norms.defect : norms.defect / norms.scale;
}

double siconos_invariant_error(const Iterate& iterate) {
  const Norms norms = contact_norms(iterate, block_scale(iterate));
  return norms.scale == 0.0 ? 0.0 : norms.defect / norms.scale;
}

// Fischer-Burmeister merit 1/2 |Phi|^2. Impulses enter as g^1/2 x and velocities as w / g^1/2, both
// in sqrt(J), with g the mean diagonal of the cone, so that the merit is an energy in any system of
// units.

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
