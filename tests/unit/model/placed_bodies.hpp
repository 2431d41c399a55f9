#pragma once
// Bodies put into a world by tests of detection.

#include "talus/model/world.hpp"

namespace talus {

inline NewBody resting(GlobalId id, Index shape, const Vec3& position) {
  NewBody body;
  body.id = id;
  body.shape = shape;
  body.pose.position = position;
  return body;
}

inline void append(World& world, const NewBody& body) {
  append(world.bodies, body,
         reach_of(world.shapes[static_cast<std::size_t>(body.shape)], body.scale));
}

}  // namespace talus
