#pragma once
// What writer and reader of checkpoints share.

#include "talus/io/checkpoint_file.hpp"

#include "model/world_archive.hpp"
#include "stepping/step_settings_archive.hpp"

#include <cstdint>

namespace talus {

/// What is packed: all but bodies and contacts, which are arrays of the file. The text stands there
/// for people, too.
template <class Archive>
void fields(Archive& archive, Checkpoint& checkpoint) {
  auto& [scene_text, scene, world, settings, tolerance, law, simulation, program, bodies,
         total_bodies, contacts, total_contacts] = checkpoint;
  archive(scene_text, scene, world, settings, tolerance, law, simulation, program);
}

namespace io {

/// Of everything in a checkpoint that is no state: to be raised with every change of what is
/// packed.
inline constexpr std::int64_t checkpoint_version = 10;

/// Bodies and contacts are written and read array by array (state_writer, checkpoint_writer and
/// checkpoint_reader). A member that is added does not compile until it has its name here: it must
/// have an array there, too, or be found again from others (reach, owner, residence).
inline void are_all_written(const StoredBody& stored_body, const StoredContact& stored_contact) {
  [[maybe_unused]] const auto& [body, reach, owner, residence] = stored_body;
  [[maybe_unused]] const auto& [id, motion, shape, scale, material, group, mass, inertia, pose,
                                velocity, angular_velocity] = body;
  [[maybe_unused]] const auto& [name, point, normal, gap, impulse, angular_impulse] =
      stored_contact;
}

/// Periods by which the second body is moved, in one number.
inline std::int64_t packed_image(const std::array<std::int8_t, 3>& image) {
  constexpr std::int64_t middle = 128, base = 256;
  return ((image[0] + middle) * base + (image[1] + middle)) * base + (image[2] + middle);
}
inline std::array<std::int8_t, 3> unpacked_image(std::int64_t number) {
  constexpr std::int64_t middle = 128, base = 256;
  const auto part = [](std::int64_t n) { return static_cast<std::int8_t>(n % base - middle); };
  return {part(number / base / base), part(number / base), part(number)};
}

}  // namespace io
}  // namespace talus
