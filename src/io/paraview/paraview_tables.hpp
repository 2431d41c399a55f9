#pragma once
// What this rank has for a frame: rows of the bodies, contacts and joints that it owns.

#include "talus/model/contact_forces.hpp"
#include "talus/model/output_settings.hpp"
#include "talus/model/world.hpp"

#include "io/hdf5/field_table.hpp"

namespace talus::io {

/// Of bodies whose shape is bounded; "position" and "id" are always there.
FieldTable body_table(const World& world, const std::vector<std::string>& fields, int rank);
/// "ends": the centres of the two bodies, or where a body is touched that impulses do not move.
FieldTable contact_table(const World& world, const ContactForces& forces,
                         const std::vector<std::string>& fields);
/// "path": centre of A, origin of frame A, origin of frame B, centre of B.
FieldTable joint_table(const World& world);
/// Bodies that are drawn as surfaces: all but spheres.
FieldTable surface_table(const World& world);

}  // namespace talus::io
