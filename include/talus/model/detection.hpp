#pragma once
// From bodies to contacts: bounds, candidate pairs within a skin, contact points.

#include "talus/geometry/broad_phase.hpp"
#include "talus/model/world.hpp"

#include <cstdint>
#include <vector>

namespace talus {

struct DetectionCounts {
  std::int64_t candidates = 0;
  bool searched = false;  ///< the grid was searched anew
};

class Detection {
 public:
  /// Contacts with gap <= reach_a + reach_b, where `margin` gives each body's share (m, >= 0;
  /// larger for faster bodies). Overwrites the parts of `contacts` that detection writes, in
  /// canonical order, and sizes the others to zero impulses. Candidates are searched with bounds
  /// larger by a skin and used again until a body has moved or turned or its margin has grown by
  /// more than the skin allows: the contacts are the same as without. Threaded; same bits for any
  /// threads.
  DetectionCounts find(const World& world, const std::vector<double>& margin, ContactSet& contacts);

  /// Bodies were added, removed, or changed how they move: search anew.
  void forget();

  // Workspace, added by its author.
};

}  // namespace talus
