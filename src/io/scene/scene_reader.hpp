#pragma once
// The sections of a scene file, read one after the other into a Scene.

#include "talus/model/scene.hpp"

#include "io/scene/scene_fields.hpp"

#include <map>
#include <set>

namespace talus {
class TriangleMesh;
}

namespace talus::io {

/// A scene that is being read, and what the sections must know of each other.
struct SceneReading {
  ReadingContext& context;
  Scene scene{};

  std::vector<Place> body_places{};       ///< of Scene::bodies
  std::map<std::string, Place> bodies{};  ///< names of bodies and generators
  std::map<std::string, Place> joints{};  ///< names of joints, springs and servos
  std::vector<Place> friction_axes{};     ///< of pairs
  std::set<std::string> faulty{};         ///< names of bodies that have been refused
  std::map<std::string, std::shared_ptr<const TriangleMesh>> meshes{};  ///< by file and scale
  Index unit_sphere = -1;  ///< of World::shapes: what spheres of generators share

  SceneFaults& faults() const { return context.faults; }
  World& world() { return scene.world; }
};

// In the order in which they must be read.
void read_materials(SceneReading& reading, const Fields& root);
void read_bodies(SceneReading& reading, const Fields& root);
void read_generators(SceneReading& reading, const Fields& root);
void read_joints(SceneReading& reading, const Fields& root);
void read_forces(SceneReading& reading, const Fields& root);
void read_events(SceneReading& reading, const Fields& root);
void read_solver(SceneReading& reading, const Fields& root);
void read_output(SceneReading& reading, const Fields& root);
/// Axes of friction that no law uses; after read_solver.
void note_idle_axes(SceneReading& reading);
/// Pairs of materials that are missing, meshes that would meet meshes.
void check_meetings(SceneReading& reading, const Fields& root);

// ---- parts
// ----------------------------------------------------------------------------------------

/// One body of `bodies` or of an event. Servos get their joint only at the start.
std::optional<SceneBody> read_body(SceneReading& reading, const Fields& body, bool at_start);
/// Adds the shape of a body to World::shapes; -1 where it is faulty.
Index read_shape(SceneReading& reading, const Fields& shape);
std::optional<Compound> read_parts(const Fields& shape);
std::optional<KinematicMotion> read_movement(const Fields& movement, const Pose& start);
std::optional<Quaternion> read_orientation(const Fields& body);
/// A volume; `is_face`: what bodies come through, flat along one axis at most.
Region read_region(const Fields& fields, bool is_face);
/// -1, and a fault, where there is no such material.
Index material_of(SceneReading& reading, const std::string& name, const Place& place);
/// "name" of a section: a fault where it cannot be one or is one in `taken` already.
std::string read_name(const Fields& fields, std::map<std::string, Place>& taken);
std::vector<std::string> names_of(const std::map<std::string, Place>& names);
/// The frame whose x axis is `axis`.
Quaternion along(const Vec3& axis);

}  // namespace talus::io
