#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/state_file.hpp"

#include "io/output_file.hpp"
#include "io/state_layout.hpp"

#include <cmath>

namespace talus {
namespace {

using io::StateShape;

void put(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}
void put(std::vector<double>& numbers, const Quaternion& q) {
  numbers.insert(numbers.end(), {q.w, q.x, q.y, q.z});
}
/// An inertia that is not known is all zero in the file.
void put(std::vector<double>& numbers, const Sym3& s) {
  const Sym3 known = std::isfinite(s.xx) ? s : Sym3{};
  numbers.insert(numbers.end(), {known.xx, known.xy, known.xz, known.yy, known.yz, known.zz});
}

template <class Item>
std::vector<double> flat(const std::vector<Item>& items) {
  std::vector<double> numbers;
  for (const Item& item : items) put(numbers, item);
  return numbers;
}

template <class Number>
std::vector<std::int64_t> wide(const std::vector<Number>& values) {
  std::vector<std::int64_t> integers;
  for (const Number value : values) integers.push_back(static_cast<std::int64_t>(value));
  return integers;
}

void write_names(io::OutputFile& file, const std::string& group,
                 const std::vector<std::string>& names) {
  file.group(group);
  for (std::size_t i = 0; i < names.size(); ++i)
    file.write(group + "/" + std::to_string(i), names[i]);
}

StateShape kind_of(const Shape& shape) {
  return static_cast<StateShape>(shape.index());
}
static_assert(std::is_same_v<std::variant_alternative_t<3, Shape>, Compound>);

/// Radius, half edges, normal; zero of what has parts or triangles.
Vec3 size_of_kind(const Sphere& sphere) {
  return {sphere.radius, 0.0, 0.0};
}
Vec3 size_of_kind(const Box& box) {
  return box.half;
}
Vec3 size_of_kind(const Plane& plane) {
  return plane.normal;
}
template <class Other>
Vec3 size_of_kind(const Other&) {
  return {};
}

void write_shapes(io::OutputFile& file, const std::vector<Shape>& shapes) {
  std::vector<std::int64_t> kinds, part_shape, part_kind;
  std::vector<Vec3> sizes, part_size, part_position;
  std::vector<Quaternion> part_orientation;
  const auto size = [](const auto& of) { return size_of_kind(of); };
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    kinds.push_back(static_cast<std::int64_t>(kind_of(shapes[s])));
    sizes.push_back(std::visit(size, shapes[s]));
    const auto* compound = std::get_if<Compound>(&shapes[s]);
    if (compound == nullptr) continue;
    for (const Compound::Part& part : compound->parts) {
      part_shape.push_back(static_cast<std::int64_t>(s));
      part_kind.push_back(static_cast<std::int64_t>(part.shape.index()));
      part_size.push_back(std::visit(size, part.shape));
      part_position.push_back(part.pose.position);
      part_orientation.push_back(part.pose.orientation);
    }
  }
  file.group("/shapes");
  file.write("/shapes/kind", kinds);
  file.write("/shapes/size", flat(sizes), 3);
  file.group("/parts");
  file.write("/parts/shape", part_shape);
  file.write("/parts/kind", part_kind);
  file.write("/parts/size", flat(part_size), 3);
  file.write("/parts/position", flat(part_position), 3);
  file.write("/parts/orientation", flat(part_orientation), 4);
}

/// Only where there are any: a file of a world without meshes is as it always was.
void write_triangles(io::OutputFile& file, const std::vector<Shape>& shapes) {
  std::vector<std::int64_t> owner;
  std::vector<Vec3> corners;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto* mesh = std::get_if<Mesh>(&shapes[s]);
    if (mesh == nullptr || mesh->triangles == nullptr) continue;
    for (Index t = 0; t < static_cast<Index>(mesh->triangles->triangles().size()); ++t) {
      owner.push_back(static_cast<std::int64_t>(s));
      for (int c = 0; c < 3; ++c) corners.push_back(mesh->triangles->corner(t, c));
    }
  }
  if (owner.empty()) return;
  file.group("/triangles");
  file.write("/triangles/shape", owner);
  file.write("/triangles/corners", flat(corners), 9);
}

void write_bodies(io::OutputFile& file, const BodySet& bodies) {
  std::vector<double> mass = bodies.mass;
  for (double& m : mass)
    if (!std::isfinite(m)) m = 0.0;
  file.group("/bodies");
  file.write("/bodies/id", wide(bodies.id));
  file.write("/bodies/motion", wide(bodies.motion));
  file.write("/bodies/shape", wide(bodies.shape));
  file.write("/bodies/scale", bodies.scale);
  file.write("/bodies/material", wide(bodies.material));
  file.write("/bodies/group", wide(bodies.group));
  file.write("/bodies/mass", mass);
  file.write("/bodies/inertia", flat(bodies.inertia), 6);
  file.write("/bodies/position", flat(bodies.position), 3);
  file.write("/bodies/orientation", flat(bodies.orientation), 4);
  file.write("/bodies/velocity", flat(bodies.velocity), 3);
  file.write("/bodies/angular_velocity", flat(bodies.angular_velocity), 3);
}

}  // namespace

void write_state(const std::string& path, const World& world) {
  io::OutputFile file(path);
  file.attribute("/", "talus_state", io::state_version);
  file.attribute("/", "time", world.time);
  file.attribute("/", "step", world.step);
  std::vector<std::string> materials;
  for (const Material& material : world.materials.materials()) materials.push_back(material.name);
  write_names(file, "/materials", materials);
  write_names(file, "/groups", world.groups);
  write_shapes(file, world.shapes);
  write_triangles(file, world.shapes);
  write_bodies(file, world.bodies);
  file.commit();
}

}  // namespace talus
