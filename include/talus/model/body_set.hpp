#pragma once
// Bodies as arrays: [owned | ghost | late ghost], each in the order of their ids. One rank has no
// ghosts.

#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"

#include <cstdint>
#include <vector>

namespace talus {

enum class Motion : std::uint8_t {
  Dynamic,   ///< by impulses and forces
  Fixed,     ///< never
  Kinematic  ///< as an expression of time says, whatever touches it
};

/// Where a body is stored. Never changes what is computed.
enum class Residence : std::uint8_t {
  Local,            ///< by its owner and by ranks with bodies nearby
  Replicated,       ///< by all ranks: what does not move, and what is much larger than others
  AlwaysReplicated  ///< has had more rows than one rank keeps
};

struct NewBody;

struct BodySet {
  // Made once, when the body is made.
  std::vector<GlobalId> id;  ///< never used again after a body is removed
  std::vector<Motion> motion;
  std::vector<Index> shape;     ///< of World::shapes
  std::vector<double> scale;    ///< of the shape
  std::vector<Index> material;  ///< of World::materials
  std::vector<Index> group;     ///< of World::groups
  std::vector<double> mass;     ///< kg; of a body that does not move: once released, or infinite
  std::vector<Sym3> inertia;  ///< kg m2 about the centre, axes of the body; infinite likewise (xx)
  std::vector<double> reach;  ///< m: largest distance of a point of it from its centre

  // State, written by integration.
  std::vector<Vec3> position;           ///< of the centre of mass, m
  std::vector<Quaternion> orientation;  ///< body axes -> world axes
  std::vector<Vec3> velocity;           ///< m/s
  std::vector<Vec3> angular_velocity;   ///< rad/s, world frame

  // Who has it.
  std::vector<std::int32_t> owner;  ///< rank
  std::vector<Residence> residence;

  Index owned = 0;        ///< how many come first
  Index late = 0;         ///< ghosts at the end, of this step only
  std::int32_t rank = 0;  ///< this one

  Index count() const { return static_cast<Index>(id.size()); }
  bool is_owned(Index body) const { return body < owned; }
  /// Not all ranks store it.
  bool is_local(Index body) const { return residence[body] == Residence::Local; }
  /// Index of a body, -1 where it is not here. By bisection, but for late ghosts.
  Index find(GlobalId wanted) const;
  /// Leaves only those bodies whose mark is not 0, in their order.
  void keep(const std::vector<std::uint8_t>& marks);
  /// Body order[k] comes to place k. Array by array: nothing is there twice but one of them.
  void reorder(const std::vector<Index>& order);
};

/// Indices in the order of their bodies' ids: the same on all ranks where the bodies are.
void sort_by_id(const BodySet& bodies, std::vector<Index>& indices);
/// Bodies that all ranks store and impulses move, in the order of ids.
std::vector<Index> replicated_that_move(const BodySet& bodies);

/// One body, to be appended.
struct NewBody {
  GlobalId id = 0;
  Motion motion = Motion::Dynamic;
  Index shape = 0;
  double scale = 1.0;
  Index material = 0, group = 0;
  double mass = 0.0;
  Sym3 inertia;
  Pose pose;
  Vec3 velocity, angular_velocity;
};
/// An owned body. `reach`: of its shape and scale. For sets without ghosts.
void append(BodySet& bodies, const NewBody& body, double reach);

/// A body with all that a rank stores of it: what travels.
struct StoredBody {
  NewBody body;
  double reach = 0.0;
  std::int32_t owner = 0;
  Residence residence = Residence::Local;
};
StoredBody stored(const BodySet& bodies, Index body);
/// At the end of the arrays, as they are; the caller counts.
void append_stored(BodySet& bodies, const StoredBody& body);
/// After all owned bodies and in front of the ghosts: `owned`, whose ids are larger than those of
/// owned bodies; behind the ghosts, but for late ones: `ghosts`, likewise.
void insert(BodySet& bodies, const std::vector<StoredBody>& owned,
            const std::vector<StoredBody>& ghosts);

}  // namespace talus
