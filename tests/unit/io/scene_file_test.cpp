#include "talus/io/scene_file.hpp"

#include "talus/core/error.hpp"

#include "support/scene_folder.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using support::example_scene;
using support::SceneFolder;

TEST(SceneFile, ReadsTheExampleOfTheInterface) {
  const SceneFolder folder;
  const Scene scene = read_scene(folder.write("dam.yaml", example_scene()));
  EXPECT_EQ(scene.title, "dam break beside a motor-driven drum");
}

}  // namespace
}  // namespace talus
