#pragma once
// Bodies and rows as they travel between ranks: plain data; numbers as bits; owners that look
// random.

#include "talus/core/types.hpp"
#include "talus/problem/body_problem.hpp"

#include "core/key_order.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace talus {

struct BodyRecord {
  GlobalId place = 0, id = 0;
  std::int32_t owner = 0;
  Vec3 centre;
  double inverse_mass = 0.0;
  Sym3 inverse_inertia;
  Vec6 momentum{};
};

struct ContactRecord {
  GlobalId place = 0, key = 0;
  GlobalId a = -1, b = -1;  ///< places of the bodies
  std::int32_t owner = 0;   ///< rank of the row
  Vec3 normal, tangent, point, point_b, bias, turn;
  double friction = 0.0, rolling = 0.0, spinning = 0.0;
  double normal_compliance = 0.0, tangent_compliance = 0.0;
};

struct JointRecord {
  GlobalId place = 0, key = 0;
  GlobalId a = -1, b = -1;
  std::int32_t owner = 0;
  Vec6 block_a{}, block_b{};
  double bias = 0.0, compliance = 0.0, lower = 0.0, upper = 0.0;
};

static_assert(std::is_trivially_copyable_v<BodyRecord> &&
              std::is_trivially_copyable_v<ContactRecord> &&
              std::is_trivially_copyable_v<JointRecord>);

/// What the rows of a problem have beside the usual.
struct RowKinds {
  bool two_points = false, rolling = false, turned = false;
};

BodyRecord body_record(const BodyProblem& data, std::size_t i);
ContactRecord contact_record(const BodyProblem& data, std::size_t i);
JointRecord joint_record(const BodyProblem& data, std::size_t i);

void append(BodyProblem& data, const BodyRecord& body);
/// `a` and `b` are the local indices of the bodies.
void append(BodyProblem& data, const ContactRecord& contact, const RowKinds& kinds, Index a,
            Index b);
void append(BodyProblem& data, const JointRecord& joint, Index a, Index b);

// Numbers as bits, so that those of one rank and the zeros of the others add up to them.

inline std::int64_t bits_of(double x) {
  return std::bit_cast<std::int64_t>(x);
}
inline double from_bits(std::int64_t x) {
  return std::bit_cast<double>(x);
}

// Owners that look random: the worst case of a partition, for tests.

inline int random_owner(GlobalId id, std::uint64_t seed, int ranks) {
  return static_cast<int>(mixed_bits(static_cast<std::uint64_t>(id) ^ mixed_bits(seed)) %
                          static_cast<std::uint64_t>(ranks));
}

}  // namespace talus
