// Slices of made problems: one after the other they are the whole, for any number of ranks.

#include "talus/core/error.hpp"

#include "generate/generate.hpp"
#include "generate/tiled_packing.hpp"
#include "support/same_slices.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// `slice(rank, ranks)` makes what is tested.
template <class Slice>
void expect_slices_of(const BodyProblem& whole, const Slice& slice) {
  for (const int ranks : {1, 2, 3, 4, 7})
    for (int rank = 0; rank < ranks; ++rank) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " of " + std::to_string(ranks));
      support::expect_same_slices(slice(rank, ranks), support::plain_slice_of(whole, rank, ranks));
    }
}

TEST(GenerateSlice, OfEveryKindIsAShareOfTheWhole) {
  for (const std::string& kind : generate_kinds()) {
    if (kind == "packing") continue;  // below
    SCOPED_TRACE(kind);
    const GenerateOptions options{.kind = kind, .bodies = 100};
    expect_slices_of(generate(options),
                     [&](int rank, int ranks) { return generate_slice(options, rank, ranks); });
  }
}

TEST(GenerateSlice, OfPackingsAreMadeAlone) {
  // a cell and less, layers that are full, nearly empty, nearly full
  for (const Index bodies : {1, 1000, 1001, 4321, 12345, 30000}) {
    const TiledPacking packing(settled({.kind = "packing", .bodies = bodies, .seed = 3}));
    BodyProblem whole = packing.part(0, packing.tiling().tiles()).problem;
    whole.title = packing.title();
    expect_slices_of(whole, [&](int rank, int ranks) { return packing.slice(rank, ranks); });
  }
}

TEST(GenerateSlice, OfAPackingIsAShareOfTheWholeWithAllItsOptions) {
  const GenerateOptions options{.kind = "packing",
                                .bodies = 9000,
                                .spread = 0.4,
                                .rolling_friction = 0.001,
                                .spinning_friction = 0.002};
  const TiledPacking packing(settled(options));
  expect_slices_of(generate(options),
                   [&](int rank, int ranks) { return packing.slice(rank, ranks); });
}

TEST(GenerateSlice, OfMoreRanksThanBodiesMayBeEmpty) {
  const BodySlice slice = generate_slice({.kind = "packing", .bodies = 3}, 5, 7);

  EXPECT_EQ(slice.data.body_count(), 0);
  EXPECT_EQ(slice.total_bodies, 3);
}

TEST(GenerateSlice, FaultyOptionsAreRefusedAsByGenerate) {
  EXPECT_THROW(generate_slice({.kind = "packing", .bodies = 0}, 0, 2), InputError);
}

}  // namespace
}  // namespace talus
