#pragma once
// Who may meet whom, and what is to happen then: asked of a scene before it begins, and of a run
// that gets more bodies.

#include "talus/model/scene.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace talus {

enum class Form : std::uint8_t { Plane, Mesh, Other };
Form form_of(const Shape& shape);

/// Bodies that are alike for the question of who may touch whom.
struct Kind {
  Index material = 0;
  Form form = Form::Other;
  bool moves = false;  ///< by impulses, now or one day
  bool operator<(const Kind& other) const {
    return std::tie(material, form, moves) < std::tie(other.material, other.form, other.moves);
  }
};

/// Names of groups whose bodies events are still to release.
std::set<std::string> groups_to_release(const Scene& scene);
/// Impulses move a body of this group (-1: of none), now or once an event has released it.
bool moves_one_day(const World& world, Motion motion, Index group,
                   const std::set<std::string>& to_release);
Kind kind_of(const World& world, const SceneBody& body, const std::set<std::string>& to_release);

/// Bodies that are to come.
struct Comer {
  Kind kind;
  std::string name;  ///< of the body, or of the generator
};
/// By generators and events. Of generators two are listed: they meet one another. `time`: s, of a
/// run, in which only streams still make bodies and only events that are not done; nothing: before
/// it begins.
std::vector<Comer> comers(const Scene& scene, const World& world, std::optional<double> time = {});

/// How many bodies are of each kind.
class Population {
 public:
  explicit Population(Index materials);
  void add(const Kind& kind);
  /// Those that are there, by material.
  std::vector<Kind> kinds() const;
  /// Ranks add theirs up.
  std::vector<std::int64_t>& counts() { return counts_; }

 private:
  std::vector<std::int64_t> counts_;
};

/// What is missing where two bodies of these kinds meet, if they ever do.
struct Clash {
  bool of_meshes = false;  ///< which are not computed
  bool of_pairs = false;   ///< nothing is said of their materials
};
Clash clash_of(const MaterialTable& table, const Kind& a, const Kind& b);
/// "a and b are both meshes and may touch, ..."
std::string text_of_meshes(const std::string& a, const std::string& b);
/// "pairs: none between glass and stone, whose bodies may touch: ...". `who`: "bodies", or which.
std::string text_of_pair(const MaterialTable& table, Index a, Index b, const std::string& who);

}  // namespace talus
