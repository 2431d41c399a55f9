#include "talus/model/scene.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr Sym3 unturnable{infinity, 0.0, 0.0, infinity, 0.0, infinity};
// Of the reach: the centre of a symmetric clump is its origin but for rounding.
constexpr double off_centre = 1e-12;

Sym3 operator*(double s, const Sym3& m) {
  return {s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
}

const Shape& shape_at(const World& world, Index shape) {
  return world.shapes[shape];
}

std::string called(const SceneBody& body) {
  return body.place + ": " + body.name;
}

/// Of mass, in the frame of the shape; the origin where it is there but for rounding.
Vec3 centre_of(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return {};
  const Vec3 centre = mass_properties(shape).centre;
  return length(centre) > off_centre * reach_of(shape, 1.0) ? centre : Vec3{};
}

/// Mass and inertia of a body that impulses move: what is given counts, the shape gives the rest.
BodyMass mass_of(const World& world, const SceneBody& body) {
  const Shape& shape = shape_at(world, body.shape);
  const Material& material = world.materials.materials()[body.material];
  const BodyMass of_unit_density = mass_of(shape, body.scale, 1.0);
  const bool solid = of_unit_density.mass > 0.0;
  if (!body.mass && !(solid && material.density > 0.0))
    throw InputError(called(body) + ".mass must be given: " +
                     (solid ? "its material " + material.name + " has no density"
                            : std::string("a ") + name_of(shape) + " without volume has no mass"));
  BodyMass result;
  result.mass = body.mass ? *body.mass : material.density * of_unit_density.mass;
  if (body.inertia)
    result.inertia = *body.inertia;
  else if (solid)
    result.inertia = (result.mass / of_unit_density.mass) * of_unit_density.inertia;
  else if (std::holds_alternative<Plane>(shape))
    result.inertia = unturnable;
  else
    throw InputError(called(body) + ".inertia must be given: the mesh bounds no volume");
  return result;
}

/// Of a body that does not move now: what it will have when an event releases it, else infinite.
BodyMass mass_where_known(const World& world, const SceneBody& body) {
  if (body.motion == Motion::Dynamic) return mass_of(world, body);
  try {
    return mass_of(world, body);
  } catch (const InputError&) {
    return {infinity, unturnable};
  }
}

/// Displacements and angles count from time 0. A body that appears later is then where the scene
/// puts it: what has passed is taken off.
void start_now(KinematicMotion& motion, double t) {
  if (!(t > 0.0)) return;
  motion.angle_so_far = motion.angle.at(0.0) - motion.angle.at(t);
  motion.way_so_far = {motion.way[0].at(0.0) - motion.way[0].at(t),
                       motion.way[1].at(0.0) - motion.way[1].at(t),
                       motion.way[2].at(0.0) - motion.way[2].at(t)};
}

/// A frame of a joint as the scene has it, in the frame of body number `body` as the user gave it,
/// becomes one about the centre, and the number an id.
void attach(const Scene& scene, GlobalId first_id, GlobalId& body, Pose& frame) {
  if (body == world_id) return;
  const SceneBody& at = scene.bodies[body];
  frame.position = frame.position - at.scale * centre_of(shape_at(scene.world, at.shape));
  body += first_id;
}

}  // namespace

BodyMass mass_of(const Shape& shape, double scale, double density) {
  const MassProperties unit = mass_properties(shape);
  const double volume = scale * scale * scale;
  return {density * volume * unit.volume, (density * volume * scale * scale) * unit.inertia};
}

Shape centred(const Shape& shape) {
  return moved_to(shape, centre_of(shape));
}

void move_to_centre(World& world, NewBody& body) {
  const Shape& shape = shape_at(world, body.shape);
  const Vec3 centre = centre_of(shape);
  if (dot(centre, centre) == 0.0) return;
  const auto known = world.centred.find(body.shape);
  const Index moved =
      known != world.centred.end() ? known->second : static_cast<Index>(world.shapes.size());
  if (known == world.centred.end()) {
    Shape copy = moved_to(shape, centre);
    world.shapes.push_back(std::move(copy));
    world.centred.emplace(body.shape, moved);
  }
  body.shape = moved;
  body.pose.position = to_world(body.pose, body.scale * centre);
}

NewBody next_body(World& world, const SceneBody& scene_body) {
  NewBody body;
  body.id = world.next_id;
  body.motion = scene_body.motion;
  body.shape = scene_body.shape;
  body.scale = scene_body.scale;
  body.material = scene_body.material;
  body.group = scene_body.group;
  body.pose = scene_body.pose;
  body.velocity = scene_body.velocity;
  body.angular_velocity = scene_body.angular_velocity;
  const BodyMass mass = mass_where_known(world, scene_body);
  body.mass = mass.mass;
  body.inertia = mass.inertia;
  move_to_centre(world, body);
  ++world.next_id;
  if (scene_body.kinematic) {
    KinematicMotion motion = *scene_body.kinematic;
    motion.body = body.id;
    motion.start = body.pose;
    start_now(motion, world.time);
    world.motions.push_back(motion);
  }
  return body;
}

void add_body(World& world, const SceneBody& scene_body) {
  const NewBody body = next_body(world, scene_body);
  append(world.bodies, body, reach_of(shape_at(world, body.shape), body.scale));
}

World make_world(const Scene& scene) {
  const StandardArithmetic arithmetic;
  World world = scene.world;
  const GlobalId first_id = world.next_id;
  InputErrors errors;
  for (const SceneBody& body : scene.bodies) {
    try {
      add_body(world, body);
    } catch (const InputError& error) {
      for (const std::string& message : error.messages()) errors.add(message);
    }
  }
  errors.throw_if_any();
  for (Joint& joint : world.joints) {
    attach(scene, first_id, joint.body_a, joint.frame_a);
    attach(scene, first_id, joint.body_b, joint.frame_b);
  }
  return world;
}

std::string fault_of_switch(const Scene& scene, const World& world, const std::string& target) {
  std::vector<std::string> known;
  for (const Joint& joint : world.joints) {
    known.push_back(joint.name);
    const bool driven =
        joint.angle_motor.type != MotorType::None || joint.way_motor.type != MotorType::None;
    if (driven) known.push_back(joint.name + ".motor");
  }
  for (const Generator& generator : scene.generators)
    if (generator.kind == Generator::Kind::Stream) known.push_back(generator.name);
  for (const GroupForce& force : world.forces) known.push_back(world.groups[force.group]);
  if (std::find(known.begin(), known.end(), target) != known.end()) return "";
  return fmt::format("'{}' cannot be switched: {}{}", target, did_you_mean(target, known, "'"),
                     known.empty() ? "the scene has no joint, stream or force"
                                   : fmt::format("known are {}", fmt::join(known, ", ")));
}

bool contains(const Region& region, const Vec3& p) {
  if (region.kind == Region::Kind::Box)
    return region.low.x <= p.x && p.x <= region.high.x && region.low.y <= p.y &&
           p.y <= region.high.y && region.low.z <= p.z && p.z <= region.high.z;
  Vec3 from_axis = p - region.centre;
  if (region.kind == Region::Kind::Cylinder) {
    const double along = dot(from_axis, region.axis);
    if (along < 0.0 || along > region.height) return false;
    from_axis = from_axis - along * region.axis;
  }
  return dot(from_axis, from_axis) <= region.radius * region.radius;
}

}  // namespace talus
