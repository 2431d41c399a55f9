// Bodies with more rows than one rank should have: every rank has them, and no bit depends on who
// owns their rows.

#include "support/hub_bodies.hpp"

#include "talus/solvers/solve.hpp"

#include "mpi/same_on_ranks.hpp"
#include "problem/body_operator.hpp"
#include "support/dense_problem.hpp"
#include "support/dense_reference.hpp"

namespace talus {
namespace {

struct Situation {
  const char* name;
  support::HubBodies bodies;
};

std::vector<Situation> situations() {
  support::HubBodies one, several, rolling, plate;
  several.hub = 3;
  several.bodies.contacts = 1400;
  several.bodies.compliance = several.bodies.two_points = true;
  rolling.hub = 2;
  rolling.bodies.contacts = 500;
  rolling.bodies.rolling = true;
  plate.bodies.bodies = 3;  // fewer than ranks: the immovable body, the plate and one more
  return {{"one", one}, {"several", several}, {"rolling", rolling}, {"plate", plate}};
}

class HubBodies : public testing::TestWithParam<const char*> {
 protected:
  const Communicator world = Communicator::world();
};

TEST_P(HubBodies, SetUpAndProductHaveTheBitsOfOneRank) {
  for (const Situation& situation : situations()) {
    SCOPED_TRACE(situation.name);
    const BesideOne b = beside_one(support::hub_bodies(situation.bodies), GetParam());
    EXPECT_EQ(b.mine.part->hub_bodies.size(), whole_part(b.whole).hub_bodies.size());
    EXPECT_GE(b.mine.part->hub_bodies.size(), static_cast<std::size_t>(situation.bodies.hub));
    expect_same_product(b);
  }
}

TEST_P(HubBodies, HaveTheVelocitiesOfOneRankEverywhere) {
  const support::HubBodies options{.hub = 2};
  const BodyProblem whole = support::hub_bodies(options);
  const ConeProblem alone = make_cone_problem(whole);
  const OnRanks mine = on_ranks(whole, GetParam(), world);
  const RowVector x = support::random_impulses(alone.cones, 4);
  RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0);
  each_row(mine, whole, alone,
           [&](std::size_t here, std::size_t there) { x_mine[here] = x[there]; });
  const auto velocities = [](const ConeProblem& problem, const RowVector& impulses) {
    return dynamic_cast<const BodyOperator&>(*problem.delassus).velocities(impulses, true);
  };

  const std::vector<Vec6> expected = velocities(alone, x), found = velocities(mine.problem, x_mine);

  const std::vector<Index> hub = support::hub_places(options);
  for (std::size_t k = 0; k < hub.size(); ++k)
    EXPECT_EQ(found[static_cast<std::size_t>(mine.part->hub_bodies[k])],
              expected[static_cast<std::size_t>(hub[k])]);
  for (std::size_t b = 0; b < mine.part->body_place.size(); ++b)
    EXPECT_EQ(found[b], expected[static_cast<std::size_t>(mine.part->body_place[b])]);
}

TEST_P(HubBodies, SolvesHaveTheBitsOfOneRank) {
  for (const Situation& situation : situations()) {
    SCOPED_TRACE(situation.name);
    const BesideOne b = beside_one(support::hub_bodies(situation.bodies), GetParam());
    for (const auto& [method, law] :
         {std::pair{Method::Apgd, Law::Associated}, std::pair{Method::Pspgfb, Law::Coulomb}}) {
      SolveOptions options;
      options.method = method;
      options.law = law;
      options.tolerance = 0.0;
      options.max_iterations = 50;
      expect_same_solve(b, options);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, HubBodies,
                         testing::Values("metis", "random:7", "alternating"));

TEST(HubBodyParts, MirrorNoRowBecauseOfAHubBody) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = support::hub_bodies({.hub = 2});

  const OnRanks mine = on_ranks(whole, "alternating", world);

  const BodyPart& part = *mine.part;
  const auto is_hub = [&](Index body) {
    return std::count(part.hub_bodies.begin(), part.hub_bodies.end(), body) > 0;
  };
  for (const HaloNeighbour& neighbour : part.neighbours)
    for (const auto* list : {&neighbour.send, &neighbour.receive})
      EXPECT_TRUE(std::none_of(list->begin(), list->end(), is_hub));
  for (Index m = 0; m < part.mirrored_contacts; ++m) {
    const auto c = static_cast<std::size_t>(first_mirror(part.owned_contacts) + m);
    EXPECT_FALSE(is_hub(part.data.contact_body_a[c]) || is_hub(part.data.contact_body_b[c]));
  }
  std::vector<std::int64_t> owners(whole.normal.size(), 0);
  for (const GlobalId place : part.contact_place) ++owners[static_cast<std::size_t>(place)];
  world.sum(owners);
  EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](auto n) { return n == 1; }));
}

/// One body that moves with `contacts` contacts and `joints` joint rows, all with small bodies.
BodyProblem star(Index contacts, Index joints) {
  BodyProblem p;
  p.add_body({0.0, 0.0, 0.0}, 1e-3, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  for (Index c = 0; c < contacts; ++c) {
    const Index ball = p.add_body({1.0, 0.1 * c, 0.0}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
    p.add_contact(0, ball, {1.0, 0.0, 0.0}, {0.9, 0.1 * c, 0.0}, 0.5, {});
  }
  for (Index j = 0; j < joints; ++j)
    p.add_joint_row(0, 1, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 0.1 * j);
  return p;
}

TEST(HubBodyParts, BeginWithRow513) {
  const Communicator world = Communicator::world();

  EXPECT_TRUE(on_ranks(star(170, 2), "metis", world).part->hub_bodies.empty());
  EXPECT_EQ(on_ranks(star(170, 3), "metis", world).part->hub_bodies.size(), 1U);
  EXPECT_EQ(on_ranks(star(171, 0), "metis", world).part->hub_bodies.size(), 1U);
  EXPECT_TRUE(whole_part(star(170, 2)).hub_bodies.empty());
  EXPECT_EQ(whole_part(star(171, 0)).hub_bodies, std::vector<Index>{0});
  BodyProblem rolling = star(86, 0);  // six rows each
  rolling.rolling_friction = rolling.spinning_friction = std::vector<double>(86, 0.1);
  EXPECT_EQ(on_ranks(rolling, "metis", world).part->hub_bodies.size(), 1U);
  BodyProblem still = star(200, 0);
  still.inverse_mass[0] = 0.0;
  still.inverse_inertia[0] = {};
  EXPECT_TRUE(on_ranks(still, "metis", world).part->hub_bodies.empty());
}

TEST(HubBodyParts, ADrumOfSixHundredBodiesBindsNoneOfThemTogether) {
  const Communicator world = Communicator::world();

  const OnRanks mine = on_ranks(star(600, 0), "metis", world);

  EXPECT_TRUE(mine.part->neighbours.empty());
  EXPECT_EQ(mine.part->mirrored_contacts, 0);
  std::vector<double> most{static_cast<double>(mine.part->owned_contacts)};
  world.largest(most);
  EXPECT_LE(most[0], 1.1 * 600 / world.size());
}

TEST(HubBodySweeps, FindTheAnswerOfOneRankWithManySharers) {
  const Communicator world = Communicator::world();
  BodyProblem whole = star(180, 0);
  for (Vec3& bias : whole.contact_bias) bias = {-1.0, 0.2, 0.1};  // gaps that close and slide
  const ConeProblem alone = make_cone_problem(whole);
  const OnRanks mine = on_ranks(whole, "alternating", world);
  SolveOptions options;
  options.method = Method::Psor;
  options.law = Law::Associated;
  options.tolerance = 1e-9;
  RowVector x(static_cast<std::size_t>(alone.stored_rows()), 0.0), gap;
  const SolveReport expected = solve(alone, options, Communicator::self(), x, gap);
  RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap_mine;

  const SolveReport report = solve(mine.problem, options, world, x_mine, gap_mine);

  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_LT(expected.errors.objective, 0.0);
  EXPECT_NEAR(report.errors.objective, expected.errors.objective,
              1e-6 * std::abs(expected.errors.objective));
}

TEST(HubBodyCounts, AProductTakesOneReductionMoreThanWithoutHubBodies) {
  for (const Index hub : {0, 1, 3}) {
    const Communicator world = Communicator::world();
    support::HubBodies options;
    options.hub = std::max<Index>(1, hub);
    options.bodies.contacts = hub == 3 ? 1400 : 800;
    const BodyProblem whole =
        hub == 0 ? support::random_bodies(options.bodies) : support::hub_bodies(options);
    const OnRanks mine = on_ranks(whole, "metis", world);
    EXPECT_EQ(mine.part->hub_bodies.size(), static_cast<std::size_t>(hub));
    const RowVector x(static_cast<std::size_t>(mine.problem.stored_rows()), 1.0);
    RowVector y(x.size());
    const std::int64_t before = world.reductions();

    for (int k = 0; k < 5; ++k) mine.problem.delassus->apply(x, y);

    EXPECT_EQ(world.reductions() - before, hub == 0 ? 0 : 5);
  }
}

TEST(HubBodyProducts, AreThoseOfTheMatrixWrittenOut) {
  const Communicator world = Communicator::world();
  support::HubBodies options;
  options.hub = 2;
  options.bodies = {.bodies = 12, .contacts = 720, .joints = 40, .compliance = true};
  options.bodies.two_points = options.bodies.immovable_body = true;
  const BodyProblem whole = support::hub_bodies(options);
  const ConeSet cones = support::cones_of(whole);
  const ConeProblem alone = make_cone_problem(whole);
  const OnRanks mine = on_ranks(whole, "random:3", world);
  EXPECT_GE(mine.part->hub_bodies.size(), 2U);
  const support::DenseReference dense = support::dense_reference(whole);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(dense.N.cols(), -1.0, 1.0).array().cube(),
                        y = dense.N * x;
  const auto stored = [&](const Eigen::VectorXd& rows) {
    return support::to_stored(cones, {rows.begin(), rows.end()});
  };
  const RowVector x_whole = stored(x), y_whole = stored(y), gap_whole = stored(dense.r);
  RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0),
      y_mine(x_mine.size());
  each_row(mine, whole, alone,
           [&](std::size_t here, std::size_t there) { x_mine[here] = x_whole[there]; });

  mine.problem.delassus->apply(x_mine, y_mine);

  const double product = 1e-12 * y.lpNorm<Eigen::Infinity>();
  const double gap = 1e-12 * dense.r.lpNorm<Eigen::Infinity>();
  each_row(mine, whole, alone, [&](std::size_t here, std::size_t there) {
    EXPECT_NEAR(y_mine[here], y_whole[there], product) << "row " << there;
    EXPECT_NEAR(mine.problem.free_velocity[here], gap_whole[there], gap) << "row " << there;
  });
}

}  // namespace
}  // namespace talus
