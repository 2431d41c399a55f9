// Steps of eight contacts at a time, held against the exact answers of one contact, products of
// the operator, and the objective.
#include "talus/metrics/measures.hpp"
#include "talus/solvers/solve.hpp"

#include "generate/generate.hpp"
#include "generate/random.hpp"
#include "metrics/definitions.hpp"
#include "solvers/sweep_rows.hpp"
#include "solvers/sweeper.hpp"
#include "support/machine.hpp"
#include "support/random_bodies.hpp"
#include "support/solved.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

double size(const Vec3& a) {
  return std::sqrt(dot(a, a));
}

/// Pairs of spheres that touch nothing else; the third and fourth partner do not move.
BodyProblem pairs_of_spheres(Index pairs, bool compliance) {
  BodyProblem data;
  for (Index k = 0; k < pairs; ++k) {
    KeyedRandom random(3, static_cast<std::uint64_t>(k), 0);
    const Vec3 centre{static_cast<double>(4 * k), 0.0, 0.0}, n = random.direction();
    const double ra = random.uniform(0.5, 1.5), rb = random.uniform(0.5, 1.5);
    const auto sphere = [&](const Vec3& at, double r, bool moves) {
      const double m = moves ? random.uniform(0.1, 10.0) : 0.0, i = m / (0.4 * r * r);
      const Vec3 p = random.direction(), l = random.direction();
      return data.add_body(at, m, {i, 0.0, 0.0, i, 0.0, i}, {p.x, p.y, p.z, l.x, l.y, l.z});
    };
    const Index a = sphere(centre, ra, k != 2);
    const Index b = k == 3 ? no_body : sphere(centre + (ra + rb) * n, rb, true);
    // fast towards each other, so that most are in contact; of all frictions, none and any
    const double mu = k == 4   ? 0.0
                      : k == 5 ? std::numeric_limits<double>::infinity()
                               : random.uniform(0.1, 1.0);
    data.add_contact(a, b, n, centre + ra * n, mu, {random.uniform(-9.0, 1.0), 0.0, 0.0});
    if (compliance) {
      data.normal_compliance.back() = random.uniform(0.0, 3.0);
      data.tangent_compliance.back() = random.uniform(0.0, 3.0);
    }
  }
  return data;
}

struct Swept {
  ConeProblem problem;
  SweepRows rows;
  RowVector x;
  BodySweep& bodies() { return std::get<BodySweep>(rows); }

  Swept(const BodyProblem& data, Law law)
      : problem(make_cone_problem(data)),
        rows(make_sweep_rows(problem, law, Communicator::self())),
        x(static_cast<std::size_t>(problem.stored_rows()), 0.0) {
    for (Index c = 0; c < problem.cones.spatial_count; ++c) {
      KeyedRandom random(5, static_cast<std::uint64_t>(c), 0);
      const Vec3 n = problem.cones.axis_of(c);
      set_spatial_value(problem.cones, x, c, random.uniform() * (n + 0.01 * random.direction()));
    }
    bodies().refresh(x);
    bodies().make_tiles(law == Law::Associated, 0.0);  // however badly they fit
    bodies().take_impulses(x);
  }
  bool sweep(bool forward, double relaxation = 1.0) {
    bool moved = false;
    for (std::size_t b = 0; b < bodies().cone_blocks().block_end.size(); ++b)
      if (bodies().has_tiles(b)) moved |= bodies().sweep_tiles(b, forward, relaxation);
    bodies().give_impulses(x);
    return moved;
  }
  /// Largest difference between the velocities that sweeps have left and those of x.
  double drift() {
    RowVector gap;
    evaluate_gap(problem, Law::Associated, x, gap);
    double worst = 0.0;
    for (std::size_t k = 0; k < bodies().cone_blocks().order.size(); ++k) {
      const auto place = static_cast<Index>(k);
      const Index c = bodies().cone_blocks().order[k];
      const Vec3 mine = bodies().cone_gap(place, bodies().impulse_of_cone(place, x), x);
      worst = std::max(worst, size(mine - cone_impulse(problem.cones, gap, c)));
    }
    return worst;
  }
  double objective_now() const {
    RowVector gap;
    evaluate_gap(problem, Law::Associated, x, gap);
    return objective({problem, Law::Associated, x, gap, Communicator::self()});
  }
};

FrictionAngle angle_of(const ConeSet& cones, Index c) {
  const auto slot = static_cast<std::size_t>(cones.spatial_slot(c));
  return {cones.friction[slot], cones.cosine[slot], cones.sine[slot]};
}

class SpherePairs : public testing::TestWithParam<Law> {};

TEST_P(SpherePairs, TakeTheirExactAnswersAtOnce) {
  for (const bool compliance : {false, true}) {
    Swept s(pairs_of_spheres(29, compliance), GetParam());  // the last tile has five
    const BodySweep& bodies = s.bodies();
    std::vector<Vec3> expected;
    for (Index k = 0; k < 29; ++k) {
      const LocalCone cone = prepare_cone(
          bodies.block(k),
          angle_of(s.problem.cones, bodies.cone_blocks().order[static_cast<std::size_t>(k)]));
      const Vec3 x = bodies.impulse_of_cone(k, s.x);
      const Vec3 b = bodies.cone_gap(k, x, s.x) - times(cone.block, x);
      const LocalAnswer answer =
          GetParam() == Law::Coulomb ? solve_coulomb(cone, b) : solve_associated(cone, b);
      expected.push_back(answer.impulse);
    }
    if (GetParam() == Law::Coulomb)  // b_N >= 0 is not the end of it where nothing bounds tangents
      expected[5] = {};

    ASSERT_TRUE(s.bodies().has_tiles(0));
    EXPECT_TRUE(s.sweep(true));

    for (Index k = 0; k < 29; ++k) {
      if (GetParam() == Law::Coulomb && k == 5) continue;
      const Vec3 answer = bodies.impulse_of_cone(k, s.x);
      const Vec3& exact = expected[static_cast<std::size_t>(k)];
      EXPECT_LT(size(answer - exact), 1e-12 * (1.0 + size(exact))) << k << ", " << compliance;
    }
    EXPECT_LT(s.drift(), 1e-12);
    // what is right stays, but for rounding
    const RowVector before = s.x;
    s.sweep(false);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(s.x[i], before[i], 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, SpherePairs, testing::Values(Law::Coulomb, Law::Associated),
                         [](const auto& tested) { return name_of(tested.param); });

support::RandomBodies graph(std::uint64_t seed) {
  return {.bodies = 60,
          .contacts = 240,
          .joints = 0,
          .compliance = seed % 2 == 0,
          .two_points = seed % 3 == 0,
          .immovable_body = true,
          .width = 10.0,
          .seed = seed};
}

TEST(Tiles, LeaveTheVelocitiesOfTheirImpulses) {
  for (const Law law : {Law::Coulomb, Law::Associated})
    for (const std::uint64_t seed : {1, 2, 3}) {
      Swept s(support::random_bodies(graph(seed)), law);
      ASSERT_TRUE(s.bodies().has_tiles(0));

      for (int k = 0; k < 3; ++k) EXPECT_TRUE(s.sweep(k % 2 == 0));

      EXPECT_LT(s.drift(), 1e-11);
    }
}

TEST(Tiles, NeverRaiseTheObjectiveOfTheConvexLaw) {
  for (const double relaxation : {0.3, 1.0, 1.5, 1.95})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
      Swept s(support::random_bodies(graph(seed)), Law::Associated);
      s.sweep(true, relaxation);  // from a start outside of the cones
      double last = s.objective_now();
      for (int k = 0; k < 12; ++k) {
        s.sweep(k % 3 != 0, relaxation);
        const double now = s.objective_now();
        EXPECT_LE(now, last + 1e-12 * std::abs(last)) << seed << ", " << relaxation << ", " << k;
        last = now;
      }
    }
}

TEST(Tiles, BeginTheStepsOfTheMomentum) {
  for (const Law law : {Law::Coulomb, Law::Associated}) {
    Swept s(pairs_of_spheres(29, false), law);
    ASSERT_TRUE(s.bodies().has_all_in_tiles());
    Momentum::Trail trail{RowVector(s.x.size(), 0.0), {}};
    s.bodies().give_trail(trail);
    EXPECT_TRUE(trail.start.empty()) << "no step was made";
    const RowVector first = s.x;

    s.bodies().extrapolate(0.0, false);
    s.sweep(true, 0.5);
    s.bodies().end_sweep();
    const RowVector second = s.x;
    s.bodies().extrapolate(0.25, true);
    s.sweep(true, 0.5);
    s.bodies().end_sweep();
    s.sweep(true, 0.5);  // of the same step

    s.bodies().give_trail(trail);
    EXPECT_EQ(trail.before, second);
    EXPECT_NE(second, first);
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(trail.start[i], second[i] + 0.25 * (second[i] - first[i]));
    EXPECT_LT(s.drift(), 1e-12);
  }
}

TEST(Tiles, AreNotMadeOfContactsWhoseBlocksAreFarFromDiagonal) {
  const auto has_tiles = [](const BodyProblem& data) {
    const ConeProblem problem = make_cone_problem(data);
    SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
    auto& bodies = std::get<BodySweep>(rows);
    bodies.make_tiles(false);
    return bodies.has_tiles(0);
  };
  EXPECT_TRUE(has_tiles(pairs_of_spheres(9, true)));
  EXPECT_FALSE(has_tiles(support::random_bodies(graph(1))));

  const Vec3 up{0.0, 0.0, 1.0};
  EXPECT_DOUBLE_EQ(diagonality(metric_of(up, {2.0, 0.0, 0.6, 0.0, 1.0, 0.0, 0.6, 0.0, 2.0})),
                   0.5 * 0.7);
  EXPECT_EQ(diagonality(metric_of(up, {})), 1.0) << "nothing moves: nothing is lost";
}

TEST(Tiles, AreLeftForStepsOfTheLargestEigenvalue) {
  const ConeProblem problem = make_cone_problem(generate(parse_generate("packing,bodies=60")));
  const auto swept = [&](PsorOptions options, bool give_up) {
    SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
    auto& bodies = std::get<BodySweep>(rows);
    RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
    bodies.refresh(x);
    Sweeper<BodySweep> sweeper(problem, Law::Coulomb, options, bodies, x);
    if (give_up) sweeper.give_up_exact_answers();
    sweeper.sweep();
    bodies.give_impulses(x);
    return x;
  };
  PsorOptions tiled, exact, bounded;
  exact.tiles = false;
  bounded.exact_local = false;

  EXPECT_EQ(swept(tiled, true), swept(bounded, false));
  EXPECT_NE(swept(tiled, false), swept(exact, false));
  EXPECT_EQ(swept(exact, true), swept(bounded, false));
}

TEST(Psor, LeavesAStartThatIsGoodEnough) {
  const ConeProblem problem = make_cone_problem(generate(parse_generate("packing,bodies=60")));
  SolveOptions options;
  options.method = Method::Psor;
  options.tolerance = 1e-3;
  options.max_iterations = 5000;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  EXPECT_GT(solve(problem, options, Communicator::self(), x, gap).iterations, 0);
  for (const double limit : {std::numeric_limits<double>::infinity(), 1000.0}) {
    RowVector again = x;
    options.time_limit = limit;

    const SolveReport report = solve(problem, options, Communicator::self(), again, gap);

    EXPECT_EQ(report.status, SolveStatus::Converged);
    EXPECT_EQ(report.iterations, 0) << limit;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(again[i], x[i], 1e-14);
  }
}

TEST(Tiles, FindTheAnswersOfOtherMethods) {
  for (const char* made : {"wall,bodies=26", "packing,bodies=200"})
    for (const Law law : {Law::Coulomb, Law::Associated}) {
      const BodyProblem data = generate(parse_generate(made));
      SolveOptions options;
      options.method = Method::Psor;
      options.law = law;
      options.tolerance = 1e-5;
      options.max_iterations = 5000;  // takes 300 to 1200
      options.psor.accelerate = true;

      const support::Solved tiled = support::solved(data, options);

      EXPECT_EQ(tiled.report.status, SolveStatus::Converged) << made << ", " << name_of(law);
      if (law == Law::Coulomb) continue;  // has many answers
      options.method = Method::Apgd;
      const support::Solved other = support::solved(data, options);
      EXPECT_NEAR(tiled.report.errors.objective, other.report.errors.objective,
                  1e-6 * std::abs(other.report.errors.objective))
          << made;
    }
}

TEST(Tiles, GiveTheSameBitsForAnyThreadsAndLevels) {
  const BodyProblem packing = generate(parse_generate("packing,bodies=1600"));
  for (const Law law : {Law::Coulomb, Law::Associated}) {
    SolveOptions options;
    options.method = Method::Psor;
    options.law = law;
    options.tolerance = 0.0;
    options.max_iterations = 12;
    options.psor.accelerate = options.psor.symmetric = true;
    options.psor.sweeps = 2;
    std::vector<std::uint64_t> reference;
    for (const SimdLevel level : support::levels_here())
      for (const int threads : {1, 2, 4}) {
        const support::ForcedLevel forced_level(level);
        const support::ForcedThreads forced_threads(threads);

        const auto bits = support::bits_of_all(support::solved(packing, options).impulses);

        if (reference.empty()) reference = bits;
        EXPECT_EQ(bits, reference) << name_of(law) << ", " << name_of(level) << ", " << threads;
      }
  }
}

}  // namespace
}  // namespace talus
