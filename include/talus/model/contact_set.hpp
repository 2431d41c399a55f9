#pragma once
// The contacts of a step, in canonical order: by (id of A, id of B, image, feature). A always has
// the lower id; the normal points from A to B.

#include "talus/core/types.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace talus {

/// What tells a contact from all others, on any rank and in the next step.
struct ContactName {
  GlobalId a = 0, b = 0;
  std::array<std::int8_t, 3> image{};  ///< B is moved by so many periods
  std::uint32_t feature = 0;
  // clang-tidy takes the 0 of what the compiler writes here for a pointer.
  auto operator<=>(const ContactName&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ContactSet {
  // Written by detection.
  std::vector<ContactName> name;
  std::vector<Index> body_a, body_b;
  std::vector<Vec3> point;   ///< where A is; B, moved by `image` periods, touches there too
  std::vector<Vec3> normal;  ///< unit, from A to B
  std::vector<double> gap;   ///< m; negative where they overlap

  // Written by warm start, then by the solver: force on B, and torque of rolling contacts.
  std::vector<Vec3> impulse;          ///< N s, world frame
  std::vector<Vec3> angular_impulse;  ///< N m s, world frame; empty where nothing rolls

  Index count() const { return static_cast<Index>(gap.size()); }
  void clear();
};

/// One contact with its impulses: what travels.
struct StoredContact {
  ContactName name;
  Vec3 point, normal;
  double gap = 0.0;
  Vec3 impulse, angular_impulse;
};
StoredContact stored(const ContactSet& contacts, Index contact);
/// Those whose mark is not 0, in their order.
void keep(ContactSet& contacts, const std::vector<std::uint8_t>& marks);
/// Puts contacts where their names belong; of two of one name the first stays. Their bodies are
/// not known: -1.
void merge(ContactSet& contacts, const std::vector<StoredContact>& more, bool rolling);

}  // namespace talus
