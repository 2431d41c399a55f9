#pragma once
// The solve of a step in which bodies hit each other: by Newton's or by Poisson's law, and never
// with more energy than the impact has brought. docs/decisions/033.

#include "talus/solvers/solve.hpp"

#include "partition/step_part.hpp"
#include "stepping/schemes.hpp"

namespace talus {

/// What the solve of a step needs to know of impacts.
struct ImpactStep {
  const World& world;
  const StepSettings& settings;
  const StepPart& part;
  const NormalRows& rows;
  bool bounces;   ///< some contact of any rank: has_bounce()
  bool is_rough;  ///< with few iterations, on the way to another solve of the step
};

/// Some contact of this rank asks for restitution.
bool has_bounce(const NormalRows& rows);

struct StepSolve {
  SolveReport report;             ///< of the answer that is used, with the iterations of all solves
  bool less_restitution = false;  ///< than the law asks for
};

/// Solves `problem`, whose free gaps have Newton's restitution, from `impulses`, in several solves
/// where it must, whose iterations are no more than options.max_iterations, but for one each. What
/// is left in `problem` and `gap` belongs to the answer. Collective.
StepSolve solve_step_problem(const ImpactStep& step, const SolveOptions& options,
                             const Communicator& comm, ConeProblem& problem, RowVector& impulses,
                             RowVector& gap);

}  // namespace talus
