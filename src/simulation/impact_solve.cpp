#include "simulation/impact_solve.hpp"

#include "talus/parallel/limb_sum.hpp"
#include "talus/problem/body_operator.hpp"

#include "model/body_traits.hpp"

#include <algorithm>
#include <array>
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
  RowVector impulses, gap, free_gap;
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
      return free +
             0.5 * (contacts.linear(answer.gap, cone) - contacts.linear(answer.free_gap, cone));
    };
    const auto mean_turn = [&](const Answer& answer) {
      return free_turn +
             0.5 * (contacts.angular(answer.gap, cone) - contacts.angular(answer.free_gap, cone));
    };
    const auto product = [&](const Answer& x, const Answer& v) {
      return dot(contacts.linear(x.impulses, cone), mean(v)) +
             dot(contacts.angular(x.impulses, cone), mean_turn(v));
    };
    const double start = product(from, from), end = product(to, to);
    terms[0].push_back(start);
    terms[1].push_back(end);
    terms[2].push_back(end - product(to, from) - product(from, to) + start);
  });
  std::array<LimbSum, 3> sums;
  for (std::size_t k = 0; k < sums.size(); ++k)
    for (std::size_t first = 0; first < terms[k].size(); first += LimbSum::most_terms)
      sums[k].add(std::span(terms[k]).subspan(
          first, std::min(LimbSum::most_terms, terms[k].size() - first)));
  reduce(comm, sums);
  Work work;
  work.at_start = sums[0].value();
  work.square = sums[2].value();
  work.linear = sums[1].value() - work.at_start - work.square;
  return work;
}

/// The longest way from the answer without restitution to the other on which contacts have not
/// given more energy than they took: restitution with friction can, since what each contact is told
/// to do need not fit what the others do. Both ends of the way obey what no contact may break (no
/// approach, friction within its cone), and so does all between them.
double share_of_restitution(const Work& work) {
  const double most = std::max(0.0, work.at_start);
  if (work.at(1.0) <= most) return 1.0;
  double low = 0.0, high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (work.at(middle) <= most ? low : high) = middle;
  }
  return low;
}

void blend(double share, const Answer& from, Answer& to) {
  const auto mix = [share](const RowVector& a, RowVector& b) {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = a[i] + share * (b[i] - a[i]);
  };
  mix(from.impulses, to.impulses);
  mix(from.gap, to.gap);
  mix(from.free_gap, to.free_gap);
}

/// Two solves of one step as one.
SolveReport joined(const SolveReport& first, SolveReport second) {
  second.iterations += first.iterations;
  second.operator_products += first.operator_products;
  if (first.error <= second.error) return second;
  second.status = first.status;
  second.error = first.error;
  second.errors = first.errors;
  return second;
}

class ImpactSolve {
 public:
  ImpactSolve(const ImpactStep& step, const SolveOptions& options, const Communicator& comm,
              ConeProblem& problem)
      : step_(step),
        options_(options),
        comm_(comm),
        problem_(problem),
        contacts_(step, problem.cones, bodies().part().owned_contacts),
        newton_gap_(problem.free_gap),
        plastic_gap_(problem.free_gap) {
    contacts_.each([&](Index cone, std::size_t c) {
      contacts_.add_normal(plastic_gap_, cone, c, -step_.rows.bounce[c]);
    });
  }

  SolveReport newton(Answer& answer) {
    SolveReport report = solve_for(newton_gap_, answer);
    const Work alone = work(answer, answer);
    if (alone.at_start <= 0.0) return report;
    Answer plastic{answer.impulses, {}, {}};
    report = joined(solve_for(plastic_gap_, plastic), report);
    bound(plastic, answer);
    return report;
  }

  /// Compression brings all approaches to rest; then each contact that it has loaded gives back its
  /// share e of what it took, and all others what non-penetration asks for [Anitescu97, 3].
  SolveReport poisson(Answer& answer) {
    const RowVector carried = answer.impulses;
    const SolveReport compressed = solve_for(plastic_gap_, answer);
    const Answer plastic = answer;
    const SolveReport restored = solve_for(restored_gap(plastic, carried), answer);
    bound(plastic, answer);
    return joined(compressed, restored);
  }

  void keep(Answer& answer, RowVector& impulses, RowVector& gap) {
    impulses = std::move(answer.impulses);
    gap = std::move(answer.gap);
    problem_.free_gap = std::move(answer.free_gap);
  }

 private:
  SolveReport solve_for(const RowVector& free_gap, Answer& answer) {
    problem_.free_gap = free_gap;
    SolveReport report = solve(problem_, options_, comm_, answer.impulses, answer.gap);
    answer.free_gap = free_gap;
    return report;
  }

  const BodyOperator& bodies() const {
    return dynamic_cast<const BodyOperator&>(*problem_.delassus);
  }
  Work work(const Answer& from, const Answer& to) const {
    return work_between(step_, contacts_, comm_, from, to, newton_gap_);
  }
  void bound(const Answer& plastic, Answer& answer) {
    const double share = share_of_restitution(work(plastic, answer));
    if (share < 1.0) blend(share, plastic, answer);
  }

  /// Free gaps with which contacts come apart as fast as the impulses of restitution alone
  /// would drive them. What a contact carried in the last step, and what gravity alone may add in a
  /// step, is no impact and is not given back.
  RowVector restored_gap(const Answer& plastic, const RowVector& carried) const {
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
    RowVector restored = plastic_gap_;
    contacts_.each([&](Index cone, std::size_t c) {
      if (gives[c] == 0) return;
      const double apart = contacts_.normal(driven, cone, c) - contacts_.normal(free, cone, c) +
                           contacts_.normal(plastic_gap_, cone, c);
      contacts_.add_normal(restored, cone, c, std::min(0.0, -apart));
    });
    return restored;
  }

  const ImpactStep& step_;
  const SolveOptions& options_;
  const Communicator& comm_;
  ConeProblem& problem_;
  ContactRows contacts_;
  RowVector newton_gap_, plastic_gap_;
};

bool is_impact(const ImpactStep& step, const Communicator& comm) {
  if (!step.world.materials.can_bounce()) return false;
  const bool mine = std::any_of(step.rows.bounce.begin(), step.rows.bounce.end(),
                                [](double bounce) { return bounce < 0.0; });
  std::array<double, 1> any{mine ? 1.0 : 0.0};
  comm.largest(any);
  return any[0] > 0.0;
}

}  // namespace

SolveReport solve_step_problem(const ImpactStep& step, const SolveOptions& options,
                               const Communicator& comm, ConeProblem& problem, RowVector& impulses,
                               RowVector& gap) {
  if (!is_impact(step, comm)) return solve(problem, options, comm, impulses, gap);
  ImpactSolve impact(step, options, comm, problem);
  Answer answer{std::move(impulses), {}, {}};
  SolveReport report = step.settings.restitution_law == RestitutionLaw::Poisson
                           ? impact.poisson(answer)
                           : impact.newton(answer);
  impact.keep(answer, impulses, gap);
  return report;
}

}  // namespace talus
