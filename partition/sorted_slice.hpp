#pragma once
// Things of all ranks on their way to a file, which has them in an order of its own.

#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include "curve_cuts.hpp"
#include "mail.hpp"

#include <algorithm>
#include <vector>

namespace talus {

template <class Thing>
struct SortedSlice {
  std::vector<Thing> things;
  GlobalId total = 0;
};

/// The slice of this rank (slice_range()) of all things in the order of `before`, which must be one
/// of `key` first. No rank sees more than its share twice, unless many have one key. Collective.
template <class Thing, class Key, class Before>
SortedSlice<Thing> sorted_slice(const Communicator& comm, const std::vector<Thing>& mine,
                                const Key& key, const Before& before) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto merged = [&](const Mail<Thing>& mail) {
    std::vector<Thing> all;
    for (const auto& list : mail.deliver(comm)) all.insert(all.end(), list.begin(), list.end());
    std::sort(all.begin(), all.end(), before);
    return all;
  };
  // keys are cut into ranges of about as many things; sorted there, each knows its place
  std::vector<std::uint64_t> keys;
  for (const Thing& thing : mine) keys.push_back(key(thing));
  const std::vector<std::uint64_t> cuts =
      curve_cuts(comm, keys, std::vector<std::int64_t>(keys.size(), 1), comm.size());
  Mail<Thing> to_ranges(comm.size());
  for (std::size_t i = 0; i < mine.size(); ++i) to_ranges.put(piece_of(cuts, keys[i]), mine[i]);
  const std::vector<Thing> sorted = merged(to_ranges);
  std::vector<std::int64_t> counts(ranks, 0);
  counts[comm.rank()] = static_cast<std::int64_t>(sorted.size());
  comm.sum(counts);
  SortedSlice<Thing> slice;
  GlobalId place = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == static_cast<std::size_t>(comm.rank())) place = slice.total;
    slice.total += counts[r];
  }
  Mail<Thing> to_slices(comm.size());
  for (const Thing& thing : sorted)
    to_slices.put(slice_rank(slice.total, place++, comm.size()), thing);
  slice.things = merged(to_slices);
  return slice;
}

}  // namespace talus
