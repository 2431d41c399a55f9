// A mirror that differs from its row in one bit is found and named.

#include "solvers/mirror_check.hpp"

#include "talus/metrics/measures.hpp"
#include "talus/parallel/agreement.hpp"

#include "mpi/on_ranks.hpp"
#include "support/random_bodies.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

namespace talus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Bordered {
  Communicator world = Communicator::world();
  OnRanks mine;
  RowVector x, gap;

  explicit Bordered(bool rolling) {
    support::RandomBodies options;
    options.bodies = 30;
    options.contacts = 100;
    options.joints = 40;
    options.immovable_body = true;
    options.rolling = rolling;
    const BodyProblem whole = support::random_bodies(options);
    mine = on_ranks(whole, "alternating", world);
    const ConeProblem alone = make_cone_problem(whole);
    const RowVector all = support::random_impulses(alone.cones, 3);
    x.assign(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0);
    each_row(mine, whole, alone,
             [&](std::size_t here, std::size_t there) { x[here] = all[there]; });
    evaluate_gap(mine.problem, Law::Associated, x, gap);
  }

  std::uint64_t sum() const {
    std::array<std::int64_t, 1> total{
        std::bit_cast<std::int64_t>(mirror_sum(mine.problem, x, gap))};
    world.sum(total);
    return std::bit_cast<std::uint64_t>(total[0]);
  }
};

class MirrorCheck : public testing::TestWithParam<bool> {};

TEST_P(MirrorCheck, EqualRowsAddUpToZero) {
  EXPECT_EQ(Bordered(GetParam()).sum(), 0U);
}

TEST_P(MirrorCheck, OneBitIsCaughtAndNamedWithRanksAndCpus) {
  Bordered b(GetParam());
  if (b.world.size() == 1) GTEST_SKIP() << "one rank has no mirrors";
  const ConeSet& cones = b.mine.problem.cones;
  const Index contact = first_mirror(b.mine.part->owned_contacts);
  GlobalId key = -1;
  if (b.world.rank() == b.world.size() - 1) {
    ASSERT_GT(b.mine.part->mirrored_contacts, 0);
    double& value = b.x[static_cast<std::size_t>(GetParam() ? cones.rolling_row(contact, 4)
                                                            : cones.spatial_row(contact, 1))];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ 1U);
    key = b.mine.part->data.contact_key[static_cast<std::size_t>(contact)];
  }
  std::array<double, 1> agreed_key{static_cast<double>(key)};
  b.world.largest(agreed_key);

  EXPECT_NE(b.sum(), 0U);
  try {
    report_unlike_mirrors(b.mine.problem, b.x, b.gap, b.world);
    FAIL() << "nothing was thrown";
  } catch (const AgreedFailure& failure) {
    EXPECT_THAT(failure.what(),
                AllOf(HasSubstr("the contact of key " +
                                std::to_string(static_cast<GlobalId>(agreed_key[0])) + " "),
                      HasSubstr("mirror on rank " + std::to_string(b.world.size() - 1) + " (")));
  }
}

TEST_P(MirrorCheck, AJointRowIsNamedToo) {
  Bordered b(GetParam());
  if (b.world.size() == 1) GTEST_SKIP() << "one rank has no mirrors";
  if (b.mine.part->mirrored_joint_rows > 0)
    b.gap[static_cast<std::size_t>(first_mirror(b.mine.part->owned_joint_rows))] += 1.0;

  EXPECT_NE(b.sum(), 0U);
  try {
    report_unlike_mirrors(b.mine.problem, b.x, b.gap, b.world);
    FAIL() << "nothing was thrown";
  } catch (const AgreedFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("the joint row of key "));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, MirrorCheck, testing::Bool());

}  // namespace
}  // namespace talus
