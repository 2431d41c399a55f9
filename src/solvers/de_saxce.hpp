#pragma once
// De Saxce's term of the Coulomb law as a part of r: with w = N x + r + S x, the answer x is that
// of the associated law for the free gap velocity r + S x + (mu |w_t| + ...) n. Frozen, it makes a
// minimisation whose set does not move. [DeSaxce98], [Acary11]

#include "talus/problem/cone_problem.hpp"

namespace talus {

class DeSaxceTerm {
 public:
  explicit DeSaxceTerm(const ConeProblem& problem);

  /// Takes the term of x, whose gradient is `gx` with the term as it was, and puts it into both
  /// gradients instead of that one. A product where W is not symmetric.
  void renew(const RowVector& x, RowVector& gx, RowVector& gx_previous);
  /// gap() of x, whose gradient is `gx`. A product where W is not symmetric.
  void read_gap(const RowVector& x, const RowVector& gx);
  /// To fresh gradients, which have none.
  void add_to(RowVector& gx, RowVector& gx_previous) const;

  const RowVector& term() const { return term_; }
  /// w, S x included, of the x that was looked at last.
  const RowVector& gap() const { return gap_; }

 private:
  void lift();

  const ConeProblem& problem_;
  RowVector term_, gap_, skew_part_, before_;
};

}  // namespace talus
