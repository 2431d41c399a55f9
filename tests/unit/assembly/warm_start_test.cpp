// Impulses of the last step by the names of contacts.

#include "assembly/warm_start.hpp"

#include "talus/core/rotation.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

ContactSet contacts_named(const std::vector<ContactName>& names) {
  ContactSet set;
  set.name = names;
  set.gap.assign(names.size(), 0.0);
  set.normal.assign(names.size(), Vec3{0.0, 0.0, 1.0});
  set.impulse.assign(names.size(), Vec3{});
  return set;
}

TEST(WarmStart, NamesakesTakeTheirImpulseAndOthersKeepZero) {
  ContactSet before = contacts_named({{1, 2, {}, 0}, {1, 2, {}, 4}, {2, 5, {1, 0, 0}, 0}});
  before.impulse = {{0.0, 0.0, 1.0}, {0.5, 0.0, 2.0}, {0.0, 0.0, 3.0}};
  ContactSet now = contacts_named(
      {{1, 2, {}, 1}, {1, 2, {}, 4}, {2, 5, {}, 0}, {2, 5, {1, 0, 0}, 0}, {3, 4, {}, 0}});

  EXPECT_EQ(warm_start(before, now), 2);

  EXPECT_EQ(now.impulse[0].z, 0.0);
  EXPECT_EQ(now.impulse[1].x, 0.5);
  EXPECT_EQ(now.impulse[1].z, 2.0);
  EXPECT_EQ(now.impulse[2].z, 0.0) << "another image is another contact";
  EXPECT_EQ(now.impulse[3].z, 3.0);
  EXPECT_EQ(now.impulse[4].z, 0.0);
}

TEST(WarmStart, TheNormalPartTurnsWithTheNormal) {
  ContactSet before = contacts_named({{1, 2, {}, 0}});
  before.impulse = {{0.3, 0.4, 2.0}};
  before.angular_impulse = {{0.1, 0.0, 0.2}};
  ContactSet now = contacts_named({{1, 2, {}, 0}});
  now.angular_impulse.assign(1, Vec3{});
  const Vec3 n = unit({0.1, 0.0, 1.0});
  now.normal = {n};

  warm_start(before, now);

  EXPECT_NEAR(dot(now.impulse[0], n), 2.0, 1e-15);
  EXPECT_NEAR(now.impulse[0].y, 0.4, 1e-15) << "what lies in both planes stays";
  EXPECT_NEAR(dot(now.angular_impulse[0], n), 0.2, 1e-15);
}

TEST(WarmStart, FindsAllNamesakesOfManyContactsInAnyOrder) {
  ContactSet before, now;
  {
    std::vector<ContactName> old_names, names;
    for (GlobalId a = 0; a < 2500; ++a) {
      if (a % 3 != 0) old_names.push_back({a, a + 1, {}, 0});
      if (a % 5 != 0) names.push_back({a, a + 1, {}, 0});
    }
    std::swap(names[40], names[1800]);  // as if joined from two lists
    before = contacts_named(old_names);
    now = contacts_named(names);
  }
  for (std::size_t c = 0; c < before.name.size(); ++c)
    before.impulse[c].z = static_cast<double>(before.name[c].a);

  EXPECT_EQ(warm_start(before, now), 1333);

  for (std::size_t c = 0; c < now.name.size(); ++c) {
    const GlobalId a = now.name[c].a;
    EXPECT_EQ(now.impulse[c].z, a % 3 == 0 ? 0.0 : static_cast<double>(a)) << a;
  }
}

TEST(WarmStart, NothingBeforeIsNoNamesake) {
  ContactSet now = contacts_named({{1, 2, {}, 0}});
  EXPECT_EQ(warm_start(ContactSet{}, now), 0);
  ContactSet none;
  EXPECT_EQ(warm_start(now, none), 0);
}

}  // namespace
}  // namespace talus
