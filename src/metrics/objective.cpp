// f(x) = 1/2 x N x + r x and its certificates. For the convex law f is what a solution minimises
// over K, and f(x) - f* <= duality gap once x is in K and w in K*. For the other laws f is an
// energy, no longer a minimum, and the gap is x . w with the velocity that the law sets against x:
// zero at a solution all the same.

#include "cones/projection.hpp"
#include "metrics/definitions.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// The part of w that an interval admits: its sign is free only towards a finite bound.
double admitted(double w, double lower, double upper) {
  const bool forbidden = w > 0.0 ? lower == -infinity : w < 0.0 && upper == infinity;
  return forbidden ? 0.0 : w;
}

/// x w - min over z in [lower, upper] of z w, for an admitted w.
double interval_gap(double x, double w, double lower, double upper) {
  if (w == 0.0) return 0.0;
  return (x - (w > 0.0 ? lower : upper)) * w;
}

Vec3 nearest_in_dual(Law law, const ConeState& contact, const Vec3& w) {
  if (law != Law::Box) return project_spatial(w, {1.0, 0.0, 0.0}, contact.sine, contact.cosine);
  const double bound = box_bound(contact);
  return {std::max(w.x, 0.0), admitted(w.y, -bound, bound), admitted(w.z, -bound, bound)};
}

/// Of a rolling cone; `w` holds the law's velocity and the angular one.
SixRows nearest_in_rolling_dual(Law law, const ConeState& contact, const SixRows& w) {
  if (law != Law::Box) return project_rolling_dual(w, {1.0, 0.0, 0.0}, contact.rolling_friction());
  const Vec3 &turn = w.angular, bound = box_torque_bounds(contact);
  return {nearest_in_dual(law, contact, w.linear),
          {admitted(turn.x, -bound.x, bound.x), admitted(turn.y, -bound.y, bound.y),
           admitted(turn.z, -bound.z, bound.z)}};
}

double box_gap(const ConeState& contact, const Vec3& w) {
  const Vec3& x = contact.impulse;
  const double bound = box_bound(contact);
  return x.x * w.x + interval_gap(x.y, w.y, -bound, bound) + interval_gap(x.z, w.z, -bound, bound);
}

double rolling_gap(Law law, const ConeState& contact) {
  const SixRows w = nearest_in_rolling_dual(law, contact, {law_gap(law, contact), contact.turn});
  const Vec3 &m = contact.torque, &turn = w.angular;
  if (law != Law::Box) return dot(contact.impulse, w.linear) + dot(m, turn);
  const Vec3 bound = box_torque_bounds(contact);
  return box_gap(contact, w.linear) + interval_gap(m.x, turn.x, -bound.x, bound.x) +
         interval_gap(m.y, turn.y, -bound.y, bound.y) +
         interval_gap(m.z, turn.z, -bound.z, bound.z);
}

double contact_gap(Law law, const ConeState& contact) {
  if (contact.rolls) return rolling_gap(law, contact);
  const Vec3 w = nearest_in_dual(law, contact, law_gap(law, contact));
  return law == Law::Box ? box_gap(contact, w) : dot(contact.impulse, w);
}

}  // namespace

double objective(const Iterate& iterate) {
  // N x = w - r; a skew part of w is no matter, because x . skew x = 0
  std::vector<double> terms;
  each_owned_row(iterate.problem.cones, [&](Index row, Index /*slot*/) {
    const auto i = static_cast<std::size_t>(row);
    terms.push_back(iterate.impulses[i] *
                    (0.5 * (iterate.gap[i] + iterate.problem.free_velocity[i])));
  });
  return total(iterate.comm, terms);
}

double duality_gap(const Iterate& iterate) {
  const ConeSet& cones = iterate.problem.cones;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const double w = admitted(iterate.gap[k], cones.lower[k], cones.upper[k]);
    return interval_gap(iterate.impulses[k], w, cones.lower[k], cones.upper[k]);
  };
  const auto of_contact = [&](const ConeState& contact) {
    return contact_gap(iterate.law, contact);
  };
  return total(iterate.comm, cone_terms(iterate, of_row, of_contact));
}

namespace {

/// Per slot, m/s: how far w^ lies from K*.
std::vector<double> dual_distances(const Iterate& iterate) {
  const ConeSet& cones = iterate.problem.cones;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return std::abs(iterate.gap[k] - admitted(iterate.gap[k], cones.lower[k], cones.upper[k]));
  };
  const auto of_contact = [&](const ConeState& contact) {
    const Vec3 w = law_gap(iterate.law, contact);
    // De Saxce's w^ lies in K* exactly when w_N >= 0; for a large mu its own sum would swallow w_N
    if (iterate.law == Law::Coulomb && !std::isinf(contact.friction))
      return std::isfinite(w.x) ? std::max(-contact.gap.x, 0.0) : w.x;
    if (contact.rolls) {
      const SixRows nearest = nearest_in_rolling_dual(iterate.law, contact, {w, contact.turn});
      return length(safe_length(w - nearest.linear), safe_length(contact.turn - nearest.angular));
    }
    return safe_length(w - nearest_in_dual(iterate.law, contact, w));
  };
  return cone_terms(iterate, of_row, of_contact);
}

}  // namespace

double dual_violation(const Iterate& iterate) {
  return largest(iterate.comm, dual_distances(iterate));
}

double penalised_gap(const Iterate& iterate) {
  std::vector<double> cost = dual_distances(iterate);
  for (std::size_t k = 0; k < cost.size(); ++k) cost[k] *= 0.5 * cost[k] / iterate.problem.scale[k];
  return duality_gap(iterate) + total(iterate.comm, cost);
}

double bilateral_violation(const Iterate& iterate) {
  const auto of_row = [&](Index i) {
    return iterate.problem.cones.is_free(i) ? std::abs(iterate.gap[i]) : 0.0;
  };
  return largest(iterate.comm, cone_terms(iterate, of_row, [](const ConeState&) { return 0.0; }));
}

}  // namespace talus
