#pragma once
// What the world and a scene are made of, as far as a checkpoint keeps it in one piece: all but
// bodies and contacts. core/archive.hpp.

#include "talus/geometry/triangle_mesh.hpp"
#include "talus/model/scene.hpp"

#include "core/archive.hpp"

#include <algorithm>
#include <memory>

namespace talus {

// ---- numbers ------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Vec3& v) {
  auto& [x, y, z] = v;
  archive(x, y, z);
}
template <class Archive>
void fields(Archive& archive, Quaternion& q) {
  auto& [w, x, y, z] = q;
  archive(w, x, y, z);
}
template <class Archive>
void fields(Archive& archive, Sym3& s) {
  auto& [xx, xy, xz, yy, yz, zz] = s;
  archive(xx, xy, xz, yy, yz, zz);
}
template <class Archive>
void fields(Archive& archive, Pose& pose) {
  auto& [position, orientation] = pose;
  archive(position, orientation);
}
template <class Archive>
void fields(Archive& archive, Expression& expression) {
  Expression::Definition definition = expression.definition();
  auto& [number, text, constants, variables] = definition;
  archive(number, text, constants, variables);
  if constexpr (Archive::reads) expression = Expression(definition);
}

// ---- shapes -------------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Sphere& sphere) {
  auto& [radius] = sphere;
  archive(radius);
}
template <class Archive>
void fields(Archive& archive, Box& box) {
  auto& [half] = box;
  archive(half);
}
template <class Archive>
void fields(Archive& archive, Plane& plane) {
  auto& [normal] = plane;
  archive(normal);
}
template <class Archive, class... Kinds>
void fields(Archive& archive, std::variant<Kinds...>& variant) {
  std::size_t kind = variant.index();
  archive(kind);
  if constexpr (Archive::reads) {
    if (kind >= sizeof...(Kinds)) throw InputError("has a kind that is not known: it is damaged");
    std::size_t number = 0;
    // the alternative of that number, as it is by default
    ((number++ == kind ? void(variant = Kinds{}) : void()), ...);
  }
  std::visit([&](auto& value) { archive(value); }, variant);
}
template <class Archive>
void fields(Archive& archive, Compound::Part& part) {
  auto& [shape, pose] = part;
  archive(shape, pose);
}
template <class Archive>
void fields(Archive& archive, Compound& compound) {
  auto& [parts] = compound;
  archive(parts);
}
/// From the same corners in the same order the same mesh is made.
template <class Archive>
void fields(Archive& archive, Mesh& mesh) {
  std::vector<std::array<Vec3, 3>> corners;
  if (mesh.triangles != nullptr)
    for (Index t = 0; t < static_cast<Index>(mesh.triangles->triangles().size()); ++t)
      corners.push_back({mesh.triangles->corner(t, 0), mesh.triangles->corner(t, 1),
                         mesh.triangles->corner(t, 2)});
  archive(corners);
  if (Archive::reads && !corners.empty())
    mesh.triangles = std::make_shared<const TriangleMesh>(corners);
}

// ---- joints and motions -------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Motor& motor) {
  auto& [type, value, limit, on] = motor;
  archive(type, value, limit, on);
}
template <class Archive>
void fields(Archive& archive, Joint& joint) {
  auto& [name, type, body_a, body_b, frame_a, frame_b, angle_limits, way_limits, angle_motor,
         way_motor, length, stiffness, damping, compliance, on, collide, angle, impulse,
         reaction_force, reaction_torque] = joint;
  archive(name, type, body_a, body_b, frame_a, frame_b, angle_limits, way_limits, angle_motor,
          way_motor, length, stiffness, damping, compliance, on, collide, angle, impulse,
          reaction_force, reaction_torque);
}
template <class Archive>
void fields(Archive& archive, KinematicMotion& motion) {
  auto& [body, start, way, velocity, axis, through, angle, rate, way_so_far, angle_so_far] = motion;
  archive(body, start, way, velocity, axis, through, angle, rate, way_so_far, angle_so_far);
}
template <class Archive>
void fields(Archive& archive, GroupForce& force) {
  auto& [group, of_force, torque, acceleration, on] = force;
  archive(group, of_force, torque, acceleration, on);
}

// ---- the world ----------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& archive, Material& material) {
  auto& [name, density] = material;
  archive(name, density);
}
template <class Archive>
void fields(Archive& archive, PairProperties& pair) {
  auto& [friction, restitution, rolling, spinning, cohesion, compliance, damping_time,
         friction_axis, along_slip] = pair;
  archive(friction, restitution, rolling, spinning, cohesion, compliance, damping_time,
          friction_axis, along_slip);
}
template <class Archive>
void fields(Archive& archive, MaterialTable& table) {
  std::vector<Material> materials = table.materials();
  archive(materials);
  if constexpr (Archive::reads) {
    table = {};
    for (const Material& material : materials) table.add(material);
  }
  for (Index a = 0; a < table.count(); ++a)
    for (Index b = 0; b <= a; ++b) {
      std::optional<PairProperties> pair;
      if (table.has_pair(a, b)) pair = table.pair(a, b);
      archive(pair);
      if (Archive::reads && pair) table.set_pair(a, b, *pair);
    }
}
template <class Archive>
void fields(Archive& archive, Domain& domain) {
  auto& [low, high, outside, periodic] = domain;
  archive(low, high, outside, periodic);
}

/// One mesh that several shapes share stays one; what was moved to its centre of mass is moved
/// again, because a moved mesh is not welded anew.
template <class Archive>
void archive_shapes(Archive& archive, World& world) {
  archive(world.centred);
  std::size_t count = world.shapes.size();
  archive(count);
  std::vector<Shape> shapes = std::move(world.shapes);
  if (Archive::reads) shapes.clear();
  for (std::size_t s = 0; s < count; ++s) {
    if (Archive::reads) shapes.emplace_back();
    Index like = -1;  // the shape that it shares its mesh with, or from which it was moved
    bool moved = false;
    if (const auto* mesh = std::get_if<Mesh>(&shapes[s]); mesh != nullptr && !Archive::reads) {
      for (std::size_t before = 0; before < s && like < 0; ++before) {
        const auto* other = std::get_if<Mesh>(&shapes[before]);
        if (other != nullptr && other->triangles == mesh->triangles)
          like = static_cast<Index>(before);
      }
      for (const auto& [from, to] : world.centred)
        if (to == static_cast<Index>(s)) {
          like = from;
          moved = true;
        }
    }
    archive(like, moved);
    if (like < 0) {
      archive(shapes[s]);
    } else if constexpr (Archive::reads) {
      if (like >= static_cast<Index>(s)) throw InputError("has shapes of no order: it is damaged");
      const Shape& of = shapes[like];
      Shape copy = moved ? centred(of) : of;
      shapes[s] = std::move(copy);
    }
  }
  world.shapes = std::move(shapes);
}

/// All but bodies and contacts, which are as they were.
template <class Archive>
void fields(Archive& archive, World& world) {
  auto& [shapes, centred, materials, groups, domain, time, step, ticks, next_id, gravity, bodies,
         joints, motions, forces, contacts, removed] = world;
  archive_shapes(archive, world);
  archive(materials, groups, domain, time, step, ticks, next_id, gravity, joints, motions, forces,
          removed);
}

}  // namespace talus
