#pragma once
// What a scene is made of, beside its world: core/archive.hpp.

#include "talus/model/scene.hpp"
#include "talus/stepping/step_settings.hpp"

#include "io/world_archive.hpp"

namespace talus {

TALUS_FIELDS(TimeSettings, step, end, automatic, shortest, accuracy, scheme, stabilisation,
             recovery_speed, bounce_speed, damping_time, restitution_law, error_share)
TALUS_FIELDS(StepSettings, scheme, h, tick, ticks, most_ticks, tolerance_rate, stabilisation,
             recovery_speed, recovery_size, bounce_speed, damping_time, touching, smallest_size,
             restitution_law)
TALUS_FIELDS(Region, kind, low, high, centre, radius, axis, height)
TALUS_FIELDS(SceneBody, name, place, motion, shape, scale, material, group, pose, velocity,
             angular_velocity, mass, inertia, kinematic)
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
