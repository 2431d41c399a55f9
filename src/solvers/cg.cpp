// Conjugate gradients [HestenesStiefel52] with the diagonal as preconditioner: x minimises
// 1/2 x.N x + r.x over the directions so far. docs/algorithms/cg.md.

#include "solvers/krylov.hpp"

namespace talus {

void run_cg(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  run_krylov(context, context.options.cg, {pass_kernels().cg_sums, 2}, x, keeper);
}

}  // namespace talus
