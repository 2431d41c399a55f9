#pragma once
// A contact problem of rigid bodies: what a frozen time step is saved as (native problem file),
// what assembly will make, and what the matrix-free operator works on. Plain arrays; io and
// generators fill them.

#include "talus/cones/cone_set.hpp"
#include "talus/core/types.hpp"
#include "talus/parallel/communicator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus {

/// Find gamma in K with w = D v + E gamma + bias in K*, gamma . w = 0, where v = M^-1 (f + D^T
/// gamma). The normal points from body A to body B; w is the velocity of B relative to A at the
/// contact point.
struct BodyProblem {
  // Bodies: arrays of body_count().
  std::vector<GlobalId> body_id;
  std::vector<Vec3> centre;           ///< m, world frame
  std::vector<double> inverse_mass;   ///< 1/kg; 0 for a body that nothing moves
  std::vector<Sym3> inverse_inertia;  ///< 1/(kg m2), about the centre, world frame
  std::vector<Vec6> momentum;         ///< f = M v_old + h Q: N s and N m s, world frame

  // Contacts: arrays of contact_count(). A body is an index into the arrays above, or no_body.
  std::vector<GlobalId>
      contact_key;  ///< unique in the problem; sums over a body's rows run in key order
  std::vector<Index> contact_body_a, contact_body_b;
  std::vector<Vec3> normal;   ///< unit, from A to B
  std::vector<Vec3> tangent;  ///< first tangent; reports and box friction use (n, t1, t2)
  std::vector<Vec3> point;    ///< m, world frame
  /// Where body B is touched, if not at `point` too (other codes use one point on each surface:
  /// with penetration they differ). Empty: both bodies are touched at `point`. Else one per
  /// contact, and `point` is that of body A.
  std::vector<Vec3> point_b;
  std::vector<double> friction;    ///< mu >= 0
  std::vector<Vec3> contact_bias;  ///< -e: (n, t1, t2) components, m/s, added to w
  std::vector<double> normal_compliance, tangent_compliance;  ///< E: m/s per N s, >= 0
  /// m, >= 0: a contact with normal impulse N resists rolling with up to rolling_friction N (torque
  /// impulse about t1 and t2 together) and spinning with up to spinning_friction N (about n). Both
  /// empty where no contact has any, else both one per contact.
  std::vector<double> rolling_friction, spinning_friction;
  /// (n, t1, t2) components, rad/s, added to the angular velocity of B relative to A at contacts
  /// that roll: what bodies that nothing pushes turn by. Empty: nothing; else one per contact.
  std::vector<Vec3> turning_bias;

  // Joint rows: arrays of joint_row_count(). One scalar row each, with a general 6-block per body:
  // w = block_a . (v_a, w_a) + block_b . (v_b, w_b) + compliance * gamma + bias, gamma in [lower,
  // upper].
  std::vector<GlobalId>
      joint_key;  ///< unique among joint rows; in a body's sum they come before its contacts
  std::vector<Index> joint_body_a, joint_body_b;
  std::vector<Vec6> joint_block_a, joint_block_b;
  std::vector<double> joint_bias;        ///< m/s or rad/s
  std::vector<double> joint_compliance;  ///< >= 0
  std::vector<double> joint_lower, joint_upper;

  double time_step = 0.0;  ///< s; 0 where unknown
  std::string title;

  Index body_count() const { return static_cast<Index>(centre.size()); }
  Index contact_count() const { return static_cast<Index>(normal.size()); }
  const Vec3& point_on_b(Index contact) const {
    return (point_b.empty() ? point : point_b)[contact];
  }
  bool has_rolling() const { return !rolling_friction.empty(); }
  /// Rows of a contact in a solution: (N, T1, T2), or (N, T1, T2, R1, R2, S) with rolling friction.
  Index rows_per_contact() const { return has_rolling() ? 6 : 3; }
  Index joint_row_count() const { return static_cast<Index>(joint_bias.size()); }

  /// Appends a body, contact or joint row with neutral values for what is not given; returns its
  /// index.
  Index add_body(const Vec3& centre, double inverse_mass, const Sym3& inverse_inertia,
                 const Vec6& momentum);
  Index add_contact(Index body_a, Index body_b, const Vec3& normal, const Vec3& point,
                    double friction, const Vec3& bias);
  Index add_joint_row(Index body_a, Index body_b, const Vec6& block_a, const Vec6& block_b,
                      double bias);
};

/// All faults at once (InputError): lengths, indices, NaN, mu < 0, normals not unit, M^-1 not
/// positive semi-definite, repeated keys, bounds crossed. `name` begins every message (a file name,
/// or "problem").
void validate(const BodyProblem& problem, const std::string& name);

// One rank's share of a problem of rigid bodies: [owned | ghost] bodies and [owned | mirrored] rows
// (DESIGN: "the one idea"). A problem on one rank is the part that owns everything.

struct BodyPart {
  /// Bodies: owned ones that a neighbour needs, the other owned ones, then ghosts. Contacts and
  /// joint rows: owned, filling up to a whole tile of eight (rows without bodies; none where there
  /// are no mirrors), mirrored: row i is cone i of its group. All with local indices.
  BodyProblem data;
  Index boundary_bodies = 0, owned_bodies = 0;
  Index owned_contacts = 0, mirrored_contacts = 0;
  Index owned_joint_rows = 0, mirrored_joint_rows = 0;
  /// Bodies that move and have more than most_rows_of_one_rank rows, in the order of the whole
  /// problem. Every rank has all of them; one owns each. They are never exchanged and their rows
  /// never mirrored because of them. docs/decisions/013.
  std::vector<Index> hub_bodies;
  std::vector<HaloNeighbour> neighbours;  ///< items are bodies
  /// Places in the whole problem of what this rank owns.
  std::vector<GlobalId> body_place, contact_place, joint_place;
  /// And of the mirrored rows.
  std::vector<GlobalId> contact_mirror_place, joint_mirror_place;
  /// Of all ranks. A part of a step has no places, and counts nothing: 0.
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
  /// What tells a contact from all others on any rank, where keys are only ordered alike (those of
  /// mirrors in a simulation). Empty: the keys do.
  std::vector<GlobalId> contact_identity;
  /// What coordinates are relative to in sums, where somebody has found it already.
  std::optional<Vec3> origin;
};

/// Where the mirrors of a group begin: after its owned rows, in whole tiles.
inline Index first_mirror(Index owned) {
  return padded(owned);
}

/// A body with more rows is a hub: its rows may belong to any ranks. Decided from the whole
/// problem, on one rank too.
inline constexpr std::int64_t most_rows_of_one_rank = 512;

/// Rows of a contact with and without rolling friction; a joint row is one.
inline std::int64_t stored_rows_per_contact(bool rolling) {
  return rolling ? 6 : 3;
}

/// A body that nothing moves has velocity 0: its rows need not know each other.
bool is_movable(double inverse_mass, const Sym3& inverse_inertia);

/// The part that owns all of it. Throws InputError where lengths or indices are wrong.
BodyPart whole_part(BodyProblem data);

// Contiguous shares of a problem of rigid bodies, one for each rank: as files and generators give
// them and before anyone knows who owns what.

/// A contiguous share of the bodies, contacts and joint rows of a problem. Rows name their bodies
/// by place in the whole problem, -1 for the world; the local indices in `data` mean nothing.
struct BodySlice {
  BodyProblem data;
  std::vector<GlobalId> contact_a, contact_b, joint_a, joint_b;
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
};

/// [first, last) of `total` things for one rank: slices of all kinds are cut like this.
struct SliceRange {
  GlobalId first = 0, last = 0;
  GlobalId count() const { return last - first; }
};
SliceRange slice_range(GlobalId total, int rank, int ranks);
/// The rank whose slice holds the place.
int slice_rank(GlobalId total, GlobalId place, int ranks);

/// The slice of one rank, cut out of the whole. Throws InputError where lengths are wrong.
BodySlice slice_of(const BodyProblem& whole, int rank, int ranks);

/// validate() of the whole, whose slices the ranks hold: every rank throws all faults of all ranks,
/// with the indices of the whole. Collective.
void validate(const BodySlice& slice, const std::string& name, const Communicator& comm);

}  // namespace talus
