// Contacts on their way to a file and back: none is lost or doubled, and each comes to where its
// bodies are.

#include "talus/core/error.hpp"
#include "talus/problem/body_problem.hpp"

#include "generate/random.hpp"
#include "model/row_owners.hpp"
#include "partition/state_slice.hpp"
#include "partition/world_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <tuple>

namespace talus {
namespace {

constexpr GlobalId bodies = 240;
constexpr double large = 1.0;

/// Some stand still, some are large: all ranks have those.
StoredBody body_of(GlobalId id) {
  KeyedRandom random(8, static_cast<std::uint64_t>(id), 0);
  StoredBody one;
  one.body.id = id;
  one.body.motion = id % 17 == 3 ? Motion::Fixed : Motion::Dynamic;
  one.body.mass = 1.0;
  one.body.inertia = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
  one.body.pose.position = {random.uniform(), random.uniform(), random.uniform()};
  one.reach = id % 23 == 5 ? 2.0 * large : 0.1;
  return one;
}

bool is_common(GlobalId id) {
  const StoredBody one = body_of(id);
  return one.body.motion != Motion::Dynamic || one.reach > large;
}

/// In the order of names; numbers by which they are told apart.
std::vector<StoredContact> all_contacts() {
  std::vector<StoredContact> all;
  for (GlobalId a = 0; a < bodies; ++a)
    for (GlobalId b = a + 1; b < bodies; ++b) {
      KeyedRandom random(9, static_cast<std::uint64_t>(a * bodies + b), 0);
      const bool still =
          body_of(a).body.motion != Motion::Dynamic && body_of(b).body.motion != Motion::Dynamic;
      if (still || !random.chance(is_common(a) || is_common(b) ? 0.3 : 0.03)) continue;
      const std::uint64_t points = 1 + random.below(3);
      for (std::uint64_t point = 0; point < points; ++point) {
        StoredContact one;
        one.name = {
            a, b, {0, static_cast<std::int8_t>(point % 2), 0}, static_cast<std::uint32_t>(point)};
        one.point = random.direction();
        one.normal = random.direction();
        one.gap = random.uniform();
        one.impulse = random.direction();
        one.angular_impulse = random.direction();
        all.push_back(one);
      }
    }
  return all;
}

bool same(const StoredContact& x, const StoredContact& y) {
  const auto same_vector = [](const Vec3& a, const Vec3& b) {
    using Bits = std::array<std::uint64_t, 3>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  };
  return x.name == y.name && same_vector(x.point, y.point) && same_vector(x.normal, y.normal) &&
         x.gap == y.gap && same_vector(x.impulse, y.impulse) &&
         same_vector(x.angular_impulse, y.angular_impulse);
}

class ContactsOnRanks : public testing::Test {
 protected:
  /// As after reading a file: a slice of the bodies, any share of the contacts.
  void read(std::uint64_t seed) {
    world_ = World{};
    world_.bodies.rank = comm_.rank();
    const SliceRange mine = slice_range(bodies, comm_.rank(), comm_.size());
    for (GlobalId id = mine.first; id < mine.last; ++id) {
      StoredBody one = body_of(id);
      one.owner = comm_.rank();
      append_stored(world_.bodies, one);
    }
    world_.bodies.owned = world_.bodies.count();
    share_.large_reach = large;
    share_.rolling = true;
    std::vector<StoredContact> some;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (KeyedRandom(seed, i, 1).below(static_cast<std::uint64_t>(comm_.size())) ==
          static_cast<std::uint64_t>(comm_.rank()))
        some.push_back(all_[i]);
    share_.take_contacts(world_, some);
  }
  std::set<ContactName> names_here() const {
    std::set<ContactName> names(world_.contacts.name.begin(), world_.contacts.name.end());
    EXPECT_EQ(names.size(), world_.contacts.name.size()) << "one of them twice";
    return names;
  }
  bool owns(GlobalId id) const {
    const Index here = world_.bodies.find(id);
    return here >= 0 && world_.bodies.is_owned(here);
  }

  const Communicator comm_ = Communicator::world();
  const std::vector<StoredContact> all_ = all_contacts();
  World world_;
  WorldShare share_{comm_};
};

TEST_F(ContactsOnRanks, ComeToTheOwnersOfTheirBodies) {
  read(1);
  const std::set<ContactName> here = names_here();
  for (const StoredContact& one : all_) {
    const bool wanted = (owns(one.name.a) && !is_common(one.name.a)) ||
                        (owns(one.name.b) && !is_common(one.name.b));
    if (wanted) {
      EXPECT_EQ(here.count(one.name), 1U) << one.name.a << " and " << one.name.b;
    }
  }
}

TEST_F(ContactsOnRanks, GoThroughMigrationAndComeOutInOrder) {
  std::vector<StoredContact> wanted = all_;
  std::sort(wanted.begin(), wanted.end(), [](const StoredContact& x, const StoredContact& y) {
    return std::tie(x.name.b, x.name) < std::tie(y.name.b, y.name);
  });
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    read(seed);
    share_.migrate(world_, [&](GlobalId id, const Vec3&) {
      return static_cast<int>(KeyedRandom(seed, static_cast<std::uint64_t>(id), 2)
                                  .below(static_cast<std::uint64_t>(comm_.size())));
    });
    const std::set<ContactName> here = names_here();
    for (const StoredContact& one : all_) {
      const bool mine = (owns(one.name.a) && !is_common(one.name.a)) ||
                        (owns(one.name.b) && !is_common(one.name.b));
      if (mine) {
        EXPECT_EQ(here.count(one.name), 1U) << one.name.a << " and " << one.name.b;
      }
    }

    share_.find_ghosts(world_, std::vector<Bounds>(static_cast<std::size_t>(world_.bodies.owned),
                                                   Bounds{{-1.0, -1.0, -1.0}, {2.0, 2.0, 2.0}}));
    const ContactSlice slice = contact_slice(comm_, world_);

    EXPECT_EQ(slice.total, static_cast<GlobalId>(wanted.size()));
    const SliceRange range = slice_range(slice.total, comm_.rank(), comm_.size());
    ASSERT_EQ(slice.contacts.size(), static_cast<std::size_t>(range.count()));
    for (GlobalId i = range.first; i < range.last; ++i)
      EXPECT_TRUE(same(slice.contacts[static_cast<std::size_t>(i - range.first)],
                       wanted[static_cast<std::size_t>(i)]))
          << "contact " << i;
  }
}

TEST_F(ContactsOnRanks, WithoutAnyAreNone) {
  const std::vector<StoredContact> none;
  share_.take_contacts(world_, none);
  EXPECT_EQ(contact_slice(comm_, world_).total, 0);
}

}  // namespace
}  // namespace talus
