#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"

#include "io/hdf5/field_table.hpp"
#include "io/hdf5/state_layout.hpp"
#include "io/output_file.hpp"
#include "io/paraview/paraview_tables.hpp"
#include "partition/slice_checks.hpp"

#include <array>
#include <cmath>
#include <iterator>

namespace talus {
namespace {

using io::Field;
using io::FieldTable;
using io::put;
using io::StateShape;

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

/// An inertia that is not known is all zero in the file.
void put(std::vector<double>& numbers, const Sym3& s) {
  const Sym3 known = std::isfinite(s.xx) ? s : Sym3{};
  numbers.insert(numbers.end(), {known.xx, known.xy, known.xz, known.yy, known.yz, known.zz});
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

/// An inertia that is not known is all zero in the file.
std::vector<double> known(const std::vector<Sym3>& inertias, std::size_t count) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const Sym3 s = std::isfinite(inertias[i].xx) ? inertias[i] : Sym3{};
    numbers.insert(numbers.end(), {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
  }
  return numbers;
}

/// The first `count` values.
template <class Number>
Field wide(const std::string& name, const std::vector<Number>& values, std::size_t count) {
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < count; ++i) integers.push_back(static_cast<std::int64_t>(values[i]));
  return {name, 1, std::move(integers)};
}
template <class Item>
Field flat(const std::string& name, int components, const std::vector<Item>& items,
           std::size_t count) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) put(numbers, items[i]);
  return {name, components, std::move(numbers)};
}

/// Of the bodies that this rank owns, in the order of datasets.
FieldTable table_of(const BodySet& bodies) {
  const auto count = static_cast<std::size_t>(bodies.owned);
  const auto first = [&](const std::vector<double>& values) {
    return std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<double> mass = first(bodies.mass);
  for (double& m : mass)
    if (!std::isfinite(m)) m = 0.0;
  FieldTable table;
  for (std::size_t b = 0; b < count; ++b) table.key.push_back({bodies.id[b], 0, 0});
  table.fields = {wide("id", bodies.id, count),
                  wide("motion", bodies.motion, count),
                  wide("shape", bodies.shape, count),
                  {"scale", 1, first(bodies.scale)},
                  wide("material", bodies.material, count),
                  wide("group", bodies.group, count),
                  {"mass", 1, std::move(mass)},
                  {"inertia", 6, known(bodies.inertia, count)},
                  flat("position", 3, bodies.position, count),
                  flat("orientation", 4, bodies.orientation, count),
                  flat("velocity", 3, bodies.velocity, count),
                  flat("angular_velocity", 3, bodies.angular_velocity, count)};
  return table;
}

void write_table(io::OutputFile& file, const std::string& group, const FieldTable& table) {
  file.group(group);
  for (const Field& field : table.fields) {
    const std::string dataset = group + "/" + field.name;
    if (const auto* reals = std::get_if<std::vector<double>>(&field.values))
      file.write(dataset, *reals,
                 field.components > 1 ? static_cast<hsize_t>(field.components) : 0);
    if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&field.values))
      file.write(dataset, *wholes);
    if (const auto* kinds = std::get_if<std::vector<std::uint8_t>>(&field.values))
      file.write(dataset, std::vector<std::int64_t>(kinds->begin(), kinds->end()));
  }
}

void write_head(io::OutputFile& file, const World& world) {
  file.attribute("/", "talus_state", io::state_version);
  file.attribute("/", "time", world.time);
  file.attribute("/", "step", world.step);
  std::vector<std::string> materials;
  for (const Material& material : world.materials.materials()) materials.push_back(material.name);
  write_names(file, "/materials", materials);
  write_names(file, "/groups", world.groups);
  write_shapes(file, world.shapes);
  write_triangles(file, world.shapes);
}

/// `contacts`: null where none shall be written.
void write(const std::string& path, const World& world, const FieldTable& bodies,
           const FieldTable* contacts) {
  io::OutputFile file(path);
  write_head(file, world);
  write_table(file, "/bodies", bodies);
  if (contacts != nullptr) write_table(file, "/contacts", *contacts);
  file.commit();
}

void write_gathered(const std::string& path, const World& world, const Communicator& comm,
                    std::vector<FieldTable> tables) {
  tables = io::collected(comm, comm.size(), std::move(tables));
  agree(comm, [&] {
    if (comm.rank() == 0) write(path, world, tables[0], tables.size() > 1 ? &tables[1] : nullptr);
  });
}

}  // namespace

void write_state(const std::string& path, const World& world) {
  std::vector<StoredBody> bodies;
  for (Index i = 0; i < world.bodies.owned; ++i) bodies.push_back(stored(world.bodies, i));
  write_state(path, world, bodies, static_cast<GlobalId>(bodies.size()), Communicator::self());
}

void write_state(const std::string& path, const World& world, const std::vector<StoredBody>& slice,
                 GlobalId total, const Communicator& comm) {
  require_slices(comm, "the state", std::array{SliceCount{"bodies", std::ssize(slice), total}});
  io::write_together(comm, path, io::OutputFile::Start::Empty, [&](io::SharedOutput& shared) {
    io::write_state_parts(shared, world, slice, total);
  });
}

void io::write_state_parts(SharedOutput& shared, const World& world,
                           const std::vector<StoredBody>& slice, GlobalId total) {
  shared.head([&](OutputFile& file) { write_head(file, world); });
  write_bodies(shared, slice, total);
}

void write_snapshot(const std::string& path, const World& world, const ContactForces& forces,
                    const Communicator& comm) {
  FieldTable contacts = io::contact_table(
      world, forces, {"bodies", "point", "normal", "gap", "force", "torque", "state"});
  contacts.fields.erase(contacts.fields.begin());  // the ends of lines
  write_gathered(path, world, comm, {table_of(world.bodies), std::move(contacts)});
}

}  // namespace talus
