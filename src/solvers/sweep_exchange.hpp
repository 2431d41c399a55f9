#pragma once
// Several ranks sweep at the same time, each over the rows that it owns. A body that rows of
// several ranks touch is shared: every sharer sweeps with a part of its mass, and afterwards tells
// all others what it did to the body's velocity. docs/decisions/011.

#include "talus/cones/cone_set.hpp"
#include "talus/problem/body_problem.hpp"

#include "parallel/halo.hpp"

#include <vector>

namespace talus {

class SweepExchange {
 public:
  /// Finds out which bodies of `part` other ranks sweep too. Collective.
  SweepExchange(const BodyPart& part, const ConeSet& cones, const Communicator& comm);

  /// Per local body: how many ranks own a row that touches it; 1 where none or nobody else does.
  const std::vector<double>& sharers() const { return sharers_; }
  /// Local bodies that other ranks sweep too, by id.
  const std::vector<Index>& shared() const { return shared_; }

  /// `changes` holds six numbers per shared body: what this rank contributes. Afterwards: the sum
  /// over all sharers, added in the order of ranks, so that all have the same bits. One message to
  /// and from every rank that shares a body. Collective among those.
  void add_up(std::vector<double>& changes);

  /// Brings x of mirrored rows from their owners. One message per neighbour.
  void update_mirrors(RowVector& x);

 private:
  struct Sharing {
    GlobalId id = 0;
    Index body = 0;
    std::vector<int> ranks;  ///< ascending
  };
  static std::vector<Sharing> find_sharings(const BodyPart& part, const Communicator& comm);

  std::vector<double> sharers_;
  std::vector<Index> shared_;
  /// What is added up for shared body k: terms_[start_[k]] and those up to start_[k + 1], items of
  /// values_ in the order of ranks. Item k is this rank's own contribution; those of others follow.
  std::vector<std::size_t> start_{0}, terms_;
  std::vector<double> values_;
  std::unique_ptr<Halo> changes_, mirrors_;
};

}  // namespace talus
