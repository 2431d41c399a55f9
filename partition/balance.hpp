#pragma once
// What bodies of a world weigh when they are distributed to ranks, and when that is done anew.

#include "talus/model/body_set.hpp"
#include "talus/parallel/communicator.hpp"

#include "geometry/broad_phase.hpp"
#include "partition/cell_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Of a body alone, and of each pair with it that may touch.
inline constexpr std::int64_t weight_of_body = 4, weight_of_pair = 3;

/// What make_cell_map() is told, with owners.
struct BodyLoads {
  std::vector<GlobalId> id;
  std::vector<Vec3> position;
  std::vector<std::int64_t> weight;
  std::vector<BodyLink> links;

  BodyLoad view() const { return {id, position, weight, links}; }
};
/// Of the bodies that this rank owns and not all have. Neighbours bind together: the owner of the
/// first body of a pair gives the link.
BodyLoads loads_of(const BodySet& bodies, const std::vector<CandidatePair>& pairs);

/// Bodies that impulses move and that reach further (m) would drag ghosts from afar: all ranks have
/// them. They are few, or the mean would be larger. Infinite where nothing moves. Collective.
double large_reach_of(const Communicator& comm, const BodySet& bodies);

// When to move bodies to other ranks, and what a body weighs then. Work is counted in whole
// numbers, so that sums over ranks are exact: rows and bodies (a run that repeats itself), or
// nanoseconds.

std::int64_t nanoseconds(double seconds);

/// Largest over mean of a number of every rank; 1 where all are zero. Collective: two reductions.
double imbalance(const Communicator& comm, std::int64_t of_this_rank);

/// The weights of this rank's bodies, times 64, and times how much longer this rank took per weight
/// than the mean (a sixteenth to sixteen times): bodies of a slow rank weigh more. At least 1.
/// `weight` adds up to less than 2^50 over all ranks; `measured` is this rank's time since the last
/// balance, without waiting for others. Collective.
std::vector<std::int64_t> measured_weights(const Communicator& comm,
                                           std::span<const std::int64_t> weight,
                                           std::int64_t measured);

struct BalanceRules {
  double threshold = 1.1;  ///< imbalance (largest over mean) over that which a balance would leave
  double at_once = 1.5;    ///< the same, where it does not wait for least_steps
  int window = 20;         ///< steps that are averaged; ranks look together after each window
  int least_steps = 100;   ///< steps from one balance to the next
};

/// Says when a balance pays: not for what passes (a window is averaged), not again soon, not for
/// what the last balance could not better either, and not when it costs more than `least_steps`
/// steps would gain. All ranks say the same: only reduced numbers decide.
class BalanceWatch {
 public:
  explicit BalanceWatch(const BalanceRules& rules);

  /// A step is done that was so much work for this rank. True when a balance pays. Collective once
  /// per window: one reduction, nothing between.
  bool step_done(const Communicator& comm, std::int64_t work);
  /// Bodies have been moved, at this cost for this rank in the unit of work. Also after the first
  /// partition of a run.
  void balanced(std::int64_t cost);

  /// Of the last window; 1 before its end.
  double last_imbalance() const { return imbalance_; }

 private:
  bool look(const Communicator& comm);

  BalanceRules rules_;
  std::int64_t work_ = 0;           // in this window
  std::int64_t cost_ = 0;           // of the last balance, for this rank
  int steps_ = 0;                   // in this window
  std::int64_t since_balance_ = 0;  // steps
  double imbalance_ = 1.0;
  double reached_ = 1.0;  // imbalance after the last balance
  bool fresh_ = false;    // no window has ended since the last balance
};

}  // namespace talus
