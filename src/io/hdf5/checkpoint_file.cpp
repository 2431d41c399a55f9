#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/field_table.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/input_file.hpp"
#include "io/hdf5/state_layout.hpp"
#include "io/output_file.hpp"
#include "partition/slice_checks.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace talus {
namespace {

using io::InputFile;

Vec3 vector_at(const std::vector<double>& numbers, std::size_t row) {
  return {numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2]};
}

/// Rows of this rank's slice. What is not there is a fault of the file, which is thrown at once: a
/// sealed file has all or is of another layout.
class Rows {
 public:
  Rows(InputFile& file, const std::string& counted, const Communicator& comm) : file_(file) {
    total_ = file.row_count(counted, 0, true).value_or(0);
    file.errors().throw_if_any();
    range_ = slice_range(total_, comm.rank(), comm.size());
  }
  GlobalId total() const { return total_; }
  std::size_t count() const { return static_cast<std::size_t>(range_.count()); }

  std::vector<std::int64_t> integers(const char* dataset) {
    return checked(file_.integers(dataset, range_), dataset, 1);
  }
  /// The entry before the slice; nothing where it begins the file.
  std::optional<std::int64_t> integer_before(const char* dataset) {
    if (range_.first == 0) return std::nullopt;
    const auto values = file_.integers(dataset, SliceRange{range_.first - 1, range_.first});
    file_.errors().throw_if_any();
    return values->at(0);
  }
  std::vector<double> reals(const char* dataset) {
    return checked(file_.reals(dataset, range_), dataset, 1);
  }
  std::vector<double> table(const char* dataset, std::size_t columns) {
    return checked(file_.table(dataset, columns, range_), dataset, columns);
  }

 private:
  template <class Number>
  std::vector<Number> checked(std::optional<std::vector<Number>> values, const char* dataset,
                              std::size_t columns) {
    if (values && values->size() != columns * count())
      file_.fault(dataset, fmt::format("must have {} rows", total_));
    file_.errors().throw_if_any();
    return std::move(*values);
  }

  InputFile& file_;
  GlobalId total_ = 0;
  SliceRange range_;
};

void require_version(InputFile& file) {
  if (!file.has("/checkpoint"))
    throw InputError(
        fmt::format("{}: is no checkpoint: a state holds no joints, motions, events or "
                    "impulses; give a file of DIR/checkpoints",
                    file.path()));
  const std::int64_t version = file.integer_attribute("/checkpoint", "version").value_or(0);
  if (version != io::checkpoint_version)
    throw InputError(fmt::format(
        "{}: is a checkpoint of version {}; this program reads version {}: go on with the program "
        "that wrote it",
        file.path(), version, io::checkpoint_version));
}

/// What is packed, as it stands in the file.
Bytes packed_part(InputFile& file) {
  const auto words = file.integers("/checkpoint/all_else");
  const auto size =
      static_cast<std::size_t>(file.integer_attribute("/checkpoint", "bytes").value_or(0));
  file.errors().throw_if_any();
  if (size > words->size() * sizeof(std::int64_t))
    throw InputError(file.path() + ": /checkpoint/all_else ends too early: it is damaged");
  Bytes bytes(size);
  if (size > 0) std::memcpy(bytes.data(), words->data(), size);
  return bytes;
}

Checkpoint without_the_many(const Bytes& bytes, const std::string& path) {
  try {
    return unpacked<Checkpoint>(bytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: /checkpoint/all_else {}", path, error.what()));
  }
}

/// A seal says that the bytes are those that were written, not who wrote them: what others index
/// with is looked at here.
void require_below(const InputFile& file, const char* what, std::int64_t value, std::int64_t end) {
  if (value < 0 || value >= end)
    throw InputError(fmt::format("{}: {}: {} must be from 0 to {}: the file is damaged",
                                 file.path(), what, value, end - 1));
}

void require_number(const InputFile& file, const char* what, const std::vector<double>& values) {
  for (const double value : values)
    if (!std::isfinite(value))
      throw InputError(
          fmt::format("{}: {}: {} must be finite: the file is damaged", file.path(), what, value));
}

void check_indices(const InputFile& file, const Checkpoint& checkpoint) {
  const World& world = checkpoint.world;
  const auto shapes = static_cast<std::int64_t>(world.shapes.size()),
             materials = static_cast<std::int64_t>(world.materials.count()),
             groups = static_cast<std::int64_t>(world.groups.size());
  const auto check = [&](const auto& one) {
    require_below(file, "a shape", one.shape, shapes);
    require_below(file, "a material", one.material, materials);
    require_below(file, "a group", one.group, groups);
  };
  for (const auto& [from, to] : world.centred)
    for (const Index shape : {from, to}) require_below(file, "a shape", shape, shapes);
  for (const Generator& generator : checkpoint.scene.generators)
    if (generator.kind != Generator::Kind::Import) check(generator);
  for (const Event& event : checkpoint.scene.events)
    for (const SceneBody& body : event.added) check(body);
  for (const GroupForce& force : world.forces)
    require_below(file, "the group of a force", force.group, groups);
}

void check_held(const InputFile& file, const World& world) {
  GlobalId before = -1;
  for (const OuterForce& held : world.held) {
    if (held.body <= before)
      throw InputError(
          fmt::format("{}: a force is held of body {} after {}: ids must grow: the file is damaged",
                      file.path(), held.body, before));
    before = held.body;
    const Vec3 &f = held.force, &m = held.torque;
    require_number(file, "a force that is held", {f.x, f.y, f.z, m.x, m.y, m.z});
  }
}

void check_body(const InputFile& file, const World& world, const NewBody& body) {
  require_below(file, "/bodies/motion", static_cast<std::int64_t>(body.motion), 3);
  require_below(file, "/bodies/shape", body.shape, static_cast<std::int64_t>(world.shapes.size()));
  require_below(file, "/bodies/material", body.material, world.materials.count());
  require_below(file, "/bodies/group", body.group, static_cast<std::int64_t>(world.groups.size()));
  if (!(body.scale > 0.0 && body.mass > 0.0))
    throw InputError(fmt::format("{}: /bodies: body {} has scale {} and mass {}: both must be > 0",
                                 file.path(), body.id, body.scale, body.mass));
}

void read_bodies(InputFile& file, const Communicator& comm, Checkpoint& checkpoint) {
  const World& world = checkpoint.world;
  Rows rows(file, "/bodies/id", comm);
  const auto id = rows.integers("/bodies/id"), motion = rows.integers("/bodies/motion"),
             shape = rows.integers("/bodies/shape"), material = rows.integers("/bodies/material"),
             group = rows.integers("/bodies/group");
  const auto scale = rows.reals("/bodies/scale"), mass = rows.reals("/bodies/mass");
  const auto inertia = rows.table("/bodies/inertia", 6),
             position = rows.table("/bodies/position", 3),
             orientation = rows.table("/bodies/orientation", 4),
             velocity = rows.table("/bodies/velocity", 3),
             angular_velocity = rows.table("/bodies/angular_velocity", 3);
  std::optional<std::int64_t> id_before = rows.integer_before("/bodies/id");
  checkpoint.total_bodies = rows.total();
  for (const auto* values :
       {&scale, &mass, &inertia, &position, &orientation, &velocity, &angular_velocity})
    require_number(file, "/bodies", *values);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    StoredBody one;
    NewBody& body = one.body;
    body.id = id[i];
    body.motion = static_cast<Motion>(motion[i]);
    body.shape = static_cast<Index>(shape[i]);
    body.scale = scale[i];
    body.material = static_cast<Index>(material[i]);
    body.group = static_cast<Index>(group[i]);
    body.mass = mass[i] == 0.0 ? infinity : mass[i];
    const double* in = inertia.data() + 6 * i;
    body.inertia = {in[0], in[1], in[2], in[3], in[4], in[5]};
    if (in[0] == 0.0) body.inertia = {infinity, 0.0, 0.0, infinity, 0.0, infinity};
    const double* q = orientation.data() + 4 * i;
    body.pose = {vector_at(position, i), {q[0], q[1], q[2], q[3]}};
    body.velocity = vector_at(velocity, i);
    body.angular_velocity = vector_at(angular_velocity, i);
    check_body(file, world, body);
    if (id_before && body.id <= *id_before)
      throw InputError(fmt::format("{}: /bodies/id: {} after {}: ids must grow", file.path(),
                                   body.id, *id_before));
    id_before = body.id;
    one.reach = reach_of(world.shapes[body.shape], body.scale);
    checkpoint.bodies.push_back(one);
  }
}

void read_contacts(InputFile& file, const Communicator& comm, Checkpoint& checkpoint) {
  Rows rows(file, "/warm_start/body_a", comm);
  const auto a = rows.integers("/warm_start/body_a"), b = rows.integers("/warm_start/body_b"),
             image = rows.integers("/warm_start/image"),
             feature = rows.integers("/warm_start/feature");
  const auto point = rows.table("/warm_start/point", 3),
             normal = rows.table("/warm_start/normal", 3),
             impulse = rows.table("/warm_start/impulse", 3),
             angular_impulse = rows.table("/warm_start/angular_impulse", 3),
             gap = rows.reals("/warm_start/gap");
  checkpoint.total_contacts = rows.total();
  for (const auto* values : {&point, &normal, &impulse, &angular_impulse, &gap})
    require_number(file, "/warm_start", *values);
  for (std::size_t i = 0; i < rows.count(); ++i)
    checkpoint.contacts.push_back(
        {{a[i], b[i], io::unpacked_image(image[i]), static_cast<std::uint32_t>(feature[i])},
         vector_at(point, i),
         vector_at(normal, i),
         gap[i],
         vector_at(impulse, i),
         vector_at(angular_impulse, i)});
}

}  // namespace

Checkpoint read_checkpoint(const std::string& path, const Communicator& comm) {
  io::check_seal(comm, path);
  // scene and meshes are alike on all ranks: one of them reads
  Bytes bytes;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    InputFile file(path);
    require_version(file);
    bytes = packed_part(file);
  });
  comm.broadcast(bytes, 0);
  Checkpoint checkpoint;
  agree(comm, [&] {
    InputFile file(path);
    checkpoint = without_the_many(bytes, path);
    check_indices(file, checkpoint);
    check_held(file, checkpoint.world);
    read_bodies(file, comm, checkpoint);
    read_contacts(file, comm, checkpoint);
  });
  return checkpoint;
}

bool is_checkpoint(const std::string& path) {
  return InputFile(path).has("/checkpoint");
}

namespace {

/// Bytes as whole numbers, the last filled up with zeros.
std::vector<std::int64_t> words_of(const Bytes& bytes) {
  std::vector<std::int64_t> words((bytes.size() + sizeof(std::int64_t) - 1) / sizeof(std::int64_t),
                                  0);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// What is packed; bodies and contacts are not copied for it.
Bytes packed_part(const Checkpoint& checkpoint) {
  const auto& [scene_text, scene, world, settings, tolerance, law, simulation, program, bodies,
               total_bodies, contacts, total_contacts] = checkpoint;
  return packed(Checkpoint{
      scene_text, scene, world, settings, tolerance, law, simulation, program, {}, 0, {}, 0});
}

void write_contacts(io::SharedOutput& file, const Checkpoint& checkpoint) {
  const GlobalId total = checkpoint.total_contacts;
  const auto integers = [&](const char* name, const auto& value) {
    std::vector<std::int64_t> numbers;
    for (const StoredContact& contact : checkpoint.contacts) numbers.push_back(value(contact));
    file.write(name, numbers, {total});
  };
  const auto vectors = [&](const char* name, const auto& value) {
    std::vector<double> numbers;
    for (const StoredContact& contact : checkpoint.contacts) io::put(numbers, value(contact));
    file.write(name, numbers, {total, 3, true});
  };
  using Contact = const StoredContact&;
  file.group("/warm_start");
  integers("/warm_start/body_a", [](Contact c) { return c.name.a; });
  integers("/warm_start/body_b", [](Contact c) { return c.name.b; });
  integers("/warm_start/image", [](Contact c) { return io::packed_image(c.name.image); });
  integers("/warm_start/feature", [](Contact c) { return std::int64_t{c.name.feature}; });
  vectors("/warm_start/point", [](Contact c) { return c.point; });
  vectors("/warm_start/normal", [](Contact c) { return c.normal; });
  vectors("/warm_start/impulse", [](Contact c) { return c.impulse; });
  vectors("/warm_start/angular_impulse", [](Contact c) { return c.angular_impulse; });
  std::vector<double> gaps;
  for (const StoredContact& contact : checkpoint.contacts) gaps.push_back(contact.gap);
  file.write("/warm_start/gap", gaps, {total});
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint,
                      const Communicator& comm) {
  require_slices(
      comm, "the checkpoint",
      std::array{
          SliceCount{"bodies", std::ssize(checkpoint.bodies), checkpoint.total_bodies},
          SliceCount{"contacts", std::ssize(checkpoint.contacts), checkpoint.total_contacts}});
  const Bytes bytes = comm.rank() == 0 ? packed_part(checkpoint) : Bytes{};
  const auto write = [&](io::SharedOutput& shared) {
    io::write_state_parts(shared, checkpoint.world, checkpoint.bodies, checkpoint.total_bodies);
    shared.head([&](io::OutputFile& file) {
      file.group("/checkpoint");
      file.attribute("/checkpoint", "version", io::checkpoint_version);
      file.attribute("/checkpoint", "bytes", static_cast<std::int64_t>(bytes.size()));
      file.write("/checkpoint/scene", checkpoint.scene_text);
      file.write("/checkpoint/all_else", words_of(bytes));
    });
    write_contacts(shared, checkpoint);
  };
  io::write_together(comm, path, io::OutputFile::Start::Empty, write, io::Sealed::Yes);
}

}  // namespace talus
