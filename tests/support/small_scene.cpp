#include "support/small_scene.hpp"

#include "talus/io/checkpoint_file.hpp"

#include "support/scene_folder.hpp"

namespace talus::support {

SmallScene::SmallScene(double step, double friction, double restitution)
    : SceneBuilder(step, "small") {
  add_material("stone", 1000.0);
  pair_.friction = friction;
  pair_.restitution = restitution;
  set_pair();
  set_gravity({0.0, 0.0, -9.81});
  solver.method = Method::Apgd;
  solver.tolerance = 1e-13;
  solver.max_iterations = 20000;
  solver.stall_iterations = 2000;
}

void SmallScene::set_pair() {
  SceneBuilder::set_pair("stone", "stone", pair_);
}

Index SmallScene::sphere(double radius) {
  scene.world.shapes.emplace_back(Sphere{radius});
  return static_cast<Index>(scene.world.shapes.size()) - 1;
}

Index SmallScene::box(const Vec3& size) {
  scene.world.shapes.emplace_back(Box{0.5 * size});
  return static_cast<Index>(scene.world.shapes.size()) - 1;
}

Index SmallScene::plane(const Vec3& normal) {
  scene.world.shapes.emplace_back(Plane{unit(normal)});
  return static_cast<Index>(scene.world.shapes.size()) - 1;
}

std::size_t SmallScene::add(const std::string& name, Motion motion, Index shape,
                            const Vec3& position) {
  BodySpec body;
  body.name = name;
  body.motion = motion;
  body.material = "stone";
  body.shape = scene.world.shapes[static_cast<std::size_t>(shape)];
  body.pose.position = position;
  const std::size_t place = add(body);
  scene.bodies[place].shape = shape;  // of several that are alike, this one
  return place;
}

std::size_t SmallScene::add_floor() {
  return add("floor", Motion::Fixed, plane({0.0, 0.0, 1.0}), {});
}

void SmallScene::add_generator(Generator generator) {
  generator.shape = sphere(0.5);
  generator.group = static_cast<Index>(scene.world.groups.size());
  scene.world.groups.push_back(generator.name);
  scene.generators.push_back(std::move(generator));
}

Simulation SmallScene::start() const {
  return Simulation(scene, solver, Communicator::self());
}

Generator unit_spheres(const std::string& name, Generator::Kind kind, double size, const Vec3& low,
                       const Vec3& high) {
  Generator generator;
  generator.kind = kind;
  generator.name = name;
  generator.place = "small:7:3";
  generator.sizes.low = generator.sizes.high = size;
  generator.region.low = low;
  generator.region.high = high;
  generator.spacing = {1.2 * size, 1.2 * size, 1.2 * size};
  return generator;
}

Simulation restarted(Simulation& simulation) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "checkpoint.h5").string();
  write_checkpoint(path, simulation.checkpoint(), Communicator::self());
  SolveOptions solver = simulation.solver();
  solver.tolerance = 0.0;
  return Simulation(read_checkpoint(path, Communicator::self()), solver, Communicator::self());
}

void take_steps(Simulation& simulation, int count) {
  for (int i = 0; i < count; ++i) simulation.step();
}

void run_until(Simulation& simulation, double t) {
  const double h = simulation.settings().h;
  while (simulation.world().time < t - 0.5 * h) simulation.step();
}

}  // namespace talus::support
