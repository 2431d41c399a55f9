#include "talus/solvers/solve.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "cones/projection.hpp"
#include "core/arithmetic.hpp"
#include "problem/linear_operator.hpp"
#include "solvers/methods.hpp"
#include "solvers/mirror_check.hpp"
#include "solvers/sweep_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr int most_attempts =
    3;  // a verified error above the tolerance sends the solve back to work

void add_remarks(const ConeProblem& problem, const SolveOptions& options, SolveReport& report) {
  if (problem.skew != nullptr && options.law != Law::Coulomb)
    report.remarks.push_back(fmt::format(
        "W is not symmetric (relative {:.1e}): the {} law was solved with its symmetric part",
        problem.asymmetry, name_of(options.law)));
  if (problem.skew != nullptr && options.law == Law::Coulomb)
    report.remarks.push_back(fmt::format(
        "W is not symmetric (relative {:.1e}): it was used as given", problem.asymmetry));
  constexpr double hardly_begun = 0.1;  // of the residual at zero
  if (report.status == SolveStatus::Converged && report.errors.natural_relative > hardly_begun)
    report.remarks.push_back(fmt::format(
        "the tolerance of {} is met, but the natural residual is still {:.2g} of that at zero: it "
        "is an absolute number, and this problem wants a smaller one",
        name_of(report.measure), report.errors.natural_relative));
  if (report.status == SolveStatus::NotFinite)
    report.remarks.emplace_back("infinite or undefined values appeared in the iteration");
  if (report.status == SolveStatus::Diverged)
    report.remarks.emplace_back(
        "the impulses or the friction are so large that rounding hides the error: the problem has "
        "no solution (rows that no body answers), or coefficients of friction above a million, "
        "which "
        "no answer can be judged by: make them smaller");
}

/// sum g_c |x_c|^2: how large impulses are, as energies.
double impulse_energy(const ConeProblem& problem, const RowVector& x, const Communicator& comm) {
  const ConeSet& cones = problem.cones;
  std::vector<double> energies(static_cast<std::size_t>(cones.slots()), 0.0);
  each_owned_row(cones, [&](Index row, Index slot) {
    const double value = x[row];
    energies[slot] += problem.scale[slot] * value * value;
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
  if (options.law != Law::Coulomb) return false;
  if (comm.all_agree(!blinds(cones.friction) && !blinds(cones.rolling_friction) &&
                     !blinds(cones.spinning_friction)))
    return false;
  const RowVector zero(x.size(), 0.0);
  const ErrorReport start = evaluate_all(problem, options.law, zero, problem.free_velocity, comm);
  return errors.dual_violation > visible * start.dual_violation;
}

void run(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  context.options.method == Method::Psor ? run_psor(context, x, keeper)
                                         : run_convex(context, x, keeper);
}

/// A verified error, and the number that the keeper compared iterates by.
struct Verdict {
  double error = 0.0, guide = 0.0;
};

/// The law's own error with a fresh product: an iteration carries its gradient along and rounding
/// adds up.
struct Judge {
  const ConeProblem& problem;
  const SolveOptions& options;
  const Communicator& comm;
  double reference = 1.0;
  ErrorReport* brief = nullptr;  ///< options.brief: gets what it then holds

  Verdict operator()(const RowVector& x, RowVector& gap) const {
    evaluate_gap(problem, options.law, x, gap);
    ErrorReport own;
    ErrorReport& velocities = brief != nullptr ? *brief : own;
    const bool is_local = options.measure == Measure::NaturalLocal;
    if (brief != nullptr || is_local)
      evaluate_velocities(problem, options.law, x, gap, comm, velocities);
    if (is_local) return {velocities.natural_local, velocities.natural_velocity};
    const double error =
        brief != nullptr && options.measure == Measure::NaturalVelocity
            ? velocities.natural_velocity
            : evaluate(options.measure, problem, options.law, x, gap, reference, comm);
    return {error, error};
  }
};

void add_energy_error(const ConeProblem& problem, const SolveOptions& options, const RowVector& x,
                      const RowVector& gap, const Communicator& comm, ErrorReport& errors) {
  if (options.choose_by_energy)
    errors.energy = evaluate(Measure::Energy, problem, options.law, x, gap, 1.0, comm);
}

/// Where the seconds of a limited solve go, beside its iterations.
struct TimeShares {
  double verification = 0.0, history = 0.0;
};

/// A limit that leaves little to the iterations gives an answer that says nothing of the method.
void add_time_remarks(const SolveOptions& options, const TimeShares& shares, SolveReport& report) {
  if (report.status != SolveStatus::TimeLimit) return;
  constexpr double much = 0.5;
  const std::string method = name_of(options.method);
  if (report.iterations == 0 || shares.verification > much * options.time_limit)
    report.remarks.push_back(
        fmt::format("{} had {:.3g} s, which left time for {} iterations: verifying an answer alone "
                    "takes about {:.2g} s",
                    method, options.time_limit, report.iterations, shares.verification));
  if (shares.history > 0.0)
    report.remarks.push_back(fmt::format(
        "{} had {:.3g} s, of which the history took {:.2g} s: it measures all errors in every "
        "iteration",
        method, options.time_limit, shares.history));
}

/// What a run of a method adds to the report of the runs before it, which cost `products`.
void add_run(IterateKeeper& keeper, std::int64_t products, SolveReport& report) {
  report.status = keeper.status();
  report.dampings += keeper.dampings();
  report.best_iteration = report.iterations + keeper.best_iteration();
  std::vector<HistoryEntry>& history = keeper.history();
  for (HistoryEntry& entry : history) {
    entry.iteration += report.iterations;
    entry.products += products;
  }
  report.history.insert(report.history.end(), history.begin(), history.end());
  report.stages.insert(report.stages.end(), keeper.stages().begin(), keeper.stages().end());
  report.remarks = keeper.remarks();
}

/// Runs until the verified error is small enough, or the method gives up; leaves the best iterate.
void run_attempts(const Judge& judge, IterateKeeper::Clock::time_point started, TimeShares& shares,
                  RowVector& x, RowVector& gap, SolveReport& report) {
  const SolveOptions& options = judge.options;
  const std::int64_t first_product = all_products(judge.problem);
  constexpr double margin = 1.5;  // a second time it may take longer
  // A trial that the machine held up shall not leave nothing for the iterations.
  constexpr double most_reserved = 0.5;
  const double reserve = std::min(margin * shares.verification, most_reserved * options.time_limit);
  SolveOptions attempt = options;
  for (int k = 0; k < most_attempts; ++k) {
    const std::int64_t products_before = all_products(judge.problem) - first_product;
    IterateKeeper keeper(judge.problem, attempt, judge.comm, started);
    keeper.reserve(reserve);
    const RowVector start = x;
    run({judge.problem, attempt, judge.comm}, x, keeper);
    shares.history += keeper.history_seconds();
    add_run(keeper, products_before, report);
    x = keeper.best();
    Verdict verdict = judge(x, gap);
    if (verdict.guide > keeper.first_error() && keeper.chose_best()) {
      x = start;
      report.best_iteration = report.iterations;
      verdict = judge(x, gap);
    }
    report.error = verdict.error;
    report.iterations += keeper.last_iteration();
    if (report.status != SolveStatus::Converged || report.error <= options.tolerance) return;
    report.status = SolveStatus::Stalled;
    constexpr double a_little_less =
        0.9;  // the next run is to end below by as much as this is above
    attempt.tolerance *= a_little_less * options.tolerance / report.error;
    attempt.max_iterations = options.max_iterations - report.iterations;
    if (attempt.max_iterations <= 0) return;
  }
}

}  // namespace

std::int64_t all_products(const ConeProblem& problem) {
  return problem.delassus->products() +
         (problem.skew != nullptr ? problem.skew->products() : std::int64_t{0});
}

double verification_seconds(const MethodContext& context, const RowVector& x) {
  const auto& [problem, options, comm] = context;
  const auto begin = IterateKeeper::Clock::now();
  RowVector gap;
  Judge{problem, options, comm, 1.0}(x, gap);
  evaluate_all(problem, options.law, x, gap, comm);
  std::array<double, 1> seconds{
      std::chrono::duration<double>(IterateKeeper::Clock::now() - begin).count()};
  comm.largest(seconds);
  return seconds[0];
}

SolveReport solve_by_one(const MethodContext& context, RowVector& impulses, RowVector& gap,
                         std::optional<double> verification) {
  const auto& [problem, options, comm] = context;
  const auto started = IterateKeeper::Clock::now();
  comm.clear_stop_flags();
  const std::int64_t first_product = all_products(problem);
  const Traffic before = comm.traffic();
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
  TimeShares shares;
  if (options.time_limit < infinity)
    shares.verification = verification ? *verification : verification_seconds(context, x);
  run_attempts({problem, options, comm, reference, options.brief ? &report.errors : nullptr},
               started, shares, x, gap, report);
  if (comm.size() > 1) comm.board(mirror_sum(problem, x, gap));
  if (options.brief)
    add_energy_error(problem, options, x, gap, comm, report.errors);
  else
    report.errors = evaluate_all(problem, options.law, x, gap, comm);
  const bool alike = comm.size() == 1 || comm.words() == 0;
  comm.board(0);
  if (!alike) report_unlike_mirrors(problem, x, gap, comm);
  if (!options.brief && report.error <= options.tolerance &&
      hides_its_error(problem, options, x, report.errors, comm)) {
    report.status = SolveStatus::Diverged;
    report.error = infinity;
  }
  impulses = std::move(x);
  report.operator_products = all_products(problem) - first_product;
  report.traffic = comm.traffic() - before;
  report.reductions = report.traffic.reductions;
  report.exchanges = report.traffic.exchanges;
  add_remarks(problem, options, report);
  add_time_remarks(options, shares, report);
  report.seconds = std::chrono::duration<double>(IterateKeeper::Clock::now() - started).count();
  return report;
}

void run_convex(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  switch (context.options.method) {
    case Method::Auto:
      return run_auto(context, x, keeper);
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
  const StandardArithmetic arithmetic;
  validate(options, problem);
  TALUS_ASSERT(impulses.size() == static_cast<std::size_t>(problem.stored_rows()));
  const MethodContext context{problem, options, comm};
  return options.methods.empty() ? solve_by_one(context, impulses, gap)
                                 : solve_by_several(context, impulses, gap);
}

}  // namespace talus
