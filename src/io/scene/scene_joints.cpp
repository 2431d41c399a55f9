// Materials and what happens between them.

#include "talus/core/error.hpp"

#include "io/scene/scene_reader.hpp"
#include "model/scene_checks.hpp"
#include "model/ways.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

PairProperties properties_of(const Fields& pair) {
  PairProperties p;
  for (const PairRule& rule : pair_rules) p.*rule.value = pair.number(rule.key, 0.0);
  p.friction_axis = pair.direction("friction_axis").value_or(Vec3{});
  p.friction_along_slip = pair.text("friction_axis") == "slip";
  return p;
}

void read_pair(SceneReading& reading, const Fields& pair,
               std::map<std::pair<Index, Index>, Place>& given) {
  const PairProperties properties = properties_of(pair);
  if (pair.has("friction_axis")) reading.friction_axes.push_back(pair.place("friction_axis"));
  const std::vector<std::string> names = pair.texts("between");
  if (names.size() != 2) return;
  const Place place = pair.place("between");
  const Index a = material_of(reading, names[0], place);
  const Index b = names[1] == names[0] ? a : material_of(reading, names[1], place);
  if (a < 0 || b < 0) return;
  const auto [earlier, is_new] = given.emplace(std::minmax(a, b), place);
  if (!is_new) {
    reading.faults().add(
        place, fmt::format("the pair {} - {} is given twice, first at {}: leave one", names[0],
                           names[1], text_of(earlier->second)));
    return;
  }
  const std::string fault = fault_of_damping(properties, reading.scene.time.scheme);
  if (!fault.empty()) pair.fault("damping_time", fault);
  reading.world().materials.set_pair(a, b, properties);
}

}  // namespace

Index material_of(SceneReading& reading, const std::string& name, const Place& place) {
  const MaterialTable& table = reading.world().materials;
  const Index found = table.find(name);
  if (found >= 0) return found;
  reading.faults().add(place, unknown_material(table, name));
  return -1;
}

void read_materials(SceneReading& reading, const Fields& root) {
  // a faulty density has been told; that bodies then have no mass is no other fault
  for (const auto& [entry, material] : root.named_sections("materials")) {
    const std::string fault = fault_of_word("material", entry.key);
    if (!fault.empty()) reading.faults().add(entry.place, fault);
    reading.world().materials.add(
        {entry.key, material.number("density", material.has("density") ? 1.0 : 0.0)});
  }
  std::map<std::pair<Index, Index>, Place> given;
  for (const Fields& pair : root.sections("pairs")) read_pair(reading, pair, given);
}

/// A scene may be tried under several laws: an axis that the present one has no use for is no
/// fault.
void note_idle_axes(SceneReading& reading) {
  const std::vector<std::string>& given = reading.scene.solver_assignments;
  if (std::find(given.begin(), given.end(), "solver.law=box") != given.end()) return;
  for (const Place& place : reading.friction_axes)
    reading.scene.notes.push_back(fmt::format(
        "{}: friction_axis was given, but the law of friction is not box: it is the same in all "
        "directions; say solver.law: box where it shall not be",
        text_of(place)));
}

void check_meetings(SceneReading& reading, const Fields& root) {
  for (const MeetingFault& fault : faults_of_meetings(reading.scene)) {
    if (fault.of_pairs)
      root.fault("pairs", fault.text);
    else
      reading.faults().add(fault.body < 0 ? Place{} : reading.body_places[fault.body], fault.text);
  }
}

// Joints and springs between two bodies, or a body and the world.

namespace {

JointType type_named(const std::string& kind) {
  static const std::map<std::string, JointType> types{{"fixed", JointType::Fixed},
                                                      {"spherical", JointType::Spherical},
                                                      {"revolute", JointType::Revolute},
                                                      {"prismatic", JointType::Prismatic},
                                                      {"cylindrical", JointType::Cylindrical},
                                                      {"universal", JointType::Universal},
                                                      {"distance", JointType::Distance}};
  return types.at(kind);
}

/// Index of a body of that name, -1 of the world; nothing where there is none.
std::optional<GlobalId> body_named(SceneReading& reading, const std::string& name,
                                   const Place& place) {
  if (name == "world") return world_id;
  const std::vector<SceneBody>& bodies = reading.scene.bodies;
  const auto found = std::find_if(bodies.begin(), bodies.end(),
                                  [&](const SceneBody& body) { return body.name == name; });
  if (found != bodies.end()) return found - bodies.begin();
  if (reading.faulty.contains(name)) return std::nullopt;  // has been told
  reading.faults().add(place, unknown_partner(reading.scene, name));
  return std::nullopt;
}

bool read_bodies_of(SceneReading& reading, const Fields& fields, Joint& joint) {
  const std::vector<std::string> names = fields.texts("between");
  if (names.size() != 2) return false;
  const Value& list = *fields.value("between");
  const std::optional<GlobalId> a = body_named(reading, names[0], list.items[0].place);
  const std::optional<GlobalId> b = body_named(reading, names[1], list.items[1].place);
  if (!a || !b) return false;
  joint.body_a = *a;
  joint.body_b = *b;
  const auto moves = [&](GlobalId body) {
    return body != world_id && reading.scene.bodies[body].motion == Motion::Dynamic;
  };
  if (*a == *b)
    fields.fault("between", fmt::format("between = [{}, {}] must name two different bodies",
                                        names[0], names[1]));
  else if (!moves(*a) && !moves(*b))
    fields.fault("between", fmt::format("between = [{}, {}] must have a body that forces move: "
                                        "neither is dynamic",
                                        names[0], names[1]));
  return *a != *b;
}

/// x along `axis`, y along `second`.
std::optional<Quaternion> frame_of(const Fields& fields, const Vec3& axis, const Vec3& second) {
  constexpr double rounding = 1e-6;
  if (std::fabs(dot(axis, second)) > rounding) {
    fields.fault("second_axis", "second_axis must be normal to axis: their cosine is " +
                                    fmt::format("{:.3g}", dot(axis, second)));
    return std::nullopt;
  }
  const Vec3 y = unit(second - dot(axis, second) * axis), z = cross(axis, y);
  return quaternion_of({axis.x, y.x, z.x, axis.y, y.y, z.y, axis.z, y.z, z.z});
}

void read_frames(SceneReading& reading, const Fields& fields, Joint& joint) {
  const Vec3 position = fields.vector("position", {});
  const Vec3 axis = fields.direction("axis").value_or(Vec3{0.0, 0.0, 1.0});
  Quaternion orientation = along(axis);
  if (const std::optional<Vec3> second = fields.direction("second_axis"))
    orientation = frame_of(fields, axis, *second).value_or(orientation);
  const Pose frame{position, orientation};
  joint.frame_a = in_body(reading.scene, joint.body_a, frame);
  joint.frame_b = in_body(reading.scene, joint.body_b, frame);
}

/// The two points of distances and springs; their distance, as joints see it.
double set_points(const SceneReading& reading, Joint& joint, const Vec3& a, const Vec3& b) {
  joint.frame_a = in_body(reading.scene, joint.body_a, {a, {}});
  joint.frame_b = in_body(reading.scene, joint.body_b, {b, {}});
  return length(shortest_way(reading.scene.world.periodicity(), a, b));
}

bool turns(JointType type) {
  return type == JointType::Revolute || type == JointType::Cylindrical;
}
bool slides(JointType type) {
  return type == JointType::Prismatic || type == JointType::Cylindrical;
}

void read_limit(const Fields& limits, const std::string& key, bool is_free,
                std::array<double, 2>& into) {
  const std::optional<std::vector<double>> given = limits.numbers(key);
  if (!limits.has(key)) return;
  if (!is_free) {
    limits.fault(key, fmt::format("{} cannot be limited: the joint does not leave it free", key));
  } else if (given) {
    if ((*given)[0] > (*given)[1])
      limits.fault(key, fmt::format("{} = [{}, {}] must be [least, largest]", key, (*given)[0],
                                    (*given)[1]));
    into = {(*given)[0], (*given)[1]};
  }
}

void read_motor(const Fields& fields, Joint& joint) {
  std::string of = fields.text("of");
  const bool both = turns(joint.type) && slides(joint.type);
  if (of.empty() && fields.has("of")) return;
  if (of.empty() && both) {
    fields.fault("of", "the motor of a cylindrical joint needs the key of: angle or way");
    return;
  }
  if (of.empty()) of = turns(joint.type) ? "angle" : "way";
  if (!(of == "angle" ? turns(joint.type) : slides(joint.type))) {
    fields.fault("of",
                 fmt::format("of = {} cannot be driven: the joint does not leave it free", of));
    return;
  }
  Motor& motor = of == "angle" ? joint.angle_motor : joint.way_motor;
  if (motor.type != MotorType::None)
    fields.fault("of", fmt::format("the {} has two motors: leave one", of));
  static const std::map<std::string, MotorType> types{{"position", MotorType::Position},
                                                      {"speed", MotorType::Speed},
                                                      {"force", MotorType::Force},
                                                      {"torque", MotorType::Force}};
  const auto type = types.find(fields.text("type"));
  motor.type = type == types.end() ? MotorType::Speed : type->second;  // a fault has been told
  motor.value = fields.formula("value").value_or(Expression());
  motor.limit = fields.number("limit", motor.limit);
  motor.on = fields.flag("on", true);
}

void read_limits_and_motors(const Fields& fields, Joint& joint) {
  if (const std::optional<Fields> limits = fields.section("limits")) {
    read_limit(*limits, "angle", turns(joint.type), joint.angle_limits);
    read_limit(*limits, "way", slides(joint.type) || joint.type == JointType::Distance,
               joint.way_limits);
  }
  if (const std::optional<Fields> motor = fields.section("motor")) read_motor(*motor, joint);
  for (const Fields& motor : fields.sections("motors")) read_motor(motor, joint);
}

void add(SceneReading& reading, const Fields& fields, Joint joint) {
  reading.world().joints.push_back(std::move(joint));
  reading.scene.joint_places.push_back(text_of(fields.place()));
}

void read_joint(SceneReading& reading, const Fields& fields) {
  Joint joint;
  joint.name = read_name(fields, reading.joints);
  joint.on = fields.flag("on", true);
  joint.compliance = fields.number("compliance", 0.0);
  const bool has_bodies = read_bodies_of(reading, fields, joint);
  if (fields.kind().empty()) return;
  joint.type = type_named(fields.kind());
  if (fields.has("collide")) joint.collide = fields.flag("collide", false);
  read_limits_and_motors(fields, joint);
  if (joint.type == JointType::Distance) {
    const double distance = set_points(reading, joint, fields.vector("position", {}),
                                       fields.vector("second_position", {}));
    const std::optional<double> given = fields.number("length");
    const bool limited = std::isfinite(joint.way_limits[0]) || std::isfinite(joint.way_limits[1]);
    if (limited && fields.has("length"))
      fields.fault("length", "a distance joint keeps a length or stays within limits, not both");
    if (!limited) joint.length = given.value_or(distance);
  } else {
    read_frames(reading, fields, joint);
  }
  if (has_bodies) add(reading, fields, std::move(joint));
}

void read_spring(SceneReading& reading, const Fields& fields) {
  Joint spring;
  spring.type = JointType::Spring;
  spring.name = read_name(fields, reading.joints);
  spring.on = fields.flag("on", true);
  spring.stiffness = fields.number("stiffness", 0.0);
  spring.damping = fields.number("damping", 0.0);
  const std::optional<double> length = fields.number("length");
  const bool has_bodies = read_bodies_of(reading, fields, spring);
  const std::vector<std::vector<double>> at = fields.rows("at", 3);
  if (at.size() == 2) {
    const double distance =
        set_points(reading, spring, {at[0][0], at[0][1], at[0][2]}, {at[1][0], at[1][1], at[1][2]});
    spring.length = length.value_or(distance);
  }
  if (has_bodies) add(reading, fields, std::move(spring));
}

}  // namespace

void read_joints(SceneReading& reading, const Fields& root) {
  for (const Fields& joint : root.sections("joints")) read_joint(reading, joint);
  for (const Fields& spring : root.sections("springs")) read_spring(reading, spring);
}

}  // namespace talus::io
