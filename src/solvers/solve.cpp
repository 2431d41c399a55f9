#include "talus/solvers/solve.hpp"

#include "talus/cones/projection.hpp"
#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "solvers/methods.hpp"
#include "solvers/sweep_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr int most_attempts =
    3;  // a verified error above the tolerance sends the solve back to work

std::int64_t all_products(const ConeProblem& problem) {
  return problem.delassus->products() +
         (problem.skew != nullptr ? problem.skew->products() : std::int64_t{0});
}

void add_remarks(const ConeProblem& problem, const SolveOptions& options, SolveReport& report) {
  if (problem.skew != nullptr && options.law != Law::Coulomb)
    report.remarks.push_back(fmt::format(
        "W is not symmetric (relative {:.1e}): the {} law was solved with its symmetric part",
        problem.asymmetry, name_of(options.law)));
  if (problem.skew != nullptr && options.law == Law::Coulomb)
    report.remarks.push_back(fmt::format(
        "W is not symmetric (relative {:.1e}): it was used as given", problem.asymmetry));
  if (report.status == SolveStatus::NotFinite)
    report.remarks.emplace_back("infinite or undefined values appeared in the iteration");
  if (report.status == SolveStatus::Diverged)
    report.remarks.emplace_back(
        "the impulses or the friction are so large that rounding hides the error: the problem has "
        "no "
        "solution (rows that no body answers), or its friction is better stated as infinite");
}

/// sum g_c |x_c|^2: how large impulses are, as energies.
double impulse_energy(const ConeProblem& problem, const RowVector& x, const Communicator& comm) {
  const ConeSet& cones = problem.cones;
  std::vector<double> energies(static_cast<std::size_t>(cones.slots()), 0.0);
  each_owned_row(cones, [&](Index row, Index slot) {
    const double value = x[static_cast<std::size_t>(row)];
    energies[static_cast<std::size_t>(slot)] +=
        problem.scale[static_cast<std::size_t>(slot)] * value * value;
  });
  return exact_sum(comm, energies);
}

/// True when a small error proves nothing. The natural map forms x - P(x - w / g), where rounding
/// of a huge x hides any w: so it grows where no body answers a contact. And under the Coulomb law
/// a huge mu |w_T| hides a w_N < 0.
bool hides_its_error(const ConeProblem& problem, const SolveOptions& options, const RowVector& x,
                     const ErrorReport& errors, const Communicator& comm) {
  constexpr double rounding = 0x1p-52;
  constexpr double visible = 1e-3;  // of the residual at zero: rounding above it is no small error
  constexpr double blind_above = 1e6;  // mu from which the residual loses w_N in double precision
  const double reference = reference_of(Measure::NaturalRelative, problem, options.law, comm);
  if (rounding * std::sqrt(impulse_energy(problem, x, comm)) > visible * reference) return true;
  const auto blinds = [](const RowVector& friction) {
    return std::any_of(friction.begin(), friction.end(),
                       [](double mu) { return mu > blind_above && mu < infinity; });
  };
  const ConeSet& cones = problem.cones;
  if (options.law != Law::Coulomb || !(blinds(cones.friction) || blinds(cones.rolling_friction) ||
                                       blinds(cones.spinning_friction)))
    return false;
  const RowVector zero(x.size(), 0.0);
  const ErrorReport start = evaluate_all(problem, options.law, zero, problem.free_gap, comm);
  return errors.dual_violation > visible * start.dual_violation;
}

}  // namespace

void run_convex(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  switch (context.options.method) {
    case Method::Jacobi:
      return run_jacobi(context, x, keeper);
    case Method::Pspgfb:
      return run_spg(context, x, keeper);
    case Method::Apgd:
      return run_apgd(context, x, keeper);
    case Method::Cg:
      return run_cg(context, x, keeper);
    case Method::Minres:
      return run_minres(context, x, keeper);
    case Method::Psor:
      break;
  }
  TALUS_ASSERT(!"psor is called by solve()");
}

SolveReport solve(const ConeProblem& problem, const SolveOptions& options, const Communicator& comm,
                  RowVector& impulses, RowVector& gap) {
  validate(options, problem);
  TALUS_ASSERT(impulses.size() == static_cast<std::size_t>(problem.stored_rows()));
  const auto started = IterateKeeper::Clock::now();
  const std::int64_t first_product = all_products(problem), first_reduction = comm.reductions();
  SolveReport report;
  report.law = options.law;
  report.method = options.method;
  report.measure = options.measure;
  report.tolerance = options.tolerance;

  RowVector x;
  project(problem.cones, impulses, x);
  if (options.law == Law::Box) clip_to_boxes(problem.cones, impulses, x);
  gap.assign(x.size(), 0.0);
  const double reference = reference_of(options.measure, problem, options.law, comm);
  SolveOptions attempt = options;
  for (int k = 0; k < most_attempts; ++k) {
    const std::int64_t products_before = all_products(problem) - first_product;
    IterateKeeper keeper(problem, attempt, comm, started);
    const RowVector start = x;
    const MethodContext context{problem, attempt, comm};
    options.method == Method::Psor ? run_psor(context, x, keeper) : run_convex(context, x, keeper);
    report.dampings += keeper.dampings();
    report.status = keeper.status();
    report.best_iteration = report.iterations + keeper.best_iteration();
    std::vector<HistoryEntry>& history = keeper.history();
    for (HistoryEntry& entry : history) {
      entry.iteration += report.iterations;
      entry.products += products_before;
    }
    report.history.insert(report.history.end(), history.begin(), history.end());
    report.remarks = keeper.remarks();
    x = keeper.best();
    const auto verify = [&] {
      evaluate_gap(problem, options.law, x, gap);
      report.error = evaluate(options.measure, problem, options.law, x, gap, reference, comm);
    };
    verify();
    // An iteration carries its gradient along and rounding adds up: only the fresh one counts.
    if (report.error > keeper.first_error() && keeper.chose_best()) {
      x = start;
      report.best_iteration = report.iterations;
      verify();
    }
    report.iterations += keeper.last_iteration();
    if (report.status != SolveStatus::Converged || report.error <= options.tolerance) break;
    report.status = SolveStatus::Stalled;
    attempt.max_iterations = options.max_iterations - report.iterations;
    if (attempt.max_iterations <= 0) break;
  }
  report.errors = evaluate_all(problem, options.law, x, gap, comm);
  if (report.error <= options.tolerance &&
      hides_its_error(problem, options, x, report.errors, comm)) {
    report.status = SolveStatus::Diverged;
    report.error = infinity;
  }
  impulses = std::move(x);
  report.operator_products = all_products(problem) - first_product;
  report.reductions = comm.reductions() - first_reduction;
  report.exchanges = comm.size() > 1 ? report.operator_products : 0;
  report.seconds = std::chrono::duration<double>(IterateKeeper::Clock::now() - started).count();
  add_remarks(problem, options, report);
  return report;
}

}  // namespace talus
