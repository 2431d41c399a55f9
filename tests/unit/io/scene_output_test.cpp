// What a scene wants written while it runs.

#include "talus/io/scene_file.hpp"

#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::changed;
using support::example_scene;
using support::faults_of;
using support::SceneFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Scene read(const std::string& content) {
  const SceneFolder folder;
  return read_scene(folder.write("pile.yaml", content));
}

/// All faults of a scene as one text.
std::string told(const std::string& content) {
  std::string all;
  for (const std::string& fault : faults_of(content)) all += fault + "\n";
  return all;
}

TEST(SceneOutput, IsThatOfTheExample) {
  const Scene scene = read(example_scene());
  using Kind = MonitorSettings::Kind;
  ASSERT_EQ(scene.monitors.size(), 3u);
  const MonitorSettings &energy = scene.monitors[0], &front = scene.monitors[1],
                        &axle = scene.monitors[2];
  EXPECT_EQ(energy.kind, Kind::Energy);
  EXPECT_EQ(energy.name, "energy");
  EXPECT_EQ(energy.every, 0.01);
  EXPECT_EQ(energy.group, -1);
  EXPECT_EQ(front.kind, Kind::Quantiles);
  EXPECT_EQ(scene.world.groups[static_cast<std::size_t>(front.group)], "dam");
  EXPECT_EQ(front.axis, 0);
  EXPECT_THAT(front.values, ElementsAre(0.5, 0.9));
  EXPECT_EQ(axle.kind, Kind::Reaction);
  EXPECT_EQ(axle.joint, "axle");
  EXPECT_EQ(scene.paraview.every, 0.02);
  EXPECT_THAT(scene.paraview.bodies, ElementsAre("velocity", "material", "rank"));
  EXPECT_THAT(scene.paraview.contacts, ElementsAre("force", "state"));
  EXPECT_EQ(scene.paraview.parts, paraview_parts);
  EXPECT_EQ(scene.paraview.ranks_per_file, 16);
  EXPECT_EQ(scene.snapshots.every, 0.0);
}

TEST(SceneOutput, WhatCannotBeIsRefused) {
  const auto monitors = [](const std::string& lines) {
    const std::string text = example_scene();
    const std::size_t from = text.find("monitors:"), to = text.find("output:");
    return told(text.substr(0, from) + "monitors:\n" + lines + text.substr(to));
  };
  EXPECT_THAT(
      monitors("  - {name: a, type: stress, every: 1}\n"
               "  - {name: a, type: load, every: 1}\n"
               "  - {name: b, type: reaction, of: axel, every: 1}\n"
               "  - {name: c, type: energy, of: dan, every: 1}\n"
               "  - {name: d, type: quantile, every: 1}\n"
               "  - {name: e, type: profile, axis: x, from: 1, to: 0, every: 1}\n"
               "  - {name: f, type: energy, region: {type: box}, every: 0}\n"),
      AllOf(HasSubstr("a monitor of type stress needs the key region"),
            HasSubstr("name = 'a' is given twice"),
            HasSubstr("a monitor of type load needs the key of"),
            HasSubstr("of = 'axel' is no joint or spring: did you mean 'axle'?"),
            HasSubstr("of = 'dan' is no body, group or generator: did you mean 'dam'?"),
            HasSubstr("did you mean 'quantiles'"), HasSubstr("to = 0 must be above from = 1"),
            HasSubstr("every = 0 must be > 0")));
  EXPECT_THAT(told(changed(example_scene(), "contacts: [force, state]",
                           "contacts: [force, sate, force], ranks_per_file: 0")),
              AllOf(HasSubstr("did you mean 'state'"), HasSubstr("contacts has force twice"),
                    HasSubstr("ranks_per_file = 0 must")));
}

}  // namespace
}  // namespace talus
