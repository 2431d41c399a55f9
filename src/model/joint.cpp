#include "talus/model/joint.hpp"

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

}  // namespace talus
