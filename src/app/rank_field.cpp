#include "app/rank_field.hpp"

#include "talus/partition/planned_owners.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace talus::app {
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
