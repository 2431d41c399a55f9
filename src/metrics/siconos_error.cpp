// The figures that Siconos 4.4 prints (fc3d_compute_error, fc2d likewise), over contacts only, and
// their unit-invariant variant: e = |r - P(r - u^ / rho)| / max(|q| / rho, |r|, |u| / rho) with rho
// = 1 (e1) or the mean block size (e2).

#include "metrics/definitions.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

std::vector<double> contact_squares(const ConeSet& cones, const RowVector& rows) {
  std::vector<double> squares(rows.begin() + cones.planar_first_row(), rows.end());
  for (double& value : squares) value *= value;
  return squares;
}

struct Norms {
  double defect = 0.0;  ///< |r - P(r - u^ / rho)|
  double scale = 0.0;   ///< max(|q| / rho, |r|, |u| / rho)
};

Norms contact_norms(const Iterate& iterate, double rho) {
  const ConeSet& cones = iterate.problem.cones;
  std::vector<double> defect =
      defects(iterate, std::vector<double>(static_cast<std::size_t>(cones.slots()), rho));
  defect.erase(defect.begin(), defect.begin() + cones.planar_first_slot());
  for (double& value : defect) value *= value;
  const std::vector<double> sums =
      totals(iterate.comm,
             {defect, contact_squares(cones, iterate.problem.free_gap),
              contact_squares(cones, iterate.impulses), contact_squares(cones, iterate.gap)});
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
  const Index contacts = cones.planar_count + cones.spatial_count;
  if (iterate.law != Law::Coulomb || problem.skew == nullptr || contacts == 0)
    return problem.siconos_scale;
  double norms = 0.0;
  for (Index c = 0; c < cones.planar_count; ++c) {
    const auto [nn, nt, tt] = problem.delassus->planar_block(c);
    const double skew = problem.skew->planar_block(c)[1];
    norms += infinity_norm({nn, nt + skew, 0.0, nt - skew, tt, 0.0, 0.0, 0.0, 0.0});
  }
  for (Index c = 0; c < cones.spatial_count; ++c) {
    Mat3 block = problem.delassus->spatial_block(c);
    const Mat3 skew = problem.skew->spatial_block(c);
    for (std::size_t k = 0; k < block.size(); ++k) block[k] += skew[k];
    norms += infinity_norm(block);
  }
  return norms > 0.0 ? norms / contacts : problem.siconos_scale;
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
