// The choice of a method, made from the problem and from how the iteration goes, never from the
// clock: the same problem gives the same bits on any number of threads and ranks. A method that
// gains nothing makes way for the next one, which goes on from the last iterate, not from the best:
// where the error stands still the objective may fall all the while, and from the same iterate the
// same method would take the same way again. docs/algorithms/auto.md.

#include "metrics/definitions.hpp"
#include "solvers/methods.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {
namespace {

struct Candidate {
  Method method;
  bool averaged;          ///< metric: diagonal averaged per cone, or the mean diagonal
  std::int64_t patience;  ///< iterations without a gain after which it makes way
  bool frozen = false;    ///< De Saxce's term is frozen, instead of bounds that move
  /// What counts as a gain: the best error falls to so much of itself.
  double gain = IterateKeeper::least_gain;
  bool stretches = false;  ///< goes on from the last iterate and stretches it: of heavy bodies
};

using Turns = std::vector<Candidate>;

/// Some contact joins two bodies of very different masses: an impulse that stops the heavy one is
/// many steps of the light one, which only a momentum makes in few.
bool joins_unequal_bodies(const MethodContext& context) {
  constexpr double unequal = 1000.0;
  return context.problem.mass_ratio > unequal;
}

/// Of time steps under the Coulomb law. Each may go round, or creep, where the other does not: they
/// take turns, which grow, before either gets all its time.
Turns turns_of_steps(std::int64_t patience) {
  constexpr std::int64_t soon = 150;
  constexpr int rounds = 3;
  constexpr double much = 0.9;
  Turns turns;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t first = std::min(patience, soon << round);
    turns.push_back({Method::Pspgfb, true, first, false, much});
    turns.push_back({Method::Apgd, true, std::min(patience, 2 * first), true, much});
  }
  turns.back() = {Method::Apgd, true, patience, true};
  turns.push_back({Method::Apgd, true, patience});
  turns.push_back({Method::Apgd, false, patience});
  return turns;
}

/// Likewise, where a heavy body meets light ones: its impulse has far to grow.
Turns turns_of_heavy_bodies(std::int64_t patience) {
  constexpr std::int64_t soon = 300, later = 1000;
  Candidate stretched{Method::Apgd, true, std::min(patience, later), true};
  stretched.stretches = true;
  Candidate stretched_on = stretched;
  stretched_on.patience = patience;
  return {stretched,
          {Method::Apgd, true, std::min(patience, soon)},
          stretched_on,
          {Method::Apgd, true, patience},
          {Method::Apgd, false, patience}};
}

Turns turns_for(const MethodContext& context) {
  const SolveOptions& options = context.options;
  const std::int64_t patience = options.automatic.patience;
  const Candidate momentum{Method::Apgd, true, patience}, spectral{Method::Pspgfb, true, patience},
      on_the_mean{Method::Apgd, false, patience};
  if (options.law == Law::Associated || context.problem.frictionless())
    return {momentum, spectral, on_the_mean};
  // Bounds that move with the iterate hold up a momentum; without them it is ahead.
  const bool begins_spectral =
      options.automatic.first == Method::Pspgfb && !joins_unequal_bodies(context);
  if (options.law == Law::Box)
    return begins_spectral ? Turns{spectral, momentum, on_the_mean}
                           : Turns{momentum, spectral, on_the_mean};
  const Candidate frozen{Method::Apgd, true, patience, true};
  if (options.automatic.first != Method::Pspgfb) return {momentum, frozen, spectral, on_the_mean};
  return begins_spectral ? turns_of_steps(patience) : turns_of_heavy_bodies(patience);
}

void run_stage(const MethodContext& context, const Candidate& candidate, RowVector& x,
               IterateKeeper& keeper) {
  SolveOptions options = context.options;
  options.method = candidate.method;
  options.apgd.precondition = options.apgd.precondition && candidate.averaged;
  keeper.begin_stage(candidate.patience, candidate.gain);
  const MethodContext one{context.problem, options, context.comm};
  // bounds that move may have led far away
  if (candidate.frozen && !candidate.stretches) x = keeper.best();
  if (candidate.frozen)
    run_frozen_apgd(one, x, keeper, candidate.stretches);
  else
    run_convex(one, x, keeper);
  keeper.end_stage(candidate.method, candidate.averaged);
}

void take_turns(const MethodContext& context, const Turns& turns, RowVector& x,
                IterateKeeper& keeper) {
  constexpr double a_gain = 0.99;
  double before = infinity;
  do {
    before = keeper.best_error();
    for (const Candidate& candidate : turns) {
      run_stage(context, candidate, x, keeper);
      if (!keeper.only_stage_ended()) return;
    }
  } while (keeper.best_error() <= a_gain * before);
}

/// Where the least error is far from the tolerance, the last iterate is taken that leaves much less
/// energy. The error is a mean over cones: pressing light bodies makes more of it than letting a
/// heavy one through them, and the least may be that of hardly any impulse.
void take_more_braked(const MethodContext& context, const RowVector& last, IterateKeeper& keeper) {
  constexpr double far = 10.0, much = 0.01;
  if (!(keeper.best_error() > far * context.options.tolerance)) return;
  const auto energy = [&](const RowVector& x) {
    RowVector gap;
    evaluate_gap(context.problem, context.options.law, x, gap);
    return objective({context.problem, context.options.law, x, gap, context.comm});
  };
  const double of_best = energy(keeper.best());
  if (!(energy(last) < of_best - much * std::abs(of_best))) return;
  keeper.take(last);
  keeper.remark(
      "auto: the last iterate was taken, not the one of least error: it leaves less energy");
}

}  // namespace

void run_auto(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  const bool symmetric = context.options.law != Law::Coulomb || context.problem.skew == nullptr;
  if (context.problem.all_free() && symmetric)
    return run_stage(context, {Method::Minres, true, context.options.automatic.patience}, x,
                     keeper);
  const Turns turns = turns_for(context);
  take_turns(context, turns, x, keeper);
  if (turns.front().stretches && keeper.status() != SolveStatus::Converged)
    take_more_braked(context, x, keeper);
}

}  // namespace talus
