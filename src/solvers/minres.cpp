// Minimal residuals [PaigeSaunders75] in the form of conjugate residuals [Stiefel55], with the
// diagonal as preconditioner: |N x + r| in the norm of P^-1, which is the natural residual, is
// least over the directions so far. docs/algorithms/minres.md.

#include "solvers/krylov.hpp"

namespace talus {

void run_minres(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  run_krylov(context, context.options.minres, {pass_kernels().minres_sums, 1}, x, keeper);
}

}  // namespace talus
