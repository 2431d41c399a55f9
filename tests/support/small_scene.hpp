#pragma once
// Scenes of a few bodies, written in code.

#include "talus/model/scene_builder.hpp"
#include "talus/simulation/simulation.hpp"

#include <string>

namespace talus::support {

/// One material "stone" of density 1000 kg/m3, touching itself.
struct SmallScene : SceneBuilder {
  explicit SmallScene(double step, double friction = 0.0, double restitution = 0.0);

  /// Of SmallScene::solver: so tight that what is measured is the time stepping.
  SolveOptions solver;

  PairProperties& pair() { return pair_; }
  void set_pair();  ///< after a change of pair()

  Index sphere(double radius);
  Index box(const Vec3& size);
  Index plane(const Vec3& normal);

  using SceneBuilder::add;
  /// Returns its place in the scene's list; that is its id too.
  std::size_t add(const std::string& name, Motion motion, Index shape, const Vec3& position);
  std::size_t add_floor();
  /// Its bodies are of a sphere of diameter 1 times their size, in a group of the generator's name.
  void add_generator(Generator generator);
  SceneBody& body(std::size_t place) { return scene.bodies[place]; }

  Simulation start() const;

 private:
  PairProperties pair_;
};

/// Spheres of one size in a box; those of a lattice have a fifth of it between them.
Generator unit_spheres(const std::string& name, Generator::Kind kind, double size, const Vec3& low,
                       const Vec3& high);

/// Another one that goes on from here, on one rank, by way of a file, with the tolerance of that.
Simulation restarted(Simulation& simulation);

void take_steps(Simulation& simulation, int count);
/// Steps until the time is at least t.
void run_until(Simulation& simulation, double t);

}  // namespace talus::support
