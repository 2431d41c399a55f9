// Whether threads have cores: nodes that are made up, and this one.

#include "parallel/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <thread>

namespace talus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A node of `cores` cores, each of so many hardware threads, numbered as Linux does: first one of
/// each core, then the second ones.
struct Node {
  std::string name;
  int cores = 1, threads_per_core = 1;

  /// A rank on cores [first, first + count).
  RankPlace rank_on(int first, int count, int threads) const {
    RankPlace place;
    place.node = place.machine = name;
    place.threads = threads;
    place.launched = true;
    for (int k = 0; k < threads_per_core; ++k)
      for (int core = 0; core < cores; ++core) {
        const HardwareThread one{core + k * cores, core};
        place.allowed.push_back(one);
        if (core >= first && core < first + count) place.bound.push_back(one);
      }
    return place;
  }
};

TEST(Placement, TwoRanksThatAreBoundToACoreEach) {
  const Node node{"n1", 8};

  const std::string text =
      crowding({node.rank_on(0, 1, 4), node.rank_on(1, 1, 4)}, "talus run s.yaml");

  EXPECT_THAT(text, StartsWith("4 threads of rank 0 on n1 share 1 core that mpirun has bound it "
                               "to, and so it is with 1 more rank; "));
  EXPECT_THAT(text, EndsWith("mpirun -n 2 --map-by ppr:2:node:pe=4 --bind-to core talus run s.yaml "
                             "--threads 4"));
}

TEST(Placement, RanksWithACoreForEachThreadHaveRoom) {
  const Node node{"n1", 8}, pairs{"n2", 4, 2};
  EXPECT_EQ(crowding({node.rank_on(0, 4, 4), node.rank_on(4, 4, 4)}, "x"), "");
  EXPECT_EQ(crowding({node.rank_on(0, 8, 4), node.rank_on(0, 8, 4)}, "x"), "");
  EXPECT_EQ(crowding({node.rank_on(0, 1, 1), node.rank_on(1, 1, 1)}, "x"), "");
  // who is not bound may use both hardware threads of each core
  EXPECT_EQ(crowding({pairs.rank_on(0, 4, 8)}, "x"), "");
}

TEST(Placement, ABoundCoreIsOneCoreHoweverManyHardwareThreadsItHas) {
  const Node node{"n1", 4, 2};
  EXPECT_THAT(crowding({node.rank_on(0, 1, 2), node.rank_on(1, 1, 2)}, "x"),
              AllOf(HasSubstr("share 1 core"), HasSubstr("ppr:2:node:pe=2 --bind-to core x")));
}

TEST(Placement, RanksThatAreNotBoundShareTheNode) {
  const Node node{"n1", 8};
  EXPECT_THAT(crowding({node.rank_on(0, 8, 8), node.rank_on(0, 8, 8)}, "x"),
              AllOf(StartsWith("16 threads of ranks 0 and 1 on n1 share 8 hardware threads; "),
                    EndsWith("ppr:2:node:pe=4 --bind-to core x --threads 4")));
}

TEST(Placement, RanksThatAreBoundToTheSameCores) {
  const Node node{"n1", 8};
  EXPECT_THAT(crowding({node.rank_on(0, 2, 2), node.rank_on(1, 2, 2), node.rank_on(4, 2, 2)}, "x"),
              AllOf(StartsWith("4 threads of ranks 0 and 1 on n1 share 3 cores that mpirun has "
                               "bound them to; "),
                    HasSubstr("-n 3 --map-by ppr:3:node:pe=2 ")));
}

TEST(Placement, EveryNodeIsLookedAt) {
  const Node a{"a", 4}, b{"b", 4};
  const std::vector<RankPlace> places{a.rank_on(0, 2, 2), a.rank_on(2, 2, 2), b.rank_on(0, 1, 2),
                                      b.rank_on(2, 2, 2)};
  EXPECT_THAT(crowding(places, "x"), AllOf(StartsWith("2 threads of rank 2 on b share 1 core"),
                                           HasSubstr("-n 4 --map-by ppr:2:node:pe=2 ")));
  EXPECT_THAT(nodes_of(places), ElementsAre("a", "b"));
  // the same numbers of hardware threads on two nodes are not the same ones
  EXPECT_EQ(crowding({a.rank_on(0, 4, 4), b.rank_on(0, 4, 4)}, "x"), "");
}

TEST(Placement, NodesWithUnlikeNumbersOfRanksAreFilledInTurn) {
  const Node a{"a", 4}, b{"b", 4};
  EXPECT_THAT(crowding({a.rank_on(0, 1, 2), a.rank_on(1, 1, 2), b.rank_on(0, 1, 2)}, "x"),
              HasSubstr("mpirun -n 3 --map-by slot:pe=2 --bind-to core x --threads 2"));
}

TEST(Placement, MoreRanksThanCoresAreTooMany) {
  const Node node{"n1", 2};
  EXPECT_THAT(crowding({node.rank_on(0, 2, 1), node.rank_on(0, 2, 1), node.rank_on(0, 2, 1)}, "x"),
              AllOf(StartsWith("3 threads of ranks 0 to 2 on n1 share 2 hardware threads"),
                    HasSubstr("mpirun -n 2 x --threads 1")));
}

TEST(Placement, WithoutALauncherOnlyThreadsCanBeOther) {
  RankPlace place = Node{"n1", 4}.rank_on(0, 4, 16);
  place.launched = false;
  EXPECT_THAT(crowding({place}, "x"), EndsWith("; better: --threads 4"));
}

TEST(Placement, WhereNothingIsKnownNothingIsSaid) {
  RankPlace place;
  place.threads = 64;
  EXPECT_EQ(crowding({place}, "x"), "");
}

TEST(Placement, OfThisProcessIsWhatTheSystemSays) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);

  const std::vector<RankPlace> places = places_of_ranks(Communicator::self(), 3);

  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].threads, 3);
  EXPECT_FALSE(places[0].node.empty());
  ASSERT_EQ(places[0].bound.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const HardwareThread& thread : places[0].bound) EXPECT_TRUE(CPU_ISSET(thread.number, &set));
  EXPECT_GE(places[0].allowed.size(), places[0].bound.size());
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&set, &after)) << "to look is not to change";
}

TEST(Placement, AProcessThatIsKeptToOneHardwareThreadIsBound) {
  std::thread([] {  // what is bound is this thread alone
    RankPlace place = place_of_this_rank(1);
    if (place.allowed.size() < 2) GTEST_SKIP() << "there is only one";
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(place.allowed[1].number), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);

    place = place_of_this_rank(1);

    ASSERT_EQ(place.bound.size(), 1U);
    EXPECT_TRUE(place.is_bound());
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&one, &after));
  })
      .join();
}

}  // namespace
}  // namespace talus
