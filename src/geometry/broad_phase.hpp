#pragma once
// Which bodies may touch: pairs of bounds that overlap, each exactly once, whatever their sizes.

#include "talus/geometry/periodicity.hpp"
#include "talus/geometry/shape.hpp"

#include "geometry/hierarchical_grid.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// Bodies a and b (indices) may touch where b is moved by `image` periods. `a` has the lower id.
struct CandidatePair {
  Index a = 0, b = 0;
  std::array<std::int8_t, 3> image{};
  bool operator==(const CandidatePair&) const = default;
};

/// What a body of infinite bounds fills: normal . x <= offset.
struct HalfSpace {
  Index body = 0;
  Vec3 normal;
  double offset = 0.0;  ///< m
};

/// What the search sees of the bodies; arrays of one length.
struct BroadPhaseInput {
  const std::vector<GlobalId>* id = nullptr;
  const std::vector<Bounds>* bounds = nullptr;       ///< infinite ones (planes) are allowed
  const std::vector<std::uint8_t>* moves = nullptr;  ///< pairs in which neither moves are left out
  Periodicity periodicity;
  /// At most one of a body with infinite bounds: finite bounds that lie outside do not overlap it.
  const std::vector<HalfSpace>* half_spaces = nullptr;
};

/// All pairs whose bounds overlap, in the order of (id of a, id of b, image). Hierarchical grid:
/// one level of cells per factor of about 4 in size, so that a size ratio of 1:100 costs little;
/// threaded; the same answer for any threads. Along periodic axes a pair may appear with several
/// images; bodies need not be inside the cell (a = b is never reported). Bounds of which a side is
/// infinite (1e300 m or more) overlap everything that their half space, if there is one, does not
/// leave out, with image 0. Bounds that are not a number overlap nothing.
class BroadPhase {
 public:
  /// `pairs` is overwritten.
  void find(const BroadPhaseInput& input, std::vector<CandidatePair>& pairs);

 private:
  /// A pair by ranks in the order of ids; what the pairs of one a are sorted by.
  struct Found {
    Index a = 0;
    std::uint64_t key = 0;  ///< rank of b, then image
  };
  struct Chunk {
    GridHits hits;
    std::vector<Found> found;
  };
  using Image = std::array<int, 3>;

  void sort_out(const BroadPhaseInput& input);
  void check_images(const BroadPhaseInput& input) const;
  void choose_searches();
  void search_share(const BroadPhaseInput& input, Index share, Index shares);
  void search(const BroadPhaseInput& input, std::size_t level, Index place, Chunk& chunk) const;
  void search_images(const BroadPhaseInput& input, Index place, std::size_t level,
                     Chunk& chunk) const;
  void search_image(const BroadPhaseInput& input, Index place, std::size_t level,
                    const Image& image, Chunk& chunk) const;
  void meet_infinite(const BroadPhaseInput& input, Index place, Chunk& chunk) const;
  void meet_each_other(const BroadPhaseInput& input, Chunk& chunk) const;
  void add(const BroadPhaseInput& input, Index body, Index other, const Image& image,
           Chunk& chunk) const;
  void order(std::vector<CandidatePair>& pairs);

  // Workspace that is kept from call to call.
  HierarchicalGrid grid_;
  std::vector<Index> finite_, infinite_;                 ///< bodies
  std::vector<HalfSpace> filled_;                        ///< by infinite bodies, in their order
  std::vector<Index> rank_, by_rank_;                    ///< in the order of ids, and back
  std::vector<std::vector<std::size_t>> searched_from_;  ///< by level: levels that it searches
  std::vector<Chunk> chunks_;
  std::vector<Index> start_;         ///< by rank of a: its first pair
  std::vector<std::uint64_t> keys_;  ///< of all pairs, by a
};

}  // namespace talus
