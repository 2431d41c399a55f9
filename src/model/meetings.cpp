#include "model/meetings.hpp"

#include "model/scene_checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <variant>

namespace talus {

Form form_of(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return Form::Plane;
  return std::holds_alternative<Mesh>(shape) ? Form::Mesh : Form::Other;
}

std::set<std::string> groups_to_release(const Scene& scene) {
  std::set<std::string> groups;
  for (const Event& event : scene.events)
    if (event.kind == Event::Kind::Release && !event.done) groups.insert(event.target);
  return groups;
}

bool moves_one_day(const World& world, Motion motion, Index group,
                   const std::set<std::string>& to_release) {
  return motion == Motion::Dynamic || (group >= 0 && to_release.contains(world.groups[group]));
}

Kind kind_of(const World& world, const SceneBody& body, const std::set<std::string>& to_release) {
  return {body.material, form_of(world.shapes[body.shape]),
          moves_one_day(world, body.motion, body.group, to_release)};
}

std::vector<Comer> comers(const Scene& scene, const World& world, std::optional<double> time) {
  std::vector<Comer> all;
  for (const Generator& generator : scene.generators) {
    const bool is_stream = generator.kind == Generator::Kind::Stream;
    if (time && !(is_stream && generator.until > *time)) continue;
    // neither planes nor meshes come out of generators
    const Comer one{{generator.material, Form::Other, true}, generator.name};
    if (!generator.keeps_shapes) all.insert(all.end(), 2, one);
    for (const NewBody& body : generator.imported)
      if (body.material >= 0) all.push_back({{body.material, Form::Other, true}, generator.name});
  }
  const std::set<std::string> to_release = groups_to_release(scene);
  for (const Event& event : scene.events)
    for (const SceneBody& body : event.added)
      if (!event.done) all.push_back({kind_of(world, body, to_release), body.name});
  return all;
}

// ---- kinds --------------------------------------------------------------------------------------

namespace {

constexpr std::size_t forms = 3, kinds_per_material = 2 * forms;

}  // namespace

Population::Population(Index materials)
    : counts_(kinds_per_material * static_cast<std::size_t>(materials), 0) {}

void Population::add(const Kind& kind) {
  const auto form = static_cast<std::size_t>(kind.form);
  ++counts_[kinds_per_material * static_cast<std::size_t>(kind.material) + 2 * form +
            (kind.moves ? 1 : 0)];
}

std::vector<Kind> Population::kinds() const {
  std::vector<Kind> found;
  for (std::size_t k = 0; k < counts_.size(); ++k)
    if (counts_[k] > 0)
      found.push_back({static_cast<Index>(k / kinds_per_material),
                       static_cast<Form>(k % kinds_per_material / 2), k % 2 == 1});
  return found;
}

Clash clash_of(const MaterialTable& table, const Kind& a, const Kind& b) {
  const bool may_touch = (a.moves || b.moves) && !(a.form == Form::Plane && b.form == Form::Plane);
  if (!may_touch) return {};
  return {.of_meshes = a.form == Form::Mesh && b.form == Form::Mesh,
          .of_pairs = !table.has_pair(a.material, b.material)};
}

std::string text_of_meshes(const std::string& a, const std::string& b) {
  return fmt::format(
      "{} and {} are both meshes and may touch, which is not computed: build one of them as a "
      "compound, or let neither move by forces",
      a, b);
}

std::string text_of_pair(const MaterialTable& table, Index a, Index b, const std::string& who) {
  const std::string &first = table.materials()[a].name, &second = table.materials()[b].name;
  return fmt::format(
      "pairs: none between {} and {}, whose {} may touch: add {{between: [{}, {}], "
      "friction: ..., restitution: ...}}",
      first, second, who, first, second);
}

// ---- of a scene ---------------------------------------------------------------------------------

namespace {

struct Members {
  std::int64_t count = 0;
  std::string first, second;  ///< names of two of them
  Index body = -1;            ///< of the list: the second, or the only one; -1: of none
  int order = 0;              ///< of the first, in the order of reading
};

class Meetings {
 public:
  explicit Meetings(const Scene& scene) : scene_(scene) {
    const std::set<std::string> to_release = groups_to_release(scene);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      count(kind_of(scene.world, scene.bodies[i], to_release), scene.bodies[i].name,
            static_cast<Index>(i));
    for (const Comer& comer : comers(scene, scene.world)) count(comer.kind, comer.name, -1);
  }

  std::vector<MeetingFault> faults() {
    for (auto a = kinds_.begin(); a != kinds_.end(); ++a)
      for (auto b = a; b != kinds_.end(); ++b) {
        const bool two = a != b || a->second.count > 1;
        if (two) a->second.order <= b->second.order ? meet(*a, *b) : meet(*b, *a);
      }
    for (const auto& [pair, who] : missing_)
      faults_.push_back({true, -1,
                         text_of_pair(scene_.world.materials, pair.first, pair.second,
                                      fmt::format("bodies {} and {}", who.first, who.second))});
    return std::move(faults_);
  }

 private:
  void count(const Kind& kind, const std::string& name, Index number) {
    Members& members = kinds_[kind];
    ++read_;
    if (++members.count == 1) {
      members.order = read_;
      members.first = name;
      members.body = number;
    } else if (members.count == 2) {
      members.second = name;
      members.body = number;
    }
  }

  using Entry = std::pair<const Kind, Members>;
  void meet(const Entry& a, const Entry& b) {
    const std::string& first = a.second.first;
    const std::string& second = &a == &b ? a.second.second : b.second.first;
    const Clash clash = clash_of(scene_.world.materials, a.first, b.first);
    if (clash.of_meshes) faults_.push_back({false, b.second.body, text_of_meshes(first, second)});
    const auto pair = std::minmax(a.first.material, b.first.material);
    if (clash.of_pairs)
      missing_.emplace(pair, a.first.material <= b.first.material ? std::pair(first, second)
                                                                  : std::pair(second, first));
  }

  const Scene& scene_;
  std::vector<MeetingFault> faults_;
  int read_ = 0;
  std::map<Kind, Members> kinds_;
  std::map<std::pair<Index, Index>, std::pair<std::string, std::string>> missing_;
};

}  // namespace

std::vector<MeetingFault> faults_of_meetings(const Scene& scene) {
  return Meetings(scene).faults();
}

}  // namespace talus
