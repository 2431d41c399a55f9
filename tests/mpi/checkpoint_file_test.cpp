// Checkpoints: written by some ranks, read by others; all that is in them comes back.

#include "talus/io/checkpoint_file.hpp"

#include "talus/core/error.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/io/state_file.hpp"
#include "talus/problem/body_problem.hpp"

#include "generate/random.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/hdf5.hpp"
#include "mpi/shared_folder.hpp"
#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

using support::example_scene;
using support::SceneFolder;
using test::agreed_message;
using test::bytes_of;
using test::SharedFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The example of the interface, with what happens later in a run.
Checkpoint own_facts() {
  const SceneFolder files;
  Checkpoint facts;
  facts.scene_text = "talus: 1\n# \"text\" of umlauts \xc3\xa4\n";
  facts.scene = read_scene(files.write("pile.yaml", example_scene()), {});
  facts.world = std::move(facts.scene.world);
  facts.world.bodies = {};
  facts.world.contacts = {};
  facts.scene.world = {};
  facts.scene.events.at(0).done = true;
  facts.scene.notes = {"a note"};
  World& world = facts.world;
  world.time = 0.1 + 0.2;
  world.step = 300;
  world.next_id = 4711;
  world.removed = 3;
  world.gravity[0] = Expression("a*sin(t)", {{"a", 0.3}}, {"t"});
  Joint& axle = world.joints.at(0);
  axle.angle = -0.0;
  axle.on = false;
  axle.impulse[0] = 1e-300;
  facts.settings = {.scheme = Scheme::Spook,
                    .h = 1e-3,
                    .tick = 1e-5,
                    .ticks = 100,
                    .stabilisation = 0.2,
                    .recovery_speed = infinite,
                    .recovery_size = 0.01,
                    .bounce_speed = 0.004,
                    .damping_time = 1e-7};
  facts.tolerance = 1.0 / 3.0;
  facts.law = "box";
  facts.simulation = packed(std::string("what the simulation keeps"));
  facts.program = packed(std::string("what the program keeps"));
  return facts;
}

/// Those of rank 0, on all ranks: each rank's file of the scene has another name.
Checkpoint some_facts(const Communicator& comm) {
  Checkpoint facts;
  if (comm.rank() == 0) facts = own_facts();
  Bytes bytes = packed(facts);
  comm.broadcast(bytes, 0);
  return comm.rank() == 0 ? facts : unpacked<Checkpoint>(bytes);
}

Vec3 vector_of(KeyedRandom& random) {
  return {random.uniform(-1.0, 1.0), -0.0, 1e-310 * random.uniform()};
}

StoredBody body_of(GlobalId place) {
  KeyedRandom random(5, static_cast<std::uint64_t>(place), 0);
  StoredBody one;
  one.body = {3 * place,
              static_cast<Motion>(random.below(3)),
              static_cast<Index>(random.below(2)),
              random.uniform(0.5, 2.0),
              static_cast<Index>(random.below(2)),
              static_cast<Index>(random.below(5)),
              random.uniform(),
              {random.uniform(), 0.1, -0.2, random.uniform(), -0.0, 3.0},
              {vector_of(random), {0.5, -0.5, 0.1, random.uniform()}},
              vector_of(random),
              vector_of(random)};
  if (place % 4 == 1) {
    one.body.mass = infinite;
    one.body.inertia = {infinite, 0.0, 0.0, infinite, 0.0, infinite};
  }
  return one;
}

StoredContact contact_of(GlobalId place) {
  KeyedRandom random(6, static_cast<std::uint64_t>(place), 0);
  const auto image =
      static_cast<std::int8_t>(place % 5 == 0 ? -128 : static_cast<int>(random.below(256)) - 128);
  return {{place / 7,
           place,
           {image, 127, static_cast<std::int8_t>(-image / 2)},
           ~static_cast<std::uint32_t>(place)},
          vector_of(random),
          vector_of(random),
          random.uniform(-1.0, 1.0),
          vector_of(random),
          vector_of(random)};
}

/// With a slice of so many bodies and contacts.
Checkpoint with_slice(Checkpoint share, const Communicator& comm, GlobalId bodies,
                      GlobalId contacts) {
  share.total_bodies = bodies;
  share.total_contacts = contacts;
  const SliceRange of_bodies = slice_range(bodies, comm.rank(), comm.size());
  for (GlobalId i = of_bodies.first; i < of_bodies.last; ++i) share.bodies.push_back(body_of(i));
  const SliceRange of_contacts = slice_range(contacts, comm.rank(), comm.size());
  for (GlobalId i = of_contacts.first; i < of_contacts.last; ++i)
    share.contacts.push_back(contact_of(i));
  return share;
}

/// Bit by bit: packed, -0 is not 0.
Bytes bits_of(const StoredBody& one) {
  NewBody b = one.body;
  Packer packer;
  packer(b.id, b.motion, b.shape, b.scale, b.material, b.group, b.mass, b.inertia, b.pose,
         b.velocity, b.angular_velocity);
  return packer.take();
}
Bytes bits_of(StoredContact c) {
  Packer packer;
  packer(c.name.a, c.name.b, c.name.image, c.name.feature, c.point, c.normal, c.gap, c.impulse,
         c.angular_impulse);
  return packer.take();
}

void expect_same(const Checkpoint& got, const Checkpoint& want) {
  EXPECT_TRUE(packed(got) == packed(want));
  EXPECT_EQ(got.total_bodies, want.total_bodies);
  EXPECT_EQ(got.total_contacts, want.total_contacts);
  ASSERT_EQ(got.bodies.size(), want.bodies.size());
  ASSERT_EQ(got.contacts.size(), want.contacts.size());
  for (std::size_t i = 0; i < got.bodies.size(); ++i) {
    EXPECT_EQ(bits_of(got.bodies[i]), bits_of(want.bodies[i])) << "body " << i;
    const NewBody& body = got.bodies[i].body;
    EXPECT_EQ(got.bodies[i].reach,
              reach_of(want.world.shapes[static_cast<std::size_t>(body.shape)], body.scale));
  }
  for (std::size_t i = 0; i < got.contacts.size(); ++i)
    EXPECT_EQ(bits_of(got.contacts[i]), bits_of(want.contacts[i])) << "contact " << i;
}

class CheckpointOnRanks : public testing::Test {
 protected:
  const SharedFolder folder_;
  const Communicator& world_ = folder_.world;
};

TEST_F(CheckpointOnRanks, GivesBackEveryBitOnAnyRanks) {
  const Checkpoint facts = some_facts(world_);
  for (const auto& counts : {std::pair{101, 257}, std::pair{2, 0}, std::pair{0, 0}}) {
    const int bodies = counts.first, contacts = counts.second;
    const std::string together = folder_.file("together.h5"), alone = folder_.file("alone.h5");

    write_checkpoint(together, with_slice(facts, world_, bodies, contacts), world_);
    folder_.on_rank_0([&] {
      const Communicator self = Communicator::self();
      write_checkpoint(alone, with_slice(facts, self, bodies, contacts), self);
    });
    const Checkpoint here = read_checkpoint(alone, world_),
                     whole = read_checkpoint(together, Communicator::self());

    EXPECT_TRUE(bytes_of(together) == bytes_of(alone));
    expect_same(here, with_slice(facts, world_, bodies, contacts));
    expect_same(whole, with_slice(facts, Communicator::self(), bodies, contacts));
    EXPECT_EQ(folder_.entries(), 2U);
    world_.barrier();
  }
}

TEST_F(CheckpointOnRanks, GivesBackWhatExpressionsShapesAndPairsDo) {
  const Checkpoint facts = some_facts(world_);
  const std::string path = folder_.file("c.h5");
  write_checkpoint(path, with_slice(facts, world_, 1, 0), world_);

  const World world = read_checkpoint(path, world_).world;

  EXPECT_EQ(world.gravity[0].at(0.7), facts.world.gravity[0].at(0.7));
  ASSERT_EQ(world.shapes.size(), facts.world.shapes.size());
  int meshes = 0;
  for (std::size_t s = 0; s < world.shapes.size(); ++s) {
    const auto* got = std::get_if<Mesh>(&world.shapes[s]);
    const auto* want = std::get_if<Mesh>(&facts.world.shapes[s]);
    ASSERT_EQ(got == nullptr, want == nullptr);
    if (got == nullptr) continue;
    ++meshes;
    EXPECT_EQ(got->triangles->triangles(), want->triangles->triangles());
    ASSERT_EQ(got->triangles->vertices().size(), want->triangles->vertices().size());
    for (std::size_t v = 0; v < got->triangles->vertices().size(); ++v) {
      EXPECT_EQ(got->triangles->vertices()[v].x, want->triangles->vertices()[v].x);
      EXPECT_EQ(got->triangles->vertices()[v].z, want->triangles->vertices()[v].z);
    }
  }
  EXPECT_GE(meshes, 1);
  EXPECT_EQ(world.materials.pair(0, 1).friction, facts.world.materials.pair(0, 1).friction);
}

/// Writes version + 1 into a checkpoint and seals it again.
void make_newer(const std::string& path, const std::string& newer) {
  constexpr std::uintmax_t length_of_seal = 24;
  std::filesystem::copy_file(path, newer);
  std::filesystem::resize_file(newer, std::filesystem::file_size(newer) - length_of_seal);
  const hid_t file = H5Fopen(newer.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(file, 0);
  const std::int64_t number = io::checkpoint_version + 1;
  EXPECT_GE(H5Adelete_by_name(file, "/checkpoint", "version", H5P_DEFAULT), 0);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t version = H5Acreate_by_name(file, "/checkpoint", "version", H5T_NATIVE_INT64, space,
                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(version, H5T_NATIVE_INT64, &number), 0);
  H5Aclose(version);
  H5Sclose(space);
  H5Fclose(file);
  io::put_seal(Communicator::self(), newer, newer);
}

TEST_F(CheckpointOnRanks, OfAnotherVersionIsRefusedByName) {
  const std::string path = folder_.file("c.h5"), newer = folder_.file("newer.h5");
  write_checkpoint(path, with_slice(some_facts(world_), world_, 10, 10), world_);
  folder_.on_rank_0([&] { make_newer(path, newer); });

  const std::string message = agreed_message(world_, [&] { read_checkpoint(newer, world_); });

  EXPECT_THAT(message, AllOf(HasSubstr(newer),
                             HasSubstr(fmt::format("version {}", io::checkpoint_version + 1)),
                             HasSubstr(fmt::format("reads version {}", io::checkpoint_version))));
}

/// On two ranks the second one begins with the id that the first one ends with.
TEST_F(CheckpointOnRanks, IdsMustGrowFromRankToRank) {
  const std::string path = folder_.file("c.h5");
  Checkpoint share = with_slice(some_facts(world_), world_, 10, 0);
  for (StoredBody& one : share.bodies)
    if (one.body.id == 3 * 5) one.body.id = 3 * 4;
  write_checkpoint(path, share, world_);

  EXPECT_THAT(agreed_message(world_, [&] { read_checkpoint(path, world_); }),
              HasSubstr("/bodies/id: 12 after 12: ids must grow"));
}

/// Of one rank or of all, bodies or contacts, or another number of them.
TEST_F(CheckpointOnRanks, OfSlicesThatAreNoneNothingIsWritten) {
  const std::string path = folder_.file("c.h5");
  const Checkpoint good = with_slice(some_facts(world_), world_, 10, 20);
  const bool is_first = world_.rank() == 0;
  const auto told = [&](const Checkpoint& share) {
    return agreed_message(world_, [&] { write_checkpoint(path, share, world_); });
  };
  Checkpoint share = good;
  if (is_first) share.bodies.pop_back();
  EXPECT_THAT(told(share), HasSubstr("the checkpoint has 10 bodies and 20 contacts, the slices of "
                                     "the ranks have 9 and 20: each rank gives its own slice"));
  share = good;
  if (is_first) share.contacts.push_back(share.contacts.back());
  EXPECT_THAT(told(share), HasSubstr("have 10 and 21"));
  share = good;
  if (is_first) ++share.total_bodies;
  EXPECT_THAT(told(share),
              HasSubstr(world_.size() > 1 ? "the checkpoint: the ranks do not say the same number "
                                            "of bodies"
                                          : "the checkpoint has 11 bodies and 20 contacts"));
  const std::vector<StoredBody> none;
  EXPECT_THAT(agreed_message(
                  world_, [&] { write_state(folder_.file("s.h5"), good.world, none, 10, world_); }),
              HasSubstr("the state has 10 bodies, the slices of the ranks have 0"));
  EXPECT_EQ(folder_.entries(), 0U);
  write_checkpoint(path, good, world_);
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(CheckpointOnRanks, ThatCannotBeWrittenLeavesTheOldOne) {
  const std::string path = folder_.file("c.h5");
  write_checkpoint(path, with_slice(some_facts(world_), world_, 10, 10), world_);
  const std::string before = bytes_of(path);
  const std::string none = folder_.file("none/c.h5");

  EXPECT_THAT(
      agreed_message(
          world_,
          [&] { write_checkpoint(none, with_slice(some_facts(world_), world_, 1, 1), world_); }),
      HasSubstr(none));

  EXPECT_TRUE(bytes_of(path) == before);
  EXPECT_EQ(folder_.entries(), 1U);
}

}  // namespace
}  // namespace talus
