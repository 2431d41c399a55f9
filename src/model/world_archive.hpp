#pragma once
// What the world, a scene and a body by names are made of: for checkpoints, which keep all but
// bodies and contacts in one piece, and to tell whether ranks say the same. core/archive.hpp.

#include "talus/geometry/triangle_mesh.hpp"
#include "talus/model/scene_builder.hpp"

#include "core/archive.hpp"

#include <algorithm>
#include <memory>

namespace talus {

// ---- words ----

TALUS_LAST(Motion, Kinematic)
TALUS_LAST(JointType, Spring)
TALUS_LAST(MotorType, Force)
TALUS_LAST(Outside, Remove)
TALUS_LAST(Scheme, Spook)
TALUS_LAST(RestitutionLaw, Poisson)
TALUS_LAST(Region::Kind, Cylinder)
TALUS_LAST(SizeDistribution::Kind, Table)
TALUS_LAST(Generator::Kind, Import)
TALUS_LAST(Event::Kind, Add)
TALUS_LAST(MonitorSettings::Kind, Track)

// ---- numbers ------------------------------------------------------------------------------------

TALUS_FIELDS(Vec3, x, y, z)
TALUS_FIELDS(Quaternion, w, x, y, z)
TALUS_FIELDS(Sym3, xx, xy, xz, yy, yz, zz)
TALUS_FIELDS(Pose, position, orientation)
template <class Archive>
void fields(Archive& archive, Expression& expression) {
  Expression::Definition definition = expression.definition();
  auto& [number, text, constants, variables, name] = definition;
  archive(number, text, constants, variables, name);
  if constexpr (Archive::reads) expression = Expression(definition);
}

// ---- shapes -------------------------------------------------------------------------------------

TALUS_FIELDS(Sphere, radius)
TALUS_FIELDS(Box, half)
TALUS_FIELDS(Plane, normal)
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
TALUS_FIELDS(Compound::Part, shape, pose)
TALUS_FIELDS(Compound, parts)
/// From the same corners in the same order the same mesh is made.
template <class Archive>
void fields(Archive& archive, Mesh& mesh) {
  std::vector<std::array<Vec3, 3>> corners;
  if (mesh.triangles != nullptr)
    for (Index t = 0; t < static_cast<Index>(mesh.triangles->triangles().size()); ++t)
      corners.push_back({mesh.triangles->corner(t, 0), mesh.triangles->corner(t, 1),
                         mesh.triangles->corner(t, 2)});
  archive(corners);
  if constexpr (Archive::reads) mesh.triangles = std::make_shared<const TriangleMesh>(corners);
}

// ---- joints and motions -------------------------------------------------------------------------

TALUS_FIELDS(Motor, type, value, limit, on)
TALUS_FIELDS(Joint, name, type, body_a, body_b, frame_a, frame_b, angle_limits, way_limits,
             angle_motor, way_motor, length, stiffness, damping, compliance, on, collide, angle,
             impulse, reaction_force, reaction_torque)
TALUS_FIELDS(KinematicMotion, body, start, way, velocity, axis, through, angle, rate, way_so_far,
             angle_so_far)
TALUS_FIELDS(GroupForce, group, of_force, torque, acceleration, on)
TALUS_FIELDS(OuterForce, body, force, torque)

// ---- the world ----------------------------------------------------------------------------------

TALUS_FIELDS(Material, name, density)
TALUS_FIELDS(PairProperties, friction, restitution, rolling, spinning, cohesion, compliance,
             damping_time, friction_axis, along_slip)
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
TALUS_FIELDS(Domain, low, high, outside, periodic)

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
      if (like >= static_cast<Index>(s) || !std::holds_alternative<Mesh>(shapes[like]))
        throw InputError("has shapes of no order: it is damaged");
      const Shape& of = shapes[like];
      Shape copy = moved ? centred(of) : of;
      shapes[s] = std::move(copy);
    }
  }
  world.shapes = std::move(shapes);
}

/// All but bodies and contacts, which are as they were. Nor what callers do in the next step alone:
/// they do it again, before that step.
template <class Archive>
void fields(Archive& archive, World& world) {
  auto& [shapes, centred, materials, groups, domain, time, step, ticks, next_id, gravity, bodies,
         joints, motions, forces, held, pushed, contacts, removed] = world;
  archive_shapes(archive, world);
  archive(materials, groups, domain, time, step, ticks, next_id, gravity, joints, motions, forces,
          held, removed);
}

// What a scene is made of, beside its world: core/archive.hpp.

TALUS_FIELDS(TimeSettings, step, end, automatic, shortest, accuracy, scheme, stabilisation,
             recovery_speed, bounce_speed, damping_time, restitution_law, error_share)
TALUS_FIELDS(Region, kind, low, high, centre, radius, axis, height)
TALUS_FIELDS(SceneBody, name, place, motion, shape, scale, material, group, pose, velocity,
             angular_velocity, mass, inertia, kinematic)
TALUS_FIELDS(BodySpec, name, motion, material, shape, pose, velocity, angular_velocity, group,
             scale, mass, inertia, movement)
TALUS_FIELDS(SizeDistribution, kind, by_mass, low, high, median, deviation, table)
/// Without the bodies that it has imported: they are bodies of the world by now.
template <class Archive>
void fields(Archive& archive, Generator& generator) {
  auto& [kind, name, place, material, group, shape, sizes, turned, orientation, velocity,
         angular_velocity, seed, region, spacing, low, jitter, count, solid_fraction, mass_rate,
         from, until, mass_limit, on, imported, keeps_shapes] = generator;
  archive(kind, name, place, material, group, shape, sizes, turned, orientation, velocity,
          angular_velocity, seed, region, spacing, low, jitter, count, solid_fraction, mass_rate,
          from, until, mass_limit, on, keeps_shapes);
}
TALUS_FIELDS(Event, kind, place, at, when, target, on, gravity, added, done)
TALUS_FIELDS(LogSettings, every, columns)
TALUS_FIELDS(ParaViewSettings, every, bodies, contacts, parts, ranks_per_file)
TALUS_FIELDS(SnapshotSettings, every)
TALUS_FIELDS(CheckpointSettings, every, wall, keep)
TALUS_FIELDS(MonitorSettings, kind, name, every, group, joint, region, axis, up, values, at, normal,
             from, to, bins)

/// Without its world: the one of the simulation has gone on.
template <class Archive>
void fields(Archive& archive, Scene& scene) {
  auto& [title, file, time, world, bodies, generators, events, solver_assignments, solver_places,
         stop_unconverged, max_overlap, balance_by_counts, energy_ledger, log, paraview, snapshots,
         checkpoint, monitors, places_of_joints, notes] = scene;
  archive(title, file, time, bodies, generators, events, solver_assignments, solver_places,
          stop_unconverged, max_overlap, balance_by_counts, energy_ledger, log, paraview, snapshots,
          checkpoint, monitors, places_of_joints, notes);
}

}  // namespace talus
