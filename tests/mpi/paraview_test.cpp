// Frames that several ranks write: the bytes of one rank where one writes for all, and all rows
// where several do.

#include "talus/io/paraview_writer.hpp"
#include "talus/simulation/contact_forces.hpp"

#include "mpi/shared_folder.hpp"
#include "support/cut_world.hpp"
#include "support/pile.hpp"
#include "support/vtk_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

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

TEST(ParaViewOnRanks, SeveralWritersLeaveEveryRowOnce) {
  const test::SharedFolder folder;
  const World whole = support::settled_pile();
  const ContactForces forces = contact_forces(whole, support::step_of_pile);
  const int size = folder.world.size();
  for (const int each : {1, 2}) {
    for (const Cut& cut : cuts()) {
      SCOPED_TRACE(fmt::format("{}, {} ranks to a file", cut.name, each));
      const std::string name = folder.file(fmt::format("{} {}", cut.name, each));
      const World mine = cut_world(
          whole, [&](GlobalId id) { return cut.owner(id, size); }, folder.world.rank());
      ParaViewSettings settings;
      settings.contacts = {"bodies"};
      settings.ranks_per_file = each;
      ParaViewWriter writer(name, settings, folder.world);
      writer.write(mine, contact_forces(mine, support::step_of_pile));
      folder.on_rank_0([&] {
        std::vector<std::int64_t> ids, names;
        const int groups = (size + each - 1) / each;
        const auto each_piece = [&](const std::string& part, const auto& visit) {
          std::size_t listed = 0;
          const std::string stem = fmt::format("{}/{}_{:09}", name, part, whole.step);
          for (int group = 0; group < groups; ++group) {
            const std::string piece = groups == 1 ? stem : fmt::format("{}_{:04}", stem, group);
            if (!std::ifstream(piece + ".vtp")) continue;
            ++listed;
            visit(VtkReader(piece + ".vtp"), group);
          }
          if (groups == 1) return;
          const std::string list = bytes_of(stem + ".pvtp");
          std::size_t sources = 0;
          for (std::size_t at = list.find("<Piece"); at != std::string::npos;
               at = list.find("<Piece", at + 1))
            ++sources;
          EXPECT_GE(sources, 1U);
          EXPECT_LE(sources, listed) << "a file of no rows need not be named";
        };
        each_piece("bodies", [&](const VtkReader& piece, int group) {
          const auto found = piece.array<std::int64_t>("id");
          EXPECT_EQ(piece.count("NumberOfPoints"), found.size());
          ids.insert(ids.end(), found.begin(), found.end());
          const auto ranks = piece.array<std::int32_t>("rank");
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(ranks[i], cut.owner(found[i], size));
            EXPECT_EQ(ranks[i] / each, group);
          }
        });
        each_piece("contacts", [&](const VtkReader& piece, int) {
          const auto a = piece.array<std::int64_t>("body_a"),
                     b = piece.array<std::int64_t>("body_b");
          EXPECT_EQ(piece.count("NumberOfLines"), a.size());
          for (std::size_t c = 0; c < a.size(); ++c) names.push_back(1000 * a[c] + b[c]);
        });
        std::sort(ids.begin(), ids.end());
        std::sort(names.begin(), names.end());
        std::vector<std::int64_t> all_ids, all_names;
        for (std::size_t b = 0; b < whole.bodies.id.size(); ++b)
          if (std::isfinite(whole.bodies.reach[b])) all_ids.push_back(whole.bodies.id[b]);
        for (const ContactName& contact : whole.contacts.name)
          all_names.push_back(1000 * contact.a + contact.b);
        EXPECT_EQ(ids, all_ids);
        EXPECT_EQ(names, all_names);
      });
    }
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

}  // namespace
}  // namespace talus
