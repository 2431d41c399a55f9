// Impacts within a step: bodies that the solve has made faster than contacts were looked for.
// docs/algorithms/stepping.md, "Impacts within a step".

#include "talus/core/error.hpp"

#include "assembly/contact_rows.hpp"
#include "core/arithmetic.hpp"
#include "core/in_parallel.hpp"
#include "core/key_order.hpp"
#include "model/body_traits.hpp"
#include "simulation/impact_reach.hpp"
#include "simulation/margins.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "simulation/start_values.hpp"
#include "simulation/stopwatch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace talus {
namespace {

// Each solve again looks twice as far ahead of an impact. What is not followed then wants shorter
// steps.
constexpr std::int64_t most_solves = 12;
// Impacts that go on from body to body are followed with rough answers; the last one is exact.
constexpr std::int64_t rough_iterations = 200;
// Of the smallest body: how far, by a rough answer, bodies may come to a wrong place.
constexpr double rough_of_size = 5e-3;
// Times its way: what a body that has outrun its margin gets. A contact too many costs little, a
// body that is found to be faster by a better answer costs a solve.
constexpr double spare = 1.5;
// Of a body's size, beyond its margin: an impact that throws it so far reaches others in the step.
constexpr double thrown_far = 0.1;
// Of the smaller body: what an impact that is not followed may leave as overlap.
constexpr double allowed_of_size = 1e-3;

Vec3 velocity_at(const World& world, const std::vector<Vec6>& found, Index body,
                 const Vec3& point) {
  const auto b = static_cast<std::size_t>(body);
  const BodySet& bodies = world.bodies;
  const Vec3 arm = point - bodies.position[b];
  if (bodies.motion[b] != Motion::Dynamic)
    return bodies.velocity[b] + cross(bodies.angular_velocity[b], arm);
  const Vec6& u = found[b];
  return Vec3{u[0], u[1], u[2]} + cross({u[3], u[4], u[5]}, arm);
}

/// What is left of the gap of a contact when the bodies have moved on for h.
double gap_after(const World& world, const ContactSet& contacts, std::size_t c,
                 const std::vector<Vec6>& found, double h) {
  const Vec3 on_a = contacts.point[c],
             on_b = contact_point_on_b(world, contacts, static_cast<Index>(c));
  const Vec3 rate = velocity_at(world, found, contacts.body_b[c], on_b) -
                    velocity_at(world, found, contacts.body_a[c], on_a);
  return contacts.gap[c] + h * dot(contacts.normal[c], rate);
}

Outran outran_body(const World& world, std::size_t body, double way) {
  return {world.bodies.id[body], spare * way, size_of_body(world, body),
          world.bodies.position[body]};
}

}  // namespace

/// With what this step has found out so far.
Margins SimulationParts::margins() const {
  Margins margins = margins_of(world_, settings_.h);
  std::vector<double>& margin = margins.of_body;
  for (const Outran& one : outran_) {
    const Index body = world_.bodies.find(one.body);
    if (body < 0) continue;
    double& known = margin[body];
    known = std::max(known, one.way);
  }
  if (reach_.empty()) return margins;
  in_parallel(margin.size(), [&](std::size_t b) {
    if (world_.bodies.motion[b] == Motion::Dynamic)
      margin[b] = std::max(margin[b], reach_.at(world_.bodies.position[b]));
  });
  return margins;
}

/// What no row has kept apart, of the pairs that are known: the bodies that have come there faster
/// than contacts were looked for.
void SimulationParts::find_unseen(const Motions& motions, const std::vector<double>& ways,
                                  std::vector<Outran>& outran) {
  const BodySet& bodies = world_.bodies;
  std::vector<double> margin(margin_.begin(), margin_.end());
  std::vector<std::uint8_t> marks(margin.size(), 0);
  for (std::size_t b = 0; b < margin.size(); ++b) {
    if (!(ways[b] > margin[b] + settings_.touching)) continue;
    marks[b] = 1;
    // of what is farther no rank may know: that depends on how long ago was searched
    margin[b] = std::min(ways[b], margin[b] + detection_.reserve_of(world_, b));
  }
  ContactSet near;
  margin.resize(bodies.id.size(), 0.0);  // of late ghosts others know
  marks.resize(bodies.id.size(), 0);
  detection_.find_near(world_, margin, marks, near);
  for (std::size_t c = 0; c < near.gap.size(); ++c) {
    const auto a = static_cast<std::size_t>(near.body_a[c]),
               b = static_cast<std::size_t>(near.body_b[c]);
    if (near.gap[c] <= margin_[a] + margin_[b]) continue;  // it has a row
    const double size = smaller_size(world_, near.body_a[c], near.body_b[c]);
    const double allowed = std::max(settings_.touching, allowed_of_size * size);
    if (gap_after(world_, near, c, motions.velocities, settings_.h) >= -allowed) continue;
    for (const std::size_t body : {a, b})
      if (marks[body] != 0) outran.push_back(outran_body(world_, body, ways[body]));
  }
}

/// Whether any contact could throw a body far: no two come together faster than twice the fastest
/// point of all. Where nothing is fast, no contact is looked at.
bool SimulationParts::may_throw_far(double speed, double turning) const {
  constexpr double rounding = 1.0 + 1e-9;
  const double widest = margin_.empty() ? 0.0 : *std::max_element(margin_.begin(), margin_.end());
  // a point of a contact is no farther from the body than contacts are looked for
  const double fastest = speed + (turning > 0.0 ? turning * 2.0 * widest : 0.0);
  return !(2.0 * rounding * settings_.h * fastest <= thrown_far * detection_.smallest());
}

/// Bodies that contacts will throw far before anything is solved: the first margins see nothing of
/// what those reach. Of the contacts that this rank has found.
std::vector<Mover> SimulationParts::expected_hits(double speed, double turning) const {
  const ContactSet& contacts = world_.contacts;
  const double h = settings_.h;
  std::vector<Mover> mine;
  if (!may_throw_far(speed, turning)) return mine;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const double approach =
        -dot(contacts.normal[c], contact_velocity(world_, static_cast<Index>(c)));
    if (!(h * approach > contacts.gap[c])) continue;
    const Index a = contacts.body_a[c], b = contacts.body_b[c];
    for (const auto& [hit, by] : {std::pair(a, b), std::pair(b, a)}) {
      const auto body = static_cast<std::size_t>(hit), other = static_cast<std::size_t>(by);
      if (world_.bodies.motion[body] != Motion::Dynamic) continue;
      const double mass = world_.bodies.mass[body];
      const double share = world_.bodies.motion[other] == Motion::Dynamic
                               ? world_.bodies.mass[other] / (mass + world_.bodies.mass[other])
                               : 1.0;
      const double size = size_of_body(world_, body), way = h * share * approach;
      if (way > margin_[body] + thrown_far * size)
        mine.push_back({world_.bodies.position[body], size, spare * way});
    }
  }
  return mine;
}

/// The same on all ranks.
std::vector<Mover> SimulationParts::everyones_hits() const {
  return ahead_.any_hits ? of_all_ranks(comm_, ahead_.hits) : std::vector<Mover>{};
}

/// Looks whether contacts were looked for where the bodies go. Where they were not, the margins of
/// those bodies are larger from now on: true. The same on all ranks: decided by what bodies do, not
/// by which pairs a rank knows.
bool SimulationParts::have_outrun(Motions& motions, const StepReport& report) {
  const Phase phase("looking for impacts within the step");
  left_.clear();
  BodySet& bodies = world_.bodies;
  const double h = settings_.h;
  std::vector<double> ways(margin_.size(), 0.0);
  const auto owned = static_cast<std::size_t>(bodies.owned);
  int mine = 0;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (owned > 1000) default(none) firstprivate(arithmetic) \
    shared(owned, bodies, ways, motions, h) reduction(max                                          \
                                                      : mine)
  for (std::size_t b = 0; b < owned; ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    ways[b] = way_of(world_, b, motions.velocities[b], h);
    if (ways[b] - margin_[b] > settings_.touching) mine = 1;
  }
  std::array<double, 1> any{static_cast<double>(mine)};
  comm_.largest(any);
  if (any[0] == 0.0) return false;

  // a body without rows with those of this rank has come without its velocity
  share_.share_momenta(world_, motions.velocities);
  std::vector<Outran> outran;
  for (std::size_t b = 0; b < ways.size(); ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    if (b >= owned)
      ways[b] = way_of(world_, b, motions.velocities[b], h);
    else if (ways[b] - margin_[b] > detection_.reserve_of(world_, b))
      outran.push_back(outran_body(world_, b, ways[b]));
  }
  find_unseen(motions, ways, outran);
  std::vector<Outran> all = of_all_ranks(comm_, outran);
  if (all.empty()) return false;
  std::sort(all.begin(), all.end(), [](const Outran& x, const Outran& y) {
    return x.body != y.body ? x.body < y.body : x.way > y.way;
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Outran& x, const Outran& y) { return x.body == y.body; }),
            all.end());
  if (report.solves >= most_solves) {
    left_ = std::move(all);
    return false;
  }
  outran_.insert(outran_.end(), all.begin(), all.end());
  std::vector<Mover> movers(all.size());
  std::transform(all.begin(), all.end(), movers.begin(), [](const Outran& one) {
    return Mover{one.position, one.size, one.way};
  });
  reach_.add(movers, static_cast<int>(report.solves), world_.periodicity());
  return true;
}

void SimulationParts::tell_outran(const std::vector<Outran>& outran, StepReport& report) const {
  report.outran = static_cast<std::int64_t>(outran.size());
  const Index first = world_.bodies.find(outran.front().body);
  const bool here = first >= 0 && world_.bodies.is_owned(first);
  report.warnings.push_back(
      {"outran",
       fmt::format(
           "step {}, t = {:g} s: {} bodies are hit and come farther than contacts are looked for, "
           "after {} solves of the step: they may pass into others; a smaller time.step is "
           "needed. The first: {}",
           report.step, world_.time + settings_.h, outran.size(), report.solves,
           text_of_largest(
               comm_, here ? 1.0 : -infinity,
               here ? describe(world_, static_cast<std::size_t>(first)) : std::string()))});
}

SolveOptions SimulationParts::rough_options() const {
  SolveOptions options = solver_;
  options.max_iterations = std::min(options.max_iterations, rough_iterations);
  options.tolerance =
      std::max(options.tolerance, rough_of_size * detection_.smallest() / settings_.h);
  return options;
}

void SimulationParts::find_contacts(StepReport& report) {
  Stopwatch lap;
  share(report);
  report.seconds.share += lap();
  detect(report);
  report.seconds.detect += lap();
}

void SimulationParts::find_contacts_again(StepReport& report) {
  share_.drop_late(world_);
  changed_ = false;
  find_contacts(report);
}

/// Contacts, and the answer to them: found and solved again, from that answer, until they hold
/// where the bodies go.
SimulationParts::Motions SimulationParts::move(StepReport& report, FrozenStep* frozen) {
  outran_.clear();
  reach_.clear();
  report.solves = 1;
  find_contacts(report);
  const std::vector<Mover> hits = everyones_hits();
  bool rough = !hits.empty();
  if (rough) {
    reach_.add(hits, 0, world_.periodicity());
    find_contacts_again(report);
  }
  for (;; ++report.solves) {
    Stopwatch lap;
    // what contacts carried in the last step, which Poisson's law asks for in each solve
    const bool keeps = settings_.restitution_law == RestitutionLaw::Poisson;
    std::vector<Vec3> carried, carried_turning;
    if (keeps) {
      carried = world_.contacts.impulse;
      carried_turning = world_.contacts.angular_impulse;
    }
    Motions motions = solve_step(report, rough ? rough_options() : solver_, frozen);
    lap();
    const bool again = have_outrun(motions, report);
    report.seconds.detect += lap();
    const bool exact = report.error <= solver_.tolerance;
    if (!again && (!rough || exact)) {
      if (!left_.empty()) tell_outran(left_, report);
      return motions;
    }
    rough = again;
    if (keeps) {
      world_.contacts.impulse = std::move(carried);
      world_.contacts.angular_impulse = std::move(carried_turning);
    }
    for (std::size_t j = 0; j < rows_.size(); ++j)
      world_.joints[rows_[j].joint].impulse[rows_[j].place] = motions.row_impulses[j];
    find_contacts_again(report);
  }
}

namespace {

// In cells.
constexpr int reach = 3;
// Sizes are told apart by powers of two; rounds beyond this reach as far as the last.
constexpr int most_doublings = 8;
constexpr double farthest = 1e12;  // in cells: beyond, a place is no place

using Cell = std::array<std::int64_t, 3>;

std::optional<Cell> cell_of(const Vec3& position, double edge) {
  const Vec3 q{std::floor(position.x / edge), std::floor(position.y / edge),
               std::floor(position.z / edge)};
  if (!(std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)}) < farthest)) return {};
  return Cell{static_cast<std::int64_t>(q.x), static_cast<std::int64_t>(q.y),
              static_cast<std::int64_t>(q.z)};
}

/// Cells that are 2^21 apart share a key: a body too many is given a margin.
std::uint64_t key_of(const Cell& cell) {
  constexpr int bits = 21;
  constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t key = 0;
  for (const std::int64_t i : cell) key = (key << bits) | (static_cast<std::uint64_t>(i) & mask);
  return key;
}

void raise(double& known, double value) {
  known = std::max(known, value);
}

double or_infinite(double value) {
  return std::isfinite(value) ? value : infinity;
}

}  // namespace

std::size_t ImpactReach::Mixed::operator()(std::uint64_t key) const {
  return mixed_bits(key);
}

void ImpactReach::add(const std::vector<Mover>& movers, int round, const Periodicity& periodicity) {
  // next to a mover as in the first round, farther off by coarser cells
  add_to_grid(movers, 0, periodicity);
  if (round > 0) add_to_grid(movers, std::min(round, most_doublings), periodicity);
}

void ImpactReach::add_to_grid(const std::vector<Mover>& movers, int doublings,
                              const Periodicity& periodicity) {
  // the farthest way in each cell, by the exponent of its edge
  std::map<int, std::map<Cell, double>> occupied;
  for (const Mover& mover : movers) {
    if (!(mover.size > 0.0 && std::isfinite(mover.size))) continue;
    const int exponent = std::ilogb(mover.size) + doublings;
    const double edge = std::ldexp(1.0, exponent);
    for (const Vec3& image : images_of(mover.position, periodicity))
      if (const auto cell = cell_of(image, edge)) raise(occupied[exponent][*cell], mover.way);
  }
  const double sizes_per_cell = std::ldexp(1.0, doublings);
  for (const auto& [exponent, cells] : occupied) {
    Ways& ways = grids_[{exponent, doublings}];
    for (const auto& [cell, way] : cells)
      for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
          for (int k = -reach; k <= reach; ++k) {
            const int squared = i * i + j * j + k * k;
            if (squared > reach * reach) continue;
            // within a cell as half way to the next, but next to the mover
            const double cells_off =
                doublings > 0 && squared == 0 ? 0.5 : std::sqrt(static_cast<double>(squared));
            const double share = 1.0 / (1.0 + sizes_per_cell * cells_off);
            raise(ways[key_of({cell[0] + i, cell[1] + j, cell[2] + k})], share * way);
          }
  }
}

double ImpactReach::at(const Vec3& position) const {
  double way = 0.0;
  for (const auto& [kind, ways] : grids_) {
    const auto cell = cell_of(position, std::ldexp(1.0, kind.first));
    if (!cell) continue;
    const auto found = ways.find(key_of(*cell));
    if (found != ways.end()) raise(way, found->second);
  }
  return way;
}

Margins margins_of(const World& world, double h) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  Margins margins;
  std::vector<double>& margin = margins.of_body;
  margin.resize(count);
  const double g = gravity_of(world);
  const std::vector<SpeedGain> gains = speed_gains(world, h);
  double most_speed = 0.0, most_turning = 0.0;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (count > 1000) default(none) firstprivate(arithmetic) \
    shared(count, bodies, margin, g, gains, h) reduction(max                                       \
                                                         : most_speed, most_turning)
  for (std::size_t b = 0; b < count; ++b) {
    const double speed = length(bodies.velocity[b]), turning = length(bodies.angular_velocity[b]);
    const double arm = bodies.reach[b];
    const double of_point = speed + (turning > 0.0 ? turning * arm : 0.0);
    most_speed = std::max(most_speed, or_infinite(of_point));
    most_turning = std::max(most_turning, or_infinite(turning));
    if (bodies.motion[b] == Motion::Fixed) continue;
    const SpeedGain gain = gains.empty() ? SpeedGain{} : gains[b];
    const double at_reach = std::isfinite(arm) ? (turning + gain.spin) * arm : 0.0;
    const double falling = bodies.motion[b] == Motion::Dynamic ? h * g : 0.0;
    const double way = h * (speed + at_reach + falling + gain.speed);
    margin[b] = std::isfinite(way) ? way : 0.0;  // a formula is at fault: told after the step
  }
  margins.speed = most_speed;
  margins.turning = most_turning;
  return margins;
}

double way_of(const World& world, std::size_t body, const Vec6& velocity, double h) {
  const Vec3 v{velocity[0], velocity[1], velocity[2]}, w{velocity[3], velocity[4], velocity[5]};
  const double arm = turning_reach(world, body);
  const double way = h * (length(v) + (arm > 0.0 ? length(w) * arm : 0.0));
  return std::isfinite(way) ? way : 0.0;
}

}  // namespace talus
