// Parts of space.

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/stl_file.hpp"

#include "io/scene/scene_reader.hpp"
#include "model/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace talus::io {
namespace {

/// A stream comes through a face, which may be flat along one axis; all others fill a volume.
void check_box(const Fields& fields, const Region& region, bool is_face) {
  const Vec3 size = region.high - region.low;
  const int flat = (size.x == 0.0 ? 1 : 0) + (size.y == 0.0 ? 1 : 0) + (size.z == 0.0 ? 1 : 0);
  if (size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0 && flat <= (is_face ? 1 : 0)) return;
  fields.fault("max", fmt::format("max = [{}, {}, {}] must be above min = [{}, {}, {}]: the region "
                                  "has no {}",
                                  region.high.x, region.high.y, region.high.z, region.low.x,
                                  region.low.y, region.low.z, is_face ? "area" : "volume"));
}

}  // namespace

Region read_region(const Fields& fields, bool is_face) {
  Region region;
  if (fields.kind() == "box") {
    const std::optional<Vec3> low = fields.vector("min"), high = fields.vector("max");
    if (!low || !high) return region;
    region.low = *low;
    region.high = *high;
    check_box(fields, region, is_face);
    return region;
  }
  region.kind = fields.kind() == "sphere" ? Region::Kind::Sphere : Region::Kind::Cylinder;
  region.radius = fields.number("radius", 0.0);
  if (region.kind == Region::Kind::Sphere) {
    region.centre = fields.vector("centre", {});
    return region;
  }
  region.centre = fields.vector("base", {});
  region.axis = fields.direction("axis").value_or(region.axis);
  const std::optional<double> height = fields.number("height");
  region.height = height.value_or(0.0);
  if (!is_face && height && *height == 0.0)
    fields.fault("height", "height = 0 must be > 0: the region has no volume");
  return region;
}

// Shapes of bodies and of the parts of compounds.

namespace {

std::optional<Sphere> sphere_of(const Fields& shape) {
  const std::optional<double> diameter = shape.number("diameter"), radius = shape.number("radius");
  if (shape.has("diameter") == shape.has("radius")) {
    shape.fault("radius", shape.has("radius") ? "a sphere has a diameter or a radius, not both"
                                              : "a sphere needs the key diameter or radius, in m");
    return std::nullopt;
  }
  if (diameter) return Sphere{0.5 * *diameter};
  if (radius) return Sphere{*radius};
  return std::nullopt;
}

std::optional<Box> box_of(const Fields& shape) {
  const std::optional<Vec3> size = shape.vector("size");
  if (!size) return std::nullopt;
  return Box{0.5 * *size};
}

std::optional<Compound::Part> part_of(const Fields& part) {
  Compound::Part result;
  result.pose.position = part.vector("position", {});
  result.pose.orientation = read_orientation(part).value_or(Quaternion{});
  const std::optional<Fields> shape = part.section("shape");
  if (!shape) return std::nullopt;
  if (shape->kind() == "sphere") {
    const std::optional<Sphere> sphere = sphere_of(*shape);
    if (!sphere) return std::nullopt;
    result.shape = *sphere;
  } else {
    const std::optional<Box> box = box_of(*shape);
    if (!box) return std::nullopt;
    result.shape = *box;
  }
  return result;
}

/// What is odd in a mesh and no fault yet.
std::string oddities_of(const MeshFaults& faults) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(faults.degenerate, "triangles without area (left out)");
  add(faults.duplicate, "triangles given twice (left out)");
  add(faults.flipped, "edges between triangles that face opposite sides");
  add(faults.crowded_edges, "edges of more than two triangles");
  if (faults.inside_out) text += fmt::format("{}normals point inwards", text.empty() ? "" : ", ");
  return text;
}

std::optional<Mesh> mesh_of(SceneReading& reading, const Fields& shape) {
  const std::string file = shape.text("file");
  const double scale = shape.number("scale", 1.0);
  if (file.empty()) return std::nullopt;
  std::shared_ptr<const TriangleMesh>& mesh = reading.meshes[fmt::format("{} {}", scale, file)];
  if (mesh != nullptr) return Mesh{mesh};
  try {
    mesh = std::make_shared<const TriangleMesh>(read_stl(file, scale));
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) shape.fault("file", message);
    return std::nullopt;
  }
  const std::string odd = oddities_of(mesh->faults());
  if (!odd.empty())
    reading.scene.notes.push_back(
        fmt::format("{}: {}: {}", text_of(shape.place("file")), file, odd));
  return Mesh{mesh};
}

}  // namespace

std::optional<Compound> read_parts(const Fields& shape) {
  Compound compound;
  const std::vector<Fields> parts = shape.sections("parts");
  for (const Fields& part : parts)
    if (std::optional<Compound::Part> read = part_of(part)) compound.parts.push_back(*read);
  if (shape.has("parts") && parts.empty())
    shape.fault("parts", "parts must have at least one part");
  if (parts.empty() || compound.parts.size() != parts.size()) return std::nullopt;
  return compound;
}

Index read_shape(SceneReading& reading, const Fields& shape) {
  std::vector<Shape>& shapes = reading.world().shapes;
  const auto added = [&](const auto& found) -> Index {
    if (!found) return -1;
    shapes.emplace_back(*found);
    return static_cast<Index>(shapes.size()) - 1;
  };
  const std::string& kind = shape.kind();
  if (kind == "sphere") return added(sphere_of(shape));
  if (kind == "box") return added(box_of(shape));
  if (kind == "compound") return added(read_parts(shape));
  if (kind == "mesh") return added(mesh_of(reading, shape));
  if (kind != "plane") return -1;
  const std::optional<Vec3> normal = shape.direction("normal");
  return added(normal ? std::optional<Plane>(Plane{*normal}) : std::nullopt);
}

// How kinematic bodies move, and how bodies are turned.

namespace {

/// amplitude*(sin(2*pi*frequency*t + phase) - sin(phase)): it begins where the body is.
Expression with_vibration(const Expression& way, double amplitude, double frequency, double phase,
                          const std::map<std::string, double>& variables) {
  if (amplitude == 0.0) return way;
  const std::string text = fmt::format("({}) + ({})*(sin(2*pi*({})*t + ({})) - sin({}))",
                                       way.text(), amplitude, frequency, phase, phase);
  return Expression(text, variables, {"t"});
}

}  // namespace

std::optional<KinematicMotion> read_movement(const Fields& movement, const Pose& start) {
  KinematicMotion motion;
  motion.start = start;
  motion.through = start.position;
  if (!movement.has("displacement") && !movement.has("velocity") && !movement.has("rotation") &&
      !movement.has("vibration"))
    movement.fault("", "a movement needs displacement, velocity, rotation or vibration");
  if (const auto way = movement.formulas("displacement")) motion.way = *way;
  if (const auto velocity = movement.formulas("velocity")) motion.velocity = *velocity;
  if (const std::optional<Fields> rotation = movement.section("rotation")) {
    motion.axis = rotation->direction("axis").value_or(motion.axis);
    motion.through = rotation->vector("through", start.position);
    motion.angle = rotation->formula("angle").value_or(Expression());
    motion.rate = rotation->formula("rate").value_or(Expression());
    if (!rotation->has("angle") && !rotation->has("rate"))
      rotation->fault("", "a rotation needs the key angle (rad) or rate (rad/s)");
  }
  if (const std::optional<Fields> vibration = movement.section("vibration")) {
    const std::optional<Vec3> amplitude = vibration->vector("amplitude");
    const std::optional<double> frequency = vibration->number("frequency");
    const double phase = vibration->number("phase", 0.0);
    if (amplitude && frequency) {
      const std::array<double, 3> of_axis{amplitude->x, amplitude->y, amplitude->z};
      for (std::size_t k = 0; k < of_axis.size(); ++k)
        motion.way[k] = with_vibration(motion.way[k], of_axis[k], *frequency, phase,
                                       movement.context().variables);
    }
  }
  return motion;
}

std::optional<Quaternion> read_orientation(const Fields& body) {
  if (!body.has("orientation")) return std::nullopt;
  if (const std::optional<Fields> turn = body.section("orientation")) {
    const std::optional<Vec3> axis = turn->direction("axis");
    const std::optional<double> angle = turn->number("angle");
    if (!axis || !angle) return std::nullopt;
    return rotation_by(*angle * *axis);
  }
  const std::optional<std::vector<double>> q = body.numbers("orientation");
  if (!q) return std::nullopt;
  const Quaternion given{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
  if (const std::optional<Quaternion> unit = unit_of(given)) return unit;
  body.fault("orientation", not_unit(given) + ", or {axis, angle}");
  return std::nullopt;
}

Quaternion along(const Vec3& axis) {
  return rotation_between({1.0, 0.0, 0.0}, axis);
}

// Named bodies, and the walls that a force drives.

namespace {

std::optional<Sym3> inertia_of(const Fields& body) {
  const std::optional<std::vector<double>> given = body.numbers("inertia");
  if (!given) return std::nullopt;
  const std::vector<double>& n = *given;
  const Sym3 inertia = n.size() == 3 ? Sym3{n[0], 0.0, 0.0, n[1], 0.0, n[2]}
                                     : Sym3{n[0], n[1], n[2], n[3], n[4], n[5]};
  const std::string fault = fault_of_inertia(inertia);
  if (fault.empty()) return inertia;
  body.fault("inertia", fmt::format("inertia = [{}] {}", fmt::join(n, ", "), fault));
  return std::nullopt;
}

/// What the shape does not give must be given.
void check_mass(SceneReading& reading, const Fields& fields, const SceneBody& body) {
  const std::optional<KeyFault> fault = fault_of_mass(
      reading.world(), body, fields.kind() == "servo", fields.has("mass"), fields.has("inertia"));
  if (fault) fields.fault(fault->key, fault->text);
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
    const std::string fault = fault_of_group(world, body);
    if (!fault.empty()) reading.faults().add(reading.body_places[i], fault);
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
  const std::string fault = fault_of_name(name);
  if (!fault.empty()) fields.fault("name", fault);
  const auto [earlier, is_new] = taken.emplace(name, fields.place("name"));
  if (!is_new)
    fields.fault("name", fmt::format("name = '{}' is given twice, first at {}: rename one", name,
                                     text_of(earlier->second)));
  return name;
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
