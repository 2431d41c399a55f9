#pragma once
// Which bodies of this rank the other ranks need beside theirs to find all contacts.

#include "talus/parallel/communicator.hpp"

#include "geometry/broad_phase.hpp"

#include <vector>

namespace talus {

/// Bodies of this rank as the search of candidates sees them; arrays of one length.
struct GhostBodies {
  /// Of owned bodies: finite, enlarged by whatever they may move before the next call.
  const std::vector<Bounds>& bounds;
  const std::vector<std::uint8_t>& moves;  ///< only bodies that move attract ghosts
  Periodicity periodicity;                 ///< the same on all ranks
};

/// For every rank the bodies (indices, ascending) of this rank whose bounds meet those of a moving
/// body there, in any image along the periodic axes; none for this rank. No others, except those
/// that miss by less than rounding in an image (1e-14 of its coordinates). Right for any ownership
/// and any sizes. All bodies together lie within 126 periods, as for BroadPhase. Does nothing on a
/// single rank.
///
/// Price: five exchanges of all with all. A rank sends to all others one box per factor of 4 in the
/// size of its bodies; to those whose boxes they meet, one box for up to 16 of its moving bodies;
/// to those whose groups they meet, the bounds of its bodies, and gets back which are needed. Time
/// grows as n log n with the n bodies that meet the boxes of others, and linearly with the rest.
/// Threaded; the same answer for any threads. Collective.
std::vector<std::vector<Index>> ghosts_for(const Communicator& comm, const GhostBodies& bodies);

}  // namespace talus
