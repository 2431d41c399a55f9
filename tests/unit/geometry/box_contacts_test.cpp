#include "geometry/box_contacts.hpp"

#include "core/elementary.hpp"
#include "unit/geometry/geometry_checks.hpp"

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double support(const Vec3& half, const Quaternion& q, const Vec3& direction) {
  const Vec3 local = rotate_back(q, direction);
  return half.x * std::fabs(local.x) + half.y * std::fabs(local.y) + half.z * std::fabs(local.z);
}

/// Distance, or minus the depth, of two boxes: the most that a plane of any direction separates
/// them. By trying directions, so that it knows nothing of faces and edges. Found from below.
double separation_by_directions(const Box& a, const Pose& at_a, const Box& b, const Pose& at_b,
                                RandomPlaces& random) {
  const auto gap = [&](const Vec3& n) {
    return dot(at_b.position - at_a.position, n) - support(a.half, at_a.orientation, n) -
           support(b.half, at_b.orientation, n);
  };
  std::vector<std::pair<double, Vec3>> best;
  for (int k = 0; k < 1500; ++k) {
    const double z = -1.0 + (2.0 * k + 1.0) / 1500.0, r = std::sqrt(1.0 - z * z);
    const Vec3 n{r * std::cos(2.399963 * k), r * std::sin(2.399963 * k), z};
    best.emplace_back(gap(n), n);
  }
  std::partial_sort(best.begin(), best.begin() + 8, best.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double most = -infinite;
  for (std::size_t k = 0; k < 8; ++k) {
    auto [g, n] = best[k];
    for (double step = 0.1; step > 1e-9; step *= 0.75)
      for (int attempt = 0; attempt < 12; ++attempt) {
        const Vec3 trial = unit(n + random.vector(step));
        const double found = gap(trial);
        if (found > g) {
          g = found;
          n = trial;
        }
      }
    most = std::fmax(most, g);
  }
  return most;
}

Vec3 nearest_point(const Box& box, const Pose& pose, const Vec3& point) {
  const Vec3 p = to_local(pose, point), h = box.half;
  return to_world(pose, {std::fmax(-h.x, std::fmin(h.x, p.x)), std::fmax(-h.y, std::fmin(h.y, p.y)),
                         std::fmax(-h.z, std::fmin(h.z, p.z))});
}

/// Distance of two boxes, by going from the nearest point of one to the nearest point of the other
/// and back, which ends at the nearest pair of any two convex sets. Found from above.
double distance_by_projections(const Box& a, const Pose& at_a, const Box& b, const Pose& at_b) {
  Vec3 of_a = at_a.position, of_b = at_b.position;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 before = of_a;
    of_b = nearest_point(b, at_b, of_a);
    of_a = nearest_point(a, at_a, of_b);
    if (length(of_a - before) < 1e-14) break;
  }
  return length(of_b - of_a);
}

/// How far a point is outside a box.
double outside(const Box& box, const Pose& pose, const Vec3& point) {
  return length(point - nearest_point(box, pose, point));
}

struct TwoBoxes {
  Box a, b;
  Pose at_a, at_b;
  std::vector<ContactPoint> contacts(double margin) const {
    const Shape of_a = a, of_b = b;
    return contacts_of({&of_a, 1.0, at_a}, {&of_b, 1.0, at_b}, margin);
  }
};

/// Any, and (every other) such as people stack: turned alike but for a little, of one size, edges
/// in line.
TwoBoxes random_boxes(RandomPlaces& random, double apart, int number) {
  const auto box = [&] {
    const double x = random.number(0.2, 1.0), y = random.number(0.2, 1.0);
    return Box{{x, y, random.number(0.2, 1.0)}};
  };
  TwoBoxes two;
  two.a = box();
  two.b = box();
  two.at_a = random.pose(1.0);
  two.at_b.orientation = random.quaternion();
  two.at_b.position = two.at_a.position + random.number(0.1, apart) * random.direction();
  if (number % 2 == 0) return two;
  two.b = number % 4 == 1 ? two.a : two.b;
  const double turn = number % 3 == 0 ? 0.0 : std::exp2(random.number(-50.0, -5.0));
  const double quarter = number % 5 == 0 ? 0.25 * pi : 0.0;  // on an edge
  two.at_b.orientation = rotation_by(turn * random.direction()) *
                         (two.at_a.orientation * rotation_by({quarter, 0.0, 0.0}));
  const Vec3 h = two.a.half + two.b.half;
  const auto along = [&](double touching) {
    const double where = random.number(0.0, 1.0);
    return where < 0.3   ? 0.0
           : where < 0.6 ? touching + random.number(-0.1, 0.1)
           : where < 0.8 ? touching
                         : random.number(-1.0, 1.0);
  };
  const double x = along(h.x), y = along(h.y);
  two.at_b.position = to_world(two.at_a, {x, y, along(h.z)});
  return two;
}

TEST(BoxContacts, GapOfBoxesThatAreApartIsTheirDistance) {
  RandomPlaces random(5);
  const double margin = 0.3;
  int apart = 0;
  for (int i = 0; i < 2000; ++i) {
    const TwoBoxes two = random_boxes(random, 2.2, i);
    const double expected = distance_by_projections(two.a, two.at_a, two.b, two.at_b);
    if (expected < 1e-9) continue;
    ++apart;
    SCOPED_TRACE(i);

    const std::vector<ContactPoint> contacts = two.contacts(margin);

    expect_in_order(contacts, margin);
    if (expected < margin) {
      EXPECT_LT(smallest_gap(contacts), expected + 1e-8);
    }
    if (i % 2 == 1) continue;  // nearly parallel: projections take for ever, and stay above
    if (expected < margin) {
      EXPECT_GT(smallest_gap(contacts), expected - 1e-8);
    } else {
      EXPECT_TRUE(contacts.empty());
    }
  }
  EXPECT_GT(apart, 500);
}

TEST(BoxContacts, DepthIsTheLeastThatAnyDirectionFinds) {
  RandomPlaces random(5);
  int inside = 0;
  for (int i = 0; i < 300; ++i) {
    const TwoBoxes two = random_boxes(random, 1.5, 2 * i);
    const double expected = separation_by_directions(two.a, two.at_a, two.b, two.at_b, random);
    if (expected >= 0.0) continue;
    ++inside;
    SCOPED_TRACE(i);
    const double found = smallest_gap(two.contacts(0.01));
    // faces are preferred to edges that are 2 in 100 better; a few directions are not all
    EXPECT_NEAR(found, expected, 0.02 * std::fabs(expected) + 1e-3);
  }
  EXPECT_GT(inside, 150);
}

TEST(BoxContacts, ArePairsOfPointsOfBothBoxes) {
  RandomPlaces random(6);
  for (int i = 0; i < 4000; ++i) {
    const TwoBoxes two = random_boxes(random, 2.2, i);
    SCOPED_TRACE(i);
    const std::vector<ContactPoint> contacts = two.contacts(0.3);
    expect_in_order(contacts, 0.3);
    for (const ContactPoint& c : contacts) {
      const double slack = 4e-5;
      EXPECT_LT(outside(two.a, two.at_a, c.point - 0.5 * c.gap * c.normal), slack) << c.feature;
      EXPECT_LT(outside(two.b, two.at_b, c.point + 0.5 * c.gap * c.normal), slack) << c.feature;
      EXPECT_LT(c.feature, box_feature_count);
    }
  }
}

TEST(BoxContacts, CornerThatGrazesAnEdgeIsNotLost) {
  // A corner beside the top of a by more than the face's slack, from which only the steepest edge
  // leads over it, so that the facing face does not; and edges better by less than they must be.
  const double x = std::cos(0.7), z = std::sin(0.7), half = std::sqrt(0.5);
  const Vec3 over{-x, 0.0, z}, left{z * half, half, x * half}, right{z * half, -half, x * half};
  const Quaternion turned =
      quaternion_of({over.x, right.x, left.x, over.y, right.y, left.y, over.z, right.z, left.z});
  const Vec3 at{0.5 + 5.5e-6, 0.1, 0.5 - 5.5e-6};
  TwoBoxes two{{}, {}, {}, {at + rotate(turned, {0.5, 0.5, 0.5}), turned}};
  for (int order = 0; order < 2; ++order) {
    const std::vector<ContactPoint> contacts = two.contacts(1e-6);

    ASSERT_EQ(contacts.size(), 1U);
    const Vec3 up{0.0, 0.0, order == 0 ? 1.0 : -1.0};
    expect_near(contacts[0].normal, up, 1e-15);
    EXPECT_NEAR(contacts[0].gap, -5.5e-6, 1e-12);
    expect_near(contacts[0].point, {at.x, at.y, 0.5 - 2.75e-6}, 1e-12);
    std::swap(two.a, two.b);
    std::swap(two.at_a, two.at_b);
  }
}

std::vector<std::uint32_t> features_of(const std::vector<ContactPoint>& contacts) {
  std::vector<std::uint32_t> features;
  for (const ContactPoint& c : contacts) features.push_back(c.feature);
  return features;
}

TEST(BoxContacts, BoxAtRestOnABoxHasItsFourCornersStepAfterStep) {
  const Box small{{0.5, 0.4, 0.3}};
  for (const Box& below : {Box{{2.0, 2.0, 1.0}}, small, Box{{0.3, 0.2, 1.0}}}) {
    RandomPlaces random(9);
    const double height = below.half.z + small.half.z;
    std::vector<std::uint32_t> features;
    for (int step = 0; step < 200; ++step) {
      // what a solver leaves: micrometres
      const Vec3 shift = random.vector(1e-6);
      const TwoBoxes two{
          below, small, {}, {Vec3{0.0, 0.0, height} + shift, rotation_by(random.vector(1e-6))}};
      const std::vector<ContactPoint> contacts = two.contacts(0.01);
      ASSERT_EQ(contacts.size(), 4U);
      if (step == 0) features = features_of(contacts);
      EXPECT_EQ(features_of(contacts), features);
      for (const ContactPoint& c : contacts) {
        expect_near(c.normal, {0.0, 0.0, 1.0}, 3e-6);
        EXPECT_NEAR(c.gap, shift.z, 3e-6);
        EXPECT_NEAR(std::fabs(c.point.x), std::fmin(0.5, below.half.x), 1e-5);
        EXPECT_NEAR(std::fabs(c.point.y), std::fmin(0.4, below.half.y), 1e-5);
        EXPECT_NEAR(c.point.z, below.half.z, 3e-6);
      }
    }
  }
}

TEST(BoxContacts, FacesTurnedByAnEighthHaveEightPoints) {
  const TwoBoxes two{{}, {}, {}, {{0.0, 0.0, 1.001}, rotation_by({0.0, 0.0, 0.25 * pi})}};
  const std::vector<ContactPoint> contacts = two.contacts(0.01);
  ASSERT_EQ(contacts.size(), 8U);
  expect_in_order(contacts, 0.01);
  for (const ContactPoint& c : contacts) {
    EXPECT_NEAR(c.gap, 0.001, 1e-15);
    EXPECT_NEAR(std::fabs(c.point.x) + std::fabs(c.point.y), std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(std::fmax(std::fabs(c.point.x), std::fabs(c.point.y)), 0.5, 1e-5);
    EXPECT_NEAR(c.point.z, 0.5005, 1e-15);
  }
}

TEST(BoxContacts, SmallFaceOverACornerIsCutByBothSides) {
  // over the corner (1, 1): one corner of each box, two crossings
  const TwoBoxes two{{{1.0, 1.0, 1.0}}, {}, {}, {{0.9, 0.8, 1.5}, {}}};
  const std::vector<ContactPoint> contacts = two.contacts(0.01);
  ASSERT_EQ(contacts.size(), 4U);
  std::set<std::pair<int, int>> corners;
  for (const ContactPoint& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    corners.emplace(std::lround(10.0 * c.point.x), std::lround(10.0 * c.point.y));
  }
  EXPECT_EQ(corners, (std::set<std::pair<int, int>>{{4, 3}, {10, 3}, {10, 10}, {4, 10}}));
}

/// Edges along y (of a) and x (of b), one across the other, `gap` between them.
TwoBoxes crossed(double gap) {
  return {{},
          {},
          {{}, rotation_by({0.0, 0.25 * pi, 0.0})},
          {{0.1, 0.2, 2.0 * std::sqrt(0.5) + gap}, rotation_by({0.25 * pi, 0.0, 0.0})}};
}

TEST(BoxContacts, CrossedEdgesTouchInOnePoint) {
  std::uint32_t feature = 0;
  for (const double gap : {-0.02, 0.0, 0.02}) {
    SCOPED_TRACE(gap);
    const std::vector<ContactPoint> contacts = crossed(gap).contacts(0.05);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-14);
    expect_near(contacts[0].normal, {0.0, 0.0, 1.0}, 1e-14);
    expect_near(contacts[0].point, {0.0, 0.2, std::sqrt(0.5) + 0.5 * gap}, 1e-14);
    if (gap == -0.02) feature = contacts[0].feature;
    EXPECT_EQ(contacts[0].feature, feature);
  }
  EXPECT_TRUE(crossed(0.06).contacts(0.05).empty());
}

TEST(BoxContacts, CornerThatTouchesAnEdgeHasTheNormalOfEdges) {
  // The corner points down at the edge of a (along y); 1e-11 above it its way to it means nothing.
  const Vec3 corner{0.5, 0.5, 0.5};
  const Quaternion down = rotation_between(unit(corner), {0.0, 0.0, -1.0});
  const Vec3 face = rotate(down, {1.0, 0.0, 0.0});
  const Quaternion turned = rotation_by({0.0, 0.0, arc_tangent(face.x, face.y)}) * down;
  const Vec3 at = Vec3{0.0, 0.2, std::sqrt(0.5) + 1e-11} - rotate(turned, corner);
  const TwoBoxes two{{}, {}, {{}, rotation_by({0.0, 0.25 * pi, 0.0})}, {at, turned}};
  const std::vector<ContactPoint> contacts = two.contacts(0.01);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_NEAR(contacts[0].gap, 1e-11, 1e-14);
  EXPECT_NEAR(contacts[0].normal.y, 0.0, 1e-14);
  EXPECT_NEAR(contacts[0].normal.z, std::sqrt(0.6), 1e-14);  // tan = sqrt(2 / 3)
}

TEST(BoxContacts, CornersAndEdgesThatAreDiagonallyApartMeetAtTheirNearestPoints) {
  const auto at = [](const Vec3& place, const Quaternion& q = {}) {
    return TwoBoxes{{}, {}, {}, {place, q}}.contacts(0.2);
  };
  const std::vector<ContactPoint> corners = at({1.1, 1.1, 1.1});
  ASSERT_EQ(corners.size(), 1U);
  EXPECT_NEAR(corners[0].gap, std::sqrt(0.03), 1e-14);
  expect_near(corners[0].normal, unit({1.0, 1.0, 1.0}), 1e-14);
  expect_near(corners[0].point, {0.55, 0.55, 0.55}, 1e-14);

  const std::vector<ContactPoint> edges = at({1.1, 1.1, 0.3});  // parallel: where both end
  ASSERT_EQ(edges.size(), 2U);
  for (const ContactPoint& c : edges) {
    EXPECT_NEAR(c.gap, std::sqrt(0.02), 1e-14);
    expect_near(c.normal, unit({1.0, 1.0, 0.0}), 1e-14);
  }
  EXPECT_NEAR(edges[0].point.z + edges[1].point.z, 0.3, 1e-14);
  EXPECT_NEAR(std::fabs(edges[0].point.z - edges[1].point.z), 0.7, 1e-14);

  EXPECT_TRUE(at({1.1, 1.2, 1.3}).empty()) << "0.37 apart, although no face is";
}

TEST(BoxContacts, BoxesThatTouchInAnEdgeHaveTheNormalOfAFace) {
  const TwoBoxes two{{}, {}, {}, {{1.0 + 1e-12, 1.0 + 1e-12, 0.0}, {}}};
  for (const ContactPoint& c : two.contacts(0.01)) {
    EXPECT_NEAR(c.gap, 0.0, 2e-12);
    expect_near(c.normal, {1.0, 0.0, 0.0}, 1e-15);
  }
  EXPECT_FALSE(two.contacts(0.01).empty());
}

/// Boards of thickness 0.02 that lean on each other by 30 degrees; their upper edges meet, or b's
/// is moved by `by`.
TwoBoxes leaning_boards(const Vec3& by) {
  const double angle = pi / 6.0, length = 1.0, thickness = 0.02;
  TwoBoxes two;
  two.a = two.b = {{0.5 * thickness, 0.15, 0.5 * length}};
  const double x = 0.5 * length * std::sin(angle) + 0.5 * thickness * std::cos(angle);
  two.at_a = {{-x, 0.0, 0.0}, rotation_by({0.0, angle, 0.0})};
  two.at_b = {Vec3{x, 0.0, 0.0} + by, rotation_by({0.0, -angle, 0.0})};
  return two;
}

// The normal was that of a face of the first: boards that lean on each other pushed each other up
// and down.
TEST(BoxContacts, EdgesOfLeaningBoardsPushLevel) {
  for (const double gap : {-1e-6, 0.0, 1e-9, 1e-6}) {
    const std::vector<ContactPoint> contacts = leaning_boards({gap, 0.0, 0.0}).contacts(1e-5);
    ASSERT_GE(contacts.size(), 2U) << gap;
    for (const ContactPoint& c : contacts) {
      expect_near(c.normal, {1.0, 0.0, 0.0}, 1e-9);
      EXPECT_NEAR(c.point.x, 0.0, 2e-6);
    }
    EXPECT_NEAR(smallest_gap(contacts), gap, 0.2 * std::fabs(gap) + 1e-12);
  }
}

TEST(BoxContacts, EdgesThatHavePassedEachOtherHaveTheNormalOfAFace) {
  const double cosine = std::cos(pi / 6.0), sine = 0.5;
  // b's edge a little below a's: on a's face, which looks down
  for (const ContactPoint& c : leaning_boards({0.0, 0.0, -4e-4}).contacts(2e-4))
    expect_near(c.normal, {cosine, 0.0, -sine}, 1e-12);
  for (const ContactPoint& c : leaning_boards({0.0, 0.0, 4e-4}).contacts(2e-4))
    expect_near(c.normal, {cosine, 0.0, sine}, 1e-12);
  // between, the normal goes from one to the other without a jump
  double before = -sine;
  for (int k = -60; k <= 60; ++k) {
    const Vec3 by{-2e-4, 0.0, 5e-6 * k};  // they overlap
    const std::vector<ContactPoint> contacts = leaning_boards(by).contacts(2e-4);
    ASSERT_FALSE(contacts.empty());
    EXPECT_GE(contacts[0].normal.z, before - 1e-12) << k;
    EXPECT_LE(contacts[0].normal.z, before + 0.03) << k;
    before = contacts[0].normal.z;
  }
  EXPECT_NEAR(before, sine, 1e-12);
}

TEST(BoxContacts, OneInTheMiddleOfTheOtherIsPushedOutSomewhere) {
  const TwoBoxes two{{}, {{0.1, 0.1, 0.1}}, {}, {}};
  const std::vector<ContactPoint> contacts = two.contacts(0.0);
  ASSERT_EQ(contacts.size(), 4U);
  for (const ContactPoint& c : contacts) {
    EXPECT_NEAR(c.gap, -0.6, 1e-15);
    expect_near(c.normal, {1.0, 0.0, 0.0}, 1e-15);
  }
}

TEST(BoxContacts, TurnWithTheirBoxes) {
  RandomPlaces random(10);
  for (int i = 0; i < 500; ++i) {
    const TwoBoxes two = random_boxes(random, 2.0, 2 * i);  // others hang on rounding
    const Pose by = random.pose(1.0);
    TwoBoxes turned = two;
    turned.at_a = by * two.at_a;
    turned.at_b = by * two.at_b;

    const auto before = two.contacts(0.2), after = turned.contacts(0.2);

    ASSERT_EQ(features_of(after), features_of(before)) << i;
    for (std::size_t k = 0; k < before.size(); ++k) {
      EXPECT_NEAR(after[k].gap, before[k].gap, 1e-12);
      expect_near(after[k].normal, rotate(by.orientation, before[k].normal), 1e-11);
      expect_near(after[k].point, to_world(by, before[k].point), 1e-10);
    }
  }
}

}  // namespace
}  // namespace talus
