#pragma once
// The methods, one file each. Each runs from x (already in K) until the keeper says stop, and
// leaves the best iterate with the keeper. jacobi, pspgfb, apgd and psor take every law
// (docs/algorithms/coulomb.md, box.md); cg and minres know no cones.

#include "solvers/iterate_keeper.hpp"

#include <optional>

namespace talus {

struct MethodContext {
  const ConeProblem& problem;
  const SolveOptions& options;
  const Communicator& comm;
};

/// Damped fixed point [Tasora07, eq. 3-5]. Per iteration: 1 product, 1 reduction, 1 exchange.
void run_jacobi(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// P-SPG-FB [Tasora13]. Per iteration: 1 product, 1 reduction, 1 exchange; one more product every
/// refresh_every.
void run_spg(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// Accelerated projected gradient [Heyn13]. Per trial: 1 product, 1 reduction, 1 exchange;
/// about 1.1 trials per iteration; two more products every refresh_every.
void run_apgd(const MethodContext& context, RowVector& x, IterateKeeper& keeper);
/// The same for the Coulomb law with De Saxce's term, frozen between renewals: each costs one more
/// reduction, and a product where W is not symmetric.
/// `stretches`: now and then x is multiplied by what makes the objective least (two reductions).
void run_frozen_apgd(const MethodContext& context, RowVector& x, IterateKeeper& keeper,
                     bool stretches);

/// Conjugate gradients and minimal residuals for free rows only. Per iteration: 1 product, 1
/// reduction, 1 exchange; one more product every refresh_every.
void run_cg(const MethodContext& context, RowVector& x, IterateKeeper& keeper);
void run_minres(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// Projected SOR / Gauss-Seidel [Tasora07, Alg. 4.1, eq. 6 corrected], [Lacoursiere13, eq. 36]; the
/// law is options.law. This is what solve() calls: it projects the start before and verifies the
/// best iterate with fresh products afterwards.
void run_psor(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// Chooses among the methods above but psor, and changes its choice where one stagnates.
void run_auto(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// Dispatches one of the methods above, all but psor.
void run_convex(const MethodContext& context, RowVector& x, IterateKeeper& keeper);

/// What solve() does where options.method alone counts. `verification`: seconds that it takes to
/// verify an answer; where not given and a time limit asks for it, it is tried out on the start.
SolveReport solve_by_one(const MethodContext& context, RowVector& impulses, RowVector& gap,
                         std::optional<double> verification = {});

/// The best answer of options.methods; what solve() does where there are any.
SolveReport solve_by_several(const MethodContext& context, RowVector& impulses, RowVector& gap);

/// Seconds that it takes to verify an answer, tried on `x` and alike on all ranks. One product.
/// Collective.
double verification_seconds(const MethodContext& context, const RowVector& x);

/// Products with N and with the skew part of a W, since the problem was made.
std::int64_t all_products(const ConeProblem& problem);

}  // namespace talus
