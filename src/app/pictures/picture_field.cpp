#include "app/pictures/picture_field.hpp"

#include "talus/core/error.hpp"

#include "partition/planned_owners.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace talus::app {
namespace {

double kinetic_energy(const NewBody& body) {
  const Vec3 spin = rotate_back(body.pose.orientation, body.angular_velocity);
  return 0.5 * (body.mass * dot(body.velocity, body.velocity) + dot(spin, body.inertia * spin));
}

const Shape& shape_of(const SavedState& state, const NewBody& body) {
  return state.shapes[body.shape];
}

/// Not finite of a mesh whose triangles are not known.
double size_of_body(const SavedState& state, const NewBody& body) {
  const auto* mesh = std::get_if<Mesh>(&shape_of(state, body));
  if (mesh != nullptr && mesh->triangles == nullptr) return infinity;
  return size_of(shape_of(state, body), body.scale);
}

struct Quantity {
  const char *name, *title;
  bool from_zero;
  std::function<double(const SavedState&, const NewBody&)> value;
};

const std::vector<Quantity>& quantities() {
  using S = const SavedState&;
  using B = const NewBody&;
  static const std::vector<Quantity> all{
      {"velocity", "velocity, m/s", true, [](S, B b) { return length(b.velocity); }},
      {"angular_velocity", "spin, rad/s", true, [](S, B b) { return length(b.angular_velocity); }},
      {"kinetic_energy", "kinetic, J", true, [](S, B b) { return kinetic_energy(b); }},
      {"size", "size, m", false, size_of_body},
      {"mass", "mass, kg", false, [](S, B b) { return b.mass; }},
      {"id", "id", false, [](S, B b) { return static_cast<double>(b.id); }},
      {"x", "x, m", false, [](S, B b) { return b.pose.position.x; }},
      {"y", "y, m", false, [](S, B b) { return b.pose.position.y; }},
      {"z", "z, m", false, [](S, B b) { return b.pose.position.z; }}};
  return all;
}

const std::vector<std::string> fields_of_kinds{"group", "material", "shape"};

PictureField kinds_of(const SavedState& state, const std::string& name) {
  PictureField field;
  field.title = name;
  if (name == "shape")
    for (const Shape& shape :
         {Shape(Sphere{}), Shape(Box{}), Shape(Plane{}), Shape(Compound{}), Shape(Mesh{})})
      field.kinds.emplace_back(name_of(shape));
  else
    field.kinds = name == "group" ? state.groups : state.materials;
  for (const NewBody& body : state.bodies) {
    const auto kind = name == "shape"   ? shape_of(state, body).index()
                      : name == "group" ? static_cast<std::size_t>(body.group)
                                        : static_cast<std::size_t>(body.material);
    field.values.push_back(static_cast<double>(kind));
  }
  return field;
}

}  // namespace

std::vector<std::string> picture_fields() {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) names.emplace_back(quantity.name);
  names.insert(names.end(), fields_of_kinds.begin(), fields_of_kinds.end());
  return names;
}

bool is_field_of_kinds(const std::string& name) {
  return std::find(fields_of_kinds.begin(), fields_of_kinds.end(), name) != fields_of_kinds.end();
}

void require_picture_field(const std::string& name, const std::string& option) {
  const std::vector<std::string> known = picture_fields();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw InputError(fmt::format("{} {}: no field is called so: {}known are {}", option, name,
                               did_you_mean(name, known), fmt::join(known, ", ")));
}

PictureField picture_field(const SavedState& state, const std::string& name) {
  require_picture_field(name, "field");
  for (const Quantity& quantity : quantities()) {
    if (quantity.name != name) continue;
    PictureField field;
    field.title = quantity.title;
    field.from_zero = quantity.from_zero;
    for (const NewBody& body : state.bodies) field.values.push_back(quantity.value(state, body));
    return field;
  }
  return kinds_of(state, name);
}

namespace {

/// What a partition depends on. A mesh whose triangles are not known is large and touches nothing.
World world_of(const SavedState& state) {
  World world;
  world.shapes = state.shapes;
  for (const NewBody& body : state.bodies) {
    const auto s = static_cast<std::size_t>(body.shape);
    const auto* mesh = std::get_if<Mesh>(&state.shapes[s]);
    NewBody known = body;
    if (mesh != nullptr && mesh->triangles == nullptr) {
      known.motion = Motion::Fixed;
      world.shapes[s] = Sphere{0.0};
    }
    append(world.bodies, known, reach_of(world.shapes[s], body.scale));
  }
  return world;
}

}  // namespace

PictureField rank_field(const SavedState& state, int ranks, const BalanceOptions& options) {
  PictureField field;
  field.title = fmt::format("of {} ranks", ranks);
  for (int rank = 0; rank < ranks; ++rank) field.kinds.push_back(fmt::format("rank {}", rank));
  field.kinds.emplace_back("all");
  for (const int owner : planned_owners(world_of(state), ranks, options))
    field.values.push_back(owner >= 0 ? owner : ranks);
  return field;
}

std::string ranks_text(const PictureField& field, int ranks) {
  std::vector<std::int64_t> bodies(field.kinds.size(), 0);
  for (const double value : field.values) ++bodies[static_cast<std::size_t>(value)];
  const auto [least, most] = std::minmax_element(bodies.begin(), bodies.begin() + ranks);
  return fmt::format("{} ranks: {} to {} bodies of a rank, {} on all", ranks, *least, *most,
                     bodies.back());
}

}  // namespace talus::app
