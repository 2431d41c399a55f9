#pragma once
// The measures as functions of one iterate; evaluate() chooses among them. All are collective and
// none costs a product. Formulas and units: docs/measures.md.

#include "metrics/cone_terms.hpp"

namespace talus {

// natural_residual.cpp
/// |x_c - P(x_c - w_c / scale_c)| per slot, N s: how far every cone's impulse would move in one
/// projected step. Local, not collective.
std::vector<double> defects(const Iterate& iterate, std::span<const double> scale);
/// The same for one friction cone.
double contact_defect(Law law, const ConeState& contact, double scale);
double natural_residual(const Iterate& iterate);  ///< sqrt(J)
double natural_velocity(const Iterate& iterate);  ///< root mean square over cones, m/s
double natural_local(const Iterate& iterate);     ///< the largest one over a neighbourhood, m/s
double natural_tau(const Iterate& iterate);       ///< not yet relative, m/s

// energy_error.cpp
double energy_error(const Iterate& iterate);  ///< J

// peer_measures.cpp
double fischer_burmeister(const Iterate& iterate);       ///< J
double siconos_error(const Iterate& iterate);            ///< e1
double siconos_invariant_error(const Iterate& iterate);  ///< e2

// objective.cpp: the energy function and, as certificates, what duality says about it
double objective(const Iterate& iterate);       ///< J
double duality_gap(const Iterate& iterate);     ///< J
double dual_violation(const Iterate& iterate);  ///< m/s
/// duality_gap and what the violations of K* cost: a gap alone is 0 at x = 0 whatever w is.
double penalised_gap(const Iterate& iterate);        ///< J
double bilateral_violation(const Iterate& iterate);  ///< m/s

// The Fischer-Burmeister functions behind the merit, one row or cone at a time.

/// phi(a, b) = (a^2 + b^2)^1/2 - a - b: zero exactly where a >= 0, b >= 0, a b = 0 [Fischer92].
/// Relative error of a few roundings everywhere; an infinite `a` stands for a bound that does not
/// exist.
double complementarity(double a, double b);

/// For x in [lower, upper] with gap velocity w, in the same units [Billups95]. Zero exactly at a
/// solution.
double interval_complementarity(double x, double w, double lower, double upper);

/// Phi(x, y) = (x^2 + y^2)^1/2 - x - y in the Jordan algebra of the second-order cone {x >= |(y,
/// z)|}: zero exactly where both lie in the cone and x . y = 0 [Fukushima02].
Vec3 cone_complementarity(const Vec3& x, const Vec3& y);

}  // namespace talus
