#include "talus/model/joint.hpp"

#include "talus/model/world.hpp"

namespace talus {

const char* name_of(JointType type) {
  switch (type) {
    case JointType::Fixed:
      return "fixed";
    case JointType::Spherical:
      return "spherical";
    case JointType::Revolute:
      return "revolute";
    case JointType::Prismatic:
      return "prismatic";
    case JointType::Cylindrical:
      return "cylindrical";
    case JointType::Universal:
      return "universal";
    case JointType::Distance:
      return "distance";
    case JointType::Spring:
      break;
  }
  return "spring";
}

bool lets_touch(const Joint& joint) {
  const bool is_rope = joint.type == JointType::Distance || joint.type == JointType::Spring;
  return !joint.on || joint.collide.value_or(is_rope);
}

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
