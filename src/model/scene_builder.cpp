#include "talus/model/scene_builder.hpp"

#include "model/scene_checks.hpp"
#include "model/ways.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

namespace talus {
namespace {

bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool same(const Pose& a, const Pose& b) {
  const Quaternion &p = a.orientation, &q = b.orientation;
  return same(a.position, b.position) && p.w == q.w && p.x == q.x && p.y == q.y && p.z == q.z;
}
bool same(const Sphere& a, const Sphere& b) {
  return a.radius == b.radius;
}
bool same(const Box& a, const Box& b) {
  return same(a.half, b.half);
}
bool same(const Plane& a, const Plane& b) {
  return same(a.normal, b.normal);
}
bool same(const Mesh& a, const Mesh& b) {
  return a.triangles == b.triangles;
}
bool same(const Compound& a, const Compound& b);

template <class... Kinds>
bool same(const std::variant<Kinds...>& a, const std::variant<Kinds...>& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& shape) {
               return same(shape, std::get<std::decay_t<decltype(shape)>>(b));
             },
             a);
}

bool same(const Compound& a, const Compound& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Compound::Part& p, const Compound::Part& q) {
                      return same(p.shape, q.shape) && same(p.pose, q.pose);
                    });
}

/// Of World::shapes; bodies of one shape share it.
Index shape_in(World& world, const Shape& shape) {
  const auto found = std::find_if(world.shapes.begin(), world.shapes.end(),
                                  [&](const Shape& known) { return same(known, shape); });
  const auto place = static_cast<Index>(found - world.shapes.begin());
  if (found == world.shapes.end()) world.shapes.push_back(shape);
  return place;
}

/// "place: name: ...", as make_world begins it.
class Faults {
 public:
  Faults(InputErrors& errors, std::string where) : errors_(errors), where_(std::move(where)) {}
  void add(const std::string& text) {
    if (!text.empty()) errors_.add(where_ + ": " + text);
  }
  void number(const std::string& key, double value, const Range& range,
              const std::string& remedy = "") {
    if (range.holds(value)) return;
    const bool is_finite = std::isfinite(value);
    add(fmt::format("{} = {} {}{}", key, value, is_finite ? range.text() : "must be finite",
                    !is_finite || remedy.empty() ? "" : ": " + remedy));
  }
  void vector(const std::string& key, const Vec3& v) {
    if (!std::isfinite(v.x + v.y + v.z))
      add(fmt::format("{} = [{}, {}, {}] must be finite", key, v.x, v.y, v.z));
  }
  /// What is a formula of time is seen when it is used.
  void vector(const std::string& key, const std::array<Expression, 3>& v) {
    vector(key, Vec3{constant_of(v[0]), constant_of(v[1]), constant_of(v[2])});
  }
  void scalar(const std::string& key, const Expression& value) {
    const double x = constant_of(value);
    if (!std::isfinite(x)) add(fmt::format("{} = {} must be finite", key, x));
  }
  void direction(const std::string& key, const Vec3& v) {
    constexpr double rounding = 1e-12;
    if (!(std::abs(dot(v, v) - 1.0) <= rounding))
      add(fmt::format("{} = [{}, {}, {}] must have length 1", key, v.x, v.y, v.z));
  }

 private:
  static double constant_of(const Expression& value) {
    return value.varies() ? 0.0 : value.at(0.0);
  }

  InputErrors& errors_;
  std::string where_;
};

/// Of a shape or a part of one. `part`: what is said in front.
template <class AnyShape>
void check_sizes(const AnyShape& shape, const std::string& part, Faults& faults) {
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    faults.number(part + "radius", sphere->radius, positive);
  if (const auto* box = std::get_if<Box>(&shape))
    for (const double half : {box->half.x, box->half.y, box->half.z})
      faults.number(part + "size", 2.0 * half, positive);
}

void check_parts(const Compound& compound, Faults& faults) {
  if (compound.parts.empty()) faults.add("a compound needs at least one part");
  for (std::size_t k = 0; k < compound.parts.size(); ++k) {
    const Compound::Part& part = compound.parts[k];
    const std::string called = fmt::format("part {}: ", k + 1);
    check_sizes(part.shape, called, faults);
    faults.vector(called + "position", part.pose.position);
    if (!unit_of(part.pose.orientation)) faults.add(called + not_unit(part.pose.orientation));
  }
}

void check_shape(const Shape& shape, Faults& faults) {
  check_sizes(shape, "", faults);
  if (const auto* compound = std::get_if<Compound>(&shape)) check_parts(*compound, faults);
  if (const auto* plane = std::get_if<Plane>(&shape)) faults.direction("normal", plane->normal);
  if (const auto* mesh = std::get_if<Mesh>(&shape); mesh != nullptr && mesh->triangles == nullptr)
    faults.add("a mesh has no triangles");
}

template <class List>
void check_names(const List& list, Faults& faults) {
  std::set<std::string> names;
  for (const auto& one : list)
    if (!names.insert(one.name).second) faults.add(name_is_taken(one.name));
}

void check_movement(const KinematicMotion& motion, Faults& faults) {
  faults.vector("movement: way", motion.way);
  faults.vector("movement: velocity", motion.velocity);
  faults.vector("movement: through", motion.through);
  faults.direction("movement: axis", motion.axis);
  faults.scalar("movement: angle", motion.angle);
  faults.scalar("movement: rate", motion.rate);
}

}  // namespace

void check_body(const World& world, const SceneBody& body, InputErrors& errors) {
  Faults faults(errors, fmt::format("{}: {}", body.place, body.name));
  if (body.name.empty()) faults.add("a body needs the key name: what others call it by");
  faults.add(fault_of_name(body.name));
  check_shape(world.shapes[body.shape], faults);
  faults.number("scale", body.scale, positive);
  faults.vector("position", body.pose.position);
  faults.vector("velocity", body.velocity);
  faults.vector("angular_velocity", body.angular_velocity);
  if (!unit_of(body.pose.orientation)) faults.add(not_unit(body.pose.orientation));
  if (body.mass)
    faults.number("mass", *body.mass, positive, "a body that nothing moves is `motion: fixed`");
  if (body.inertia) {
    const Sym3& i = *body.inertia;
    const std::string fault = fault_of_inertia(i);
    if (!fault.empty())
      faults.add(fmt::format("inertia = [{}, {}, {}, {}, {}, {}] {}", i.xx, i.xy, i.xz, i.yy, i.yz,
                             i.zz, fault));
  }
  if (body.kinematic) check_movement(*body.kinematic, faults);
  if (body.motion == Motion::Kinematic && !body.kinematic)
    faults.add("a kinematic body needs the key movement: how it moves, whatever touches it");
  if (body.material < 0) return;  // which has been told
  const auto* mesh = std::get_if<Mesh>(&world.shapes[body.shape]);
  if (mesh != nullptr && mesh->triangles == nullptr) return;  // so has this
  const auto fault =
      fault_of_mass(world, body, false, body.mass.has_value(), body.inertia.has_value());
  if (fault) faults.add(fault->text);
}

void check_pairs(const MaterialTable& table, Scheme scheme, const std::string& place,
                 InputErrors& errors) {
  Faults faults(errors, place);
  const std::vector<Material>& materials = table.materials();
  for (Index a = 0; a < table.count(); ++a)
    for (Index b = 0; b <= a; ++b) {
      if (!table.has_pair(a, b)) continue;
      const PairProperties& pair = table.pair(a, b);
      const std::string between =
          fmt::format("the pair {} - {}: ", materials[b].name, materials[a].name);
      for (const PairRule& rule : pair_rules)
        if (const double value = pair.*rule.value; value != 0.0)  // 0: not given
          faults.number(between + rule.key, value, rule.range, rule.remedy);
      const std::string fault = fault_of_damping(pair, scheme);
      if (!fault.empty()) faults.add(between + fault);
    }
}

SceneBody scene_body(World& world, const BodySpec& spec, const std::string& place,
                     InputErrors& unknown) {
  SceneBody body;
  body.name = spec.name;
  body.place = place;
  body.motion = spec.motion;
  body.shape = shape_in(world, spec.shape);
  body.scale = spec.scale;
  body.material = world.materials.find(spec.material);
  body.group = group_named(world, spec.group.empty() ? spec.name : spec.group);
  body.pose = spec.pose;
  if (const auto unit = unit_of(spec.pose.orientation)) body.pose.orientation = *unit;
  body.velocity = spec.velocity;
  body.angular_velocity = spec.angular_velocity;
  body.mass = spec.mass;
  body.inertia = spec.inertia;
  body.kinematic = spec.movement;
  if (body.material < 0)
    unknown.add(fmt::format("{}: {}: {}", place, spec.name,
                            unknown_material(world.materials, spec.material)));
  return body;
}

// ---- the builder --------------------------------------------------------------------------------

SceneBuilder::SceneBuilder(double time_step, std::string name) {
  scene.file = std::move(name);
  scene.time.step = time_step;
}

void SceneBuilder::set_gravity(const Vec3& gravity) {
  scene.world.gravity = {Expression(gravity.x), Expression(gravity.y), Expression(gravity.z)};
}

Index SceneBuilder::add_material(const std::string& name, double density) {
  return scene.world.materials.add({name, density});
}

void SceneBuilder::set_pair(const std::string& a, const std::string& b,
                            const PairProperties& properties) {
  MaterialTable& table = scene.world.materials;
  bool are_known = true;
  for (const std::string& name : {a, b})
    if (table.find(name) < 0 && std::exchange(are_known, false))
      unknown_.add(scene.file + ": " + unknown_material(table, name));
  if (are_known) table.set_pair(table.find(a), table.find(b), properties);
}

std::size_t SceneBuilder::add(const BodySpec& body) {
  scene.bodies.push_back(scene_body(scene.world, body, scene.file, unknown_));
  return scene.bodies.size() - 1;
}

void SceneBuilder::add(const JointSpec& spec) {
  const auto place_of = [&](const std::string& name) -> std::optional<GlobalId> {
    if (name == "world") return world_id;
    const auto found = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                    [&](const SceneBody& body) { return body.name == name; });
    if (found != scene.bodies.end()) return found - scene.bodies.begin();
    unknown_.add(
        fmt::format("{}: {}: {}", scene.file, spec.joint.name, unknown_partner(scene, name)));
    return std::nullopt;
  };
  const std::optional<GlobalId> a = place_of(spec.a), b = place_of(spec.b);
  if (!a || !b) return;
  Joint joint = spec.joint;
  joint.body_a = *a;
  joint.body_b = *b;
  const Pose frame{spec.position, rotation_between({1.0, 0.0, 0.0}, unit(spec.axis))};
  const auto at = [&](std::size_t end) {
    return spec.points ? Pose{(*spec.points)[end], {}} : frame;
  };
  joint.frame_a = in_body(scene, *a, at(0));
  joint.frame_b = in_body(scene, *b, at(1));
  const bool is_free =
      std::isinf(joint.way_limits[0]) && std::isinf(joint.way_limits[1]) && joint.length == 0.0;
  if (spec.points && joint.type == JointType::Distance && is_free)
    joint.length =
        length(shortest_way(scene.world.periodicity(), (*spec.points)[0], (*spec.points)[1]));
  scene.world.joints.push_back(joint);
  scene.joint_places.push_back(scene.file + ": " + joint.name);
}

void SceneBuilder::add_force(const std::string& group, const Vec3& force, const Vec3& torque) {
  const Index found = scene.world.find_group(group);
  if (found < 0) {
    unknown_.add(scene.file +
                 ": on = " + is_none_of(group, "body, group or generator", scene.world.groups));
    return;
  }
  GroupForce one;
  one.group = found;
  one.force = {Expression(force.x), Expression(force.y), Expression(force.z)};
  one.torque = {Expression(torque.x), Expression(torque.y), Expression(torque.z)};
  scene.world.forces.push_back(one);
}

Scene SceneBuilder::build() const {
  InputErrors errors = unknown_;
  const World& world = scene.world;
  Faults faults(errors, scene.file);
  faults.number("time.step", scene.time.step, positive);
  for (const KeyFault& fault : faults_of_domain(world.domain)) faults.add(fault.text);
  faults.vector("gravity", world.gravity);
  for (const GroupForce& force : world.forces) {
    const std::string& group = world.groups[force.group];
    faults.vector(group + ": force", force.force);
    faults.vector(group + ": torque", force.torque);
    faults.vector(group + ": acceleration", force.acceleration);
  }
  check_names(world.materials.materials(), faults);
  for (const Material& material : world.materials.materials())
    if (material.density != 0.0)  // 0: not given
      faults.number(material.name + ": density", material.density, positive);
  check_pairs(world.materials, scene.time.scheme, scene.file, errors);
  check_names(scene.bodies, faults);
  for (const SceneBody& body : scene.bodies) {
    check_body(world, body, errors);
    faults.add(fault_of_group(world, body));
  }
  check_names(world.joints, faults);
  const bool all_known = std::all_of(scene.bodies.begin(), scene.bodies.end(),
                                     [](const SceneBody& body) { return body.material >= 0; });
  if (all_known)
    for (const MeetingFault& fault : faults_of_meetings(scene)) faults.add(fault.text);
  errors.throw_if_any();
  return scene;
}

}  // namespace talus
