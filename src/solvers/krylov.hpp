#pragma once
// What cg and minres share: the same recursion, told apart by seven sums.
// docs/algorithms/minres.md.

#include "solvers/methods.hpp"
#include "solvers/row_passes.hpp"

namespace talus {

/// <a, b> is the inner product in which a method makes its directions q = N p orthogonal: the one
/// of N^-1 for cg, that of P^-1 for minres. g is the gradient, z = P^-1 g, v = N z.
struct KrylovForm {
  /// The sums 0 .. 6: residual term; <g, v>, <v, v>, <v, q>, <q, q>, <g, q>; z.P z.
  void (*sums)(const KrylovPass&, int begin, int end, const double* scales, LaneTotals&);
  int curvature;  ///< which sum is z.N z
};

void run_krylov(const MethodContext& context, const KrylovOptions& options, const KrylovForm& form,
                RowVector& x, IterateKeeper& keeper);

}  // namespace talus
