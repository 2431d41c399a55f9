// Materials and what happens between them.

#include "talus/core/error.hpp"

#include "io/scene_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace talus::io {
namespace {

PairProperties properties_of(const Fields& pair) {
  PairProperties p;
  p.friction = pair.number("friction", 0.0);
  p.restitution = pair.number("restitution", 0.0);
  p.rolling_friction = pair.number("rolling_radius", 0.0);
  p.spinning_friction = pair.number("spinning_radius", 0.0);
  p.cohesion = pair.number("cohesion", 0.0);
  p.friction_axis = pair.direction("friction_axis").value_or(Vec3{});
  p.friction_along_slip = pair.text("friction_axis") == "slip";
  p.compliance = pair.number("compliance", 0.0);
  p.damping_time = pair.number("damping_time", 0.0);
  return p;
}

std::vector<std::string> material_names(const MaterialTable& table) {
  std::vector<std::string> names;
  for (const Material& material : table.materials()) names.push_back(material.name);
  return names;
}

void read_pair(SceneReading& reading, const Fields& pair,
               std::map<std::pair<Index, Index>, Place>& given) {
  const PairProperties properties = properties_of(pair);
  if (pair.has("friction_axis")) reading.friction_axes.push_back(pair.place("friction_axis"));
  const std::vector<std::string> names = pair.texts("between");
  if (names.size() != 2) return;
  const Place place = pair.place("between");
  const Index a = material_of(reading, names[0], place);
  const Index b = names[1] == names[0] ? a : material_of(reading, names[1], place);
  if (a < 0 || b < 0) return;
  const auto [earlier, is_new] = given.emplace(std::minmax(a, b), place);
  if (!is_new) {
    reading.faults().add(
        place, fmt::format("the pair {} - {} is given twice, first at {}: leave one", names[0],
                           names[1], text_of(earlier->second)));
    return;
  }
  if (properties.damping_time > 0.0 && properties.compliance == 0.0 &&
      reading.scene.time.scheme == Scheme::AnitescuTasora)
    pair.fault("damping_time",
               fmt::format("damping_time = {:g} s: a rigid contact (compliance 0) has none in the "
                           "scheme anitescu-tasora: give the pair a compliance, say time.scheme: "
                           "spook, or leave it out",
                           properties.damping_time));
  reading.world().materials.set_pair(a, b, properties);
}

// ---- who may meet whom --------------------------------------------------------------------------

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
  Place place;                ///< of the second, or the only one
  int order = 0;              ///< of the first, in the order of reading
};

Form form_of(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return Form::Plane;
  return std::holds_alternative<Mesh>(shape) ? Form::Mesh : Form::Other;
}

class Meetings {
 public:
  explicit Meetings(SceneReading& reading) : reading_(reading) {
    for (const Event& event : reading.scene.events)
      if (event.kind == Event::Kind::Release) released_.insert(event.target);
    for (std::size_t i = 0; i < reading.scene.bodies.size(); ++i)
      add(reading.scene.bodies[i], reading.body_places[i]);
    for (const Generator& generator : reading.scene.generators) {
      const Kind kind{generator.material, Form::Other, true};
      for (int two = 0; two < 2 && !generator.keeps_shapes; ++two)  // of one another, too
        count(kind, generator.name, {});
      for (const NewBody& body : generator.imported)
        if (body.material >= 0) count({body.material, Form::Other, true}, generator.name, {});
    }
    for (const Event& event : reading.scene.events)
      for (const SceneBody& body : event.added) add(body, {});
  }

  void check(const Fields& root) {
    for (auto a = kinds_.begin(); a != kinds_.end(); ++a)
      for (auto b = a; b != kinds_.end(); ++b) {
        const bool two = a != b || a->second.count > 1;
        if (two && (a->first.moves || b->first.moves))
          a->second.order <= b->second.order ? meet(*a, *b) : meet(*b, *a);
      }
    for (const auto& [pair, who] : missing_) {
      const std::string &a = name_of(pair.first), &b = name_of(pair.second);
      root.fault("pairs",
                 fmt::format("pairs: none between {} and {}, whose bodies {} and {} may touch: "
                             "add {{between: [{}, {}], friction: ..., restitution: ...}}",
                             a, b, who.first, who.second, a, b));
    }
  }

 private:
  const std::string& name_of(Index material) const {
    return reading_.scene.world.materials.materials()[material].name;
  }

  void add(const SceneBody& body, const Place& place) {
    const World& world = reading_.world();
    const std::string& group = world.groups[body.group];
    const bool moves = body.motion == Motion::Dynamic || released_.contains(group);
    count({body.material, form_of(world.shapes[body.shape]), moves}, body.name, place);
  }

  void count(const Kind& kind, const std::string& name, const Place& place) {
    Members& members = kinds_[kind];
    ++read_;
    if (++members.count == 1) {
      members.order = read_;
      members.first = name;
      members.place = place;
    } else if (members.count == 2) {
      members.second = name;
      members.place = place;
    }
  }

  using Entry = std::pair<const Kind, Members>;
  void meet(const Entry& a, const Entry& b) {
    const std::string& first = a.second.first;
    const std::string& second = &a == &b ? a.second.second : b.second.first;
    if (a.first.form == Form::Plane && b.first.form == Form::Plane) return;
    if (a.first.form == Form::Mesh && b.first.form == Form::Mesh)
      reading_.faults().add(
          b.second.place,
          fmt::format(
              "{} and {} are both meshes and may touch, which is not computed: build one of "
              "them as a compound, or let neither move by forces",
              first, second));
    const auto pair = std::minmax(a.first.material, b.first.material);
    if (!reading_.world().materials.has_pair(pair.first, pair.second))
      missing_.emplace(pair, a.first.material <= b.first.material ? std::pair(first, second)
                                                                  : std::pair(second, first));
  }

  SceneReading& reading_;
  int read_ = 0;
  std::set<std::string> released_;
  std::map<Kind, Members> kinds_;
  std::map<std::pair<Index, Index>, std::pair<std::string, std::string>> missing_;
};

}  // namespace

Index material_of(SceneReading& reading, const std::string& name, const Place& place) {
  const MaterialTable& table = reading.world().materials;
  const Index found = table.find(name);
  if (found >= 0) return found;
  const std::vector<std::string> known = material_names(table);
  reading.faults().add(
      place,
      fmt::format(
          "material '{}' is not one of materials: {}{}", name, did_you_mean(name, known, "'"),
          known.empty() ? "there are none" : fmt::format("known are {}", fmt::join(known, ", "))));
  return -1;
}

void read_materials(SceneReading& reading, const Fields& root) {
  // a faulty density has been told; that bodies then have no mass is no other fault
  for (const auto& [entry, material] : root.named_sections("materials"))
    reading.world().materials.add(
        {entry.key, material.number("density", material.has("density") ? 1.0 : 0.0)});
  std::map<std::pair<Index, Index>, Place> given;
  for (const Fields& pair : root.sections("pairs")) read_pair(reading, pair, given);
}

/// A scene may be tried under several laws: an axis that the present one has no use for is no
/// fault.
void note_idle_axes(SceneReading& reading) {
  const std::vector<std::string>& given = reading.scene.solver_assignments;
  if (std::find(given.begin(), given.end(), "solver.law=box") != given.end()) return;
  for (const Place& place : reading.friction_axes)
    reading.scene.notes.push_back(fmt::format(
        "{}: friction_axis was given, but the law of friction is not box: it is the same in all "
        "directions; say solver.law: box where it shall not be",
        text_of(place)));
}

void check_meetings(SceneReading& reading, const Fields& root) {
  Meetings(reading).check(root);
}

}  // namespace talus::io
