// The world on many ranks against one that every rank follows by itself: bodies that wander, and
// owners that change all the time. Nothing may be lost, copies are what their owners have, every
// contact has one owner, and what travels with bodies arrives.

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"
#include "talus/simulation/simulation.hpp"

#include "model/detection.hpp"
#include "model/row_owners.hpp"
#include "mpi/interposed.hpp"
#include "mpi/wanderers.hpp"
#include "partition/world_share.hpp"
#include "stepping/integrate.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

namespace talus {
namespace {

constexpr double garbage = -1.0;

/// What a joint and a contact remember of a step: any number that tells them apart.
double memory_of(std::int64_t joint, std::int64_t step) {
  return static_cast<double>(joint) + 1e-6 * static_cast<double>(step);
}
Vec3 memory_of(GlobalId a, GlobalId b, std::int64_t step) {
  return {static_cast<double>(a), static_cast<double>(b), static_cast<double>(step)};
}

bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Who owns what until the next balance, as different from the last one as can be.
int owner_by(std::int64_t epoch, GlobalId id, const Vec3& x, int ranks) {
  const auto slab = [&](double place) {
    return std::clamp(static_cast<int>(place * ranks), 0, ranks - 1);
  };
  const double offset = KeyedRandom(31, static_cast<std::uint64_t>(epoch), 0).uniform();
  switch (epoch % 5) {
    case 0:
      return slab(std::fmod(x.x + offset, 1.0));
    case 1:
      return static_cast<int>(
          KeyedRandom(static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(id), 2)
              .below(static_cast<std::uint64_t>(ranks)));
    case 2:
      return static_cast<int>(epoch / 5 % ranks);
    case 3:
      return ranks - 1 - slab(x.z);
    default:
      return x.y < offset ? 0 : ranks - 1;
  }
}

class Wandering {
 public:
  Wandering() : world_(world_of(crowd_, comm_.rank(), comm_.size())), share_(comm_) {
    share_.large_reach = Wanderers::large_reach;
  }

  void run(std::int64_t steps) {
    redistribute();
    for (step_ = 1; step_ <= steps; ++step_) {
      SCOPED_TRACE(testing::Message() << "step " << step_);
      begin();
      detect();
      check_bodies();
      check_contacts();
      finish();
      if (!comm_.all_agree(!testing::Test::HasFailure())) break;
    }
    std::array<std::int64_t, 5> sums{ghosts_, moved_, mirrors_, late_, hub_steps_};
    comm_.sum(sums);
    if (comm_.size() == 1) return;
    // else not all was tested
    for (const std::int64_t count : sums) EXPECT_GT(count, 0);
  }

 private:
  std::vector<double> margins() const {
    std::vector<double> margin;
    for (const Motion motion : world_.bodies.motion)
      margin.push_back(motion == Motion::Fixed ? 0.0 : Wanderers::margin);
    return margin;
  }

  void redistribute() {
    const std::int64_t epoch = step_ / 7;
    moved_ += share_.migrate(
        world_, [&](GlobalId id, const Vec3& x) { return owner_by(epoch, id, x, comm_.size()); });
    detection_.forget();
    check_memory();
    share_.find_ghosts(world_, detection_.search_bounds(world_, margins()));
    ghosts_ += share_.ghost_count();
  }

  /// One body stands still for a while; balances are due.
  void begin() {
    share_.drop_late(world_);
    const auto of_turn = static_cast<std::size_t>(step_ / 60) % crowd_.all.size();
    bool changed = step_ % 7 == 0;
    if (step_ % 60 == 10 || step_ % 60 == 40) {
      Wanderer& one = crowd_.all[of_turn];
      one.fixed = step_ % 60 == 10;
      one.velocity = one.spin = {};
      const Index here = world_.bodies.find(one.id);
      if (here >= 0) {
        const auto b = static_cast<std::size_t>(here);
        world_.bodies.motion[b] = one.fixed ? Motion::Fixed : Motion::Dynamic;
        world_.bodies.velocity[b] = world_.bodies.angular_velocity[b] = {};
      }
      changed = true;
    }
    if (!comm_.all_agree(!(changed || detection_.must_search(world_, margins())))) redistribute();
  }

  /// More rows than one rank keeps have, for some time, one after another of the bodies.
  std::vector<std::int64_t> rows() const {
    std::vector<std::int64_t> rows(world_.bodies.id.size(), 0);
    const auto of_turn = static_cast<std::size_t>(step_ / 100) % crowd_.all.size();
    const Index crowded = world_.bodies.find(crowd_.all[of_turn].id);
    if (step_ % 100 >= 20 && step_ % 100 < 60 && crowded >= 0 && world_.bodies.is_owned(crowded))
      rows[static_cast<std::size_t>(crowded)] = most_rows_of_one_rank + 1;
    return rows;
  }

  void detect() {
    ContactSet found;
    for (;;) {
      detection_.find(world_, margins(), found);
      std::swap(world_.contacts, found);
      std::vector<std::int64_t> counts = rows();
      if (!share_.find_hubs(world_, counts, hub_, {})) break;
      world_.contacts = std::move(found);
      redistribute();
    }
    ContactSet& contacts = world_.contacts;
    for (std::size_t c = 0; c < contacts.gap.size(); ++c)
      contacts.impulse[c] = memory_of(contacts.name[c].a, contacts.name[c].b, step_);
    share_.send_contacts(world_, hub_);
    late_ += world_.bodies.late;
    hub_.resize(world_.bodies.id.size(), 0);
    hub_steps_ += std::count(hub_.begin(), hub_.end(), std::uint8_t{1});
    touches_ = touches_of(crowd_);
  }

  /// Of ghosts too: bit for bit what everybody knows where they are.
  void check_bodies() {
    const BodySet& bodies = world_.bodies;
    for (std::size_t b = 0; b < bodies.id.size(); ++b) {
      if (bodies.id[b] == 0) continue;
      const Wanderer& one = crowd_.all[static_cast<std::size_t>(bodies.id[b] - 1)];
      const Quaternion &q = bodies.orientation[b], &p = one.orientation;
      const bool alike = same(bodies.position[b], one.position) &&
                         same(bodies.velocity[b], one.velocity) &&
                         same(bodies.angular_velocity[b], one.spin) && q.w == p.w && q.x == p.x &&
                         q.y == p.y && q.z == p.z;
      EXPECT_TRUE(alike) << "body " << bodies.id[b]
                         << (b < static_cast<std::size_t>(bodies.owned) ? " (owned)" : " (ghost)");
    }
    BodyLedger ledger = ledger_of(bodies);
    std::array<std::int64_t, 1> count{ledger.count};
    comm_.sum(count);
    EXPECT_EQ(count[0], static_cast<std::int64_t>(crowd_.all.size()) + 1);
    std::vector<double> terms;
    for (const Wanderer& one : crowd_.all)
      if (!one.fixed) terms.push_back(one.mass * one.velocity.x);
    EXPECT_EQ(momenta_of(world_, comm_).linear.x, exact_sum(Communicator::self(), terms));
  }

  Touch touch_of(std::size_t c) const {
    const ContactName& name = world_.contacts.name[c];
    return {name.a, name.b, name.image[0], name.image[1]};
  }

  void check_contacts() {
    const RowOwners owners(world_.bodies, hub_);
    const ContactSet& contacts = world_.contacts;
    std::vector<Touch> mine;
    std::set<Touch> here;
    for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
      const Index a = contacts.body_a[c], b = contacts.body_b[c];
      ASSERT_TRUE(a >= 0 && b >= 0);
      EXPECT_EQ(world_.bodies.id[static_cast<std::size_t>(a)], contacts.name[c].a);
      EXPECT_EQ(world_.bodies.id[static_cast<std::size_t>(b)], contacts.name[c].b);
      EXPECT_TRUE(
          same(contacts.impulse[c], memory_of(contacts.name[c].a, contacts.name[c].b, step_)));
      here.insert(touch_of(c));
      if (owners.owned(a, b)) mine.push_back(touch_of(c));
      mirrors_ += owners.kept(a, b) && !owners.owned(a, b) ? 1 : 0;
    }
    std::vector<Touch> owned;
    const std::vector<Bytes> to_each(static_cast<std::size_t>(comm_.size()), to_bytes(mine));
    for (const Bytes& bytes : comm_.all_to_all(to_each))
      for (const Touch& one : from_bytes<Touch>(bytes)) owned.push_back(one);
    std::sort(owned.begin(), owned.end());
    EXPECT_EQ(owned.size(), touches_.size());
    EXPECT_TRUE(owned == touches_) << "contacts are not owned once each";
    // and whoever sums the rows of a body has all of them
    for (const Touch& one : touches_) {
      const Index a = world_.bodies.find(one.a), b = world_.bodies.find(one.b);
      const auto sums = [&](Index body) {
        return body >= 0 && world_.bodies.is_owned(body) && owners.binds(body);
      };
      if (sums(a) || sums(b)) {
        EXPECT_TRUE(here.contains(one)) << one.a << ", " << one.b;
      }
    }
  }

  /// As a solve and the integration leave it: this rank knows what it keeps, and nothing else.
  void finish() {
    BodySet& bodies = world_.bodies;
    ContactSet& contacts = world_.contacts;
    const RowOwners owners(bodies, hub_);
    for (std::size_t c = 0; c < contacts.gap.size(); ++c)
      if (!owners.kept(contacts.body_a[c], contacts.body_b[c]))
        contacts.impulse[c] = {garbage, garbage, garbage};
    const auto moved_here = [&](GlobalId id) {
      const Index body = id == world_id ? Index{-1} : bodies.find(id);
      return body >= 0 && bodies.is_owned(body) &&
             bodies.motion[static_cast<std::size_t>(body)] == Motion::Dynamic;
    };
    const auto stands = [&](GlobalId id) {
      const Index body = id == world_id ? Index{-1} : bodies.find(id);
      return id == world_id ||
             (body >= 0 && bodies.motion[static_cast<std::size_t>(body)] == Motion::Fixed);
    };
    for (std::size_t j = 0; j < world_.joints.size(); ++j) {
      Joint& joint = world_.joints[j];
      const bool known = moved_here(joint.body_a) || moved_here(joint.body_b) ||
                         (stands(joint.body_a) && stands(joint.body_b));
      joint.angle = joint.impulse[1] = joint.reaction_torque.z =
          known ? memory_of(static_cast<std::int64_t>(j), step_) : garbage;
    }
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (bodies.motion[b] != Motion::Dynamic) continue;
      Wanderer one;
      one.id = bodies.id[b];
      one.position = bodies.position[b];
      Wanderers::walk(one, step_);
      bodies.position[b] = one.position;
      bodies.velocity[b] = one.velocity;
      bodies.angular_velocity[b] = one.spin;
      bodies.orientation[b] = one.orientation;
    }
    crowd_.walk(step_);
    std::vector<Shift> shifts = wrap(world_);
    crowd_.bring_back();
    share_.refresh(world_, shifts);
    shift_images(world_, shifts);
    share_.share_rows_of_everywhere(world_, hub_);
  }

  /// After a migration, before new contacts are found: what the last step has left is where its
  /// bodies are now.
  void check_memory() {
    if (touches_.empty()) return;
    const BodySet& bodies = world_.bodies;
    const auto is_common = [&](GlobalId id) {
      const Index body = bodies.find(id);
      return body >= 0 && bodies.residence[static_cast<std::size_t>(body)] != Residence::Local;
    };
    const auto is_mine = [&](GlobalId id) {
      const Index body = id == world_id ? Index{-1} : bodies.find(id);
      return body >= 0 && bodies.is_owned(body) && !is_common(id);
    };
    // of this step where a body has become a hub in it
    std::map<std::pair<GlobalId, GlobalId>, Vec3> impulses;
    for (std::size_t c = 0; c < world_.contacts.gap.size(); ++c)
      impulses[{world_.contacts.name[c].a, world_.contacts.name[c].b}] = world_.contacts.impulse[c];
    for (const Touch& one : touches_) {
      if (!is_mine(one.a) && !is_mine(one.b) && !(is_common(one.a) && is_common(one.b))) continue;
      const auto found = impulses.find({one.a, one.b});
      ASSERT_TRUE(found != impulses.end()) << one.a << ", " << one.b;
      EXPECT_TRUE(same(found->second, memory_of(one.a, one.b, step_ - 1)))
          << one.a << ", " << one.b << ": " << found->second.z;
    }
    for (std::size_t j = 0; j < world_.joints.size(); ++j) {
      const Joint& joint = world_.joints[j];
      if (!is_mine(joint.body_a) && !is_mine(joint.body_b)) continue;
      const double wanted = memory_of(static_cast<std::int64_t>(j), step_ - 1);
      EXPECT_EQ(joint.angle, wanted) << joint.body_a << ", " << joint.body_b;
      EXPECT_EQ(joint.impulse[1], wanted);
      EXPECT_EQ(joint.reaction_torque.z, wanted);
    }
  }

  const Communicator comm_ = Communicator::world();
  Wanderers crowd_;
  World world_;
  WorldShare share_;
  Detection detection_;
  std::vector<std::uint8_t> hub_;
  std::vector<Touch> touches_;  ///< of the last step
  std::int64_t step_ = 0;
  std::int64_t ghosts_ = 0, moved_ = 0, mirrors_ = 0, late_ = 0, hub_steps_ = 0;
};

/// Bodies of all ranks go to the next one; the first message that has two bodies or more is spoiled
/// by `how`, which gets the first two of them. What the migration says of it.
std::string fault_when_spoiled(const std::function<void(StoredBody&, StoredBody&)>& how) {
  const Communicator comm = Communicator::world();
  World world = world_of(Wanderers(), comm.rank(), comm.size());
  WorldShare share(comm);
  bool done = comm.rank() != 0;
  spoil_messages([&](std::byte* data, std::int64_t bytes) {
    constexpr std::size_t one = sizeof(StoredBody);
    std::byte* spheres = data + sizeof(std::int64_t) + one;  // behind their number and the floor
    if (done || bytes < static_cast<std::int64_t>(sizeof(std::int64_t) + 3 * one)) return;
    std::array<StoredBody, 2> first;
    std::memcpy(static_cast<void*>(first.data()), spheres, 2 * one);
    how(first[0], first[1]);
    std::memcpy(spheres, static_cast<const void*>(first.data()), 2 * one);
    done = true;
  });
  std::string said;
  try {
    share.migrate(
        world, [&](GlobalId id, const Vec3&) { return static_cast<int>((id + 1) % comm.size()); });
  } catch (const MigrationFault& fault) {
    said = fault.what();
  }
  spoil_messages({});
  EXPECT_TRUE(comm.all_agree(!said.empty()));
  return said;
}

TEST(Migration, NamesABodyThatIsLost) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "nothing travels";
  GlobalId lost = 0, doubled = 0;
  Vec3 place;
  const std::string said = fault_when_spoiled([&](StoredBody& a, StoredBody& b) {
    lost = b.body.id;
    doubled = a.body.id;
    place = b.body.pose.position;
    b = a;
  });
  if (Communicator::world().rank() != 0) return;
  EXPECT_NE(said.find(fmt::format("131 before, 131 after; lost: {}; doubled or unknown: {};", lost,
                                  doubled)),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(fmt::format("body {}, position ({:.6g}, {:.6g}, {:.6g}) m, velocity (0, 0, 0)"
                                  " m/s, last contacts with none",
                                  lost, place.x, place.y, place.z)),
            std::string::npos)
      << said;
}

TEST(Migration, NamesABodyWhoseIdIsSpoiled) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "nothing travels";
  GlobalId lost = 0;
  const std::string said = fault_when_spoiled([&](StoredBody&, StoredBody& b) {
    lost = b.body.id;
    b.body.id = 777777;
  });
  if (Communicator::world().rank() != 0) return;
  EXPECT_NE(said.find(fmt::format("lost: {}; doubled or unknown: 777777; changed: none", lost)),
            std::string::npos)
      << said;
}

TEST(Migration, NamesABodyOfWhichABitHasChanged) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "nothing travels";
  GlobalId changed = 0;
  const std::string said = fault_when_spoiled([&](StoredBody&, StoredBody& b) {
    changed = b.body.id;
    b.body.velocity.y = -b.body.velocity.y;  // the sign of a zero
  });
  if (Communicator::world().rank() != 0) return;
  EXPECT_NE(said.find(fmt::format("lost: none; doubled or unknown: none; changed: {};", changed)),
            std::string::npos)
      << said;
}

TEST(Migration, LosesNothingOnTheWay) {
  Wandering().run(300);
}
TEST(NightlyMigration, LosesNothingOnALongWay) {
  Wandering().run(10000);
}

}  // namespace
}  // namespace talus
