#include "talus/model/body_set.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <tuple>

namespace talus {
namespace {

/// All arrays of bodies, so that none is forgotten where bodies are added or taken away.
auto arrays_of(BodySet& b) {
  return std::tie(b.id, b.motion, b.shape, b.scale, b.material, b.group, b.mass, b.inertia, b.reach,
                  b.position, b.orientation, b.velocity, b.angular_velocity);
}

template <class T>
void compact(std::vector<T>& values, const std::vector<std::uint8_t>& marks) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (marks[i] != 0) values[kept++] = values[i];
  values.resize(kept);
}

}  // namespace

Index BodySet::find(GlobalId wanted) const {
  const auto ghosts = id.begin() + owned;
  const auto at = std::lower_bound(id.begin(), ghosts, wanted);
  if (at != ghosts && *at == wanted) return static_cast<Index>(at - id.begin());
  const auto ghost = std::find(ghosts, id.end(), wanted);
  return ghost == id.end() ? -1 : static_cast<Index>(ghost - id.begin());
}

void BodySet::keep(const std::vector<std::uint8_t>& marks) {
  TALUS_ASSERT(marks.size() == id.size());
  const auto kept = std::count_if(marks.begin(), marks.begin() + owned,
                                  [](std::uint8_t mark) { return mark != 0; });
  std::apply([&](auto&... array) { (compact(array, marks), ...); }, arrays_of(*this));
  owned = static_cast<Index>(kept);
}

void append(BodySet& bodies, const NewBody& body, double reach) {
  TALUS_ASSERT(bodies.owned == bodies.count());  // it would stand behind ghosts
  TALUS_ASSERT(bodies.id.empty() || bodies.id.back() < body.id);
  bodies.id.push_back(body.id);
  bodies.motion.push_back(body.motion);
  bodies.shape.push_back(body.shape);
  bodies.scale.push_back(body.scale);
  bodies.material.push_back(body.material);
  bodies.group.push_back(body.group);
  bodies.mass.push_back(body.mass);
  bodies.inertia.push_back(body.inertia);
  bodies.reach.push_back(reach);
  bodies.position.push_back(body.pose.position);
  bodies.orientation.push_back(body.pose.orientation);
  bodies.velocity.push_back(body.velocity);
  bodies.angular_velocity.push_back(body.angular_velocity);
  ++bodies.owned;
}

}  // namespace talus
