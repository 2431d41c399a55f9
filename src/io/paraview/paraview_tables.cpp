#include "io/paraview/paraview_tables.hpp"

#include "talus/model/joint.hpp"

#include "model/ways.hpp"

#include <algorithm>
#include <cmath>

// The state of a hash can then stand on the stack.
#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's name
#include <xxhash.h>

namespace talus::io {
namespace {

using Reals = std::vector<double>;
using Wholes = std::vector<std::int32_t>;
using Ids = std::vector<std::int64_t>;
using Kinds = std::vector<std::uint8_t>;

/// A column of what `value(row)` gives for each of the rows.
template <class Numbers, class Value>
Field column(const std::string& name, const std::vector<std::size_t>& rows, const Value& value) {
  Field field{name, 1, Numbers{}};
  auto& numbers = std::get<Numbers>(field.values);
  numbers.reserve(rows.size());
  for (const std::size_t row : rows)
    numbers.push_back(static_cast<typename Numbers::value_type>(value(row)));
  return field;
}
template <class Value>
Field vectors(const std::string& name, int components, const std::vector<std::size_t>& rows,
              const Value& value) {
  Field field{name, components, Reals{}};
  auto& numbers = std::get<Reals>(field.values);
  numbers.reserve(rows.size() * static_cast<std::size_t>(components));
  for (const std::size_t row : rows) put(numbers, value(row));
  return field;
}

double known_mass(double mass) {
  return std::isfinite(mass) ? mass : 0.0;
}

Field body_field(const World& world, const std::string& name, const std::vector<std::size_t>& rows,
                 int rank) {
  const BodySet& b = world.bodies;
  const auto shape = [&](std::size_t i) -> const Shape& { return world.shapes[b.shape[i]]; };
  if (name == "quaternion")
    return vectors(name, 4, rows, [&](std::size_t i) { return b.orientation[i]; });
  if (name == "velocity")
    return vectors(name, 3, rows, [&](std::size_t i) { return b.velocity[i]; });
  if (name == "angular_velocity")
    return vectors(name, 3, rows, [&](std::size_t i) { return b.angular_velocity[i]; });
  if (name == "size")
    return column<Reals>(name, rows, [&](std::size_t i) { return size_of(shape(i), b.scale[i]); });
  if (name == "mass")
    return column<Reals>(name, rows, [&](std::size_t i) { return known_mass(b.mass[i]); });
  if (name == "shape")
    return column<Kinds>(name, rows, [&](std::size_t i) { return shape(i).index(); });
  if (name == "motion")
    return column<Kinds>(name, rows, [&](std::size_t i) { return b.motion[i]; });
  if (name == "group") return column<Wholes>(name, rows, [&](std::size_t i) { return b.group[i]; });
  if (name == "material")
    return column<Wholes>(name, rows, [&](std::size_t i) { return b.material[i]; });
  return column<Wholes>("rank", rows, [&](std::size_t) { return rank; });
}

std::vector<std::size_t> owned_bodies(const World& world,
                                      bool (*wanted)(const World&, std::size_t)) {
  std::vector<std::size_t> rows;
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b)
    if (wanted(world, b)) rows.push_back(b);
  return rows;
}

FieldTable table_of_bodies(const World& world, const std::vector<std::size_t>& rows) {
  FieldTable table;
  for (const std::size_t b : rows) table.key.push_back({world.bodies.id[b], 0, 0});
  table.fields.push_back(
      vectors("position", 3, rows, [&](std::size_t i) { return world.bodies.position[i]; }));
  return table;
}

/// In the order of names.
RowKey key_of(const ContactName& name) {
  std::int64_t image = 0;
  constexpr std::int64_t middle = 128;
  for (const std::int8_t k : name.image) image = image * 2 * middle + (k + middle);
  constexpr int feature_bits = 32;
  return {name.a, name.b, (image << feature_bits) | name.feature};
}

/// The two ends of a contact's line.
std::array<Vec3, 2> ends_of(const World& world, const Periodicity& periodicity, std::size_t c) {
  const ContactSet& contacts = world.contacts;
  const auto a = static_cast<std::size_t>(contacts.body_a[c]),
             b = static_cast<std::size_t>(contacts.body_b[c]);
  const BodySet& bodies = world.bodies;
  const Vec3 &at_a = bodies.position[a], &at_b = bodies.position[b];
  const auto touched_from = [&](const Vec3& centre) {
    return centre + shortest_way(periodicity, centre, contacts.point[c]);
  };
  if (bodies.motion[a] != Motion::Dynamic) return {touched_from(at_b), at_b};
  if (bodies.motion[b] != Motion::Dynamic) return {at_a, touched_from(at_a)};
  const auto& image = contacts.name[c].image;
  const Vec3& period = periodicity.period;
  return {at_a, at_b + Vec3{image[0] * period.x, image[1] * period.y, image[2] * period.z}};
}

void add_contact_field(FieldTable& table, const World& world, const ContactForces& forces,
                       const std::string& name, const std::vector<std::size_t>& rows) {
  const ContactSet& contacts = world.contacts;
  const auto normal_force = [&](std::size_t c) {
    return dot(forces.force[c], contacts.normal[c]) * contacts.normal[c];
  };
  const auto add = [&](Field field) { table.fields.push_back(std::move(field)); };
  if (name == "force") {
    add(vectors("normal_force", 3, rows, normal_force));
    add(vectors("tangential_force", 3, rows,
                [&](std::size_t c) { return forces.force[c] - normal_force(c); }));
  }
  if (name == "torque")
    add(vectors(name, 3, rows,
                [&](std::size_t c) { return forces.torque.empty() ? Vec3{} : forces.torque[c]; }));
  if (name == "state")
    add(column<Kinds>(name, rows, [&](std::size_t c) { return forces.state[c]; }));
  if (name == "gap") add(column<Reals>(name, rows, [&](std::size_t c) { return contacts.gap[c]; }));
  if (name == "point")
    add(vectors(name, 3, rows, [&](std::size_t c) { return contacts.point[c]; }));
  if (name == "normal")
    add(vectors(name, 3, rows, [&](std::size_t c) { return contacts.normal[c]; }));
  if (name == "bodies") {
    add(column<Ids>("body_a", rows, [&](std::size_t c) { return contacts.name[c].a; }));
    add(column<Ids>("body_b", rows, [&](std::size_t c) { return contacts.name[c].b; }));
  }
}

/// A body of a joint here; -1: the world, or not here.
Index found(const World& world, GlobalId id) {
  return id == world_id ? -1 : world.bodies.find(id);
}

std::array<Vec3, 4> path_of(const World& world, const Periodicity& periodicity,
                            const Joint& joint) {
  const auto pose = [&](GlobalId id, const Pose& frame) {
    const Index body = found(world, id);
    if (body < 0) return std::array<Vec3, 2>{frame.position, frame.position};
    const auto b = static_cast<std::size_t>(body);
    const Vec3& centre = world.bodies.position[b];
    return std::array<Vec3, 2>{centre,
                               to_world({centre, world.bodies.orientation[b]}, frame.position)};
  };
  const auto [centre_a, at_a] = pose(joint.body_a, joint.frame_a);
  const auto [centre_b, at_b] = pose(joint.body_b, joint.frame_b);
  const Vec3 near_b = at_a + shortest_way(periodicity, at_a, at_b);
  return {centre_a, at_a, near_b, near_b + (centre_b - at_b)};
}

bool is_bounded(const World& world, std::size_t b) {
  return std::isfinite(world.bodies.reach[b]);
}
bool is_no_sphere(const World& world, std::size_t b) {
  return !std::holds_alternative<Sphere>(world.shapes[world.bodies.shape[b]]);
}

}  // namespace

FieldTable body_table(const World& world, const std::vector<std::string>& fields, int rank) {
  const std::vector<std::size_t> rows = owned_bodies(world, is_bounded);
  FieldTable table = table_of_bodies(world, rows);
  table.fields.push_back(
      column<Ids>("id", rows, [&](std::size_t b) { return world.bodies.id[b]; }));
  for (const std::string& name : fields)
    table.fields.push_back(body_field(world, name, rows, rank));
  return table;
}

FieldTable contact_table(const World& world, const ContactForces& forces,
                         const std::vector<std::string>& fields) {
  std::vector<std::size_t> rows;
  for (std::size_t c = 0; c < forces.owned.size(); ++c)
    if (forces.owned[c] != 0) rows.push_back(c);
  const Periodicity periodicity = world.periodicity();
  FieldTable table;
  Field ends{"ends", 6, Reals{}};
  std::get<Reals>(ends.values).reserve(6 * rows.size());
  table.key.reserve(rows.size());
  for (const std::size_t c : rows) {
    table.key.push_back(key_of(world.contacts.name[c]));
    for (const Vec3& end : ends_of(world, periodicity, c)) put(std::get<Reals>(ends.values), end);
  }
  table.fields.push_back(std::move(ends));
  for (const std::string& name : fields) add_contact_field(table, world, forces, name, rows);
  return table;
}

FieldTable joint_table(const World& world) {
  const std::vector<Joint>& joints = world.joints;
  std::vector<std::size_t> rows;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (owns(world, joints[j])) rows.push_back(j);
  FieldTable table;
  Field path{"path", 12, Reals{}};
  const Periodicity periodicity = world.periodicity();
  for (const std::size_t j : rows) {
    const std::string& name = joints[j].name;
    table.key.push_back({joints[j].body_a, joints[j].body_b,
                         static_cast<std::int64_t>(XXH64(name.data(), name.size(), 0))});
    for (const Vec3& point : path_of(world, periodicity, joints[j]))
      put(std::get<Reals>(path.values), point);
  }
  table.fields.push_back(std::move(path));
  const auto add = [&](Field field) { table.fields.push_back(std::move(field)); };
  add(vectors("reaction_force", 3, rows, [&](std::size_t j) { return joints[j].reaction_force; }));
  add(vectors("reaction_torque", 3, rows,
              [&](std::size_t j) { return joints[j].reaction_torque; }));
  add(column<Reals>("angle", rows, [&](std::size_t j) { return joints[j].angle; }));
  add(column<Kinds>("type", rows, [&](std::size_t j) { return joints[j].type; }));
  add(column<Kinds>("on", rows, [&](std::size_t j) { return joints[j].on ? 1 : 0; }));
  add(column<Ids>("body_a", rows, [&](std::size_t j) { return joints[j].body_a; }));
  add(column<Ids>("body_b", rows, [&](std::size_t j) { return joints[j].body_b; }));
  return table;
}

FieldTable surface_table(const World& world) {
  const std::vector<std::size_t> rows = owned_bodies(world, is_no_sphere);
  FieldTable table = table_of_bodies(world, rows);
  for (const char* name : {"quaternion", "velocity", "angular_velocity", "group", "material"})
    table.fields.push_back(body_field(world, name, rows, 0));
  const BodySet& b = world.bodies;
  table.fields.push_back(column<Reals>("scale", rows, [&](std::size_t i) { return b.scale[i]; }));
  table.fields.push_back(column<Wholes>("shape", rows, [&](std::size_t i) { return b.shape[i]; }));
  table.fields.push_back(
      column<Wholes>("motion", rows, [&](std::size_t i) { return b.motion[i]; }));
  return table;
}

}  // namespace talus::io
