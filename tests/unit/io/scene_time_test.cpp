// How the section time of a scene is read.

#include "talus/io/scene_file.hpp"
#include "talus/stepping/step_settings.hpp"

#include "support/scene_folder.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using support::changed;

Scene read(const std::string& content) {
  const support::SceneFolder folder;
  return read_scene(folder.write("pile.yaml", content));
}

TEST(SceneTime, AutomaticStepsHaveBounds) {
  const std::string text =
      "talus: 1\ntime: {step: auto, longest: 4e-3, end: 2, error_share: 0.1}\n";
  const TimeSettings some = read(text).time;
  EXPECT_TRUE(some.automatic);
  EXPECT_EQ(some.step, 4e-3);
  EXPECT_EQ(some.error_share, 0.1);
  EXPECT_EQ(shortest_step(some), 4e-3 / 256);
  EXPECT_EQ(most_ticks(some), 256);
  const TimeSettings all = read(changed(text, "end:", "shortest: 3e-4, accuracy: 0.02, end:")).time;
  EXPECT_EQ(all.accuracy, 0.02);
  EXPECT_EQ(shortest_step(all), 3e-4);
  EXPECT_EQ(most_ticks(all), 13);
}

}  // namespace
}  // namespace talus
