#include "app/picture_field.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

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

}  // namespace talus::app
