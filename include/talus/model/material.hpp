#pragma once
// Materials by name, and what happens between each pair of them.

#include "talus/core/error.hpp"
#include "talus/core/types.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace talus {

struct Material {
  std::string name;
  double density = 0.0;  ///< kg/m3; 0: not given, masses of its bodies must be
};

/// Symmetric: the same for (a, b) and (b, a).
struct PairProperties {
  double friction = 0.0;           ///< Coulomb's coefficient, >= 0
  double restitution = 0.0;        ///< Newton's coefficient, 0 to 1
  double rolling_friction = 0.0;   ///< m
  double spinning_friction = 0.0;  ///< m
  double cohesion = 0.0;           ///< N: the largest normal force that pulls a contact
  double compliance = 0.0;         ///< m/N, of the normal direction: a spring
  double damping_time = 0.0;       ///< s: of the damper of that spring; 0: the scheme's own
  /// Unit, world frame: its direction in the plane of the contact is the first tangent, whose
  /// friction law box bounds for itself. Zero: none is named.
  Vec3 friction_axis{};
  /// The first tangent lies along the slip at the begin of the step instead.
  bool friction_along_slip = false;
};

class MaterialTable {
 public:
  /// Index of the new material.
  Index add(Material material);
  /// -1 where there is none.
  Index find(const std::string& name) const;
  void set_pair(Index a, Index b, const PairProperties& properties);
  bool has_pair(Index a, Index b) const;
  /// The pair must be there.
  const PairProperties& pair(Index a, Index b) const {
    const auto& found = pairs_[place(a, b)];
    TALUS_ASSERT(found.has_value());
    return *found;
  }
  /// Some pair resists rolling or spinning; some pair pulls; is a spring; has restitution.
  bool can_roll() const;
  bool is_cohesive() const;
  bool is_soft() const;
  bool can_bounce() const;
  const std::vector<Material>& materials() const { return materials_; }
  Index count() const { return static_cast<Index>(materials_.size()); }

 private:
  std::size_t place(Index a, Index b) const {
    TALUS_ASSERT(a >= 0 && b >= 0 && a < count() && b < count());
    const auto row = static_cast<std::size_t>(std::max(a, b));
    return row * (row + 1) / 2 + static_cast<std::size_t>(std::min(a, b));
  }
  std::vector<Material> materials_;
  std::vector<std::optional<PairProperties>> pairs_;  ///< lower triangle
};

}  // namespace talus
