// Names and ranges of the options: every fault is reported, with the value and what is allowed.

#include "talus/core/error.hpp"
#include "talus/solvers/solve.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

void validate_krylov(const std::string& name, const KrylovOptions& o, InputErrors& errors) {
  errors.require(o.refresh_every >= 1, name + ".refresh_every", o.refresh_every,
                 "must be at least 1 (default 200)");
  errors.require(o.restart_after >= 1, name + ".restart_after", o.restart_after,
                 "must be at least 1 (default 1000)");
}

/// What makes `problem` more than a linear system; empty where nothing does.
std::string first_not_free(const ConeProblem& problem) {
  const ConeSet& cones = problem.cones;
  if (problem.all_free()) return "";
  if (problem.total_contacts > 0) return "contacts push and never pull";
  for (Index i = 0; i < cones.scalar_count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!cones.is_free(i))
      return fmt::format("the joint row of key {} is bounded: its impulse lies in [{}, {}]",
                         problem.key.empty() ? i : problem.key[k], cones.lower[k], cones.upper[k]);
  }
  return fmt::format("{} joint rows are bounded", problem.total_bounded);
}

void validate_method(Method method, const SolveOptions& o, InputErrors& errors) {
  const auto between_0_and_2 = [&](const char* where, double value) {
    errors.require(0.0 < value && value < 2.0, where, value,
                   "must lie in (0, 2): beyond it the iteration diverges (default 1)");
  };
  switch (method) {
    case Method::Auto:
      errors.require(o.automatic.patience >= 1, "auto.patience", o.automatic.patience,
                     "must be at least 1 (default 10000)");
      if (o.automatic.first != Method::Apgd && o.automatic.first != Method::Pspgfb)
        errors.add(
            fmt::format("auto.first = {} must be apgd or pspgfb (default apgd; of runs pspgfb)",
                        name_of(o.automatic.first)));
      for (const Method used : {Method::Pspgfb, Method::Apgd, Method::Minres})
        validate_method(used, o, errors);
      return;
    case Method::Jacobi:
      between_0_and_2("jacobi.relaxation", o.jacobi.relaxation);
      errors.require(
          1.0 <= o.jacobi.lambda_margin && o.jacobi.lambda_margin < infinity,
          "jacobi.lambda_margin", o.jacobi.lambda_margin,
          "must be finite and at least 1: lambda_max is estimated from below (default 1.05)");
      errors.require(1 <= o.jacobi.lambda_iterations && o.jacobi.lambda_iterations <= 10000,
                     "jacobi.lambda_iterations", o.jacobi.lambda_iterations,
                     "must lie in 1 .. 10000 (default 30)");
      return;
    case Method::Psor:
      between_0_and_2("psor.relaxation", o.psor.relaxation);
      errors.require(1 <= o.psor.check_every && o.psor.check_every <= 10000, "psor.check_every",
                     o.psor.check_every, "must lie in 1 .. 10000 sweeps (default 10)");
      errors.require(1 <= o.psor.sweeps && o.psor.sweeps <= 1000, "psor.sweeps", o.psor.sweeps,
                     "must lie in 1 .. 1000 (default 1)");
      errors.require(!(o.psor.accelerate && o.psor.symmetric) || o.psor.sweeps % 2 == 0,
                     "psor.sweeps", o.psor.sweeps,
                     "must be even with psor.symmetric and psor.accelerate: the momentum needs as "
                     "many sweeps backward as forward in every step");
      return;
    case Method::Pspgfb:
      errors.require(0.0 < o.pspgfb.alpha_min && o.pspgfb.alpha_min <= o.pspgfb.alpha_max,
                     "pspgfb.alpha_min", o.pspgfb.alpha_min,
                     "must be positive and at most pspgfb.alpha_max (default 1e-9)");
      errors.require(o.pspgfb.alpha_max < infinity, "pspgfb.alpha_max", o.pspgfb.alpha_max,
                     "must be finite (default 1e9)");
      errors.require(0.0 < o.pspgfb.sigma_min && o.pspgfb.sigma_min < o.pspgfb.sigma_max,
                     "pspgfb.sigma_min", o.pspgfb.sigma_min,
                     "must be positive and below pspgfb.sigma_max (default 0.1)");
      errors.require(o.pspgfb.sigma_max < 1.0, "pspgfb.sigma_max", o.pspgfb.sigma_max,
                     "must be below 1, or the line search never ends (default 0.9)");
      errors.require(o.pspgfb.gll_history >= 0, "pspgfb.gll_history", o.pspgfb.gll_history,
                     "must be at least 0 (default 10)");
      errors.require(
          0.0 < o.pspgfb.armijo && o.pspgfb.armijo < 0.5, "pspgfb.armijo", o.pspgfb.armijo,
          "must lie in (0, 0.5): the minimiser of a parabola lowers it by half its slope "
          "(default 1e-4)");
      errors.require(o.pspgfb.refresh_every >= 1, "pspgfb.refresh_every", o.pspgfb.refresh_every,
                     "must be at least 1 (default 200)");
      return;
    case Method::Apgd:
      errors.require(0.0 < o.apgd.shrink && o.apgd.shrink <= 1.0, "apgd.shrink", o.apgd.shrink,
                     "must lie in (0, 1] (default 0.98)");
      errors.require(o.apgd.grow > 1.0 && o.apgd.grow < infinity, "apgd.grow", o.apgd.grow,
                     "must be above 1 (default 1.5)");
      errors.require(o.apgd.refresh_every >= 1, "apgd.refresh_every", o.apgd.refresh_every,
                     "must be at least 1 (default 200)");
      return;
    case Method::Cg:
      return validate_krylov("cg", o.cg, errors);
    case Method::Minres:
      return validate_krylov("minres", o.minres, errors);
  }
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"auto", "jacobi", "psor",  "pspgfb",
                                              "apgd", "cg",     "minres"};
  return names;
}

std::string name_of(Method method) {
  return method_names()[static_cast<std::size_t>(method)];
}

Method method_named(const std::string& name) {
  const auto& names = method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("unknown method '{}': {}known are {}", name,
                                 did_you_mean(name, names, "'"), fmt::join(names, ", ")));
  return static_cast<Method>(found - names.begin());
}

std::string name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::Converged:
      return "converged";
    case SolveStatus::IterationLimit:
      return "iteration limit";
    case SolveStatus::Stalled:
      return "stalled";
    case SolveStatus::TimeLimit:
      return "time limit";
    case SolveStatus::Interrupted:
      return "interrupted";
    case SolveStatus::Diverged:
      return "diverged";
    case SolveStatus::NotFinite:
      return "not finite";
  }
  return "";
}

void validate(const SolveOptions& o, const ConeProblem& problem) {
  InputErrors errors;
  errors.require(o.tolerance >= 0.0 && o.tolerance < infinity, "tolerance", o.tolerance,
                 "must be a finite number >= 0");
  errors.require(o.max_iterations >= 0, "max_iterations", static_cast<double>(o.max_iterations),
                 "must be at least 0");
  errors.require(o.time_limit > 0.0, "time_limit", o.time_limit, "must be above 0 s");
  errors.require(o.stall_iterations >= 1, "stall_iterations",
                 static_cast<double>(o.stall_iterations), "must be at least 1");
  std::vector<Method> chosen = o.methods;
  if (chosen.empty()) chosen.push_back(o.method);
  const std::string bound = first_not_free(problem);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Method method = chosen[k];
    if (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k), method) !=
        chosen.begin() + static_cast<std::ptrdiff_t>(k))
      errors.add(fmt::format("methods names {} twice: it would give the same answer twice",
                             name_of(method)));
    const bool linear = method == Method::Cg || method == Method::Minres;
    if (linear && o.law == Law::Coulomb && problem.skew != nullptr)
      errors.add(
          fmt::format("{} needs a symmetric W, and this one is not (relative {:.1e}): use apgd or "
                      "pspgfb, or the law associated, which takes its symmetric part",
                      name_of(method), problem.asymmetry));
    if (linear && !bound.empty())
      errors.add(
          fmt::format("{} solves problems whose rows are all free, and here {}: use auto, apgd or "
                      "pspgfb",
                      name_of(method), bound));
    if (method == Method::Psor && problem.is_share_of_matrix)
      errors.add(
          "psor sweeps on several ranks over rigid bodies only, and this problem is given by "
          "matrices: use apgd or pspgfb, or one rank");
    validate_method(method, o, errors);
  }
  if (o.measure == Measure::FischerBurmeister && problem.total_rolling > 0)
    errors.add(
        "measure = fischer_burmeister is not defined for rolling friction, whose cone is an "
        "intersection of cones: use natural_relative or energy");
  errors.throw_if_any();
}

}  // namespace talus
