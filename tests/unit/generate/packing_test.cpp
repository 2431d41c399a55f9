#include "generate/tiled_packing.hpp"
#include "support/solved.hpp"
#include "unit/generate/generate_checks.hpp"

#include <algorithm>
#include <map>

namespace talus {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

double radius_of(const BodyProblem& problem, Index body) {
  // sphere: mass and inertia give the radius, r^2 = 2.5 I / m
  return std::sqrt(2.5 * problem.inverse_mass[at(body)] / problem.inverse_inertia[at(body)].xx);
}

/// Contacts per body, counted at both ends.
double coordination_of(const BodyProblem& problem) {
  double ends = 0.0;
  for (const Index a : problem.contact_body_a) ends += a == no_body ? 1.0 : 2.0;
  return ends / problem.body_count();
}

/// What is tested of one contact, found without the code under test.
struct Touch {
  double gap;
  Vec3 normal, point;
};

Touch touch_between(const Vec3& a, double radius_a, const Vec3& b, double radius_b) {
  const Vec3 d = b - a;
  const double gap = length(d) - radius_a - radius_b;
  const Vec3 normal = 1.0 / length(d) * d;
  return {gap, normal, a + (radius_a + 0.5 * gap) * normal};
}

void expect_contact(const BodyProblem& problem, std::size_t c, const Touch& touch) {
  // coordinates of 0.1 m round at 1e-17; gaps are made in units of the radius, 5 mm, and moved to
  // places up to a hundred of them away
  EXPECT_NEAR(problem.contact_bias[c].x * problem.time_step, std::max(0.0, touch.gap), 1e-15);
  EXPECT_LT(length(problem.normal[c] - touch.normal), 1e-12);
  EXPECT_LT(length(problem.point[c] - touch.point), 1e-15);
}

TEST(GeneratePacking, EveryPairThatCanMeetIsAContactOnceAndAsItsGeometrySays) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 1500, .spread = 0.3});
  const double reach = 2.0 * 9.81 * 0.001 * 0.001;

  std::map<std::pair<Index, Index>, Touch> expected;
  for (Index i = 0; i < problem.body_count(); ++i)
    for (Index j = i + 1; j < problem.body_count(); ++j) {
      const Touch touch = touch_between(centre_of(problem, i), radius_of(problem, i),
                                        centre_of(problem, j), radius_of(problem, j));
      if (touch.gap <= reach) expected.insert({{i, j}, touch});
      EXPECT_GE(touch.gap, -1.001e-3 * 0.005) << "a thousandth of the mean radius";
    }
  std::size_t found = 0;
  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    if (problem.contact_body_a[c] == no_body) continue;
    ++found;
    const auto touch = expected.find({problem.contact_body_a[c], problem.contact_body_b[c]});
    ASSERT_NE(touch, expected.end()) << c;
    expect_contact(problem, c, touch->second);
  }
  EXPECT_EQ(found, expected.size());
  expect_sound(problem);  // keys: no pair twice
}

TEST(GeneratePacking, FloorAndWallsAreTheSpheresThatTheBoxCuts) {
  const double radius = 0.01;
  const BodyProblem problem =
      generate({.kind = "packing", .bodies = 1500, .seed = 9, .radius = radius});
  const PeriodicCell cell = relaxed_cell(9, 0.15);
  const double reach = 2.0 * 9.81 * 0.001 * 0.001;
  const double width = cell.side * std::cbrt(1500.0 / cell.count());

  std::vector<std::vector<Touch>> expected(1500);
  for (int x = -1; x < 3; ++x)
    for (int y = -1; y < 3; ++y)
      for (int z = -1; z < 3; ++z)
        for (Index i = 0; i < cell.count(); ++i) {
          const Vec3 p = cell.centre[at(i)] + cell.side * Vec3{1.0 * x, 1.0 * y, 1.0 * z};
          const bool in_box = p.z >= 0.0 && std::min(p.x, p.y) >= 0.0 && std::max(p.x, p.y) < width;
          if (in_box) continue;
          for (Index b = 0; b < 1500; ++b) {
            const Touch touch = touch_between(radius * p, radius * cell.radius[at(i)],
                                              centre_of(problem, b), radius_of(problem, b));
            if (touch.gap <= reach) expected[at(b)].push_back(touch);
          }
        }
  std::size_t contacts = 0;
  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    if (problem.contact_body_a[c] != no_body) continue;
    ++contacts;
    auto& left = expected[at(problem.contact_body_b[c])];
    const auto touch = std::find_if(left.begin(), left.end(), [&](const Touch& t) {
      return length(t.normal - problem.normal[c]) < 1e-9;
    });
    ASSERT_NE(touch, left.end()) << c;
    expect_contact(problem, c, *touch);
    left.erase(touch);
  }
  EXPECT_GT(contacts, 300u);
  for (const auto& left : expected) EXPECT_TRUE(left.empty());
}

TEST(GeneratePacking, AnyNumberOfSpheresIsMetExactly) {
  for (const std::int64_t bodies : {1, 2, 5, 999, 1000, 1001, 4321}) {
    const BodyProblem problem = generate({.kind = "packing", .bodies = bodies});
    EXPECT_EQ(problem.body_count(), bodies);
    expect_sound(problem);
    expect_weight(problem);
  }
}

TEST(GeneratePacking, CoordinationIsThatOfASettledPile) {
  for (const double spread : {0.0, 0.15, 0.3, 0.5}) {
    const double coordination =
        coordination_of(generate({.kind = "packing", .bodies = 8000, .spread = spread}));
    EXPECT_GT(coordination, 5.0) << spread;
    EXPECT_LT(coordination, 6.0) << spread;
  }
}

TEST(GeneratePacking, IsAboutAsHighAsWide) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 3000, .radius = 0.5});

  double width = 0.0, height = 0.0;
  for (const Vec3& c : problem.centre) {
    EXPECT_GE(std::min({c.x, c.y, c.z}), 0.0);
    width = std::max({width, c.x, c.y});
    height = std::max(height, c.z);
  }
  EXPECT_GT(height / width, 0.9);
  EXPECT_LT(height / width, 1.1);
}

TEST(GeneratePacking, CoarseStepsHaveNoFartherContacts) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 500, .step = 0.1});

  for (const Vec3& bias : problem.contact_bias)
    EXPECT_LE(bias.x * 0.1, 0.01 * 0.005 * 1.000001);  // a hundredth of the mean radius
}

TEST(GeneratePacking, CopiesOfACellMoveDifferently) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 2500, .speed = 0.02});

  std::set<double> along_x;
  for (std::size_t i = 0; i < 2500; ++i) {
    EXPECT_NEAR(length(speed_before(problem, i)), 0.02, 1e-15);
    along_x.insert(speed_before(problem, i).x);
  }
  EXPECT_EQ(along_x.size(), 2500u);
}

TEST(GeneratePacking, ContactsCarryTheLoadAndMostSpheresStayAtRest) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 300, .speed = 0.0});
  SolveOptions options;
  options.law = Law::Associated;
  options.tolerance = 1e-4;

  const Solution solution = support::solved(problem, options).solution;

  const double fall = 9.81 * problem.time_step;
  double lift = 0.0;  // by the world, against the weight of all
  for (Index c = 0; c < problem.contact_count(); ++c)
    if (problem.contact_body_a[at(c)] == no_body) {
      const Vec3 &n = problem.normal[at(c)], &t1 = problem.tangent[at(c)], t2 = cross(n, t1);
      const double* r = &solution.r[3 * at(c)];
      lift += r[0] * n.z + r[1] * t1.z + r[2] * t2.z;
    }
  Index at_rest = 0;
  for (Index i = 0; i < 300; ++i) {
    const double* v = &solution.v[6 * at(i)];
    at_rest += length({v[0], v[1], v[2]}) < 0.01 * fall;
  }
  // all but what is loose between others and falls
  EXPECT_GT(lift, 0.8 * total_mass(problem) * fall);
  EXPECT_LT(lift, 1.01 * total_mass(problem) * fall);
  EXPECT_GT(at_rest, 240);
}

/// Parts: what ranks will make, each on its own.
class PackingParts : public testing::Test {
 protected:
  const TiledPacking packing_{settled({.kind = "packing", .bodies = 5000, .seed = 3})};
  const PackingPart whole_ = packing_.part(0, packing_.tiling().tiles());

  std::vector<PackingPart> parts(std::int64_t tiles_each) const {
    std::vector<PackingPart> made;
    const std::int64_t tiles = packing_.tiling().tiles();
    for (std::int64_t first = 0; first < tiles; first += tiles_each)
      made.push_back(packing_.part(first, std::min(tiles, first + tiles_each)));
    return made;
  }
};

GlobalId id_of(const BodyProblem& problem, Index body) {
  return body == no_body ? -1 : problem.body_id[at(body)];
}

void expect_same_body(const BodyProblem& a, std::size_t i, const BodyProblem& b, std::size_t j) {
  EXPECT_EQ(a.body_id[i], b.body_id[j]);
  EXPECT_EQ(length(a.centre[i] - b.centre[j]), 0.0);
  EXPECT_EQ(a.inverse_mass[i], b.inverse_mass[j]);
  EXPECT_EQ(a.inverse_inertia[i].zz, b.inverse_inertia[j].zz);
  EXPECT_EQ(a.momentum[i], b.momentum[j]);
}

void expect_same_contact(const BodyProblem& a, std::size_t i, const BodyProblem& b, std::size_t j) {
  EXPECT_EQ(a.contact_key[i], b.contact_key[j]);
  EXPECT_EQ(id_of(a, a.contact_body_a[i]), id_of(b, b.contact_body_a[j]));
  EXPECT_EQ(id_of(a, a.contact_body_b[i]), id_of(b, b.contact_body_b[j]));
  EXPECT_EQ(length(a.normal[i] - b.normal[j]), 0.0);
  EXPECT_EQ(length(a.point[i] - b.point[j]), 0.0);
  EXPECT_EQ(length(a.contact_bias[i] - b.contact_bias[j]), 0.0);
  EXPECT_EQ(a.friction[i], b.friction[j]);
}

TEST_F(PackingParts, OneAfterTheOtherAreTheWholeBitForBit) {
  const BodyProblem& whole = whole_.problem;
  EXPECT_EQ(whole_.own_bodies, whole.body_count());
  EXPECT_EQ(whole_.own_contacts, whole.contact_count());
  for (const std::int64_t tiles_each : {1, 3, 100}) {
    std::size_t body = 0, contact = 0;
    for (const PackingPart& part : parts(tiles_each)) {
      for (std::size_t i = 0; i < at(part.own_bodies); ++i)
        expect_same_body(part.problem, i, whole, body++);
      for (std::size_t c = 0; c < at(part.own_contacts); ++c)
        expect_same_contact(part.problem, c, whole, contact++);
      EXPECT_NO_THROW(validate(part.problem, "part"));
    }
    EXPECT_EQ(body, 5000u);
    EXPECT_EQ(contact, whole.normal.size());
  }
}

TEST_F(PackingParts, EachHasAllContactsThatTouchItsBodiesAndNoOthers) {
  const BodyProblem& whole = whole_.problem;
  std::map<GlobalId, std::size_t> by_key;
  for (std::size_t c = 0; c < whole.normal.size(); ++c) by_key[whole.contact_key[c]] = c;
  for (const PackingPart& part : parts(2)) {
    const BodyProblem& p = part.problem;
    const auto own = [&](GlobalId id) {
      return id >= p.body_id[0] && id < p.body_id[0] + part.own_bodies;
    };
    std::set<GlobalId> expected, others;
    for (std::size_t c = 0; c < whole.normal.size(); ++c) {
      const Index a = whole.contact_body_a[c], b = whole.contact_body_b[c];
      if ((a != no_body && own(a)) || own(b)) {
        expected.insert(whole.contact_key[c]);
        if (a != no_body && !own(a)) others.insert(a);
        if (!own(b)) others.insert(b);
      }
    }
    for (std::size_t c = 0; c < p.normal.size(); ++c) {
      EXPECT_EQ(expected.erase(p.contact_key[c]), 1u);
      expect_same_contact(p, c, whole, by_key[p.contact_key[c]]);
      EXPECT_EQ(own(id_of(p, p.contact_body_b[c])), c < at(part.own_contacts));
    }
    EXPECT_TRUE(expected.empty());
    ASSERT_EQ(p.centre.size(), at(part.own_bodies) + others.size());
    for (std::size_t i = at(part.own_bodies); i < p.centre.size(); ++i) {
      EXPECT_EQ(others.erase(p.body_id[i]), 1u);
      expect_same_body(p, i, whole, at(static_cast<Index>(p.body_id[i])));
    }
  }
}

TEST_F(PackingParts, HaveRollingFrictionWhereThePackingHasIt) {
  const TiledPacking packing(
      settled({.kind = "packing", .bodies = 1500, .spinning_friction = 0.002}));
  const PackingPart part = packing.part(1, 3);

  EXPECT_EQ(part.problem.rolling_friction, std::vector<double>(part.problem.normal.size(), 0.0));
  EXPECT_EQ(part.problem.spinning_friction, std::vector<double>(part.problem.normal.size(), 0.002));
}

TEST_F(PackingParts, AnEmptyPartIsAllowed) {
  const PackingPart none = packing_.part(2, 2);

  EXPECT_EQ(none.problem.body_count(), 0);
  EXPECT_EQ(none.problem.contact_count(), 0);
  EXPECT_THROW(packing_.part(0, packing_.tiling().tiles() + 1), std::logic_error);
}

}  // namespace
}  // namespace talus
