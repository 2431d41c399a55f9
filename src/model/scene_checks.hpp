#pragma once
// What is wrong with parts of a scene, in words, whether a file says them or a program.

#include "talus/core/error.hpp"
#include "talus/model/scene_builder.hpp"

#include "core/range.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace talus {

// A text is empty where there is no fault.

std::string fault_of_name(const std::string& name);
/// Of a name that something else has.
std::string name_is_taken(const std::string& name);
/// Of a name that stands in tables and messages alone: of a group, of a material.
std::string fault_of_word(const std::string& key, const std::string& name);
/// "material 'x' is not one of materials: ..."
std::string unknown_material(const MaterialTable& table, const std::string& name);
/// "between: no body is called 'x': ..."
std::string unknown_partner(const Scene& scene, const std::string& name);
/// Tables have the names of groups; and a group with the name of a body that is not in it would
/// make that name mean two things.
std::string fault_of_group(const World& world, const SceneBody& body);
/// "must be positive definite", ...
std::string fault_of_inertia(const Sym3& inertia);

/// Unit, where it is but for what a user may have rounded.
std::optional<Quaternion> unit_of(const Quaternion& given);
std::string not_unit(const Quaternion& given);

/// The fault, and the key of the body that has it.
struct KeyFault {
  std::string key, text;
};
/// What the shape does not give must be given.
std::optional<KeyFault> fault_of_mass(const World& world, const SceneBody& body, bool is_servo,
                                      bool has_mass, bool has_inertia);

/// What numbers of a pair may be, those that are given.
struct PairRule {
  const char* key = "";
  double PairProperties::*value = nullptr;
  Range range;
  const char* remedy = "";  ///< said after the range
};
inline constexpr std::array<PairRule, 7> pair_rules{{
    {"friction", &PairProperties::friction, not_negative,
     "Coulomb's coefficient; a negative one would make energy"},
    {"restitution",
     &PairProperties::restitution,
     {.low = 0.0, .high = 1.0},
     "Newton's coefficient; above 1 every impact would make energy"},
    {"rolling_radius", &PairProperties::rolling_friction, not_negative,
     "rolling friction is a length"},
    {"spinning_radius", &PairProperties::spinning_friction, not_negative,
     "spinning friction is a length"},
    {"cohesion", &PairProperties::cohesion, not_negative, ""},
    {"compliance", &PairProperties::compliance, not_negative, ""},
    {"damping_time", &PairProperties::damping_time, positive, ""},
}};
const PairRule& rule_of_pair(const std::string& key);
/// Of its damping time.
std::string fault_of_damping(const PairProperties& pair, Scheme scheme);

/// Numbers of all pairs, "place: the pair a - b: friction = -1 must ...".
void check_pairs(const MaterialTable& table, Scheme scheme, const std::string& place,
                 InputErrors& errors);

/// Pairs of materials that are missing, meshes that would meet meshes.
struct MeetingFault {
  bool of_pairs = false;
  Index body = -1;  ///< of Scene::bodies, which has it; -1: of an event
  std::string text;
};
std::vector<MeetingFault> faults_of_meetings(const Scene& scene);

/// Numbers of a body, its name and what its mass is made of.
void check_body(const World& world, const SceneBody& body, InputErrors& errors);
/// Bounds of a domain, and periods.
std::vector<KeyFault> faults_of_domain(const Domain& domain);

/// From a body by names one by indices: its shape, where it is new, comes into `world`, and so does
/// its group. A material that is not known is -1 and goes to `unknown`.
SceneBody scene_body(World& world, const BodySpec& spec, const std::string& place,
                     InputErrors& unknown);

/// Index of a group, which comes into being.
Index group_named(World& world, const std::string& name);
/// A frame in the world, as a body of the list has it at the start; of world_id as it is.
Pose in_body(const Scene& scene, GlobalId body, const Pose& frame);

}  // namespace talus
