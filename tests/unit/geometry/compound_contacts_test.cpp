#include "core/elementary.hpp"
#include "unit/geometry/geometry_checks.hpp"
#include "unit/geometry/mesh_shapes.hpp"

namespace talus {
namespace {

const Shape dumbbell =
    Compound{{{Sphere{0.5}, {{-1.0, 0.0, 0.0}, {}}}, {Sphere{0.5}, {{1.0, 0.0, 0.0}, {}}}}};
const Shape mixed =
    Compound{{{Sphere{0.4}, {{-0.6, 0.1, 0.0}, {}}},
              {Box{{0.3, 0.4, 0.5}}, {{0.4, 0.0, 0.2}, rotation_by({0.4, 0.2, 0.1})}},
              {Box{{0.5, 0.2, 0.2}}, {{0.0, 0.5, 0.0}, {}}}}};

TEST(CompoundContacts, DumbbellLiesOnAPlaneOnBothBalls) {
  const Shape plane = Plane{};
  const std::vector<ContactPoint> contacts =
      contacts_of({&dumbbell, 2.0, {{0.0, 0.0, 1.01}, {}}}, {&plane, 1.0, {}}, 0.02);
  ASSERT_EQ(contacts.size(), 2U);
  expect_in_order(contacts, 0.02);
  expect_near(contacts[0].point, {-2.0, 0.0, 0.005}, 1e-15);
  expect_near(contacts[1].point, {2.0, 0.0, 0.005}, 1e-15);
  expect_near(contacts[0].normal, {0.0, 0.0, -1.0}, 0.0);
}

TEST(CompoundContacts, AreThoseOfAllPairsOfParts) {
  RandomPlaces random(31);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    const double scale = random.number(0.5, 1.5);
    const PlacedShape a{&mixed, scale, random.pose(0.7)}, b{&mixed, 1.0, random.pose(0.7)};
    const double margin = 0.1;
    std::vector<ContactPoint> expected;
    for (const Compound::Part& p : std::get<Compound>(mixed).parts)
      for (const Compound::Part& q : std::get<Compound>(mixed).parts) {
        const Shape of_a = std::visit([](const auto& s) { return Shape(s); }, p.shape);
        const Shape of_b = std::visit([](const auto& s) { return Shape(s); }, q.shape);
        const Pose at_a = a.pose * Pose{scale * p.pose.position, p.pose.orientation};
        collide({&of_a, scale, at_a}, {&of_b, 1.0, b.pose * q.pose}, margin, expected);
      }

    std::vector<ContactPoint> contacts = contacts_of(a, b, margin);

    expect_in_order(contacts, margin);  // so no two have one feature
    ASSERT_EQ(contacts.size(), expected.size());
    found += static_cast<int>(contacts.size());
    const auto by_gap = [](const ContactPoint& x, const ContactPoint& y) {
      return std::tie(x.gap, x.point.x, x.point.y) < std::tie(y.gap, y.point.x, y.point.y);
    };
    std::sort(contacts.begin(), contacts.end(), by_gap);
    std::sort(expected.begin(), expected.end(), by_gap);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      EXPECT_EQ(contacts[k].gap, expected[k].gap);
      expect_near(contacts[k].point, expected[k].point, 0.0);
      expect_near(contacts[k].normal, expected[k].normal, 0.0);
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(CompoundContacts, BallAndBoxOnADumbbell) {
  const Shape ball = Sphere{0.5}, box = Box{{2.0, 2.0, 0.5}};
  const PlacedShape below{&dumbbell, 1.0, {}};
  const std::vector<ContactPoint> of_ball =
      contacts_of({&ball, 1.0, {{1.0, 0.0, 1.1}, {}}}, below, 0.2);
  ASSERT_EQ(of_ball.size(), 1U);
  EXPECT_EQ(of_ball[0].feature, 1U) << "the second part";
  expect_near(of_ball[0].point, {1.0, 0.0, 0.55}, 1e-15);
  const std::vector<ContactPoint> of_box =
      contacts_of(below, {&box, 1.0, {{0.0, 0.0, 1.1}, {}}}, 0.2);
  ASSERT_EQ(of_box.size(), 2U);
  expect_near(of_box[0].point, {-1.0, 0.0, 0.55}, 1e-15);
  expect_near(of_box[1].normal, {0.0, 0.0, 1.0}, 1e-15);
}

TEST(CompoundContacts, KeepWhatIsThereAlready) {
  std::vector<ContactPoint> contacts(1);
  contacts[0].feature = 99;
  const PlacedShape a{&dumbbell, 1.0, {}};
  collide(a, {&dumbbell, 1.0, {{0.0, 0.0, 0.9}, {}}}, 0.0, contacts);
  ASSERT_EQ(contacts.size(), 3U);
  EXPECT_EQ(contacts[0].feature, 99U);
  collide(a, {&dumbbell, 1.0, {{0.0, 0.0, 9.0}, {}}}, 0.0, contacts);
  EXPECT_EQ(contacts.size(), 3U);
}

TEST(CompoundContacts, WithAMeshAreThoseOfItsParts) {
  const Shape block = Mesh{std::make_shared<const TriangleMesh>(
      test::box_triangles({-2.0, -2.0, -1.0}, {2.0, 2.0, 0.0}))};
  const PlacedShape below{&block, 1.0, {}};
  const PlacedShape above{&mixed, 1.0, {{0.0, 0.0, 0.45}, {}}};
  std::vector<ContactPoint> expected;
  for (const Compound::Part& part : std::get<Compound>(mixed).parts) {
    const Shape one = std::visit([](const auto& s) { return Shape(s); }, part.shape);
    collide({&one, 1.0, above.pose * part.pose}, below, 0.3, expected);
  }

  const std::vector<ContactPoint> down = contacts_of(above, below, 0.3);
  const std::vector<ContactPoint> up = contacts_of(below, above, 0.3);

  ASSERT_EQ(down.size(), expected.size());
  ASSERT_EQ(up.size(), expected.size());
  EXPECT_GE(down.size(), 6U) << "the ball, a corner, and four of the flat box";
  expect_in_order(down, 0.3);
  for (std::size_t k = 0; k < down.size(); ++k) {
    expect_near(down[k].normal, {0.0, 0.0, -1.0}, 1e-12);
    expect_near(up[k].normal, {0.0, 0.0, 1.0}, 1e-12);
    EXPECT_EQ(up[k].gap, down[k].gap);
    EXPECT_EQ(std::count_if(expected.begin(), expected.end(),
                            [&](const ContactPoint& c) { return c.gap == down[k].gap; }),
              std::count_if(down.begin(), down.end(),
                            [&](const ContactPoint& c) { return c.gap == down[k].gap; }));
  }
}

TEST(CompoundContacts, MeshesMeetNeitherMeshesNorPlanes) {
  const Shape mesh = Mesh{std::make_shared<const TriangleMesh>(
      test::box_triangles({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}))};
  const Shape plane = Plane{};
  const PlacedShape a{&mesh, 1.0, {}}, b{&plane, 1.0, {}};
  EXPECT_THROW(contacts_of(a, a, 0.0), std::logic_error);
  EXPECT_THROW(contacts_of(a, b, 0.0), std::logic_error);
  EXPECT_THROW(contacts_of(b, a, 0.0), std::logic_error);
}

TEST(CompoundContacts, MorePartsThanFeaturesHaveNumbersFor) {
  Compound many;
  many.parts.resize(most_compound_parts + 1);
  const Shape shape = many;
  const PlacedShape placed{&shape, 1.0, {}};
  EXPECT_THROW(contacts_of(placed, placed, 0.0), std::logic_error);
}

}  // namespace
}  // namespace talus
