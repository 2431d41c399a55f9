#include "support/pile.hpp"

namespace talus::support {

SmallScene pile_scene() {
  SmallScene small(step_of_pile, 0.4, 0.1);
  small.solver.tolerance = 1e-6;
  small.add_floor();
  small.add("block", Motion::Fixed, small.box({0.3, 0.3, 0.3}), {-0.3, 0.0, 0.15});
  const Index ball = small.sphere(0.05), box = small.box({0.08, 0.1, 0.06});
  const auto group = [&](const char* name) {
    small.scene.world.groups.emplace_back(name);
    return static_cast<Index>(small.scene.world.groups.size()) - 1;
  };
  const Index balls = group("balls"), boxes = group("boxes");
  constexpr int side = 3, layers = 4;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < side * side; ++i) {
      const bool is_ball = (layer + i) % 3 != 0;
      const int column = i % side, row = i / side;
      const Vec3 place{0.12 * column + 0.004 * layer, 0.12 * row - 0.003 * layer,
                       0.06 + 0.11 * layer};
      const std::size_t made = small.add("one", Motion::Dynamic, is_ball ? ball : box, place);
      small.body(made).group = is_ball ? balls : boxes;
      small.body(made).velocity = {0.1 * i, 0.02 * layer, -0.5};
    }
  Joint rope;
  rope.name = "rope";
  rope.type = JointType::Distance;
  rope.body_a = 2 + side * side * layers - 1;  // the last one; make_world goes by places
  rope.body_b = world_id;
  rope.frame_a.position = {};
  rope.frame_b.position =
      small.body(static_cast<std::size_t>(rope.body_a)).pose.position + Vec3{0.0, 0.0, 0.2};
  rope.length = 0.2;
  small.scene.world.joints.push_back(rope);
  return small;
}

World settled_pile() {
  Simulation simulation = pile_scene().start();
  constexpr int steps = 20;  // some contacts fly, some stick, some slide
  for (int step = 0; step < steps; ++step) simulation.step();
  return simulation.world();
}

}  // namespace talus::support
