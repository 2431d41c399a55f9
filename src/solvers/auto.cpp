// The choice of a method, made from the problem and from how the iteration goes, never from the
// clock: the same problem gives the same bits on any number of threads and ranks. A method that
// gains nothing makes way for the next one, which goes on from the last iterate, not from the best:
// where the error stands still the objective may fall all the while, and from the same iterate the
// same method would take the same way again. docs/algorithms/auto.md.

#include "solvers/methods.hpp"

#include <array>

namespace talus {
namespace {

struct Candidate {
  Method method;
  bool averaged;  ///< metric: diagonal averaged per cone, or the mean diagonal
};

using Turns = std::array<Candidate, 3>;
constexpr Turns turns{{{Method::Apgd, true}, {Method::Pspgfb, true}, {Method::Apgd, false}}};
constexpr Turns spectral_first{
    {{Method::Pspgfb, true}, {Method::Apgd, true}, {Method::Apgd, false}}};

void run_stage(const MethodContext& context, const Candidate& candidate, RowVector& x,
               IterateKeeper& keeper) {
  SolveOptions options = context.options;
  options.method = candidate.method;
  options.apgd.precondition = options.apgd.precondition && candidate.averaged;
  keeper.begin_stage(context.options.automatic.patience);
  run_convex({context.problem, options, context.comm}, x, keeper);
  keeper.end_stage(candidate.method, candidate.averaged);
}

}  // namespace

void run_auto(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  const bool symmetric = context.options.law != Law::Coulomb || context.problem.skew == nullptr;
  if (context.problem.all_free() && symmetric)
    return run_stage(context, {Method::Minres, true}, x, keeper);
  // Bounds that move with the iterate hold up a momentum; without them it is ahead.
  const bool begins_spectral = context.options.automatic.first == Method::Pspgfb &&
                               context.options.law != Law::Associated &&
                               !context.problem.frictionless();
  constexpr double a_gain = 0.99;
  double before = infinity;
  do {
    before = keeper.best_error();
    for (const Candidate& candidate : begins_spectral ? spectral_first : turns) {
      run_stage(context, candidate, x, keeper);
      if (!keeper.only_stage_ended()) return;
    }
  } while (keeper.best_error() <= a_gain * before);
}

}  // namespace talus
