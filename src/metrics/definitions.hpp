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

// fischer_burmeister.cpp
double fischer_burmeister(const Iterate& iterate);  ///< J

// siconos_error.cpp
double siconos_error(const Iterate& iterate);            ///< e1
double siconos_invariant_error(const Iterate& iterate);  ///< e2

// objective.cpp: the energy function and, as certificates, what duality says about it
double objective(const Iterate& iterate);       ///< J
double duality_gap(const Iterate& iterate);     ///< J
double dual_violation(const Iterate& iterate);  ///< m/s
/// duality_gap and what the violations of K* cost: a gap alone is 0 at x = 0 whatever w is.
double penalised_gap(const Iterate& iterate);        ///< J
double bilateral_violation(const Iterate& iterate);  ///< m/s

}  // namespace talus
