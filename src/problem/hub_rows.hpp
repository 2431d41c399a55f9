#pragma once
// The sums of hub bodies: bodies with so many rows that no rank should have all of them. Each rank
// adds the rows it owns, exactly and in any order, and one reduction makes the bodies' wrenches
// known everywhere. docs/decisions/013.

#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"

#include "problem/body_kernels.hpp"

#include <array>
#include <vector>

namespace talus {

class HubRows {
 public:
  HubRows(const BodyPart& part, const Communicator& comm);

  /// Adds the wrenches of this thread's share of the owned rows. `x`: stored impulses, of which
  /// those of contacts begin at `contacts`.
  void add(const BodyPass& pass, const double* x, const double* contacts, int thread, int threads);
  /// Sets the lines of all hub bodies and begins the next sum. Collective; one thread, when all
  /// have added.
  void finish(const BodyPass& pass);

 private:
  using Wrench = std::array<LimbSum, 6>;
  struct Body {
    Index index = 0;
    std::vector<std::uint32_t> contacts, joints;  ///< 2 * row + (1 where the body is A)
  };
  void add_contacts(const Body& body, const BodyPass& pass, const double* contacts, int thread,
                    int threads, Wrench& sums) const;
  void add_joints(const Body& body, const double* x, int thread, int threads, Wrench& sums) const;

  const BodyProblem& data_;
  Communicator comm_;
  std::vector<Body> bodies_;
  std::vector<LimbSum> sums_;  ///< 6 per body
};

/// Marks the hub bodies among the local ones.
std::vector<bool> hub_marks(const BodyPart& part);

}  // namespace talus
