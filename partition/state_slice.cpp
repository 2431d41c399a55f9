#include "talus/partition/state_slice.hpp"

#include "talus/problem/body_slice.hpp"

#include "curve_cuts.hpp"
#include "mail.hpp"

#include <algorithm>

namespace talus {

StateSlice state_slice(const Communicator& comm, const BodySet& bodies) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  // ids are cut into ranges of about as many bodies; sorted there, each knows its place
  std::vector<std::uint64_t> keys(bodies.id.begin(), bodies.id.begin() + bodies.owned);
  const std::vector<std::uint64_t> cuts =
      curve_cuts(comm, keys, std::vector<std::int64_t>(keys.size(), 1), comm.size());
  Mail<StoredBody> to_ranges(comm.size());
  for (Index i = 0; i < bodies.owned; ++i)
    to_ranges.put(piece_of(cuts, keys[static_cast<std::size_t>(i)]), stored(bodies, i));
  std::vector<StoredBody> mine;
  for (const auto& list : to_ranges.deliver(comm))
    mine.insert(mine.end(), list.begin(), list.end());
  const auto by_id = [](const StoredBody& a, const StoredBody& b) { return a.body.id < b.body.id; };
  std::sort(mine.begin(), mine.end(), by_id);
  std::vector<std::int64_t> counts(ranks, 0);
  counts[static_cast<std::size_t>(comm.rank())] = static_cast<std::int64_t>(mine.size());
  comm.sum(counts);
  StateSlice slice;
  GlobalId place = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == static_cast<std::size_t>(comm.rank())) place = slice.total;
    slice.total += counts[r];
  }
  Mail<StoredBody> to_slices(comm.size());
  for (const StoredBody& body : mine)
    to_slices.put(slice_rank(slice.total, place++, comm.size()), body);
  for (const auto& list : to_slices.deliver(comm))
    slice.bodies.insert(slice.bodies.end(), list.begin(), list.end());
  std::sort(slice.bodies.begin(), slice.bodies.end(), by_id);
  return slice;
}

}  // namespace talus
