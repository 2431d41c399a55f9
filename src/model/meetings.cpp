// Who may meet whom, and what is to happen then.

#include "model/scene_checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace talus {
namespace {

enum class Form { Plane, Mesh, Other };

/// Bodies that are alike for the question of who may touch whom.
struct Kind {
  Index material = 0;
  Form form = Form::Other;
  bool moves = false;  ///< by impulses
  bool operator<(const Kind& other) const {
    return std::tie(material, form, moves) < std::tie(other.material, other.form, other.moves);
  }
};
struct Members {
  std::int64_t count = 0;
  std::string first, second;  ///< names of two of them
  Index body = -1;            ///< of the list: the second, or the only one; -1: of none
  int order = 0;              ///< of the first, in the order of reading
};

Form form_of(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return Form::Plane;
  return std::holds_alternative<Mesh>(shape) ? Form::Mesh : Form::Other;
}

class Meetings {
 public:
  explicit Meetings(const Scene& scene) : scene_(scene) {
    for (const Event& event : scene.events)
      if (event.kind == Event::Kind::Release) released_.insert(event.target);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      add(scene.bodies[i], static_cast<Index>(i));
    for (const Generator& generator : scene.generators) {
      const Kind kind{generator.material, Form::Other, true};
      for (int two = 0; two < 2 && !generator.keeps_shapes; ++two)  // of one another, too
        count(kind, generator.name, -1);
      for (const NewBody& body : generator.imported)
        if (body.material >= 0) count({body.material, Form::Other, true}, generator.name, -1);
    }
    for (const Event& event : scene.events)
      for (const SceneBody& body : event.added) add(body, -1);
  }

  std::vector<MeetingFault> faults() {
    for (auto a = kinds_.begin(); a != kinds_.end(); ++a)
      for (auto b = a; b != kinds_.end(); ++b) {
        const bool two = a != b || a->second.count > 1;
        if (two && (a->first.moves || b->first.moves))
          a->second.order <= b->second.order ? meet(*a, *b) : meet(*b, *a);
      }
    for (const auto& [pair, who] : missing_) {
      const std::string &a = name_of(pair.first), &b = name_of(pair.second);
      faults_.push_back(
          {true, -1,
           fmt::format("pairs: none between {} and {}, whose bodies {} and {} may touch: "
                       "add {{between: [{}, {}], friction: ..., restitution: ...}}",
                       a, b, who.first, who.second, a, b)});
    }
    return std::move(faults_);
  }

 private:
  const std::string& name_of(Index material) const {
    return scene_.world.materials.materials()[material].name;
  }

  void add(const SceneBody& body, Index number) {
    const World& world = scene_.world;
    const std::string& group = world.groups[body.group];
    const bool moves = body.motion == Motion::Dynamic || released_.contains(group);
    count({body.material, form_of(world.shapes[body.shape]), moves}, body.name, number);
  }

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
    if (a.first.form == Form::Plane && b.first.form == Form::Plane) return;
    if (a.first.form == Form::Mesh && b.first.form == Form::Mesh)
      faults_.push_back(
          {false, b.second.body,
           fmt::format(
               "{} and {} are both meshes and may touch, which is not computed: build one of "
               "them as a compound, or let neither move by forces",
               first, second)});
    const auto pair = std::minmax(a.first.material, b.first.material);
    if (!scene_.world.materials.has_pair(pair.first, pair.second))
      missing_.emplace(pair, a.first.material <= b.first.material ? std::pair(first, second)
                                                                  : std::pair(second, first));
  }

  const Scene& scene_;
  std::vector<MeetingFault> faults_;
  int read_ = 0;
  std::set<std::string> released_;
  std::map<Kind, Members> kinds_;
  std::map<std::pair<Index, Index>, std::pair<std::string, std::string>> missing_;
};

}  // namespace

std::vector<MeetingFault> faults_of_meetings(const Scene& scene) {
  return Meetings(scene).faults();
}

}  // namespace talus
