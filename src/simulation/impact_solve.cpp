#include "simulation/impact_solve.hpp"

#include "talus/parallel/exact_sum.hpp"

#include "model/body_traits.hpp"
#include "problem/body_operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace talus {
namespace {

/// The rows of contacts of a step's problem by cone.
class ContactRows {
 public:
  ContactRows(const ImpactStep& step, const ConeSet& cones, Index owned)
      : step_(step),
        cones_(cones),
        owned_(owned),
        rolls_(!step.world.contacts.angular_impulse.empty()) {}

  /// visit(cone, contact of the world)
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t k = 0; k < step_.part.contact.size(); ++k)
      if (step_.part.contact[k] >= 0)
        visit(static_cast<Index>(k), static_cast<std::size_t>(step_.part.contact[k]));
  }
  bool owns(Index cone) const { return cone < owned_; }
  Vec3 linear(const RowVector& rows, Index cone) const {
    return rolls_ ? rolling_value(cones_, rows, cone).linear : spatial_value(cones_, rows, cone);
  }
  double normal(const RowVector& rows, Index cone, std::size_t contact) const {
    return dot(linear(rows, cone), step_.world.contacts.normal[contact]);
  }
  void add_normal(RowVector& rows, Index cone, std::size_t contact, double value) const {
    const Vec3 more = value * step_.world.contacts.normal[contact];
    if (!rolls_)
      return set_spatial_value(cones_, rows, cone, spatial_value(cones_, rows, cone) + more);
    SixRows six = rolling_value(cones_, rows, cone);
    six.linear = six.linear + more;
    set_rolling_value(cones_, rows, cone, six);
  }
  /// The whole impulse: what friction has held in compression it holds in restitution.
  void grow(RowVector& rows, Index cone, double factor) const {
    if (!rolls_)
      return set_spatial_value(cones_, rows, cone, factor * spatial_value(cones_, rows, cone));
    SixRows six = rolling_value(cones_, rows, cone);
    six.linear = factor * six.linear;
    six.angular = factor * six.angular;
    set_rolling_value(cones_, rows, cone, six);
  }
  Vec3 angular(const RowVector& rows, Index cone) const {
    return rolls_ ? rolling_value(cones_, rows, cone).angular : Vec3{};
  }

 private:
  const ImpactStep& step_;
  const ConeSet& cones_;
  Index owned_;
  bool rolls_;
};

double along(const Mat3& m, const Vec3& n) {
  const Vec3 mn{m[0] * n.x + m[1] * n.y + m[2] * n.z, m[3] * n.x + m[4] * n.y + m[5] * n.z,
                m[6] * n.x + m[7] * n.y + m[8] * n.z};
  return dot(n, mn);
}

/// Impulses, the gap velocity that they lead to, and the free gaps for which they are the answer.
struct Answer {
  RowVector impulses, gap, free_velocity;
};

/// What the impulses of all contacts do, J, as a function of the share s of the way from one answer
/// to another: w(s) = at_start + linear s + square s^2.
struct Work {
  double at_start = 0.0, linear = 0.0, square = 0.0;
  double at(double s) const { return at_start + s * (linear + s * square); }
};

/// Rows of contacts times half the sum of their velocities before and after, those of the bodies
/// against each other: without what the scheme asks for. `newton_gap`: free gaps of the step's
/// problem. Collective.
Work work_between(const ImpactStep& step, const ContactRows& contacts, const Communicator& comm,
                  const Answer& from, const Answer& to, const RowVector& newton_gap) {
  std::array<std::vector<double>, 3> terms;  // of the start, of the end, of the square
  contacts.each([&](Index cone, std::size_t c) {
    if (!contacts.owns(cone)) return;
    // free relative velocity: r without the bias of the normal row
    const Vec3 free =
        contacts.linear(newton_gap, cone) - step.rows.bias[c] * step.world.contacts.normal[c];
    const Vec3 free_turn = contacts.angular(newton_gap, cone);
    const auto mean = [&](const Answer& answer) {
      return free + 0.5 * (contacts.linear(answer.gap, cone) -
                           contacts.linear(answer.free_velocity, cone));
    };
    const auto mean_turn = [&](const Answer& answer) {
      return free_turn + 0.5 * (contacts.angular(answer.gap, cone) -
                                contacts.angular(answer.free_velocity, cone));
    };
    const auto product = [&](const Answer& x, const Answer& v) {
      return dot(contacts.linear(x.impulses, cone), mean(v)) +
             dot(contacts.angular(x.impulses, cone), mean_turn(v));
    };
    const double start = product(from, from);
    terms[0].push_back(start);
    if (&from == &to) return;  // no way at all: asked for what it does where it stands
    const double end = product(to, to);
    terms[1].push_back(end);
    terms[2].push_back(end - product(to, from) - product(from, to) + start);
  });
  std::array<LimbSum, 3> sums;
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(terms[k]);
  reduce(comm, sums);
  Work work;
  work.at_start = sums[0].value();
  if (&from == &to) return work;
  work.square = sums[2].value();
  work.linear = sums[1].value() - work.at_start - work.square;
  return work;
}

/// The longest way from the answer without restitution to the other on which contacts have not
/// given more than `most` energy. What the points between them ask for is a problem of its own.
double share_of_restitution(const Work& work, double most) {
  double low = 0.0, high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (work.at(middle) <= most ? low : high) = middle;
  }
  return low;
}

RowVector between(const RowVector& from, const RowVector& to, double share) {
  RowVector mixed(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) mixed[i] = from[i] + share * (to[i] - from[i]);
  return mixed;
}

/// A step is solved so often for less restitution; then for none.
constexpr int most_trials = 3;

class ImpactSolve {
 public:
  ImpactSolve(const ImpactStep& step, const SolveOptions& options, const Communicator& comm,
              ConeProblem& problem)
      : step_(step),
        options_(options),
        comm_(comm),
        problem_(problem),
        contacts_(step, problem.cones, bodies().part().owned_contacts),
        newton_gap_(problem.free_velocity),
        plastic_gap_(problem.free_velocity) {
    contacts_.each([&](Index cone, std::size_t c) {
      contacts_.add_normal(plastic_gap_, cone, c, -step_.rows.bounce[c]);
    });
  }

  SolveReport newton(Answer& answer) {
    const RowVector start = answer.impulses;
    SolveReport given = solve_for(newton_gap_, answer, 0.5);
    if (step_.is_rough && !is_answer(given)) return joined(given);
    if (is_answer(given) && work(answer, answer).at_start <= 0.0) return joined(given);
    Answer plastic{start, {}, {}};
    SolveReport stopped = solve_for(plastic_gap_, plastic, 0.5);
    if (!is_answer(given) && !is_answer(stopped)) {
      // restitution is not all that holds it up: the nearer one goes on
      if (given.error <= stopped.error)
        given = solve_for(newton_gap_, answer, 1.0);
      else
        stopped = solve_for(plastic_gap_, plastic, 1.0);
      if (given.error <= stopped.error && work(answer, answer).at_start <= 0.0)
        return joined(given);
    }
    return bounded(newton_gap_, given, {plastic, stopped}, answer);
  }

  /// Compression brings all approaches to rest; then each contact that it has loaded gives back its
  /// share e of what it took, and all others what non-penetration asks for [Anitescu97, 3].
  SolveReport poisson(Answer& answer) {
    const RowVector carried = answer.impulses;
    const SolveReport compressed = solve_for(plastic_gap_, answer, 0.5);
    const Answer plastic = answer;
    const RowVector restored_gap = restored(plastic, carried);
    const SolveReport given = solve_for(restored_gap, answer, 0.5);
    if (step_.is_rough && !is_answer(given)) return joined(given);
    return bounded(restored_gap, given, {plastic, compressed}, answer);
  }

  bool has_cut() const { return has_cut_; }

  void keep(Answer& answer, RowVector& impulses, RowVector& gap) {
    impulses = std::move(answer.impulses);
    gap = std::move(answer.gap);
    problem_.free_velocity = std::move(answer.free_velocity);
  }

 private:
  struct Solved {
    Answer answer;
    SolveReport report;
  };

  /// With a share of the iterations that are left. What may have no answer shows by an error that
  /// stands still; without restitution there always is one.
  SolveReport solve_for(const RowVector& free_velocity, Answer& answer, double share) {
    SolveOptions options = options_;
    const auto left = static_cast<double>(options_.max_iterations - iterations_);
    if (!step_.is_rough)
      options.max_iterations = std::max(std::int64_t{1}, static_cast<std::int64_t>(share * left));
    if (&free_velocity != &plastic_gap_)
      options.stall_iterations =
          std::clamp(options_.max_iterations / 4, std::int64_t{1}, options_.stall_iterations);
    problem_.free_velocity = free_velocity;
    SolveReport report = solve(problem_, options, comm_, answer.impulses, answer.gap);
    answer.free_velocity = free_velocity;
    iterations_ += report.iterations;
    products_ += report.operator_products;
    return report;
  }
  bool is_answer(const SolveReport& report) const { return report.error <= options_.tolerance; }
  /// Of the solve whose answer is used, with what all of them have cost.
  SolveReport joined(SolveReport used) const {
    used.iterations = iterations_;
    used.operator_products = products_;
    return used;
  }

  const BodyOperator& bodies() const {
    return dynamic_cast<const BodyOperator&>(*problem_.delassus);
  }
  Work work(const Answer& from, const Answer& to) const {
    return work_between(step_, contacts_, comm_, from, to, newton_gap_);
  }
  /// What is asked for, without the rebounds that the iterate `reached` has not got. Part of such a
  /// rebound has no answer either: what sticks in a corner leaves it at no speed.
  RowVector lowered(const RowVector& asked, const Answer& reached) const {
    RowVector gap = asked;
    contacts_.each([&](Index cone, std::size_t c) {
      if (contacts_.normal(reached.gap, cone, c) >= -options_.tolerance) return;
      const double most =
          contacts_.normal(plastic_gap_, cone, c) - contacts_.normal(asked, cone, c);
      contacts_.add_normal(gap, cone, c, std::max(0.0, most));
    });
    return gap;
  }

  /// The answer to `asked` where there is one that makes no energy, else one with less restitution:
  /// of what contacts are told to do, friction can make more than the impact has brought, and
  /// friction of 1 and more can hold what is to come apart, so that there is no answer at all.
  SolveReport bounded(const RowVector& asked, const SolveReport& given, const Solved& plastic,
                      Answer& answer) {
    // of the energy that the impact takes: what rounding may add
    constexpr double hair = 1e-10, less = 0.5, worth_telling = 0.99;
    double share = 1.0;
    RowVector wanted = asked;
    Work way = work(plastic.answer, answer);
    const double most = std::max(0.0, way.at_start) + hair * std::abs(way.at_start);
    if (is_answer(given)) {
      if (way.at(1.0) <= most) return joined(given);
      share = share_of_restitution(way, most);
    } else {
      wanted = lowered(asked, answer);
      has_cut_ = true;
    }
    for (int trial = 0; trial < most_trials && is_answer(plastic.report); ++trial) {
      answer = plastic.answer;
      has_cut_ = has_cut_ || share < worth_telling;
      const SolveReport report = solve_for(between(plastic_gap_, wanted, share), answer,
                                           trial + 1 < most_trials ? 0.5 : 1.0);
      way = work(plastic.answer, answer);
      if (!is_answer(report))
        share *= less;
      else if (way.at(1.0) > most)
        share *= worth_telling * share_of_restitution(way, most);
      else
        return joined(report);
    }
    has_cut_ = true;
    answer = plastic.answer;
    return joined(plastic.report);
  }

  /// Free gaps with which contacts come apart as fast as the impulses of restitution alone
  /// would drive them. What a contact carried in the last step, and what gravity alone may add in a
  /// step, is no impact and is not given back.
  RowVector restored(const Answer& plastic, const RowVector& carried) const {
    const World& world = step_.world;
    RowVector with_more = plastic.impulses;
    std::vector<std::uint8_t> gives(world.contacts.gap.size(), 0);
    contacts_.each([&](Index cone, std::size_t c) {
      const double e = pair_of(world, c).restitution;
      if (e == 0.0) return;
      const Vec3& n = world.contacts.normal[c];
      const double lightness = along(bodies().spatial_block(cone), n);
      if (!(lightness > 0.0)) return;
      const double rest = std::max(0.0, contacts_.normal(carried, cone, c)) +
                          step_.settings.bounce_speed / lightness;
      const double taken = contacts_.normal(plastic.impulses, cone, c);
      if (!(taken > rest)) return;
      gives[c] = 1;
      contacts_.grow(with_more, cone, 1.0 + e * (1.0 - rest / taken));
    });
    RowVector driven(with_more.size(), 0.0), free(with_more.size(), 0.0);
    bodies().relative_velocities(bodies().velocities(with_more, true), driven);
    bodies().relative_velocities(bodies().free_velocities(), free);
    RowVector gap = plastic_gap_;
    contacts_.each([&](Index cone, std::size_t c) {
      if (gives[c] == 0) return;
      const double apart = contacts_.normal(driven, cone, c) - contacts_.normal(free, cone, c) +
                           contacts_.normal(plastic_gap_, cone, c);
      contacts_.add_normal(gap, cone, c, std::min(0.0, -apart));
    });
    return gap;
  }

  const ImpactStep& step_;
  const SolveOptions& options_;
  const Communicator& comm_;
  ConeProblem& problem_;
  ContactRows contacts_;
  RowVector newton_gap_, plastic_gap_;
  std::int64_t iterations_ = 0, products_ = 0;  ///< of all solves
  bool has_cut_ = false;
};

}  // namespace

bool has_bounce(const NormalRows& rows) {
  return std::any_of(rows.bounce.begin(), rows.bounce.end(),
                     [](double bounce) { return bounce < 0.0; });
}

StepSolve solve_step_problem(const ImpactStep& step, const SolveOptions& options,
                             const Communicator& comm, ConeProblem& problem, RowVector& impulses,
                             RowVector& gap) {
  if (!step.bounces) return {solve(problem, options, comm, impulses, gap), false};
  ImpactSolve impact(step, options, comm, problem);
  Answer answer{std::move(impulses), {}, {}};
  StepSolve solved{step.settings.restitution_law == RestitutionLaw::Poisson ? impact.poisson(answer)
                                                                            : impact.newton(answer),
                   impact.has_cut()};
  impact.keep(answer, impulses, gap);
  return solved;
}

}  // namespace talus
