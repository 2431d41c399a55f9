#include "talus/model/joint_owner.hpp"

namespace talus {

bool owns(const World& world, const Joint& joint) {
  const auto here = [&](GlobalId id) { return id == world_id ? -1 : world.bodies.find(id); };
  const auto moves = [&](Index body) {
    return body >= 0 && world.bodies.motion[body] == Motion::Dynamic;
  };
  const Index a = here(joint.body_a), b = here(joint.body_b);
  const Index first = moves(a) || (a >= 0 && !moves(b)) ? a : b;
  return first >= 0 && first < world.bodies.owned;
}

}  // namespace talus
