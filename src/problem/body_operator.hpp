#pragma once
// N = D M^-1 D^T + E of rigid bodies, matrix-free: no Jacobian of a contact is ever stored.
//
// One product: (1) each body sums the wrenches of its rows in key order and applies M^-1
// (body-major: no atomics, the same bits for any threads); (2) each contact takes the velocity
// difference at its point, eight contacts at a time; where contacts roll, also the difference of
// the angular velocities. Impulses are world-frame vectors. Points are
// kept relative to one origin of the whole problem, so that step 2 needs 6 numbers per body
// ("spatial form", docs/decisions/005). Hub bodies are summed exactly, each rank its own rows,
// with one reduction per product where there are any (docs/decisions/013).

#include "talus/cones/cone_set.hpp"
#include "talus/problem/body_problem.hpp"

#include "core/thread_workspace.hpp"
#include "parallel/halo.hpp"
#include "problem/linear_operator.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace talus {

struct BodyPass;   // src/problem/body_kernels.hpp
struct SetUpPass;  // src/problem/body_kernels.hpp
class HubRows;     // src/problem/hub_rows.hpp

/// A box around all points of contacts and the centres of bodies that move (ground is often one
/// body with its centre anywhere), as numbers that are to be the largest of all ranks. Its middle
/// is the origin: exact minima and maxima, so the same for any partition.
class OriginBox {
 public:
  void widen(const Vec3& p) {
    const std::array<double, 6> at{-p.x, -p.y, -p.z, p.x, p.y, p.z};
    for (std::size_t k = 0; k < at.size(); ++k) numbers_[k] = std::max(numbers_[k], at[k]);
  }
  std::span<double> numbers() { return numbers_; }
  Vec3 middle() const;

 private:
  std::array<double, 6> numbers_{-infinity, -infinity, -infinity,
                                 -infinity, -infinity, -infinity};  ///< low, negated; high
};

class BodyOperator final : public LinearOperator {
 public:
  /// `cones` must have one spatial cone per contact (all of them rolling cones where any contact
  /// rolls) and one scalar row per joint row, in the order of `part`. Collective where the part
  /// does not name its origin.
  BodyOperator(std::shared_ptr<const BodyPart> part, const ConeSet& cones,
               const Communicator& comm);

  /// Those of rolling cones, which are chosen by what the operator is without them.
  void take_lengths(const ConeSet& cones) { length_ = cones.rolling_length; }

  const BodyProblem& data() const { return *data_; }
  const BodyPart& part() const { return *part_; }

  void diagonal(RowVector& d) const override;
  std::array<double, 3> planar_block(Index cone) const override;
  Mat3 spatial_block(Index contact) const override;  ///< world frame; force rows of any contact
  Mat6 rolling_block(Index contact) const override;  ///< world frame

  /// Around each owned body that moves and is not a hub; a row between none of these is alone.
  std::vector<double> neighbourhood_means(const std::vector<double>& of_slot) const override;

  /// Of owned bodies and ghosts (collective): body velocities M^-1 (momentum + D^T impulses), or
  /// M^-1 D^T impulses alone; 6 per body.
  std::vector<Vec6> velocities(const RowVector& impulses, bool with_momentum) const;
  /// M^-1 momentum of the same bodies: those velocities without impulses. Local.
  std::vector<Vec6> free_velocities() const;
  /// The first half of a product. Collective.
  void make_velocities(const RowVector& impulses) const;
  /// M^-1 D^T x of this thread's last product N x, or of its last make_velocities(x).
  Vec6 velocity(Index body) const;
  /// take(body, velocity(body)) of all bodies.
  template <class Take>
  void each_velocity(const Take& take) const {
    const double* const lines = workspace().lines.data();
    for (Index b = 0; b < data_->body_count(); ++b) take(b, velocity(lines, b));
  }
  /// D v: relative velocities of all rows (without E and bias).
  void relative_velocities(const std::vector<Vec6>& velocities, RowVector& rows) const;

  /// Contacts of a body in key order, as 2 * contact + (1 where the body is A). None for bodies
  /// that are not owned, do not move or are hubs.
  struct Incidence {
    std::vector<std::int64_t> start;  // per body; 64-bit: a rank may hold 2^31 contact ends
    std::vector<std::uint32_t> entry;
  };
  const Incidence& contacts_of_bodies() const { return contacts_; }
  const Incidence& joints_of_bodies() const { return joints_; }

 private:
  struct Neighbourhoods;
  /// What a product works in.
  struct Workspace {
    RowVector lines;                                 ///< 8 per body + the world's: u at the origin
    std::shared_ptr<HubRows> hub;                    ///< null where no body is a hub
    std::shared_ptr<Neighbourhoods> neighbourhoods;  ///< made when first needed
  };
  Workspace& workspace() const;
  void multiply(const double* x, double* y) const override;
  BodyPass pass_of(Workspace& workspace) const;
  SetUpPass set_up_pass(double* rows) const;
  Vec6 free_velocity(std::size_t body) const;
  static void widen(Neighbourhoods& near, std::vector<double>& sums);
  template <class Visit>
  void each_row_at(std::size_t body, const Visit& visit) const;
  std::vector<Index> place_sums(Neighbourhoods& near) const;
  void list_rows(Neighbourhoods& near, const std::vector<Index>& place) const;
  std::shared_ptr<Neighbourhoods> make_neighbourhoods() const;
  void joint_wrench(Index body, const double* x, double* wrench) const;
  void accumulate(BodyPass pass, const double* x, Index begin, Index end) const;
  void joint_gaps(const BodyPass& pass, const double* x, double* y) const;
  Vec6 velocity(const double* lines, Index body) const;

  void accumulate_polling(const BodyPass& pass, const double* x, Index begin, Index end) const;

  std::shared_ptr<const BodyPart> part_;
  const BodyProblem* data_;     ///< of the part
  std::shared_ptr<Halo> halo_;  ///< of lines
  ThreadWorkspace<Workspace> workspaces_;
  /// Stored row of the first component of a contact's force; the others follow eight apart.
  Index first_row_of(Index contact) const;
  bool rolls() const { return rows_per_tile_ > 3 * lanes; }

  Index first_row_ = 0, tiles_ = 0, rows_per_tile_ = 3 * lanes;  ///< of the contacts
  std::vector<std::uint8_t> is_summed_;  ///< per body, ghosts too: it moves and is no hub
  Incidence contacts_, joints_;
  Vec3 origin_;
  RowVector centre_;   ///< 3 per body, relative to the origin
  RowVector inverse_;  ///< 8 per body: 1/m, six of the inverse inertia, 0
  RowVector point_;    ///< 24 per tile: relative to the origin
  RowVector offset_;   ///< 24 per tile: from the point on A to that on B; empty where all are zero
  /// Per contact slot, and normals, 24 per tile; empty where no contact has compliance.
  RowVector normal_compliance_, tangent_compliance_, axis_;
  RowVector length_;  ///< per contact slot: length of the rolling cone; empty where none rolls
  std::vector<std::int32_t> body_a_,
      body_b_;  ///< per contact slot; the world and filling: body_count
};

}  // namespace talus
