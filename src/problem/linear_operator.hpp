#pragma once
// The one virtual interface: y = A x on stored rows (owned and mirrored; one rank has no mirrors
// yet). A const operator may be used by several threads at once: each works in memory of its own.
// Those of several ranks speak to MPI, which one thread of a rank may do.

#include "talus/core/types.hpp"

#include "core/thread_workspace.hpp"

#include <cstdint>
#include <vector>

namespace talus {

class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  /// y = A x. Both have stored length. Threaded; the same bits for any number of threads. Counted.
  void apply(const RowVector& x, RowVector& y) const {
    ++products_.mine();
    multiply(x.data(), y.data());
  }

  /// Diagonal of A, one number per stored row (filling: 0).
  virtual void diagonal(RowVector& d) const = 0;
  /// Diagonal block of a planar cone: entries (nn, nt, tt).
  virtual std::array<double, 3> planar_block(Index cone) const = 0;
  /// Diagonal block of a spatial cone, in the frame of its rows.
  virtual Mat3 spatial_block(Index cone) const = 0;
  /// Diagonal block of a rolling cone, in the frame and units of its rows.
  virtual Mat6 rolling_block(Index cone) const = 0;

  /// Means of a number >= 0 per slot (mirrors too) over neighbourhoods: overlapping groups of cones
  /// that feel each other through few bodies, made from the problem alone. Of the neighbourhoods
  /// whose middle this rank owns, in any order; every owned cone is in one, here or on another
  /// rank. An operator that does not know which rows meet has each cone alone. Collective.
  /// docs/decisions/031.
  virtual std::vector<double> neighbourhood_means(const std::vector<double>& of_slot) const {
    return of_slot;
  }

  /// How many the calling thread has asked for.
  std::int64_t products() const { return products_.mine(); }

 protected:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = default;
  LinearOperator& operator=(const LinearOperator&) = default;

 private:
  virtual void multiply(const double* x, double* y) const = 0;

  ThreadWorkspace<std::int64_t> products_;
};

}  // namespace talus
