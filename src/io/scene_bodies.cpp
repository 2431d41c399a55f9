// Named bodies, and the walls that a force drives.

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "io/scene_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

/// Positive definite by its leading minors.
bool is_positive(const Sym3& s) {
  const double minor = s.xx * s.yy - s.xy * s.xy;
  const double determinant = s.xx * (s.yy * s.zz - s.yz * s.yz) -
                             s.xy * (s.xy * s.zz - s.yz * s.xz) +
                             s.xz * (s.xy * s.yz - s.yy * s.xz);
  return s.xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

/// No mass distribution has a moment above the sum of the two others.
bool is_of_a_body(const Sym3& s) {
  constexpr double rounding = 1e-6;
  const double trace = s.xx + s.yy + s.zz;
  const double most = 0.5 * (1.0 + rounding) * trace;
  return s.xx <= most && s.yy <= most && s.zz <= most;
}

std::optional<Sym3> inertia_of(const Fields& body) {
  const std::optional<std::vector<double>> given = body.numbers("inertia");
  if (!given) return std::nullopt;
  const std::vector<double>& n = *given;
  const Sym3 inertia = n.size() == 3 ? Sym3{n[0], 0.0, 0.0, n[1], 0.0, n[2]}
                                     : Sym3{n[0], n[1], n[2], n[3], n[4], n[5]};
  if (is_positive(inertia) && is_of_a_body(inertia)) return inertia;
  body.fault("inertia", fmt::format("inertia = [{}] must be {}", fmt::join(n, ", "),
                                    is_positive(inertia)
                                        ? "that of a body: no moment is above the sum of the others"
                                        : "positive definite"));
  return std::nullopt;
}

/// What the shape does not give must be given.
void check_mass(SceneReading& reading, const Fields& fields, const SceneBody& body) {
  if (body.motion != Motion::Dynamic) return;
  const Shape& shape = reading.world().shapes[body.shape];
  const bool given = fields.has("mass");
  if (std::holds_alternative<Plane>(shape)) {
    const bool is_servo = fields.kind() == "servo";
    if (!is_servo)
      fields.fault(
          "shape",
          "a plane cannot be dynamic: it has no size; make it fixed, kinematic or a servo");
    else if (!given)
      fields.fault("mass", "a servo plane needs the key mass: it has no volume");
    return;
  }
  if (const Mesh* mesh = std::get_if<Mesh>(&shape)) {
    const MeshFaults& faults = mesh->triangles->faults();
    const std::string what =
        !faults.closed()
            ? fmt::format("is not closed ({} edges of one triangle only)", faults.open_edges)
        : faults.inside_out ? "has normals that point inwards"
                            : "";
    if (!what.empty() && !(given && fields.has("inertia"))) {
      fields.fault("shape", fmt::format("the mesh {}, so that it bounds no volume: give mass and "
                                        "inertia, or repair the mesh",
                                        what));
      return;
    }
  }
  const Material& material = reading.world().materials.materials()[body.material];
  if (!given && material.density == 0.0)
    fields.fault("material",
                 fmt::format("material {} has no density: give it one, or give {} a mass",
                             material.name, body.name));
}

std::optional<Motion> motion_of(const std::string& kind) {
  if (kind == "dynamic" || kind == "servo") return Motion::Dynamic;
  if (kind == "fixed") return Motion::Fixed;
  if (kind == "kinematic") return Motion::Kinematic;
  return std::nullopt;
}

/// A servo is a body on a slide to the world, which a force drives. The slide has its name.
void add_servo(SceneReading& reading, const Fields& body, std::size_t index) {
  const std::optional<Fields> servo = body.section("servo");
  if (!servo) return;
  const std::optional<Vec3> axis = servo->direction("axis");
  const std::optional<Expression> force = servo->formula("force");
  const SceneBody& driven = reading.scene.bodies[index];
  if (!axis || !force) return;
  if (!reading.joints.emplace(driven.name, body.place("name")).second) return;
  Joint slide;
  slide.name = driven.name;
  slide.type = JointType::Prismatic;
  slide.body_a = world_id;
  slide.body_b = static_cast<GlobalId>(index);
  slide.frame_a = {driven.pose.position, along(*axis)};
  slide.frame_b = inverse(driven.pose) * slide.frame_a;
  slide.way_motor.type = MotorType::Force;
  slide.way_motor.value = *force;
  reading.world().joints.push_back(slide);
  reading.scene.joint_places.push_back(text_of(servo->place()));
}

/// A group with the name of a body that is not in it would make that name mean two things.
void check_groups(SceneReading& reading) {
  const World& world = reading.world();
  for (std::size_t i = 0; i < reading.scene.bodies.size(); ++i) {
    const SceneBody& body = reading.scene.bodies[i];
    const std::string& group = world.groups[body.group];
    if (group == body.name || reading.world().find_group(body.name) < 0) continue;
    reading.faults().add(reading.body_places[i],
                         fmt::format("name = '{}' is the name of a group, too: {} is in group {}; "
                                     "rename one",
                                     body.name, body.name, group));
  }
}

}  // namespace

std::vector<std::string> names_of(const std::map<std::string, Place>& names) {
  std::vector<std::string> all;
  for (const auto& [name, place] : names) all.push_back(name);
  return all;
}

std::string read_name(const Fields& fields, std::map<std::string, Place>& taken) {
  std::string name = fields.text("name");
  if (name.empty()) return name;
  if (name == "world")
    fields.fault("name", "name = 'world' is the immovable world of joints: choose another");
  if (name.find_first_of("./= \t\n") != std::string::npos)
    fields.fault("name",
                 fmt::format("name = '{}' must have no blank, dot, slash or equals sign: -s "
                             "and files use it",
                             name));
  const auto [earlier, is_new] = taken.emplace(name, fields.place("name"));
  if (!is_new)
    fields.fault("name", fmt::format("name = '{}' is given twice, first at {}: rename one", name,
                                     text_of(earlier->second)));
  return name;
}

Index group_named(World& world, const std::string& name) {
  const Index found = world.find_group(name);
  if (found >= 0) return found;
  world.groups.push_back(name);
  return static_cast<Index>(world.groups.size()) - 1;
}

std::optional<SceneBody> read_body(SceneReading& reading, const Fields& fields, bool at_start) {
  SceneBody body;
  body.name = read_name(fields, reading.bodies);
  body.place = text_of(fields.place());
  const std::optional<Motion> motion = motion_of(fields.kind());
  const std::string material = fields.text("material");
  body.material = material.empty() ? -1 : material_of(reading, material, fields.place("material"));
  const std::optional<Fields> shape = fields.section("shape");
  body.shape = shape ? read_shape(reading, *shape) : -1;
  body.pose.position = fields.vector("position", {});
  body.pose.orientation = read_orientation(fields).value_or(Quaternion{});
  body.velocity = fields.vector("velocity", {});
  body.angular_velocity = fields.vector("angular_velocity", {});
  body.mass = fields.number("mass");
  body.inertia = inertia_of(fields);
  if (const std::optional<Fields> movement = fields.section("movement"))
    body.kinematic = read_movement(*movement, body.pose);
  if (!at_start && fields.kind() == "servo")
    fields.fault("motion", "a servo cannot appear during the run: have it from the start");
  const std::string group = fields.text("group");
  if (body.name.empty() || !motion || body.material < 0 || body.shape < 0) {
    reading.faulty.insert(body.name);
    return std::nullopt;
  }
  body.motion = *motion;
  body.group = group_named(reading.world(), group.empty() ? body.name : group);
  check_mass(reading, fields, body);
  return body;
}

void read_bodies(SceneReading& reading, const Fields& root) {
  for (const Fields& fields : root.sections("bodies")) {
    std::optional<SceneBody> body = read_body(reading, fields, true);
    if (!body) continue;
    reading.scene.bodies.push_back(std::move(*body));
    reading.body_places.push_back(fields.place());
    if (fields.kind() == "servo") add_servo(reading, fields, reading.scene.bodies.size() - 1);
  }
  check_groups(reading);
}

}  // namespace talus::io
