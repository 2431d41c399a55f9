// The figures that Siconos 4.4 prints (fc3d_compute_error, fc2d likewise), over contacts only, and
// their unit-invariant variant: e = |r - P(r - u^ / rho)| / max(|q| / rho, |r|, |u| / rho) with rho
// = 1 (e1) or the mean block size (e2).

#include "metrics/definitions.hpp"
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
  const std::vector<double> sums = totals(
      iterate.comm, {defect, contact_squares(cones, iterate.problem.free_gap, Quantity::Velocity),
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

}  // namespace talus
