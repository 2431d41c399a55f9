#pragma once
// Every error measure, one definition each: the same function stops a solver, is printed and is
// checked by tests. Formulas and units: docs/measures.md.

#include "talus/parallel/communicator.hpp"
#include "talus/problem/cone_problem.hpp"

#include <string>
#include <vector>

namespace talus {

/// The three friction laws have different answers; an answer is judged by its own law only.
enum class Law { Coulomb, Associated, Box };

enum class Measure {
  Natural,            ///< R = (sum g_c |x_c - P(x_c - w_c/g_c)|^2)^1/2, sqrt(J)
  NaturalRelative,    ///< R / R(0)
  NaturalVelocity,    ///< root mean square over cones of g_c |x_c - P(x_c - w_c/g_c)|, m/s
  NaturalTau,         ///< |x - P(x - tau w)| / tau relative to x = 0, tau = 1 / mean diagonal
  Energy,             ///< sum of the cones' energy errors, J
  FischerBurmeister,  ///< 1/2 |Phi|^2, scaled to J; not defined where a contact rolls
  Siconos,            ///< e1 of Siconos 4.4
  SiconosInvariant,   ///< e2: the same with rho = 1 / mean |W_aa|
  Bilateral,          ///< max |w| over free rows, m/s (rad/s of angular rows)
  PenalisedGap,       ///< the duality gap + sum |w - P*(w)|^2 / (2 g_c), J: 0 at a solution only
  NaturalLocal,       ///< the largest root mean square of NaturalVelocity over neighbourhoods, m/s
};

std::string name_of(Law law);
std::string name_of(Measure measure);
/// Throws InputError naming the nearest valid name.
Law law_named(const std::string& name);
Measure measure_named(const std::string& name);
const std::vector<std::string>& measure_names();

/// All measures of one iterate.
struct ErrorReport {
  double natural = 0.0, natural_relative = 0.0, natural_velocity = 0.0, natural_velocity_max = 0.0;
  /// The same defects as impulses |x_c - P(x_c - w_c/g_c)|, N s: root mean square, largest.
  double natural_impulse = 0.0, natural_impulse_max = 0.0;
  double natural_local = 0.0;  ///< m/s: largest root mean square over a neighbourhood
  double natural_tau = 0.0;
  double energy = 0.0;
  double fischer_burmeister = 0.0;                ///< NaN where a contact rolls: not defined there
  double siconos = 0.0, siconos_invariant = 0.0;  ///< NaN where there are no contacts
  double bilateral = 0.0;                         ///< max |w| over free rows
  double objective = 0.0;                         ///< 1/2 x N x + r x, J (symmetric part of N)
  double duality_gap = 0.0;  ///< x . P*(w) (+ bounds), J; bounds f(x) - f* once dual_violation is 0
  double penalised_gap = 0.0;   ///< see Measure, J
  double dual_violation = 0.0;  ///< largest distance of a cone's w from K*, m/s
};

/// gap = N x + r, and + skew x for Law::Coulomb; Law::Associated and Law::Box leave the skew part
/// out. One product (two with a skew part). Collective.
void evaluate_gap(const ConeProblem& problem, Law law, const RowVector& x, RowVector& gap);

/// One measure at x with its gap velocity. `reference` is the value of the measure's numerator at x
/// = 0, needed by the relative ones (see reference_of). Collective.
double evaluate(Measure measure, const ConeProblem& problem, Law law, const RowVector& x,
                const RowVector& gap, double reference, const Communicator& comm);

/// What a relative measure divides by: its numerator at x = 0 (where gap = r); 1 for absolute
/// measures. A numerator of zero gives 1, so that x = 0, which is then the answer, has error 0.
/// Collective.
double reference_of(Measure measure, const ConeProblem& problem, Law law, const Communicator& comm);

/// natural_velocity, natural_impulse and their maxima, and natural_local, in one pass: all that a
/// time step is judged by.
/// Collective.
void evaluate_velocities(const ConeProblem& problem, Law law, const RowVector& x,
                         const RowVector& gap, const Communicator& comm, ErrorReport& report);

/// Everything, for the end of a solve. Collective.
ErrorReport evaluate_all(const ConeProblem& problem, Law law, const RowVector& x,
                         const RowVector& gap, const Communicator& comm);

}  // namespace talus
