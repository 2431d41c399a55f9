// Projected successive over-relaxation: sweeps (sweeper.hpp) and, every check_every sweeps, a look
// at the error. On several ranks each sweeps the rows that it owns with its share of the bodies'
// masses, and every psor.sweeps sweeps the changes of shared bodies are added up
// (docs/decisions/011). docs/algorithms/psor.md.

#include "solvers/methods.hpp"
#include "solvers/momentum.hpp"
#include "solvers/row_passes.hpp"
#include "solvers/sweeper.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace talus {
namespace {

/// The gap velocity of x and its error, with one product.
class Look {
 public:
  explicit Look(const MethodContext& context)
      : problem_(context.problem),
        law_(context.options.law),
        comm_(context.comm),
        measure_(problem_, context.options, comm_),
        kernels_(pass_kernels(law_)),
        error_sums_(1) {}

  double operator()(const RowVector& x) {
    evaluate_gap(problem_, law_, x, gap_);
    const ConeView cones = view_of(problem_.cones, RowPart::Owned);
    const double sum = error_sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
      for_tile_ranges(cones.tiles(), local, [&](Index begin, Index end, LocalSums& mine) {
        drain_kernel(begin, end, 0, 1, mine, [&](Index from, Index to, LaneTotals& totals) {
          kernels_.residual(cones, x.data(), gap_.data(), measure_.weights(), from, to, scales,
                            totals);
        });
      });
    })[0];
    return measure_.finish(sum, x, gap_);
  }
  const RowVector& gap() const { return gap_; }

 private:
  const ConeProblem& problem_;
  Law law_;
  const Communicator& comm_;
  FusedMeasure measure_;
  const PassKernels& kernels_;
  FusedSums error_sums_;
  RowVector gap_;
};

template <class Rows>
class Psor {
 public:
  Psor(const MethodContext& context, Rows& rows, RowVector& x, Look& look)
      : law_(context.options.law),
        options_(context.options.psor),
        comm_(context.comm),
        rows_(rows),
        x_(x),
        look_(look),
        sweeper_(context.problem, law_, options_, rows, x) {
    if (options_.accelerate) momentum_.emplace(context.problem, law_, comm_);
  }

  /// `first_error`: of the start, if that has been looked at and recorded.
  void run(IterateKeeper& keeper, std::int64_t max_sweeps, std::optional<double> first_error) {
    // A rank that ended a round by its own clock would leave the others waiting.
    const bool alone = comm_.size() == 1;
    double step_seconds = 0.0;  // of what must be done at least before the next check
    if (first_error) rows_.refresh(x_);
    for (std::int64_t sweeps = 0;;) {
      const double check_begin = keeper.seconds();
      const bool is_known = sweeps == 0 && first_error;
      const double error = is_known ? *first_error : measure();
      const double check_seconds = keeper.seconds() - check_begin;
      keeper.expect_step(step_seconds + check_seconds);
      if (!is_known && keeper.record(sweeps, error, x_, look_.gap())) return;
      watch(sweeps, error);
      if (momentum_) move_on(error);
      const std::int64_t begin = sweeps;
      const std::int64_t until =
          std::min(max_sweeps, begin + until_next_look(keeper, step_seconds));
      const std::int64_t most = alone || !keeper.timed() ? max_sweeps : until;
      const double round_begin = keeper.seconds();
      do {  // at least once, after which a time limit or an interrupt may end the round early
        const double step_begin = keeper.seconds();
        sweeps += step(std::min(most - sweeps, exchange_every()), until - sweeps);
        if (alone) step_seconds = keeper.seconds() - step_begin;
        keeper.expect_step(step_seconds + check_seconds);
      } while (sweeps < until && !(alone && keeper.must_end()));
      if (!alone) {
        step_seconds = (keeper.seconds() - round_begin) / static_cast<double>(sweeps - begin);
        keeper.expect_step(step_seconds + check_seconds);
        keeper.must_end();  // the stop flag rides on the reduction of the next measurement
      }
      if (comm_.all_agree(!sweeper_.has_moved())) return keeper.cannot_move();
    }
  }

 private:
  /// Sweeps between two exchanges, or two steps of the momentum; without either each is for itself.
  std::int64_t exchange_every() const {
    return comm_.size() > 1 || momentum_ ? options_.sweeps : 1;
  }

  /// Sweeps from one look at the error to the next. Several ranks with a time limit agree on half
  /// of the sweeps that the slowest of them has time for.
  std::int64_t until_next_look(const IterateKeeper& keeper, double sweep_seconds) const {
    if (comm_.size() == 1 || !keeper.timed()) return options_.check_every;
    std::array<double, 2> worst{sweep_seconds, -keeper.seconds_left()};
    comm_.largest(worst);
    if (worst[0] <= 0.0) return 1;  // the first tells how long one takes
    const double fit = -0.5 * worst[1] / worst[0];
    return fit < options_.check_every ? std::max<std::int64_t>(1, static_cast<std::int64_t>(fit))
                                      : options_.check_every;
  }

  /// Brings the stored rows of x up to date; sweeps go on from the velocities of the product.
  double measure() {
    rows_.give_impulses(x_);
    rows_.update_mirrors(x_);
    const double error = look_(x_);
    rows_.take_product();
    return error;
  }

  void move_on(double error) {
    rows_.give_trail(momentum_->trail());
    if (momentum_->look(x_, look_.gap(), error)) rows_.refresh(x_);
  }

  /// `left` sweeps are left before the next check.
  std::int64_t step(std::int64_t sweeps, std::int64_t left) {
    if (momentum_) {
      const bool look_follows = left <= sweeps;
      rows_.extrapolate(rows_.has_all_in_tiles() ? momentum_->next_factor(x_.size())
                                                 : momentum_->extrapolate(x_, look_follows),
                        look_follows);
      sweeper_.begin_forward();  // the momentum is that of one map
    }
    rows_.begin_sweeps();
    for (std::int64_t s = 0; s < sweeps; ++s) sweeper_.sweep();
    rows_.end_sweeps();
    return sweeps;
  }

  /// The Coulomb law is no minimisation: where tangential impulses lift contacts, exact answers
  /// jump between branches or swing for ever. Steps of 1 / lambda_max are slower and settle: they
  /// take over when the error has long not fallen.
  void watch(std::int64_t sweeps, double error) {
    constexpr std::int64_t patience = 2000;  // sweeps; slow convergence gains 1 % in far fewer
    if (error < 0.99 * mark_error_) {
      mark_error_ = error;
      mark_sweep_ = sweeps;
    } else if (law_ == Law::Coulomb && sweeps - mark_sweep_ >= patience) {
      sweeper_.give_up_exact_answers();
    }
  }

  Law law_;
  const PsorOptions& options_;
  const Communicator& comm_;
  Rows& rows_;
  RowVector& x_;
  Look& look_;
  Sweeper<Rows> sweeper_;
  std::optional<Momentum> momentum_;
  double mark_error_ = infinity;  // the last error that was a gain
  std::int64_t mark_sweep_ = 0;
};

}  // namespace

void run_psor(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  const PsorOptions& options = context.options.psor;
  if (options.sweeps > 1 && !options.accelerate && context.comm.size() == 1)
    keeper.remark("psor.sweeps changes nothing on one rank without psor.accelerate");
  Look look(context);
  // A start that is good enough needs no order of sweeps, which costs more than a few of them. Not
  // under a time limit: the first sweep must know how long what comes before it has taken.
  std::optional<double> first_error;
  if (!keeper.timed()) {
    first_error = look(x);
    if (keeper.record(0, *first_error, x, look.gap())) return;
  }
  SweepRows rows = make_sweep_rows(context.problem, context.options.law, context.comm);
  std::visit(
      [&](auto& chosen) {
        Psor(context, chosen, x, look).run(keeper, context.options.max_iterations, first_error);
      },
      rows);
}

}  // namespace talus
