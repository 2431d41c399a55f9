// Unit-consistent error of a complementarity problem [Enzenhoefer15]. Per row, A is replaced by its
// diagonal a, and the error is the energy by which x leaves its bounds or by which (x, w) misses
// complementarity, whichever is larger.

#include "metrics/energy_error.hpp"

#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"
#include "problem/rolling_block.hpp"

#include <algorithm>

namespace talus {
namespace {

/// min(w^2 / 2a, a sigma^2 / 2): the cheaper of stopping w and of taking the impulse back to its
/// bound.
double cheaper(double w, double sigma, double a) {
  const double kinetic = 0.5 * w * w / a;
  return std::isinf(sigma) ? kinetic : std::min(kinetic, 0.5 * a * sigma * sigma);
}

}  // namespace

double energy_error_row(double x, double w, double a, double lower, double upper) {
  if (std::isnan(x + w)) return x + w;                         // max and min would drop it
  const double clamped = std::max(std::min(x, upper), lower);  // x_0, eq. 4
  const double above = std::max(x - clamped, 0.0);             // delta x_u
  const double below = std::max(clamped - x, 0.0);             // delta x_l
  const double sigma_lower = (clamped + above) - lower;
  const double sigma_upper =
      upper - (clamped - below);  // printed with a plus: not mirror symmetric
  return std::max({0.5 * a * (above * above + below * below),
                   cheaper(std::max(w, 0.0), sigma_lower, a),
                   cheaper(std::max(-w, 0.0), sigma_upper, a)});  // eq. 5
}

namespace {

/// Of a diagonal block in world axes, along the axes of the contact: (n, t1, t2).
Vec3 own_diagonal(const ConeSet& cones, Index frame, const Mat3& block) {
  const Vec3 n = cones.axis_of(frame), t1 = cones.tangent[frame];
  const auto along = [&](const Vec3& axis) {
    const Vec3 image{block[0] * axis.x + block[1] * axis.y + block[2] * axis.z,
                     block[3] * axis.x + block[4] * axis.y + block[5] * axis.z,
                     block[6] * axis.x + block[7] * axis.y + block[8] * axis.z};
    return dot(axis, image);
  };
  return {along(n), along(t1), along(cross(n, t1))};
}

/// a_ii of the rows of one friction cone, in its contact frame.
struct OwnDiagonal {
  Vec3 force, torque;
};
OwnDiagonal own_diagonal(const ConeProblem& problem, const ConeState& contact) {
  const ConeSet& cones = problem.cones;
  if (contact.slot < cones.spatial_first_slot()) {
    const auto block = problem.delassus->planar_block(contact.slot - cones.planar_first_slot());
    return {{block[0], block[2], 0.0}, {}};
  }
  if (contact.slot < cones.rolling_first_slot()) {
    const Index c = contact.slot - cones.spatial_first_slot();
    return {own_diagonal(cones, c, problem.delassus->spatial_block(c)), {}};
  }
  const Index c = contact.slot - cones.rolling_first_slot();
  const Mat6 block = in_contact_frame(cones, c, problem.delassus->rolling_block(c));
  return {{block[0], block[7], block[14]}, {block[21], block[28], block[35]}};
}

/// Under Law::Box each row of a contact has its own bounds, those of the normal impulse as it is.
double box_energy(const ConeProblem& problem, const ConeState& contact) {
  const OwnDiagonal own = own_diagonal(problem, contact);
  const double scale = problem.scale[contact.slot];
  // a row that nothing moves has no diagonal: the cone's stands in
  const auto of_row = [&](double x, double w, double a, double lower, double upper) {
    return energy_error_row(x, w, a > 0.0 ? a : scale, lower, upper);
  };
  const Vec3 &x = contact.impulse, &w = contact.gap;
  const double slide = box_bound(contact);
  double sum =
      of_row(x.x, w.x, own.force.x, 0.0, infinity) + of_row(x.y, w.y, own.force.y, -slide, slide);
  if (contact.slot < problem.cones.spatial_first_slot()) return sum;
  sum += of_row(x.z, w.z, own.force.z, -slide, slide);
  if (!contact.rolls) return sum;
  const Vec3 &m = contact.torque, &turn = contact.turn, bound = box_torque_bounds(contact);
  return sum + of_row(m.x, turn.x, own.torque.x, -bound.x, bound.x) +
         of_row(m.y, turn.y, own.torque.y, -bound.y, bound.y) +
         of_row(m.z, turn.z, own.torque.z, -bound.z, bound.z);
}

}  // namespace

// A friction cone is not a product of intervals, so that eq. 5 does not apply to it; but for an
// interval eq. 5 is a/2 (x - clip(x - w / a))^2, and that form has a meaning for every cone. Under
// the box law a cone is such a product, and eq. 5 holds row by row.
double energy_error(const Iterate& iterate) {
  const ConeSet& cones = iterate.problem.cones;
  const RowVector& scale = iterate.problem.scale;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return energy_error_row(iterate.impulses[k], iterate.gap[k], scale[k], cones.lower[k],
                            cones.upper[k]);
  };
  const auto of_contact = [&](const ConeState& contact) {
    if (iterate.law == Law::Box) return box_energy(iterate.problem, contact);
    const double a = scale[contact.slot];
    const double defect = contact_defect(iterate.law, contact, a);
    return 0.5 * a * defect * defect;
  };
  return total(iterate.comm, cone_terms(iterate, of_row, of_contact));  // eq. 6
}

}  // namespace talus
