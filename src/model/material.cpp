#include "talus/model/material.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <utility>

namespace talus {

Index MaterialTable::add(Material material) {
  materials_.push_back(std::move(material));
  const auto n = materials_.size();
  pairs_.resize(n * (n + 1) / 2);
  return count() - 1;
}

Index MaterialTable::find(const std::string& name) const {
  const auto found = std::find_if(materials_.begin(), materials_.end(),
                                  [&](const Material& m) { return m.name == name; });
  return found == materials_.end() ? -1 : static_cast<Index>(found - materials_.begin());
}

void MaterialTable::set_pair(Index a, Index b, const PairProperties& properties) {
  pairs_[place(a, b)] = properties;
}

bool MaterialTable::has_pair(Index a, Index b) const {
  return pairs_[place(a, b)].has_value();
}

bool MaterialTable::can_roll() const {
  return std::any_of(pairs_.begin(), pairs_.end(), [](const auto& pair) {
    return pair && (pair->rolling_friction > 0.0 || pair->spinning_friction > 0.0);
  });
}

bool MaterialTable::is_cohesive() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const auto& pair) { return pair && pair->cohesion != 0.0; });
}

bool MaterialTable::is_soft() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const auto& pair) { return pair && pair->compliance != 0.0; });
}

bool MaterialTable::can_bounce() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const auto& pair) { return pair && pair->restitution != 0.0; });
}

}  // namespace talus
