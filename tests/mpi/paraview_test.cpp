// Frames that several ranks write: the bytes of one rank where one writes for all, and all rows
// where several do.

#include "io/paraview_writer.hpp"
#include "mpi/full_disk.hpp"
#include "mpi/shared_folder.hpp"
#include "simulation/contact_forces.hpp"
#include "support/cut_world.hpp"
#include "support/pile.hpp"
#include "support/vtk_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <set>

namespace talus {
namespace {

using support::cut_world;
using support::VtkReader;
using test::bytes_of;

/// All that does not say which rank had it.
ParaViewSettings everything_but_ranks() {
  ParaViewSettings settings;
  std::erase(settings.bodies, "rank");
  settings.contacts = paraview_contact_fields;
  return settings;
}

const std::vector<std::string>& parts() {
  return paraview_parts;
}

struct Cut {
  const char* name;
  std::function<int(GlobalId, int)> owner;  ///< of body and number of ranks
};

const std::vector<Cut>& cuts() {
  static const std::vector<Cut> all{
      {"in turn", [](GlobalId id, int ranks) { return static_cast<int>(id) % ranks; }},
      {"all on the last", [](GlobalId, int ranks) { return ranks - 1; }},
      {"scattered",
       [](GlobalId id, int ranks) { return static_cast<int>(id * 7919 % 101) % ranks; }}};
  return all;
}

TEST(ParaViewOnRanks, OneWriterLeavesTheBytesOfOneRank) {
  const test::SharedFolder folder;
  const World whole = support::settled_pile();
  const double h = support::step_of_pile;
  folder.on_rank_0([&] {
    ParaViewWriter alone(folder.file("alone"), everything_but_ranks(), Communicator::self());
    alone.write(whole, contact_forces(whole, h));
  });
  for (const Cut& cut : cuts()) {
    SCOPED_TRACE(cut.name);
    const std::string name = folder.file(std::string("shared ") + cut.name);
    const World mine = cut_world(
        whole, [&](GlobalId id) { return cut.owner(id, folder.world.size()); },
        folder.world.rank());
    ParaViewSettings settings = everything_but_ranks();
    settings.ranks_per_file = 100;
    ParaViewWriter writer(name, settings, folder.world);
    writer.write(mine, contact_forces(mine, h));
    folder.on_rank_0([&] {
      EXPECT_EQ(bytes_of(name + "/run.pvd"), bytes_of(folder.file("alone/run.pvd")));
      for (const std::string& part : parts()) {
        const std::string file = fmt::format("/{}_{:09}.vtp", part, whole.step);
        EXPECT_EQ(bytes_of(name + file), bytes_of(folder.file("alone" + file))) << part;
      }
    });
  }
}

/// The files of one part of a frame: the piece of each group that has one.
std::vector<std::pair<int, VtkReader>> pieces_of(const std::string& stem, int groups) {
  std::vector<std::pair<int, VtkReader>> pieces;
  for (int group = 0; group < groups; ++group) {
    const std::string file = (groups == 1 ? stem : fmt::format("{}_{:04}", stem, group)) + ".vtp";
    if (std::ifstream(file)) pieces.emplace_back(group, VtkReader(file));
  }
  if (groups == 1) return pieces;
  const std::string list = bytes_of(stem + ".pvtp");
  std::size_t named = 0;
  for (std::size_t at = list.find("<Piece"); at != std::string::npos;
       at = list.find("<Piece", at + 1))
    ++named;
  EXPECT_GE(named, 1U);
  EXPECT_LE(named, pieces.size()) << "a file of no rows need not be named";
  return pieces;
}

/// Every bounded body once, in the file of its owner's group.
void expect_all_bodies(const std::string& stem, const World& whole, int groups, int each,
                       const std::function<int(GlobalId)>& owner) {
  std::vector<std::int64_t> ids, wanted;
  for (const auto& [group, piece] : pieces_of(stem, groups)) {
    const auto found = piece.array<std::int64_t>("id");
    const auto ranks = piece.array<std::int32_t>("rank");
    EXPECT_EQ(piece.count("NumberOfPoints"), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(ranks[i], owner(found[i]));
      EXPECT_EQ(ranks[i] / each, group);
      ids.push_back(found[i]);
    }
  }
  std::sort(ids.begin(), ids.end());
  for (std::size_t b = 0; b < whole.bodies.id.size(); ++b)
    if (std::isfinite(whole.bodies.reach[b])) wanted.push_back(whole.bodies.id[b]);
  EXPECT_EQ(ids, wanted);
}

/// Every contact once.
void expect_all_contacts(const std::string& stem, const World& whole, int groups) {
  std::vector<std::pair<std::int64_t, std::int64_t>> names, wanted;
  for (const auto& [group, piece] : pieces_of(stem, groups)) {
    const auto a = piece.array<std::int64_t>("body_a"), b = piece.array<std::int64_t>("body_b");
    EXPECT_EQ(piece.count("NumberOfLines"), a.size());
    for (std::size_t c = 0; c < a.size(); ++c) names.emplace_back(a[c], b[c]);
  }
  std::sort(names.begin(), names.end());
  for (const ContactName& contact : whole.contacts.name) wanted.emplace_back(contact.a, contact.b);
  EXPECT_EQ(names, wanted);
}

TEST(ParaViewOnRanks, SeveralWritersLeaveEveryRowOnce) {
  const test::SharedFolder folder;
  const World whole = support::settled_pile();
  const int size = folder.world.size();
  for (const int each : {1, 2})
    for (const Cut& cut : cuts()) {
      SCOPED_TRACE(fmt::format("{}, {} ranks to a file", cut.name, each));
      const auto owner = [&](GlobalId id) { return cut.owner(id, size); };
      const std::string name = folder.file(fmt::format("{} {}", cut.name, each));
      const World mine = cut_world(whole, owner, folder.world.rank());
      ParaViewSettings settings;
      settings.contacts = {"bodies"};
      settings.ranks_per_file = each;
      ParaViewWriter writer(name, settings, folder.world);
      writer.write(mine, contact_forces(mine, support::step_of_pile));
      folder.on_rank_0([&] {
        const int groups = (size + each - 1) / each;
        const auto stem = [&](const char* part) {
          return fmt::format("{}/{}_{:09}", name, part, whole.step);
        };
        expect_all_bodies(stem("bodies"), whole, groups, each, owner);
        expect_all_contacts(stem("contacts"), whole, groups);
      });
    }
}

TEST(ParaViewOnRanks, AWorldWithoutBodiesHasFilesThatRead) {
  const test::SharedFolder folder;
  World empty;
  empty.materials.add({"stone", 1000.0});
  ParaViewSettings settings;
  settings.ranks_per_file = 1;
  ParaViewWriter writer(folder.file("none"), settings, folder.world);

  writer.write(empty, contact_forces(empty, 0.01));

  folder.on_rank_0([&] {
    for (const std::string& part : parts()) {
      const VtkReader piece(folder.file(
          fmt::format("none/{}_000000000{}.vtp", part, folder.world.size() > 1 ? "_0000" : "")));
      EXPECT_EQ(piece.count("NumberOfPoints"), 0U);
      EXPECT_TRUE(piece.array<double>("Points").empty());
    }
  });
}

TEST(ParaViewOnRanks, ADiskThatTakesNothingEndsAllRanksAlike) {
  const test::SharedFolder folder;
  const World whole = support::settled_pile();
  const World mine = cut_world(
      whole, [&](GlobalId id) { return cuts()[0].owner(id, folder.world.size()); },
      folder.world.rank());
  folder.on_rank_0(
      [&] { std::ofstream(folder.file("taken")) << "a file where a folder should be"; });
  ParaViewWriter writer(folder.file("taken"), {}, folder.world);
  EXPECT_NE(
      test::agreed_message(
          folder.world, [&] { writer.write(mine, contact_forces(mine, support::step_of_pile)); }),
      "");
}

class ParaViewFails : public ::testing::Test {
 protected:
  World mine() const {
    return cut_world(
        whole_, [&](GlobalId id) { return cuts()[0].owner(id, folder_.world.size()); },
        folder_.world.rank());
  }
  static std::string message_of_writing(ParaViewWriter& writer, const World& world,
                                        const Communicator& comm) {
    return test::agreed_message(
        comm, [&] { writer.write(world, contact_forces(world, support::step_of_pile)); });
  }
  /// No frame, nor anything half written.
  void expect_no_frame(const std::string& name) const {
    folder_.world.barrier();  // each rank removes its own
    folder_.on_rank_0([&] {
      for (const auto& entry : std::filesystem::directory_iterator(name))
        EXPECT_EQ(entry.path().filename(), "legend.json");
    });
  }

  const test::SharedFolder folder_;
  const World whole_ = support::settled_pile();
};

TEST_F(ParaViewFails, WhereTheDiskOfAnyRankIsFull) {
  for (const int each : {1, 2, 100})
    for (const int full : std::set<int>{0, folder_.world.size() - 1}) {
      SCOPED_TRACE(fmt::format("rank {}, {} ranks to a file", full, each));
      const std::string name = folder_.file(fmt::format("full {} {}", full, each));
      ParaViewSettings settings;
      settings.ranks_per_file = each;
      ParaViewWriter writer(name, settings, folder_.world);
      std::optional<test::FullDisk> disk;
      if (folder_.world.rank() == full) disk.emplace(2500);

      const std::string message = message_of_writing(writer, mine(), folder_.world);

      disk.reset();
      const std::string who =
          folder_.world.size() > 1 ? fmt::format("rank {}: {}", full, name) : name;
      EXPECT_THAT(message, testing::StartsWith(who));
      EXPECT_THAT(message, testing::HasSubstr("could not be written: File too large"));
      expect_no_frame(name);
      EXPECT_EQ(message_of_writing(writer, mine(), folder_.world), "") << "there is room again";
    }
}

TEST_F(ParaViewFails, WhereARankSeesAnotherFolder) {
  if (folder_.world.size() == 1) GTEST_SKIP() << "one rank sees one folder";
  const auto here = std::filesystem::current_path();
  const bool elsewhere = folder_.world.rank() == folder_.world.size() - 1;
  std::filesystem::current_path(elsewhere ? "/" : folder_.path());
  ParaViewWriter writer("frames", {}, folder_.world);

  const std::string message = message_of_writing(writer, mine(), folder_.world);

  std::filesystem::current_path(here);
  EXPECT_THAT(message, testing::HasSubstr("all ranks must see the same folder"));
  expect_no_frame(folder_.file("frames"));
}

}  // namespace
}  // namespace talus
