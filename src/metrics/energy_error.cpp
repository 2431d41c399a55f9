// Unit-consistent error of a complementarity problem [Enzenhoefer15]. Per row, A is replaced by its
// diagonal a, and the error is the energy by which x leaves its bounds or by which (x, w) misses
// complementarity, whichever is larger.

#include "talus/metrics/energy_error.hpp"

#include "metrics/definitions.hpp"

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

// A friction cone is not a product of intervals, so that eq. 5 does not apply to it; but for an
// interval eq. 5 is a/2 (x - clip(x - w / a))^2, and that form has a meaning for every cone.
double energy_error(const Iterate& iterate) {
  const ConeSet& cones = iterate.problem.cones;
  const RowVector& scale = iterate.problem.scale;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return energy_error_row(iterate.impulses[k], iterate.gap[k], scale[k], cones.lower[k],
                            cones.upper[k]);
  };
  const auto of_contact = [&](const ContactState& contact) {
    const double a = scale[static_cast<std::size_t>(contact.slot)];
    const double defect = contact_defect(iterate.law, contact, a);
    return 0.5 * a * defect * defect;
  };
  return total(iterate.comm, cone_terms(iterate, of_row, of_contact));  // eq. 6
}

}  // namespace talus
