#include "support/scene_folder.hpp"

#include "talus/core/error.hpp"
#include "talus/io/scene_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace talus::support {

SceneFolder::SceneFolder() {
  static int count = 0;
  path_ =
      std::filesystem::temp_directory_path() / fmt::format("talus-scene-{}-{}", getpid(), count++);
  std::filesystem::create_directories(path_);
  write("drum.stl", box_stl(100.0));
}

SceneFolder::~SceneFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string SceneFolder::write(const std::string& name, const std::string& content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << content;
  return file.string();
}

std::string example_scene() {
  return R"yaml(talus: 1                                # format version, required; older ones are read or refused by name
title: dam break beside a motor-driven drum
variables: {d: 0.01, mu: 0.5, rpm: 12, open: 0.5}     # -s d=0.002: a million beads
time: {step: 1.0e-3, end: 3.0, scheme: anitescu-tasora}
gravity: [0, 0, -9.81]
domain: {min: [-0.1, -0.1, -0.1], max: [1.5, 0.3, 0.8], outside: remove}   # or stop; periodic: [x, y] optional
materials:
  glass: {density: 2500}
  steel: {density: 7850}
pairs:                                  # symmetric; one entry per pair that can touch
  - {between: [glass, glass], friction: "mu", restitution: 0.5, rolling_radius: "0.01*d"}
  - {between: [glass, steel], friction: 0.3, restitution: 0.5}
  - {between: [steel, steel], friction: 0.2, restitution: 0.1}
bodies:
  - {name: floor, motion: fixed, material: steel, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: back,  motion: fixed, material: steel, shape: {type: plane, normal: [1, 0, 0]}}
  - {name: left,  motion: fixed, material: steel, shape: {type: plane, normal: [0, 1, 0]}}
  - {name: right, motion: fixed, material: steel, shape: {type: plane, normal: [0, -1, 0]}, position: [0, 0.2, 0]}
  - {name: gate,  motion: fixed, material: steel, shape: {type: box, size: [0.01, 0.2, 0.3]}, position: [0.205, 0.1, 0.15]}
  - name: drum                          # closed shell, 0.15 m inner radius; one free body
    motion: dynamic
    material: steel
    shape: {type: mesh, file: drum.stl, scale: 0.001}
    position: [0.9, 0.1, 0.25]
    mass: 4.0                           # overrides density
    inertia: [0.056, 0.090, 0.056]
joints:
  - name: axle
    type: revolute
    between: [drum, world]
    position: [0.9, 0.1, 0.25]
    axis: [0, 1, 0]
    motor: {type: speed, value: "2*pi*rpm/60*min(t/open, 1)", limit: 5.0}    # rad/s, N m
generators:                             # the name is also the group of what it makes
  - name: dam
    type: packing
    material: glass
    region: {type: box, min: [0, 0, 0], max: [0.2, 0.2, 0.2]}
    shape: {type: sphere, diameter: {type: uniform, min: "0.95*d", max: "1.05*d", by: number}}
    solid_fraction: 0.55
    seed: 1
  - name: fill
    type: lattice
    material: glass
    region: {type: box, min: [0.82, 0.03, 0.17], max: [0.98, 0.17, 0.25]}
    shape: {type: sphere, diameter: "d"}
    spacing: "1.1*d"
events:                                 # on step boundaries, surviving restart
  - {at: "open", type: remove, target: gate}
solver: {method: auto, law: coulomb, tolerance: 1.0e-4, max_iterations: 500, unconverged: continue}   # m/s
monitors:                               # -> monitors/NAME.csv; every: simulated seconds
  - {name: energy, type: energy, every: 0.01}
  - {name: front, type: quantiles, of: dam, axis: x, values: [0.5, 0.9], every: 0.01}
  - {name: axle, type: reaction, of: axle, every: 0.001}
output:
  log: {every: 0.1, columns: [step, time, contacts, iterations, error, penetration]}
  paraview: {every: 0.02, bodies: [velocity, material, rank], contacts: [force, state]}
checkpoint: {every: 0.5, wall: 900, keep: 2}          # s simulated, s on the clock
)yaml";
}

std::string changed(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : std::string(text).replace(at, from.size(), to);
}

std::string box_stl(double edge, std::size_t left_out) {
  // corners by bits x, y, z; counter-clockwise from outside
  constexpr std::array<std::array<int, 3>, 12> triangles{{{0, 2, 3},
                                                          {0, 3, 1},
                                                          {4, 5, 7},
                                                          {4, 7, 6},
                                                          {0, 1, 5},
                                                          {0, 5, 4},
                                                          {2, 6, 7},
                                                          {2, 7, 3},
                                                          {0, 4, 6},
                                                          {0, 6, 2},
                                                          {1, 3, 7},
                                                          {1, 7, 5}}};
  std::string text = "solid box\n";
  for (std::size_t i = 0; i + left_out < triangles.size(); ++i) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int corner : triangles[i])
      text += fmt::format("  vertex {} {} {}\n", edge * (corner & 1), edge * ((corner >> 1) & 1),
                          edge * ((corner >> 2) & 1));
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid box\n";
}

std::vector<std::string> faults_of(const std::string& content,
                                   const std::vector<std::string>& overrides) {
  const SceneFolder folder;
  const std::string path = folder.write("pile.yaml", content);
  try {
    read_scene(path, overrides);
  } catch (const InputError& error) {
    std::vector<std::string> messages = error.messages();
    const std::string front = folder.path().string() + "/";
    for (std::string& message : messages)
      for (std::size_t at = 0; (at = message.find(front)) != std::string::npos;)
        message.erase(at, front.size());
    return messages;
  }
  return {};
}

}  // namespace talus::support
