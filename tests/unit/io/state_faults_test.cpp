// States that lack something, or have a byte that is not as it was: a message, never a crash.

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"

#include "io/output_file.hpp"
#include "support/scene_folder.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>

namespace talus {
namespace {

using support::SceneFolder;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A ball and a clump on a plane.
World small_world() {
  support::SmallScene small(1e-2);
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.07), {0.0, 0.0, 0.3});
  Compound clump;
  clump.parts.push_back({Sphere{0.06}, {}});
  small.scene.world.shapes.emplace_back(clump);
  small.add("clump", Motion::Dynamic, static_cast<Index>(small.scene.world.shapes.size()) - 1,
            {-0.5, 0.0, 0.4});
  return small.start().world();
}

std::vector<std::string> faults_of(const std::string& path) {
  try {
    read_state(path);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

TEST(StateFuzz, WhateverIsMissingIsNamed) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "state.h5").string();
  const World world = small_world();
  for (const char* name : {"/bodies",
                           "/bodies/id",
                           "/bodies/motion",
                           "/bodies/shape",
                           "/bodies/material",
                           "/bodies/group",
                           "/bodies/scale",
                           "/bodies/mass",
                           "/bodies/inertia",
                           "/bodies/position",
                           "/bodies/orientation",
                           "/bodies/velocity",
                           "/bodies/angular_velocity",
                           "/shapes/kind",
                           "/shapes/size",
                           "/parts/shape",
                           "/parts/kind",
                           "/parts/size",
                           "/parts/position",
                           "/parts/orientation"}) {
    write_state(path, world);
    io::OutputFile file(path, io::OutputFile::Start::CopyOfGoal);
    file.remove(name);
    file.commit();
    EXPECT_THAT(faults_of(path), Contains(HasSubstr(fmt::format("{}", name)))) << name;
  }
}

TEST(StateFuzz, AFlippedByteIsReadOrRefused) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "state.h5").string(),
                    bad = (folder.path() / "bad.h5").string();
  write_state(path, small_world());
  std::ifstream file(path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  std::mt19937 random(11);
  for (int i = 0; i < 600; ++i) {
    std::string bytes = good;
    bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
    std::ofstream(bad, std::ios::binary) << bytes;
    faults_of(bad);
  }
}

}  // namespace
}  // namespace talus
