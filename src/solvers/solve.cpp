#include "talus/solvers/solve.hpp"

#include "talus/cones/projection.hpp"
#include "talus/core/error.hpp"

#include "solvers/methods.hpp"
#include "solvers/sweep_rows.hpp"

#include <algorithm>
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
}

/// One run of the chosen method; returns outer iterations.
std::int64_t run(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  if (context.options.method == Method::Psor) {
    run_psor(context, x, keeper);
    return 0;
  }
  // Without friction or a skew part the Coulomb law is the associated law: no outer loop is needed.
  const ConeSet& cones = context.problem.cones;
  const bool frictionless = std::all_of(cones.friction.begin(), cones.friction.end(),
                                        [](double mu) { return mu == 0.0; });
  if (context.options.law == Law::Coulomb && !(frictionless && context.problem.skew == nullptr))
    return run_coulomb(context, x, keeper);
  run_convex(context, x, keeper);
  return 0;
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
    case Method::Psor:
      break;
  }
  TALUS_ASSERT(!"psor takes every law itself");
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
    IterateKeeper keeper(problem, attempt, comm, started);
    report.outer_iterations += run({problem, attempt, comm}, x, keeper);
    report.status = keeper.status();
    report.best_iteration = report.iterations + keeper.best_iteration();
    std::vector<HistoryEntry>& history = keeper.history();
    for (HistoryEntry& entry : history) entry.iteration += report.iterations;
    report.history.insert(report.history.end(), history.begin(), history.end());
    report.iterations += keeper.last_iteration();
    x = keeper.best();
    evaluate_gap(problem, options.law, x, gap);
    report.error = evaluate(options.measure, problem, options.law, x, gap, reference, comm);
    // An iteration carries its gradient along and rounding adds up: only the fresh one counts.
    if (report.status != SolveStatus::Converged || report.error <= options.tolerance) break;
    report.status = SolveStatus::Stalled;
    attempt.max_iterations = options.max_iterations - report.iterations;
    if (attempt.max_iterations <= 0) break;
  }
  report.errors = evaluate_all(problem, options.law, x, gap, comm);
  impulses = std::move(x);
  report.operator_products = all_products(problem) - first_product;
  report.reductions = comm.reductions() - first_reduction;
  report.exchanges = comm.size() > 1 ? report.operator_products : 0;
  report.seconds = std::chrono::duration<double>(IterateKeeper::Clock::now() - started).count();
  add_remarks(problem, options, report);
  return report;
}

}  // namespace talus
