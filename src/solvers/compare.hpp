#pragma once
// Several methods on one problem, each from the same cold start to the tightest of several
// tolerances. What the looser ones cost is read off the history that a solve keeps for nothing: the
// stopping measure only, no extra product.

#include "talus/solvers/solve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus {

/// Where a solve first met a tolerance.
struct Milestone {
  double tolerance = 0.0;
  bool met = false;
  std::int64_t iterations = 0;
  std::int64_t work = 0;  ///< as work_of() counts it
  double seconds = 0.0;
};

struct CurvePoint {
  std::int64_t iteration = 0, work = 0;
  double seconds = 0.0, error = 0.0;
};

/// How far an answer is from another one of the same problem and law.
struct AnswerDistance {
  double velocity = 0.0;  ///< largest difference of a gap velocity, m/s (rad/s of angular rows)
  /// |x - x*| in the norm of N relative to |x*|: the root of a ratio of kinetic energies, which the
  /// many impulses of one and the same motion do not change.
  double energy_norm = 0.0;
};

/// An answer to compare with: x and its gap velocity under the law that is compared.
struct KnownAnswer {
  std::string name;  ///< where it was found, such as "solution_ccp"
  RowVector impulses, gap;
  double objective = 0.0;
};

struct MethodRun {
  std::string method;
  std::string refusal;  ///< why the method does not take the problem or the law; else empty
  SolveReport report;   ///< without its history
  std::int64_t work = 0;
  std::vector<Milestone> milestones;  ///< one per tolerance, in their order
  std::vector<CurvePoint> curve;      ///< the history, thinned
  std::optional<AnswerDistance> distance;
  std::uint64_t solution_hash = 0;

  bool ran() const { return refusal.empty(); }
  bool within_tolerance() const { return ran() && report.error <= report.tolerance; }
};

/// Why `method` does not take this problem or law at all; empty where it does.
std::string refusal_of(const ConeProblem& problem, Method method, Law law);

/// What methods are compared by: products with N, to which each sweep of psor, which reads N once
/// as a product does, is added.
std::int64_t work_of(Method method, std::int64_t iterations, std::int64_t products);
/// Of a whole solve; of several methods all that ran.
std::int64_t work_of(const SolveReport& report);
/// Likewise its iterations: those in the report are of the chosen method alone.
std::int64_t all_iterations(const SolveReport& report);

/// Solves from zero with options.method to the least of `tolerances`; leaves the answer in
/// `impulses` and `gap`. Collective.
MethodRun run_method(const ConeProblem& problem, SolveOptions options,
                     const std::vector<double>& tolerances, const Communicator& comm,
                     RowVector& impulses, RowVector& gap);

/// Where the history of a solve first met each tolerance. The solve's own tolerance is met at its
/// end, and only when the fresh product there confirms it; an answer that diverged meets none.
std::vector<Milestone> milestones_of(const SolveReport& report,
                                     const std::vector<double>& tolerances);

/// At most about 900 points of a history, evenly spread over the logarithm of the work; of each
/// stretch the least and the largest error are kept, so that oscillation and progress both show.
std::vector<CurvePoint> thinned_curve(const SolveReport& report);

/// `gap` and known.gap belong to the same law. No product. Collective.
AnswerDistance distance_between(const ConeProblem& problem, const RowVector& impulses,
                                const RowVector& gap, const KnownAnswer& known,
                                const Communicator& comm);

// Performance profiles of several methods over several problems [DolanMore02].

/// One method's line of a profile: share[k] of all problems were solved at no more than tau[k]
/// times the cost of the best method for each; a staircase that is 0 before tau.front().
struct ProfileLine {
  std::string method;
  std::vector<double> tau, share;
};

/// costs[problem][method] to solve a problem; infinite where it was not solved. A cost below
/// `least_cost` counts as that much: ratios to less mean nothing (nothing to do; below the clock's
/// grain). Problems that no method solved count as unsolved for all. `methods` names the columns.
std::vector<ProfileLine> performance_profile(const std::vector<std::string>& methods,
                                             const std::vector<std::vector<double>>& costs,
                                             double least_cost);

/// The share at factor `tau`.
double share_within(const ProfileLine& line, double tau);

}  // namespace talus
