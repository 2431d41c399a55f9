#include "support/small_scene.hpp"

namespace talus::support {

SmallScene::SmallScene(double step, double friction, double restitution) {
  scene.file = "small";
  scene.time.step = step;
  scene.world.materials.add({"stone", 1000.0});
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
  scene.world.materials.set_pair(0, 0, pair_);
}

void SmallScene::set_gravity(const Vec3& gravity) {
  scene.world.gravity = {Expression(gravity.x), Expression(gravity.y), Expression(gravity.z)};
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
  SceneBody body;
  body.name = name;
  body.place = "small";
  body.motion = motion;
  body.shape = shape;
  body.pose.position = position;
  body.group = static_cast<Index>(scene.world.groups.size());
  scene.world.groups.push_back(name);
  scene.bodies.push_back(body);
  return scene.bodies.size() - 1;
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

void run_until(Simulation& simulation, double t) {
  const double h = simulation.settings().h;
  while (simulation.world().time < t - 0.5 * h) simulation.step();
}

}  // namespace talus::support
