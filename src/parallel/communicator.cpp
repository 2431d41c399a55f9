#include "talus/parallel/communicator.hpp"

#include "talus/parallel/exact_sum.hpp"

namespace talus {

// One rank: its own limbs are the totals already. What counts is that the call was made.
void Communicator::reduce(LocalSums& /*sums*/) const {
  ++reductions_;
}

bool Communicator::all_agree(bool mine) const {
  ++reductions_;
  return mine;
}

}  // namespace talus
