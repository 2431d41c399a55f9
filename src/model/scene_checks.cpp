#include "model/scene_checks.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <variant>

namespace talus {

namespace {

/// What would be two lines, or two columns, in a file.
bool breaks_lines(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == ',' || c == '"';
}

/// For a message.
std::string shown(std::string name) {
  std::replace_if(name.begin(), name.end(), breaks_lines, '?');
  return name;
}

bool is_plain(const std::string& name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    return breaks_lines(c) || std::string_view(" ./=").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string fault_of_name(const std::string& name) {
  constexpr std::size_t longest = 200;  // a file is named after it, which may have 255
  if (name == "world") return "name = 'world' is the immovable world of joints: choose another";
  if (name.size() > longest)
    return fmt::format("name = '{}...' has {} characters, more than {}: files are named after it",
                       shown(name.substr(0, 20)), name.size(), longest);
  if (!is_plain(name))
    return fmt::format(
        "name = '{}' must have no blank, dot, slash, equals sign, comma, quote or "
        "control character: -s and files use it",
        shown(name));
  return "";
}

std::string name_is_taken(const std::string& name) {
  return fmt::format("name = '{}' is given twice: rename one", name);
}

std::string fault_of_word(const std::string& key, const std::string& name) {
  if (std::none_of(name.begin(), name.end(), breaks_lines)) return "";
  return fmt::format("{} = '{}' must have no comma, quote or control character: tables use it", key,
                     shown(name));
}

std::string unknown_material(const MaterialTable& table, const std::string& name) {
  std::vector<std::string> known;
  for (const Material& material : table.materials()) known.push_back(material.name);
  return fmt::format(
      "material '{}' is not one of materials: {}{}", name, did_you_mean(name, known, "'"),
      known.empty() ? "there are none" : fmt::format("known are {}", fmt::join(known, ", ")));
}

std::string unknown_partner(const Scene& scene, const std::string& name) {
  std::vector<std::string> known{"world"};
  for (const SceneBody& body : scene.bodies) known.push_back(body.name);
  return fmt::format("between: no body is called '{}': {}known are {}", name,
                     did_you_mean(name, known, "'"), fmt::join(known, ", "));
}

std::string fault_of_group(const World& world, const SceneBody& body) {
  const std::string& group = world.groups[body.group];
  if (group != body.name)
    if (std::string fault = fault_of_word("group", group); !fault.empty()) return fault;
  if (group == body.name || world.find_group(body.name) < 0) return "";
  return fmt::format("name = '{}' is the name of a group, too: {} is in group {}; rename one",
                     body.name, body.name, group);
}

// ---- mass ---------------------------------------------------------------------------------------

namespace {

/// By its leading minors.
bool is_positive_definite(const Sym3& s) {
  const double minor = s.xx * s.yy - s.xy * s.xy;
  const double determinant = s.xx * (s.yy * s.zz - s.yz * s.yz) -
                             s.xy * (s.xy * s.zz - s.yz * s.xz) +
                             s.xz * (s.xy * s.yz - s.yy * s.xz);
  return s.xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

/// No mass distribution has a moment above the sum of the two others.
bool is_of_a_body(const Sym3& s) {
  constexpr double rounding = 1e-6;
  const double trace = s.xx + s.yy + s.zz;
  const double most = 0.5 * (1.0 + rounding) * trace;
  return s.xx <= most && s.yy <= most && s.zz <= most;
}

}  // namespace

std::string fault_of_inertia(const Sym3& inertia) {
  if (!is_positive_definite(inertia)) return "must be positive definite";
  return is_of_a_body(inertia) ? ""
                               : "must be that of a body: no moment is above the sum of the others";
}

std::optional<KeyFault> fault_of_mass(const World& world, const SceneBody& body, bool is_servo,
                                      bool has_mass, bool has_inertia) {
  if (body.motion != Motion::Dynamic) return std::nullopt;
  const Shape& shape = world.shapes[body.shape];
  if (std::holds_alternative<Plane>(shape)) {
    if (!is_servo)
      return KeyFault{
          "shape",
          "a plane cannot be dynamic: it has no size; make it fixed, kinematic or a servo"};
    if (!has_mass) return KeyFault{"mass", "a servo plane needs the key mass: it has no volume"};
    return std::nullopt;
  }
  if (const Mesh* mesh = std::get_if<Mesh>(&shape)) {
    const MeshFaults& faults = mesh->triangles->faults();
    const std::string what =
        !faults.closed()
            ? fmt::format("is not closed ({} edges of one triangle only)", faults.open_edges)
        : faults.inside_out ? "has normals that point inwards"
                            : "";
    if (!what.empty() && !(has_mass && has_inertia))
      return KeyFault{"shape", fmt::format("the mesh {}, so that it bounds no volume: give mass "
                                           "and inertia, or repair the mesh",
                                           what)};
  }
  const Material& material = world.materials.materials()[body.material];
  if (!has_mass && material.density == 0.0)
    return KeyFault{"material", fmt::format("material {} has no density: give it one, or give {} "
                                            "a mass",
                                            material.name, body.name)};
  return std::nullopt;
}

// ---- turns and pairs ----------------------------------------------------------------------------

std::optional<Quaternion> unit_of(const Quaternion& given) {
  const double norm2 =
      given.w * given.w + given.x * given.x + given.y * given.y + given.z * given.z;
  constexpr double rounding = 1e-3;  // a user writes a few digits
  if (norm2 > 1.0 - rounding && norm2 < 1.0 + rounding) return normalised(given);
  return std::nullopt;
}

std::string not_unit(const Quaternion& given) {
  return fmt::format(
      "orientation = [{}, {}, {}, {}] must have length 1: [w, x, y, z] of a unit quaternion",
      given.w, given.x, given.y, given.z);
}

const PairRule& rule_of_pair(const std::string& key) {
  const auto* const found = std::find_if(pair_rules.begin(), pair_rules.end(),
                                         [&](const PairRule& rule) { return rule.key == key; });
  TALUS_ASSERT(found != pair_rules.end());
  return *found;
}

std::string fault_of_damping(const PairProperties& pair, Scheme scheme) {
  if (!(pair.damping_time > 0.0 && pair.compliance == 0.0 && scheme == Scheme::AnitescuTasora))
    return "";
  return fmt::format(
      "damping_time = {:g} s: a rigid contact (compliance 0) has none in the "
      "scheme anitescu-tasora: give the pair a compliance, say time.scheme: "
      "spook, or leave it out",
      pair.damping_time);
}

std::vector<KeyFault> faults_of_domain(const Domain& domain) {
  const std::array<double, 3> low{domain.low.x, domain.low.y, domain.low.z};
  const std::array<double, 3> high{domain.high.x, domain.high.y, domain.high.z};
  std::vector<KeyFault> faults;
  for (std::size_t k = 0; k < low.size(); ++k) {
    const char axis = "xyz"[k];
    if (!(low[k] < high[k]))
      faults.push_back(
          {"max", fmt::format("max = {} must be above min = {} along {}", high[k], low[k], axis)});
    if (domain.periodic[k] && !std::isfinite(high[k] - low[k]))
      faults.push_back({"periodic", fmt::format("periodic along {} needs min and max there: the "
                                                "period is their distance",
                                                axis)});
  }
  return faults;
}

// ---- names and frames ---------------------------------------------------------------------------

Index group_named(World& world, const std::string& name) {
  const Index found = world.find_group(name);
  if (found >= 0) return found;
  world.groups.push_back(name);
  return static_cast<Index>(world.groups.size()) - 1;
}

Pose in_body(const Scene& scene, GlobalId body, const Pose& frame) {
  return body == world_id ? frame : inverse(scene.bodies[body].pose) * frame;
}

}  // namespace talus
