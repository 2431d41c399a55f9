#pragma once
// solve(): one call, one switch over methods. Options in, report out.

#include "talus/metrics/measures.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/problem/cone_problem.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus {

/// Auto: minres where every row is free, else apgd, and others where that stagnates; only methods
/// whose result does not depend on how rows are cut into ranks. docs/algorithms/auto.md
enum class Method { Auto, Jacobi, Psor, Pspgfb, Apgd, Cg, Minres };
std::string name_of(Method method);
Method method_named(const std::string& name);
const std::vector<std::string>& method_names();

/// [Tasora07, eq. 3-5]
struct JacobiOptions {
  double relaxation = 1.0;  ///< (0, 2): step = relaxation / max(1, lambda_max estimate with margin)
  double lambda_margin = 1.05;  ///< >= 1: factor on the estimate of lambda_max
  int lambda_iterations = 30;   ///< products spent on the estimate
};

/// [Tasora07, Alg. 4.1, eq. 6 corrected], [Lacoursiere13, eq. 36]
struct PsorOptions {
  double relaxation = 1.0;  ///< omega in (0, 2)
  bool symmetric = false;   ///< forward, then backward, in turn
  bool exact_local = true;  ///< solve each cone exactly; false: one step of 1 / lambda_max(block)
  /// Contacts of bodies eight at a time in vector lanes, each by a step in the diagonal of its
  /// block, where that is near the exact answer (spheres: is it). With exact_local, laws coulomb
  /// and associated.
  bool tiles = true;
  int check_every = 10;     ///< sweeps between measurements of the error
  bool accelerate = false;  ///< Nesterov's momentum from step to step, dropped where it fails
  int sweeps = 1;  ///< of a step: of the momentum, and of several ranks between two exchanges
};

/// [Tasora13], defaults of the paper where it has one
struct SpgOptions {
  bool precondition =
      true;  ///< P = diagonal averaged per cone; false: P = mean diagonal (plain SPG)
  double alpha_min = 1e-9;  ///< safeguards of the spectral step
  double alpha_max = 1e9;
  double sigma_min = 0.1;  ///< safeguards of the line search, 0 < min < max < 1
  double sigma_max = 0.9;
  int gll_history = 10;     ///< N_GLL: values that the non-monotone line search remembers
  double armijo = 1e-4;     ///< gamma in (0, 1)
  bool fallback = true;     ///< return the best iterate, not the last
  int refresh_every = 200;  ///< iterations between fresh gradients (removes recursion drift)
};

/// [Heyn13] with the correction of docs/algorithms/apgd.md
struct ApgdOptions {
  double shrink = 0.98;  ///< (0, 1]: L is multiplied by it after an accepted step
  double grow = 1.5;     ///< > 1: L is at least multiplied by it after a refused one
  bool restart = true;   ///< gradient restart
  int refresh_every = 200;
  bool precondition = true;  ///< P = diagonal averaged per cone; false: P = mean diagonal
};

/// Of cg and of minres; docs/algorithms/cg.md, minres.md
struct KrylovOptions {
  int refresh_every = 200;   ///< iterations between fresh gradients
  int restart_after = 1000;  ///< start anew from the best iterate when the error has not fallen by
                             ///< 1 % over so many iterations, or as many as there are rows
};

struct AutoOptions {
  Method first = Method::Apgd;  ///< where there is friction and the law is no minimisation: apgd,
                                ///< or pspgfb, which is sooner at the loose tolerances of steps
  int patience = 10000;         ///< iterations over which a method must gain something, or make way
};

struct IterateStatus {
  std::int64_t iteration = 0;
  double error = 0.0;  ///< in the stopping measure
  double seconds = 0.0;
};

struct SolveOptions {
  Method method = Method::Auto;
  /// Where not empty: these run in turn from the same start until one converges; else the answer
  /// with the least error is taken [Enzenhoefer15]. Each gets the limits; a time limit is shared.
  std::vector<Method> methods = {};
  /// Of several, that with the least energy error is taken instead, which compares answers in one
  /// unit whatever stopped them [Enzenhoefer15].
  bool choose_by_energy = false;
  Law law = Law::Coulomb;
  Measure measure = Measure::NaturalRelative;
  double tolerance = 1e-6;
  std::int64_t max_iterations = 1000000;  ///< a hopeless solve ends by stall_iterations before
  double time_limit = infinity;  ///< s, verification included; the result depends on the clock
  /// Asked once per iteration; true ends the solve with the best iterate. Collective.
  std::function<bool()> interrupted = {};
  std::int64_t stall_iterations =
      50000;  ///< stop when the best error fell by less than 1 % over so many
  /// The report's errors are those of evaluate_velocities() alone (and the energy error where it
  /// chooses among several methods), and huge impulses are not looked for: what a time step needs.
  /// With measure NaturalLocal or NaturalVelocity.
  bool brief = false;
  bool keep_history = false;
  bool history_all_measures =
      false;  ///< every measure per iteration: costs a product each, for plots
  JacobiOptions jacobi = {};
  PsorOptions psor = {};
  SpgOptions pspgfb = {};
  ApgdOptions apgd = {};
  KrylovOptions cg = {}, minres = {};
  AutoOptions automatic = {};
  std::function<void(const IterateStatus&)> progress = {};  ///< called a few times a second at most
};

/// Diverged: the error is small only because it can no longer be seen (impulses so large that
/// rounding hides it, or friction so large that the law's residual cannot tell): no answer.
enum class SolveStatus {
  Converged,
  IterationLimit,
  Stalled,
  TimeLimit,
  Interrupted,
  NotFinite,
  Diverged
};
std::string name_of(SolveStatus status);

struct HistoryEntry {
  std::int64_t iteration = 0;
  std::int64_t products = 0;
  double seconds = 0.0;
  double error = 0.0;  ///< stopping measure
  /// Only with history_all_measures: an entry without them is small, so that a history costs no
  /// time.
  std::shared_ptr<const ErrorReport> all = {};
};

/// What auto ran. Under the Coulomb law one stage may span many convex solves.
struct StageReport {
  Method method = Method::Apgd;
  bool averaged = true;  ///< metric: diagonal averaged per cone, or the mean diagonal
  std::int64_t iterations = 0;
  double error = 0.0;  ///< the least so far, in the measure that was to stop the stage
  std::string reason;  ///< why it ended
};

/// One of several methods that ran in turn.
struct CandidateReport {
  Method method = Method::Auto;
  SolveStatus status = SolveStatus::IterationLimit;
  double error = 0.0;  ///< verified
  std::int64_t iterations = 0, operator_products = 0;
  double seconds = 0.0;
};

struct SolveReport {
  SolveStatus status = SolveStatus::IterationLimit;
  Law law = Law::Coulomb;
  Method method = Method::Auto;  ///< of several, the one whose answer was taken
  Measure measure = Measure::NaturalRelative;
  double tolerance = 0.0;
  std::int64_t iterations = 0;
  std::int64_t dampings = 0;  ///< laws coulomb and box: times that the momentum was limited
  std::int64_t best_iteration = 0;
  std::int64_t operator_products = 0;  ///< all of them: set-up, iterations, final verification
  std::int64_t reductions = 0;
  std::int64_t exchanges = 0;
  Traffic traffic;     ///< all that this rank sent and waited for
  double error = 0.0;  ///< verified with a fresh product; infinite when Diverged
  ErrorReport errors;  ///< the same, all measures
  double seconds = 0.0;
  std::vector<HistoryEntry> history;
  std::vector<StageReport> stages;          ///< of auto only
  std::vector<CandidateReport> candidates;  ///< of several methods only: all that ran, in turn
  std::vector<std::string> remarks;         ///< what a user should know ("W is not symmetric ...")
};

/// Checks options (all faults at once, InputError) against the law and the problem.
void validate(const SolveOptions& options, const ConeProblem& problem);

/// Solves from the given start (any vector of stored length; projected on K first) and leaves the
/// best iterate in `impulses` and its gap velocity in `gap`. Of several methods, products,
/// reductions, exchanges and seconds are those of all together, the rest is the chosen one's.
/// Collective.
SolveReport solve(const ConeProblem& problem, const SolveOptions& options, const Communicator& comm,
                  RowVector& impulses, RowVector& gap);

}  // namespace talus
