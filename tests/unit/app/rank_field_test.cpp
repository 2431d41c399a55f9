// Bodies coloured by ranks that are not there: as the ranks of a run have distributed them.

#include "app/pictures/picture_field.hpp"
#include "support/on_many_ranks.hpp"
#include "support/vtk_reader.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using support::run_on_ranks;
using support::Workplace;

/// Beads of two sizes on a floor, and a ball that is large enough to be on all ranks.
constexpr const char* scene = R"yaml(
talus: 1
time: {step: 0.002, end: 0.08}
gravity: [0, 0, -9.81]
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: ball, motion: dynamic, material: bead, shape: {type: sphere, diameter: 0.5}, position: [0.6, 0.1, 0.3]}
generators:
  - {name: fine, type: lattice, material: bead, shape: {type: sphere, diameter: 0.02}, spacing: 0.0201, count: 600,
     region: {type: box, min: [0, 0, 0], max: [0.2, 0.2, 0.4]}, jitter: 0.00005, seed: 1}
  - {name: coarse, type: lattice, material: bead, shape: {type: sphere, diameter: 0.04}, spacing: 0.0401, count: 60,
     region: {type: box, min: [0.3, -0.3, 0], max: [0.6, -0.1, 0.3]}}
output: {paraview: {every: 1, bodies: [rank]}}
)yaml";

class RankField : public ::testing::TestWithParam<std::string> {};

TEST_P(RankField, IsThePartitionThatARunBeginsWith) {
  const Workplace place;
  place.write("s.yaml", scene);
  for (const int ranks : {2, 3, 5}) {
    SCOPED_TRACE(ranks);
    ASSERT_EQ(run_on_ranks(place, ranks,
                           "run s.yaml --output out --overwrite --steps 0 --threads 1 --no-report "
                           "--quiet --partition " +
                               GetParam())
                  .exit_code,
              0);
    const support::VtkReader frame(place.path("out/paraview/bodies_000000000.vtp").string());
    const auto ids = frame.array<std::int64_t>("id");
    const auto owners = frame.array<std::int32_t>("rank");
    const SavedState state = read_state(place.path("out/state.h5").string());

    BalanceOptions options;
    options.kind = GetParam() == "metis"     ? OwnerKind::Metis
                   : GetParam() == "hilbert" ? OwnerKind::Hilbert
                                             : OwnerKind::Random;
    options.seed = 7;
    const app::PictureField field = app::rank_field(state, ranks, options);

    ASSERT_EQ(field.values.size(), state.bodies.size());
    ASSERT_EQ(field.kinds.size(), static_cast<std::size_t>(ranks) + 1);
    std::int64_t compared = 0, on_all = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t b = 0; b < state.bodies.size(); ++b) {
        if (state.bodies[b].id != ids[i]) continue;
        on_all += field.values[b] == ranks ? 1 : 0;
        if (field.values[b] == ranks) continue;  // the frame has the one that writes it
        EXPECT_EQ(field.values[b], static_cast<double>(owners[i])) << "body " << ids[i];
        ++compared;
      }
    EXPECT_EQ(compared, 660);
    EXPECT_EQ(on_all, 1) << "the ball";
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, RankField, ::testing::Values("metis", "hilbert", "random:7"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find(':'));
                         });

}  // namespace
}  // namespace talus
