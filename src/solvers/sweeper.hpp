#pragma once
// One sweep: row after row and cone after cone takes the impulse that its own problem asks for
// while all others stand still, and the next one sees it at once.
// [Tasora07, Alg. 4.1, eq. 6] corrected (docs/algorithms/psor.md): the velocity e_i stands inside
// the factor omega / g_i, the bodies follow the change of the impulse, g_i contains the compliance.
// Letters: x impulses, w gap velocity, A the cone's diagonal block, b = w - A x.

#include "talus/solvers/solve.hpp"

#include "solvers/local_cone.hpp"
#include "solvers/row_blocks.hpp"
#include "solvers/sweep_rows.hpp"

#include <utility>

namespace talus {

inline bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

inline bool same(const SixRows& a, const SixRows& b) {
  return same(a.linear, b.linear) && same(a.angular, b.angular);
}

/// `Rows` is BodySweep or MatrixSweep.
template <class Rows>
class Sweeper {
 public:
  Sweeper(const ConeProblem& problem, Law law, const PsorOptions& options, Rows& rows, RowVector& x)
      : cones_(problem.cones),
        law_(law),
        options_(options),
        rows_(rows),
        x_(x),
        exact_(options.exact_local) {
    tiled_ = options.tiles && exact_ && law != Law::Box;
    if (tiled_) rows_.make_tiles(law == Law::Associated);
    rows_.take_impulses(x);
    prepare_cones();
    const std::vector<Index>& rolling = rows_.rolling_blocks().order;
    for (std::size_t k = 0; k < rolling.size(); ++k)
      rolling_.push_back(prepare_rolling(rows_.rolling_block(static_cast<Index>(k)),
                                         cones_.rolling_friction_of(rolling[k])));
  }

  /// The next sweep is a forward one.
  void begin_forward() { forward_ = true; }

  /// Forward; with options.symmetric forward and backward in turn.
  void sweep() {
    const bool is_shared = rows_.row_blocks().block_end.size() > 1 ||
                           rows_.cone_blocks().block_end.size() > 1 ||
                           rows_.rolling_blocks().block_end.size() > 1;
    const auto share = [&] { return sweep_share(); };
    const bool moved = is_shared ? any_of_team(share) : share();
    rows_.end_sweep();
    moved_ = moved_ || moved;
    if (options_.symmetric) forward_ = !forward_;
  }

  /// Has any impulse changed since the last question?
  bool has_moved() { return std::exchange(moved_, false); }

  /// From now on cones take steps of 1 / lambda_max instead of exact answers. x must be up to date.
  void give_up_exact_answers() {
    exact_ = false;
    if (!std::exchange(tiled_, false)) return;
    rows_.drop_tiles();
    prepare_cones();
  }

 private:
  /// What one thread of a team does of a sweep. Returns whether an impulse changed.
  bool sweep_share() {
    bool moved = false;
    const auto rows = [&] {
      for_each_in_blocks(rows_.row_blocks(), forward_,
                         [&](std::size_t k) { moved |= update_row(k); });
    };
    const auto cones = [&] {
      const RowBlocks& blocks = rows_.cone_blocks();
      for_each_block(blocks, forward_, [&](std::size_t block) {
        if (is_tiled(block))
          moved |= rows_.sweep_tiles(block, forward_, options_.relaxation);
        else
          for_each_in_block(blocks, block, forward_, [&](std::size_t k) {
            moved |= update_cone(k, cone_[k - in_tiles_[block]]);
          });
      });
    };
    const auto rolling = [&] {
      for_each_in_blocks(rows_.rolling_blocks(), forward_,
                         [&](std::size_t k) { moved |= update_rolling(k); });
    };
    if (forward_) {
      rows();
      cones();
      rolling();
    } else {
      rolling();
      cones();
      rows();
    }
    return moved;
  }

  bool is_tiled(std::size_t block) const { return tiled_ && rows_.has_tiles(block); }

  /// Those that are not in tiles.
  void prepare_cones() {
    const RowBlocks& blocks = rows_.cone_blocks();
    cone_.clear();
    in_tiles_.clear();
    for (std::size_t block = 0; block < blocks.block_end.size(); ++block) {
      in_tiles_.push_back(blocks.block_begin(block) - cone_.size());
      if (!is_tiled(block))
        for_each_in_block(blocks, block, true, [&](std::size_t k) {
          cone_.push_back(
              prepare_cone(rows_.block(static_cast<Index>(k)), angle_of(blocks.order[k])));
        });
    }
  }

  FrictionAngle angle_of(Index cone) const {
    const auto slot = static_cast<std::size_t>(
        cone < cones_.planar_count ? cones_.planar_slot(cone)
                                   : cones_.spatial_slot(cone - cones_.planar_count));
    return {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  }

  // Each returns whether the impulse changed.

  bool update_row(std::size_t k) {
    const Index row = rows_.row_blocks().order[k];
    const auto i = static_cast<std::size_t>(row);
    const double next = scalar_step(x_[i], rows_.row_gap(row, x_), rows_.diagonal(row),
                                    {cones_.lower[i], cones_.upper[i]}, options_.relaxation);
    const double change = next - x_[i];
    if (change == 0.0) return false;
    x_[i] = next;
    rows_.change_row(row, change);
    return true;
  }

  bool update_cone(std::size_t k, const LocalCone& cone) {
    const auto place = static_cast<Index>(k);
    if (k + fetch_ahead < rows_.cone_blocks().order.size())
      rows_.fetch_cone(place + fetch_ahead, x_);
    const Vec3 x = rows_.impulse_of_cone(place, x_);
    const Vec3 b = rows_.cone_gap(place, x, x_) - times(cone.block, x);
    const Vec3 next = law_ == Law::Box       ? sweep_box(cone, b, x, options_.relaxation)
                      : law_ == Law::Coulomb ? coulomb_step(cone, b, x)
                                             : convex_step(cone, b, x);
    if (same(next, x)) return false;
    rows_.set_impulse_of_cone(place, x_, next);
    rows_.change_cone(place, next - x);
    return true;
  }

  bool update_rolling(std::size_t k) {
    const auto place = static_cast<Index>(k);
    const Index c = rows_.rolling_blocks().order[k];
    const LocalRolling& cone = rolling_[k];
    const SixRows x = rolling_impulse(cones_, x_, c);
    const SixRows b = rows_.rolling_gap(place, x, x_) - times(cone.block, x);
    const SixRows next = rolling_step(cone, b, x);
    if (same(next, x)) return false;
    set_rolling_impulse(cones_, x_, c, next);
    rows_.change_rolling(place, next - x);
    return true;
  }

  SixRows rolling_step(const LocalRolling& cone, const SixRows& b, const SixRows& x) const {
    if (law_ == Law::Box) return sweep_rolling_box(cone, b, x, options_.relaxation);
    const bool coulomb = law_ == Law::Coulomb;
    if (!exact_) return rolling_bound_step(cone, coulomb, b, x, options_.relaxation);
    return stretched(cone, b, x,
                     coulomb ? improve_coulomb(cone, b, x) : improve_associated(cone, b, x));
  }

  Vec3 convex_step(const LocalCone& cone, const Vec3& b, const Vec3& x) const {
    if (exact_) {
      const LocalAnswer answer = solve_associated(cone, b);
      if (answer.state != LocalState::Unsolvable) return stretched(cone, b, x, answer.impulse);
    }
    return bound_step_associated(cone, b, x, options_.relaxation);
  }

  Vec3 coulomb_step(const LocalCone& cone, const Vec3& b, const Vec3& x) const {
    if (exact_) {
      const LocalAnswer answer = solve_coulomb(cone, b);
      if (answer.state != LocalState::Unsolvable) return stretched(cone, b, x, answer.impulse);
    }
    return bound_step_coulomb(cone, b, x, options_.relaxation);
  }

  /// x + omega (answer - x), back in the cone. The projection is not the one of the block's metric,
  /// so that for omega > 1 the convex law could rise; then the answer itself is taken.
  template <class Cone, class Impulse>
  Impulse stretched(const Cone& cone, const Impulse& b, const Impulse& x,
                    const Impulse& answer) const {
    if (options_.relaxation == 1.0) return answer;
    const Impulse next = projected(cone.friction, x + options_.relaxation * (answer - x));
    const bool rises = law_ == Law::Associated && options_.relaxation > 1.0 &&
                       local_objective(cone, b, next) > local_objective(cone, b, x);
    return rises ? answer : next;
  }

  static constexpr Index fetch_ahead = 8;  // cones: some two microseconds

  const ConeSet& cones_;
  Law law_;
  const PsorOptions& options_;
  Rows& rows_;
  RowVector& x_;
  std::vector<LocalCone> cone_;        // in the order of a sweep, without those in tiles
  std::vector<std::size_t> in_tiles_;  // per block: places before it that are in tiles
  std::vector<LocalRolling> rolling_;  // in the order of a sweep
  bool exact_;                         // cones are solved exactly; else bound steps
  bool tiled_ = false;                 // blocks that have tiles are swept eight cones at a time
  bool forward_ = true, moved_ = false;
};

}  // namespace talus
