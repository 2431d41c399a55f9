#pragma once
// Bodies of a scene with their contacts, whole on every rank, for tests of who owns what. Loads are
// the shares of ranks; owners and rows that cross are counted here the plain way.

#include "generate/random.hpp"
#include "partition/cell_map.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace talus {

struct MovingScene {
  std::vector<Vec3> position;
  std::vector<std::int64_t> weight;
  std::vector<std::pair<std::size_t, std::size_t>> contacts;
};

/// A lattice of unit spheres that are pushed a little off their places; weights from 3 to 21.
inline MovingScene block_of_spheres(int nx, int ny, int nz) {
  MovingScene scene;
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z) {
        const std::size_t i = scene.position.size();
        KeyedRandom random(1, i, 0);
        scene.position.push_back({x + random.uniform(-0.05, 0.05), y + random.uniform(-0.05, 0.05),
                                  z + random.uniform(-0.05, 0.05)});
        scene.weight.push_back(3);
        const auto touch = [&](std::size_t other) {
          scene.contacts.emplace_back(other, i);
          scene.weight[other] += 3;
          scene.weight[i] += 3;
        };
        if (x > 0) touch(i - static_cast<std::size_t>(ny * nz));
        if (y > 0) touch(i - static_cast<std::size_t>(nz));
        if (z > 0) touch(i - 1);
      }
  return scene;
}

/// Bodies without contacts.
inline MovingScene loose_bodies(std::vector<Vec3> positions) {
  MovingScene scene;
  scene.weight.assign(positions.size(), 1);
  scene.position = std::move(positions);
  return scene;
}

/// What one rank owns, if body i is owned by owner(i) and a contact by the owner of its first body.
struct OwnedShare {
  std::vector<GlobalId> id;
  std::vector<Vec3> position;
  std::vector<std::int64_t> weight;
  std::vector<BodyLink> links;

  BodyLoad load() const { return {id, position, weight, links}; }
};
using OwnerOfPlace = std::function<int(std::size_t)>;

inline OwnedShare share_of(const MovingScene& scene, int rank, const OwnerOfPlace& owner) {
  OwnedShare share;
  for (std::size_t i = 0; i < scene.position.size(); ++i) {
    if (owner(i) != rank) continue;
    share.id.push_back(static_cast<GlobalId>(i));
    share.position.push_back(scene.position[i]);
    share.weight.push_back(scene.weight[i]);
  }
  for (const auto& [a, b] : scene.contacts)
    if (owner(a) == rank) share.links.push_back({scene.position[a], scene.position[b], 3});
  return share;
}

inline std::vector<int> owners_by(const CellMap& map, const MovingScene& scene) {
  std::vector<int> owners;
  for (std::size_t i = 0; i < scene.position.size(); ++i)
    owners.push_back(map.owner_of(static_cast<GlobalId>(i), scene.position[i]));
  return owners;
}

inline std::int64_t rows_that_cross(const MovingScene& scene, const std::vector<int>& owner) {
  std::int64_t rows = 0;
  for (const auto& [a, b] : scene.contacts)
    if (owner[a] != owner[b]) rows += 3;
  return rows;
}

inline std::vector<double> loads_of_ranks(const MovingScene& scene, const std::vector<int>& owner,
                                          int ranks) {
  std::vector<double> loads(static_cast<std::size_t>(ranks), 0.0);
  for (std::size_t i = 0; i < owner.size(); ++i)
    loads[static_cast<std::size_t>(owner[i])] += static_cast<double>(scene.weight[i]);
  return loads;
}

inline double largest_over_mean(const std::vector<double>& loads) {
  const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  return *std::max_element(loads.begin(), loads.end()) * static_cast<double>(loads.size()) / sum;
}

/// Share of the bodies with another owner.
inline double moved_share(const std::vector<int>& before, const std::vector<int>& after) {
  double moved = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1.0 : 0.0;
  return moved / static_cast<double>(before.size());
}

}  // namespace talus
