#pragma once
// What a scene is made of, beside its world: core/archive.hpp.

#include "talus/model/scene.hpp"
#include "talus/stepping/step_settings.hpp"

#include "io/world_archive.hpp"

namespace talus {

template <class Archive>
void fields(Archive& archive, TimeSettings& time) {
  auto& [step, end, automatic, shortest, accuracy, scheme, stabilisation, recovery_speed,
         bounce_speed, damping_time, restitution_law, error_share] = time;
  archive(step, end, automatic, shortest, accuracy, scheme, stabilisation, recovery_speed,
          bounce_speed, damping_time, restitution_law, error_share);
}
template <class Archive>
void fields(Archive& archive, StepSettings& settings) {
  auto& [scheme, h, tick, ticks, most_ticks, tolerance_rate, stabilisation, recovery_speed,
         recovery_size, bounce_speed, damping_time, touching, smallest_size, restitution_law] =
      settings;
  archive(scheme, h, tick, ticks, most_ticks, tolerance_rate, stabilisation, recovery_speed,
          recovery_size, bounce_speed, damping_time, touching, smallest_size, restitution_law);
}
template <class Archive>
void fields(Archive& archive, Region& region) {
  auto& [kind, low, high, centre, radius, axis, height] = region;
  archive(kind, low, high, centre, radius, axis, height);
}
template <class Archive>
void fields(Archive& archive, SceneBody& body) {
  auto& [name, place, motion, shape, scale, material, group, pose, velocity, angular_velocity, mass,
         inertia, kinematic] = body;
  archive(name, place, motion, shape, scale, material, group, pose, velocity, angular_velocity,
          mass, inertia, kinematic);
}
template <class Archive>
void fields(Archive& archive, SizeDistribution& sizes) {
  auto& [kind, by_mass, low, high, median, deviation, table] = sizes;
  archive(kind, by_mass, low, high, median, deviation, table);
}
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
template <class Archive>
void fields(Archive& archive, Event& event) {
  auto& [kind, place, at, when, target, on, gravity, added, done] = event;
  archive(kind, place, at, when, target, on, gravity, added, done);
}
template <class Archive>
void fields(Archive& archive, LogSettings& log) {
  auto& [every, columns] = log;
  archive(every, columns);
}
template <class Archive>
void fields(Archive& archive, ParaViewSettings& paraview) {
  auto& [every, bodies, contacts, parts, ranks_per_file] = paraview;
  archive(every, bodies, contacts, parts, ranks_per_file);
}
template <class Archive>
void fields(Archive& archive, SnapshotSettings& snapshots) {
  auto& [every] = snapshots;
  archive(every);
}
template <class Archive>
void fields(Archive& archive, CheckpointSettings& checkpoint) {
  auto& [every, wall, keep] = checkpoint;
  archive(every, wall, keep);
}
template <class Archive>
void fields(Archive& archive, MonitorSettings& monitor) {
  auto& [kind, name, every, group, joint, region, axis, up, values, at, normal, from, to, bins] =
      monitor;
  archive(kind, name, every, group, joint, region, axis, up, values, at, normal, from, to, bins);
}

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
