#include "talus/io/state_file.hpp"

#include "io/shared_output.hpp"
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

/// Numbers of the bodies of a slice, one dataset after another.
class BodyTable {
 public:
  BodyTable(io::SharedOutput& file, const std::vector<StoredBody>& slice, GlobalId total)
      : file_(file), slice_(slice), total_(total) {}

  template <class Value>
  void integers(const char* name, const Value& value) {
    std::vector<std::int64_t> numbers;
    for (const StoredBody& one : slice_)
      numbers.push_back(static_cast<std::int64_t>(value(one.body)));
    file_.write(name, numbers, {total_});
  }
  template <class Value>
  void scalars(const char* name, const Value& value) {
    std::vector<double> numbers;
    for (const StoredBody& one : slice_) numbers.push_back(value(one.body));
    file_.write(name, numbers, {total_});
  }
  template <class Value>
  void rows(const char* name, hsize_t columns, const Value& value) {
    std::vector<double> numbers;
    for (const StoredBody& one : slice_) put(numbers, value(one.body));
    file_.write(name, numbers, {total_, columns, true});
  }

 private:
  io::SharedOutput& file_;
  const std::vector<StoredBody>& slice_;
  GlobalId total_;
};

void write_bodies(io::SharedOutput& file, const std::vector<StoredBody>& slice, GlobalId total) {
  using Body = const NewBody&;
  file.group("/bodies");
  BodyTable table(file, slice, total);
  table.integers("/bodies/id", [](Body b) { return b.id; });
  table.integers("/bodies/motion", [](Body b) { return b.motion; });
  table.integers("/bodies/shape", [](Body b) { return b.shape; });
  table.scalars("/bodies/scale", [](Body b) { return b.scale; });
  table.integers("/bodies/material", [](Body b) { return b.material; });
  table.integers("/bodies/group", [](Body b) { return b.group; });
  table.scalars("/bodies/mass", [](Body b) { return std::isfinite(b.mass) ? b.mass : 0.0; });
  table.rows("/bodies/inertia", 6, [](Body b) { return b.inertia; });
  table.rows("/bodies/position", 3, [](Body b) { return b.pose.position; });
  table.rows("/bodies/orientation", 4, [](Body b) { return b.pose.orientation; });
  table.rows("/bodies/velocity", 3, [](Body b) { return b.velocity; });
  table.rows("/bodies/angular_velocity", 3, [](Body b) { return b.angular_velocity; });
}

}  // namespace

void write_state(const std::string& path, const World& world) {
  std::vector<StoredBody> bodies;
  for (Index i = 0; i < world.bodies.owned; ++i) bodies.push_back(stored(world.bodies, i));
  write_state(path, world, bodies, static_cast<GlobalId>(bodies.size()), Communicator::self());
}

void write_state(const std::string& path, const World& world, const std::vector<StoredBody>& slice,
                 GlobalId total, const Communicator& comm) {
  io::write_together(comm, path, io::OutputFile::Start::Empty, [&](io::SharedOutput& shared) {
    shared.head([&](io::OutputFile& file) {
      file.attribute("/", "talus_state", io::state_version);
      file.attribute("/", "time", world.time);
      file.attribute("/", "step", world.step);
      std::vector<std::string> materials;
      for (const Material& material : world.materials.materials())
        materials.push_back(material.name);
      write_names(file, "/materials", materials);
      write_names(file, "/groups", world.groups);
      write_shapes(file, world.shapes);
    });
    write_bodies(shared, slice, total);
  });
}

}  // namespace talus
