#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/state_file.hpp"

#include "io/hdf5/input_file.hpp"
#include "io/hdf5/state_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace talus {
namespace {

using io::InputFile;
using io::StateShape;

void take(Vec3& v, const double* from) {
  v = {from[0], from[1], from[2]};
}
void take(Quaternion& q, const double* from) {
  q = {from[0], from[1], from[2], from[3]};
}
using Corners = std::array<Vec3, 3>;
void take(Corners& c, const double* from) {
  for (std::size_t i = 0; i < c.size(); ++i) take(c[i], from + 3 * i);
}
void take(Sym3& s, const double* from) {
  s = {from[0], from[1], from[2], from[3], from[4], from[5]};
}

/// Datasets of one group, all of as many entries as the first that is asked for: where that one
/// cannot be read the group counts as empty, and only whether the others are there is looked at.
/// What is faulty is neutral, so that the faults of the others are still found.
class Group {
 public:
  Group(InputFile& file, std::string name) : file_(file), name_(std::move(name)) {}

  std::size_t count() const { return count_; }
  std::string path_of(const std::string& name) const { return name_ + "/" + name; }

  std::vector<std::int64_t> integers(const std::string& name) {
    auto values = file_.integers(asked(name));
    return fits(name, values ? std::optional(values->size()) : std::nullopt)
               ? *values
               : std::vector<std::int64_t>(count(), 0);
  }

  std::vector<double> reals(const std::string& name) {
    auto values = file_.reals(asked(name));
    if (!fits(name, values ? std::optional(values->size()) : std::nullopt))
      return std::vector<double>(count(), 1.0);
    file_.require_finite(path_of(name), *values);
    return *values;
  }

  template <class Item>
  std::vector<Item> table(const std::string& name) {
    constexpr std::size_t columns = sizeof(Item) / sizeof(double);
    const auto values = file_.table(asked(name), columns);
    std::vector<Item> items(count());
    if (!fits(name, values ? std::optional(values->size() / columns) : std::nullopt)) return items;
    file_.require_finite(path_of(name), *values);
    for (std::size_t i = 0; i < items.size(); ++i) take(items[i], values->data() + columns * i);
    return items;
  }

  /// A fault for each that is not below `end`.
  std::vector<std::int64_t> below(const std::string& name, std::size_t end, const char* what) {
    std::vector<std::int64_t> values = integers(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (0 <= values[i] && values[i] < static_cast<std::int64_t>(end)) continue;
      file_.fault(
          path_of(name), i, values[i],
          fmt::format("must be from 0 to {}: {}", static_cast<std::int64_t>(end) - 1, what));
      values[i] = 0;
    }
    return values;
  }

  /// To be called last.
  void refuse_unknown() {
    for (const std::string& found : file_.children(name_))
      if (std::find(names_.begin(), names_.end(), found) == names_.end())
        file_.fault(path_of(found),
                    fmt::format("the layout has nothing of that name: {}known are {}",
                                did_you_mean(found, names_), fmt::join(names_, ", ")));
  }

 private:
  std::string asked(const std::string& name) {
    names_.push_back(name);
    return path_of(name);
  }

  bool fits(const std::string& name, std::optional<std::size_t> entries) {
    if (names_.size() == 1) {
      count_ = entries.value_or(0);
      is_known_ = entries.has_value();
    }
    if (!entries || !is_known_) return false;
    if (*entries == count_) return true;
    file_.fault(
        path_of(name),
        fmt::format("has {} entries: must have {}, one for each in its group", *entries, count_));
    return false;
  }

  InputFile& file_;
  std::string name_;
  std::size_t count_ = 0;
  bool is_known_ = false;
  std::vector<std::string> names_;  ///< in the order in which they were asked for
};

/// As many as the group has members, numbered from 0.
std::vector<std::string> names_in(InputFile& file, const std::string& group) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.children(group).size(); ++i) {
    const std::string place = fmt::format("{}/{}", group, i);
    names.push_back(file.text(place));
    if (names.back().empty())
      file.fault(place, "must be a name: members of the group are texts, numbered from 0");
  }
  return names;
}

void require_sizes(InputFile& file, const std::string& place, StateShape kind, const Vec3& size) {
  const bool sound = kind == StateShape::Sphere  ? size.x > 0.0
                     : kind == StateShape::Box   ? std::min({size.x, size.y, size.z}) > 0.0
                     : kind == StateShape::Plane ? std::abs(length(size) - 1.0) < 1e-6
                                                 : true;
  if (!sound)
    file.fault(place, fmt::format("is [{}, {}, {}]: must be a radius > 0, half edges > 0 or a "
                                  "normal of length 1, as its kind says",
                                  size.x, size.y, size.z));
}

void require_unit(InputFile& file, const std::string& place, const Quaternion& q) {
  const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(std::abs(square - 1.0) < 1e-6))
    file.fault(place, fmt::format("is [{}, {}, {}, {}]: must have length 1", q.w, q.x, q.y, q.z));
}

std::vector<Compound::Part> read_parts(InputFile& file, Group& group, std::size_t shapes,
                                       std::vector<std::int64_t>& owner) {
  owner = group.below("shape", shapes, "of /shapes");
  const auto kind = group.below("kind", 2, "sphere, box");
  const auto size = group.table<Vec3>("size");
  const auto position = group.table<Vec3>("position");
  const auto orientation = group.table<Quaternion>("orientation");
  group.refuse_unknown();
  std::vector<Compound::Part> parts(group.count());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto of_kind = static_cast<StateShape>(kind[p]);
    require_sizes(file, fmt::format("/parts/size[{}]", p), of_kind, size[p]);
    require_unit(file, fmt::format("/parts/orientation[{}]", p), orientation[p]);
    if (of_kind == StateShape::Sphere) parts[p].shape = Sphere{size[p].x};
    if (of_kind == StateShape::Box) parts[p].shape = Box{size[p]};
    parts[p].pose = {position[p], orientation[p]};
  }
  return parts;
}

/// Meshes get their triangles, where the file has them.
void read_triangles(InputFile& file, std::vector<Shape>& shapes) {
  if (!file.has("/triangles")) return;
  Group group(file, "/triangles");
  const auto owner = group.below("shape", shapes.size(), "of /shapes");
  const auto corners = group.table<Corners>("corners");
  group.refuse_unknown();
  if (static_cast<std::int64_t>(corners.size()) > TriangleMesh::most_triangles)
    return file.fault("/triangles/corners",
                      fmt::format("has {} triangles: a mesh has at most {}", corners.size(),
                                  TriangleMesh::most_triangles));
  std::map<std::size_t, std::vector<Corners>> of_shape;
  for (std::size_t t = 0; t < corners.size() && !shapes.empty(); ++t) {
    const auto shape = static_cast<std::size_t>(owner[t]);
    if (std::holds_alternative<Mesh>(shapes[shape]))
      of_shape[shape].push_back(corners[t]);
    else
      file.fault("/triangles/shape", t, owner[t], "must be a mesh");
  }
  if (!file.errors().empty()) return;  // no mesh is made of what is at fault
  for (const auto& [shape, triangles] : of_shape)
    shapes[shape] = Mesh{std::make_shared<TriangleMesh>(triangles)};
}

std::vector<Shape> read_shapes(InputFile& file) {
  Group group(file, "/shapes"), parts_group(file, "/parts");
  const auto kind = group.below("kind", 5, "sphere, box, plane, compound, mesh");
  const auto size = group.table<Vec3>("size");
  group.refuse_unknown();
  std::vector<Shape> shapes(group.count());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto of_kind = static_cast<StateShape>(kind[s]);
    require_sizes(file, fmt::format("/shapes/size[{}]", s), of_kind, size[s]);
    if (of_kind == StateShape::Sphere) shapes[s] = Sphere{size[s].x};
    if (of_kind == StateShape::Box) shapes[s] = Box{size[s]};
    if (of_kind == StateShape::Plane) shapes[s] = Plane{size[s]};
    if (of_kind == StateShape::Compound) shapes[s] = Compound{};
    if (of_kind == StateShape::Mesh) shapes[s] = Mesh{};
  }
  std::vector<std::int64_t> owner;
  const std::vector<Compound::Part> parts = read_parts(file, parts_group, shapes.size(), owner);
  for (std::size_t p = 0; p < parts.size() && p < owner.size(); ++p) {
    if (shapes.empty()) break;
    if (auto* compound = std::get_if<Compound>(&shapes[owner[p]]))
      compound->parts.push_back(parts[p]);
    else
      file.fault("/parts/shape", p, owner[p], "must be a compound");
  }
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const auto* compound = std::get_if<Compound>(&shapes[s]);
    if (compound != nullptr && compound->parts.empty())
      file.fault("/shapes/kind", s, kind[s], "a compound must have a part in /parts");
  }
  return shapes;
}

void check_body(InputFile& file, std::size_t i, NewBody& body) {
  if (!(body.scale > 0.0)) file.fault("/bodies/scale", i, body.scale, "must be > 0");
  require_unit(file, fmt::format("/bodies/orientation[{}]", i), body.pose.orientation);
  const Sym3& in = body.inertia;
  const bool dynamic = body.motion == Motion::Dynamic;
  if (body.mass < 0.0 || (dynamic && body.mass == 0.0))
    file.fault("/bodies/mass", i, body.mass, "must be > 0 (0, not known: only where it is fixed)");
  const double minor = in.xx * in.yy - in.xy * in.xy;
  const double determinant = in.xx * (in.yy * in.zz - in.yz * in.yz) -
                             in.xy * (in.xy * in.zz - in.yz * in.xz) +
                             in.xz * (in.xy * in.yz - in.yy * in.xz);
  const bool none = in.xx == 0.0 && in.yy == 0.0 && in.zz == 0.0;
  if (!none && !(in.xx > 0.0 && minor > 0.0 && determinant > 0.0))
    file.fault("/bodies/inertia", i, in.xx, "the inertia must be positive definite, or all zero");
  if (body.mass == 0.0) body.mass = infinity;
  if (none) body.inertia = {infinity, 0.0, 0.0, infinity, 0.0, infinity};
}

void read_bodies(InputFile& file, SavedState& state) {
  Group group(file, "/bodies");
  const auto id = group.integers("id");
  const auto motion = group.below("motion", 3, "dynamic, fixed, kinematic");
  const auto shape = group.below("shape", state.shapes.size(), "of /shapes");
  const auto material = group.below("material", state.materials.size(), "of /materials");
  const auto body_group = group.below("group", state.groups.size(), "of /groups");
  const auto scale = group.reals("scale"), mass = group.reals("mass");
  const auto inertia = group.table<Sym3>("inertia");
  const auto position = group.table<Vec3>("position");
  const auto orientation = group.table<Quaternion>("orientation");
  const auto velocity = group.table<Vec3>("velocity");
  const auto angular_velocity = group.table<Vec3>("angular_velocity");
  group.refuse_unknown();
  for (std::size_t i = 0; i < group.count(); ++i) {
    if (i > 0 && id[i] <= id[i - 1])
      file.fault("/bodies/id", i, id[i], "ids must grow from body to body");
    NewBody body{.id = id[i],
                 .motion = static_cast<Motion>(motion[i]),
                 .shape = static_cast<Index>(shape[i]),
                 .scale = scale[i],
                 .material = static_cast<Index>(material[i]),
                 .group = static_cast<Index>(body_group[i]),
                 .mass = mass[i],
                 .inertia = inertia[i],
                 .pose = {position[i], orientation[i]},
                 .velocity = velocity[i],
                 .angular_velocity = angular_velocity[i]};
    check_body(file, i, body);
    state.bodies.push_back(body);
  }
}

void refuse_unknown_groups(InputFile& file) {
  // the last two are those of a checkpoint, which is a state, too
  const std::vector<std::string> known{"bodies", "contacts",  "groups",     "materials", "parts",
                                       "shapes", "triangles", "checkpoint", "warm_start"};
  for (const std::string& name : file.children("/"))
    if (std::find(known.begin(), known.end(), name) == known.end())
      file.fault("/" + name, fmt::format("the layout has nothing of that name: {}known are {}",
                                         did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace

SavedState read_state(const std::string& path) {
  InputFile file(path);
  const std::int64_t version = file.integer_attribute("/", "talus_state").value_or(0);
  if (version != io::state_version)
    file.fault(fmt::format("/@talus_state = {}", version),
               fmt::format("this program reads version {} of the layout", io::state_version));
  file.errors().throw_if_any();
  SavedState state;
  state.time = file.real_attribute("/", "time").value_or(0.0);
  state.step = file.integer_attribute("/", "step").value_or(0);
  if (!(state.time >= 0.0 && std::isfinite(state.time)))
    file.fault(fmt::format("/@time = {}", state.time), "must be a time in s, 0 or more");
  state.materials = names_in(file, "/materials");
  state.groups = names_in(file, "/groups");
  state.shapes = read_shapes(file);
  read_triangles(file, state.shapes);
  read_bodies(file, state);
  refuse_unknown_groups(file);
  file.errors().throw_if_any();
  return state;
}

std::optional<double> time_of_state(const std::string& path) {
  try {
    InputFile file(path);
    if (!file.integer_attribute("/", "talus_state")) return std::nullopt;
    return file.real_attribute("/", "time");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace talus
