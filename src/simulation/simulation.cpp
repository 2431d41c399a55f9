// The stages of a step.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "assembly/contact_rows.hpp"
#include "assembly/warm_start.hpp"
#include "core/arithmetic.hpp"
#include "core/in_parallel.hpp"
#include "model/body_traits.hpp"
#include "model/row_owners.hpp"
#include "partition/balance.hpp"
#include "partition/step_part.hpp"
#include "problem/body_operator.hpp"
#include "simulation/energy_sums.hpp"
#include "simulation/events.hpp"
#include "simulation/impact_solve.hpp"
#include "simulation/local_means.hpp"
#include "simulation/monitors.hpp"
#include "simulation/said.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "simulation/start_values.hpp"
#include "simulation/stopwatch.hpp"
#include "stepping/integrate.hpp"
#include "stepping/schemes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace talus {
namespace {

std::int64_t owned_contacts(const World& world, const RowOwners& owners) {
  if (world.bodies.owned == world.bodies.count()) return world.contacts.count();
  std::int64_t count = 0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    count += owners.owned(world.contacts.body_a[c], world.contacts.body_b[c]) ? 1 : 0;
  return count;
}

/// By the bodies that move and the contacts that this rank speaks for.
void widen(OriginBox& box, const World& world) {
  const BodySet& bodies = world.bodies;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    if (bodies.motion[b] == Motion::Dynamic) box.widen(bodies.position[b]);
  const ContactSet& contacts = world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c)
    if (speaks_for(bodies, contacts.body_a[c], contacts.body_b[c])) box.widen(contacts.point[c]);
}

}  // namespace

// ---- who has which body -------------------------------------------------------------------------

/// Fetches new ghosts where bodies have moved too far, come or gone; distributes bodies anew where
/// that is due.
void SimulationParts::share(StepReport& report) {
  if (comm_.size() == 1) {
    if (changed_) detection_.forget();
    return;
  }
  const Phase phase("sharing bodies");
  const bool mine = changed_ || is_balance_due_ || detection_.must_search(world_, margins());
  const auto any = compared(
      "step", std::exchange(said_, 0.0),
      {mine ? 1.0 : 0.0, world_.pushed.empty() ? 0.0 : 1.0, push_errors_.empty() ? 0.0 : 1.0});
  if (any[2] > 0.0) alike([&] { throw_merged(comm_, push_errors_); });
  any_pushed_ = any[1] > 0.0;
  if (any[0] == 0.0) {
    if (any_pushed_) share_.share_pushed(world_);
    return;
  }
  Stopwatch lap;
  if (is_balance_due_) {
    balance();
    report.balanced = true;
  }
  redistribute(report);
  if (report.balanced) report.balance_seconds = lap();
}

void SimulationParts::redistribute(StepReport& report, Partners partners) {
  report.moved += share_.migrate(world_, [this](GlobalId id, const Vec3& position) {
    return is_trial_ ? comm_.rank() : map_.owner_of(id, position);
  });
  detection_.forget();
  share_.find_ghosts(world_, detection_.search_bounds(world_, margins()), partners);
  if (any_pushed_) share_.share_pushed(world_);
}

/// Weights are those of rows and bodies; neighbours that may touch bind them together.
void SimulationParts::balance() {
  const Phase phase("balancing");
  Stopwatch lap;
  static const std::vector<CandidatePair> none;
  BodyLoads loads =
      loads_of(world_.bodies, detection_.knows(world_) ? detection_.candidates() : none);
  if (balance_.by == BalanceSettings::By::Measured && work_since_balance_ >= 0.0)
    loads.weight = measured_weights(comm_, loads.weight, nanoseconds(work_since_balance_));
  map_ = make_cell_map(comm_, loads.view(), balance_.cells, &map_);
  work_since_balance_ = 0.0;
  is_balance_due_ = false;
  // what it costs is no count: where the partition shall repeat itself, the clock must not speak
  watch_.balanced(balance_.by == BalanceSettings::By::Counts ? 0 : nanoseconds(lap()));
}

// ---- contacts -----------------------------------------------------------------------------------

/// The contacts of the step, from those of the last; what is seen of it in them, and rows per body.
/// What fails here may fail on one rank alone.
std::vector<std::int64_t> SimulationParts::find_rows(const ContactSet& before, StepReport& report) {
  margin_ = margins();
  ContactSet contacts;
  report.searched = detection_.find(world_, margin_, contacts).searched || report.searched;
  std::vector<std::uint8_t> warm;
  warm_start(before, contacts, &warm);
  if (report.solves == 1) report.warm_started = 0;
  for (std::size_t c = 0; c < warm.size() && report.solves == 1; ++c)
    if (warm[c] != 0 && speaks_for(world_.bodies, contacts.body_a[c], contacts.body_b[c]))
      ++report.warm_started;
  world_.contacts = std::move(contacts);
  wrench_.assign(world_.bodies.id.size(), Vec6{});
  joint_rows(world_, settings_.h, rows_, wrench_);
  ahead_.hits = expected_hits();
  if (!world_.joints.empty()) ahead_.stiff = stiff_bodies(world_, settings_.h);
  return row_counts(world_, rows_);
}

void SimulationParts::detect(StepReport& report) {
  const Phase phase("detecting contacts");
  for (;;) {
    ContactSet before = std::exchange(world_.contacts, {});
    ahead_ = {};
    std::vector<std::int64_t> rows(world_.bodies.id.size(), 0);
    std::exception_ptr fault;
    try {
      rows = find_rows(before, report);
    } catch (const std::exception&) {  // other ranks do not know of it yet
      fault = std::current_exception();
    }
    bool is_new_hub = false;
    try {
      is_new_hub = look_ahead(rows, fault);
    } catch (...) {  // all ranks are as before the step
      world_.contacts = std::move(before);
      throw;
    }
    if (!is_new_hub) break;
    // some body has become a hub: from now on all ranks have it
    world_.contacts = std::move(before);
    redistribute(report);
  }
  share_.send_contacts(world_, hub_);
  hub_.resize(world_.bodies.id.size(), 0);
  wrench_.resize(world_.bodies.id.size(), Vec6{});
  const Overlaps overlaps = overlaps_of(world_);
  report.largest_overlap = overlaps.deepest;
  report.overlap_share = overlaps.share;
  ahead_.gaps = joint_gaps(world_, rows_);
}

/// Points of contacts are the same on all ranks that know them, but for images of a body that all
/// ranks have: the owner of those rows is not known before the rows are counted.
bool SimulationParts::sees_origin() const {
  return comm_.size() > 1 && (!world_.periodicity().any() || !share_.replicates_moving(world_));
}

/// What all ranks must know before rows are made, in one reduction. True where some body has become
/// a hub. Throws what any rank has thrown.
bool SimulationParts::look_ahead(std::vector<std::int64_t>& rows, const std::exception_ptr& fault) {
  constexpr std::size_t first_of_box = 3;
  std::array<double, first_of_box + 6> most{fault ? 1.0 : 0.0, ahead_.hits.empty() ? 0.0 : 1.0,
                                            ahead_.stiff.stiffest.step_angle};
  const bool sees = sees_origin();
  OriginBox box;
  if (!fault && sees) widen(box, world_);
  std::copy(box.numbers().begin(), box.numbers().end(), most.begin() + first_of_box);
  const bool is_new_hub = share_.find_hubs(world_, rows, hub_, most);
  if (most[0] > 0.0)
    agree(comm_, [&] {
      if (fault) std::rethrow_exception(fault);
    });
  ahead_.any_hits = most[1] > 0.0;
  ahead_.step_angle = most[2];
  std::copy(most.begin() + first_of_box, most.end(), box.numbers().begin());
  if (sees) ahead_.origin = box.middle();
  return is_new_hub;
}

// ---- the end of a step --------------------------------------------------------------------------

void SimulationParts::report_fast(const std::vector<std::size_t>& fast, StepReport& report) const {
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(fast.size())};
  comm_.sum(count);
  if (count[0] == 0) return;
  const double id = fast.empty() ? -infinity : -static_cast<double>(world_.bodies.id[fast.front()]);
  const std::string text =
      text_of_largest(comm_, id, fast.empty() ? std::string() : describe(world_, fast.front()));
  report.warnings.push_back(
      {"fast",
       fmt::format("step {}, t = {:g} s: {} bodies moved by more than their size in one step and "
                   "may have passed through others: a smaller time.step is needed. The first: {}",
                   report.step, report.time, count[0], text)});
}

void SimulationParts::stop_at_lost(const std::vector<std::size_t>& lost,
                                   const StepReport& report) const {
  std::string words;
  double id = -infinity;
  if (!lost.empty()) {
    const bool finite = can_go_on(world_.bodies, lost.front());
    id = -static_cast<double>(world_.bodies.id[lost.front()]);
    words = fmt::format("{}: {}; {}",
                        finite ? "left the domain" : "not finite, or beyond 1e+100 (m, m/s, rad/s)",
                        describe(world_, lost.front()),
                        finite ? "say domain.outside: remove where bodies may leave, or make the "
                                 "domain larger"
                               : "a formula of the scene (force, motor, movement, gravity) may not "
                                 "be finite at this time, or a smaller time step may help");
  }
  std::array<std::int64_t, 2> counts{static_cast<std::int64_t>(lost.size()), world_.bodies.owned};
  comm_.sum(counts);
  throw RunFailure(
      fmt::format("step {}, t = {:g} s: {} of {} bodies are lost. {}", report.step, report.time,
                  counts[0], counts[1], text_of_largest(comm_, id, words)),
      report);
}

/// What each rank knows of its share becomes what all know of the whole, in one reduction; returns
/// whether any rank has bodies that were too fast, are lost, or go.
std::array<bool, 3> SimulationParts::sum_report(const Motions& motions, const Outcome& outcome,
                                                StepReport& report) const {
  const Phase phase("adding up the step");
  const RowOwners owners(world_.bodies, hub_);
  std::int64_t joint_rows = 0;
  for (const JointRow& row : rows_) joint_rows += owners.owned(row.body_a, row.body_b) ? 1 : 0;
  std::array<std::int64_t, 5> sums{world_.bodies.owned, owned_contacts(world_, owners), joint_rows,
                                   report.warm_started, report.moved};
  enum Most : std::size_t {
    Overlap,
    OverlapShare,
    Ghosts,
    Searched,
    Fast,
    Lost,
    Goes,
    JointGap,
    JointGapShare,
    JointAngle,
    FirstStopFlag
  };
  std::array<double, FirstStopFlag + 8> most{};
  most[Overlap] = report.largest_overlap;
  most[OverlapShare] = report.overlap_share;
  most[Ghosts] = static_cast<double>(share_.ghost_count());
  most[Searched] = report.searched ? 1.0 : 0.0;
  most[Fast] = outcome.fast.empty() ? 0.0 : 1.0;
  most[Lost] = outcome.lost.empty() ? 0.0 : 1.0;
  most[Goes] = outcome.any_goes() ? 1.0 : 0.0;
  most[JointGap] = ahead_.gaps.gap;
  most[JointGapShare] = ahead_.gaps.share;
  most[JointAngle] = ahead_.gaps.angle;
  std::vector<LimbSum> energy;
  if (scene_.energy_ledger) energy = energy_sums_at_end(world_, motions.energy);
  const std::uint32_t stop_flags = ask_ ? ask_() : 0;
  for (std::size_t k = FirstStopFlag; k < most.size(); ++k)
    most[k] = (stop_flags >> (k - FirstStopFlag)) & 1U;
  reduce(comm_, {sums, most, energy});
  if (scene_.energy_ledger) report.energy = energy_ledger(energy, *kinetic_);
  report.bodies = sums[0];
  report.contacts = sums[1];
  report.joint_rows = sums[2];
  report.warm_started = sums[3];
  report.moved = sums[4];
  report.largest_overlap = most[Overlap];
  report.overlap_share = most[OverlapShare];
  report.most_ghosts = static_cast<std::int64_t>(most[Ghosts]);
  report.searched = most[Searched] > 0.0;
  report.largest_joint_gap = most[JointGap];
  report.joint_gap_share = most[JointGapShare];
  report.largest_joint_angle = most[JointAngle];
  warn_of_open_joints(report);
  report.imbalance = imbalance();
  for (std::size_t k = FirstStopFlag; k < most.size(); ++k)
    if (most[k] > 0.0) report.stop_flags |= 1U << (k - FirstStopFlag);
  constexpr double deep = 0.5;  // of the smaller body
  if (report.overlap_share > deep)
    report.warnings.push_back(
        {"overlap",
         fmt::format("step {}: bodies overlap by {:.3g} of the smaller one ({:.3g} m): a smaller "
                     "time.step, a smaller tolerance, more iterations or less compliance is needed",
                     report.step, report.overlap_share, report.largest_overlap)});
  return {most[Fast] > 0.0, most[Lost] > 0.0, most[Goes] > 0.0};
}

/// `any`: of sum_report().
void SimulationParts::end_step(const Outcome& outcome, const std::array<bool, 3>& any,
                               StepReport& report) {
  if (any[0]) report_fast(outcome.fast, report);
  if (any[1]) stop_at_lost(outcome.lost, report);
  if (!any[2]) return;
  const std::size_t before = report.removed.size();
  remove(outcome.stays, report.step, report.removed);
  detection_.forget();
  hub_.assign(world_.bodies.id.size(), 0);
  report.bodies -= static_cast<std::int64_t>(report.removed.size() - before);
  if (!scene_.energy_ledger) return;
  const double left = kinetic_energy(world_, comm_);
  report.energy.bodies += left - report.energy.kinetic_end;
  report.energy.kinetic_end = left;
}

/// No rank goes on where others were called with something else. They compare it before anything
/// that this could change takes part of them all: here, or with what else they say of their bodies.
void SimulationParts::say_step(double by) {
  said_ = 0.0;
  if (is_trial_ || comm_.size() == 1) return;
  const std::uint64_t said = mixed(0, std::array{by});
  const bool has_streams =
      std::any_of(scene_.generators.begin(), scene_.generators.end(),
                  [](const Generator& g) { return g.kind == Generator::Kind::Stream; });
  const bool begins_ledger = scene_.energy_ledger && !kinetic_;
  const bool changes_what_follows = scene_.time.automatic || !scene_.events.empty() ||
                                    has_streams || comparisons_.is_due() || begins_ledger;
  if (changes_what_follows)
    require_alike("step", said);
  else
    said_ = seal_of("step", said);
}

StepReport SimulationParts::step(double by) {
  const StandardArithmetic arithmetic;
  StepReport report;
  report.step = world_.step + 1;
  // of the traffic, those around solves
  const auto collectives = [&] { return comm_.traffic().collectives - of_solves_; };
  const std::int64_t before_step = collectives();
  say_step(by);
  Phase::set_step(report.step);
  choose_step(by);
  report.tolerance = solver_.tolerance;
  report.time_step = settings_.h;
  report.ticks = settings_.ticks;
  const GlobalId before = world_.next_id;
  Stopwatch lap;
  const std::vector<Trial> shorter = trials();
  report.seconds.compare = lap();
  // what this rank has waited between steps is no part of this one
  waited_ = comm_.traffic().wait_seconds + comm_.traffic().reduction_seconds;
  start_ledger();
  try {
    begin_step(report);
  } catch (...) {
    // what fails in it fails on all ranks that step: those that do not must not wait for them
    if (said_ != 0.0) compared("step", std::exchange(said_, 0.0), {});
    throw;
  }
  report.seconds.events = lap();
  Motions motions = move(report, nullptr);
  lap();
  const Phase phase("integrating");
  watch_velocities(motions);
  integrate(world_, settings_, motions.velocities);
  std::vector<Shift> shifts = wrap(world_);
  share_.refresh(world_, shifts);
  shift_images(world_, shifts);
  update_joints(world_, settings_.h, rows_, motions.row_impulses);
  share_.share_rows_of_everywhere(world_, hub_);
  if (!is_trial_) world_.pushed.clear();
  report.time = world_.time;
  const Outcome outcome = outcome_of(world_, settings_.h);
  const std::array<bool, 3> any = sum_report(motions, outcome, report);
  report.seconds.integrate += lap();
  compare(shorter, before, *motions.graph, report);
  report.seconds.compare += lap();
  end_step(outcome, any, report);
  kinetic_ = report.energy.kinetic_end;
  report.seconds.integrate += lap();
  watch(report);
  report.collectives = collectives() - before_step;
  if (scene_.stop_unconverged && !(report.error <= solver_.tolerance))
    throw RunFailure(
        fmt::format("step {}, t = {:g} s: the solver ended ({}) with an error of {:.3g} m/s, above "
                    "the tolerance of {:.3g} m/s: raise solver.max_iterations, or say "
                    "solver.unconverged: continue",
                    report.step, report.time, name_of(report.status), report.error,
                    solver_.tolerance),
        report);
  return report;
}

/// Whether bodies are to be distributed anew before the next step.
void SimulationParts::watch(const StepReport& report) {
  if (comm_.size() == 1 || is_trial_) return;
  const Phase phase("weighing the balance");
  const double waited = comm_.traffic().wait_seconds + comm_.traffic().reduction_seconds;
  const double work = report.seconds.of_step() - (waited - waited_);
  work_since_balance_ += std::max(0.0, work);
  const std::int64_t counted =
      balance_.by == BalanceSettings::By::Measured
          ? nanoseconds(work)
          : weight_of_body * world_.bodies.owned + weight_of_pair * world_.contacts.count();
  is_balance_due_ =
      watch_.step_done(comm_, counted) || (balance_.every > 0 && report.step % balance_.every == 0);
}

// The contact problem of a step, and its answer.

namespace {

/// The start of the solve: impulses of contacts and joints in the order of stored rows.
RowVector stored_start(const World& world, const std::vector<JointRow>& rows, const StepPart& part,
                       const ConeProblem& problem, double h) {
  RowVector start(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  for (std::size_t j = 0; j < part.joint_row.size(); ++j) {
    if (part.joint_row[j] < 0) continue;
    const JointRow& row = rows[part.joint_row[j]];
    start[j] = world.joints[row.joint].impulse[row.place];
  }
  const ContactSet& contacts = world.contacts;
  const bool is_cohesive = world.materials.is_cohesive();
  in_parallel(part.contact.size(), [&](std::size_t k) {
    if (part.contact[k] < 0) return;
    const auto cone = static_cast<Index>(k);
    const auto c = static_cast<std::size_t>(part.contact[k]);
    const double pull = is_cohesive ? cohesion_pull(world, part.contact[k], h) : 0.0;
    const Vec3 force = contacts.impulse[c] + pull * contacts.normal[c];
    if (contacts.angular_impulse.empty())
      set_spatial_value(problem.cones, start, cone, force);
    else
      set_rolling_value(
          problem.cones, start, cone,
          {force, (1.0 / problem.cones.rolling_length[k]) * contacts.angular_impulse[c]});
  });
  return start;
}

/// Impulses of a solve, back to the contacts; those of joint rows are returned.
std::vector<double> keep_impulses(const ConeProblem& problem, const RowVector& impulses,
                                  const StepPart& part, double h, World& world,
                                  std::size_t joint_rows) {
  ContactSet& contacts = world.contacts;
  const bool is_cohesive = world.materials.is_cohesive();
  in_parallel(part.contact.size(), [&](std::size_t k) {
    if (part.contact[k] < 0) return;
    const auto cone = static_cast<Index>(k);
    const auto c = static_cast<std::size_t>(part.contact[k]);
    const double pull = is_cohesive ? cohesion_pull(world, part.contact[k], h) : 0.0;
    if (contacts.angular_impulse.empty()) {
      contacts.impulse[c] = spatial_value(problem.cones, impulses, cone);
    } else {
      const SixRows rows = rolling_value(problem.cones, impulses, cone);
      contacts.impulse[c] = rows.linear;
      contacts.angular_impulse[c] = problem.cones.rolling_length[k] * rows.angular;
    }
    contacts.impulse[c] = contacts.impulse[c] - pull * contacts.normal[c];
  });
  std::vector<double> of_rows(joint_rows, 0.0);
  for (std::size_t j = 0; j < part.joint_row.size(); ++j)
    if (part.joint_row[j] >= 0) of_rows[part.joint_row[j]] = impulses[j];
  return of_rows;
}

/// What the solve has made of restitution (impact_solve.hpp), in the biases: the answer is that of
/// the problem with these.
void add_restitution(const ConeProblem& problem, const RowVector& asked, BodyProblem& data) {
  const auto normal = [&](const RowVector& rows, std::size_t k) {
    const auto cone = static_cast<Index>(k);
    const Vec3 value = data.rolling_friction.empty()
                           ? spatial_value(problem.cones, rows, cone)
                           : rolling_value(problem.cones, rows, cone).linear;
    return dot(data.normal[k], value);
  };
  for (std::size_t k = 0; k < data.contact_bias.size(); ++k)
    data.contact_bias[k].x += normal(problem.free_velocity, k) - normal(asked, k);
}

/// Some body has a momentum that its state alone does not tell: ghosts must be told theirs.
bool has_hidden_momenta(const World& world) {
  for (const Joint& joint : world.joints)
    if (joint.angle_motor.type == MotorType::Force || joint.way_motor.type == MotorType::Force)
      return true;
  return world.materials.is_cohesive();
}

}  // namespace

StepPart SimulationParts::assemble(StepReport& report, NormalRows& normals) {
  const double h = settings_.h;
  BodyProblem data;
  find_stiff_bodies(report);
  body_rows(world_, h, wrench_, data, added_);
  contact_rows(world_, h, hub_, data);
  if (any_pushed_ || has_hidden_momenta(world_)) share_.share_momenta(world_, data.momentum);
  add_hub_cohesion(world_, h, hub_, comm_, data);
  normals = contact_biases(world_, settings_, data);
  append_joint_rows(world_, settings_, rows_, data, added_);
  StepPart part =
      step_part(world_, hub_, std::move(data), contact_identities(world_.contacts), comm_);
  part.part.origin = ahead_.origin;
  return part;
}

SimulationParts::Motions SimulationParts::solve_step(StepReport& report,
                                                     const SolveOptions& options,
                                                     FrozenStep* frozen) {
  Stopwatch lap;
  std::optional<Phase> phase(std::in_place, "assembling rows");
  const double h = settings_.h;
  NormalRows normals;
  StepPart part = assemble(report, normals);
  const auto kept = std::make_shared<BodyPart>(std::move(part.part));
  std::array<double, 1> bounces{has_bounce(normals) ? 1.0 : 0.0};
  ConeProblem problem = make_cone_problem(kept, comm_, SetUp::WithoutSiconosScale, bounces);
  RowVector impulses = stored_start(world_, rows_, part, problem, h), gap;
  if (frozen != nullptr)
    frozen->start = make_solution(*kept, problem, impulses, RowVector(impulses.size(), 0.0));
  report.seconds.assemble += lap();

  phase.emplace("solving");
  const RowVector asked = frozen != nullptr ? problem.free_velocity : RowVector{};
  const bool is_rough =
      options.max_iterations < solver_.max_iterations || options.tolerance > solver_.tolerance;
  const std::int64_t before = comm_.traffic().collectives;
  const auto [solved, less_restitution] =
      solve_step_problem({world_, settings_, part, normals, bounces[0] > 0.0, is_rough}, options,
                         comm_, problem, impulses, gap);
  of_solves_ += comm_.traffic().collectives - before;
  report.less_restitution = less_restitution;
  report.status = solved.status;
  report.method = solved.method;
  report.iterations += solved.iterations;
  report.products += solved.operator_products;
  report.error = solved.error;
  report.rms_error = solved.errors.natural_velocity;
  report.largest_error = solved.errors.natural_velocity_max;
  report.energy_error = solved.errors.energy;
  report.impulse_error = solved.errors.natural_impulse;
  report.largest_impulse_error = solved.errors.natural_impulse_max;
  const auto& bodies = dynamic_cast<const BodyOperator&>(*problem.delassus);
  const std::vector<Vec6> found = bodies.velocities(impulses, true);
  Motions motions;
  motions.velocities.resize(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) motions.velocities[part.body[k]] = found[k];
  motions.row_impulses = keep_impulses(problem, impulses, part, h, world_, rows_.size());
  if (frozen != nullptr) {
    frozen->answer = make_solution(*kept, problem, impulses, gap);
    frozen->problem = kept->data;
    add_restitution(problem, asked, frozen->problem);
  }
  report.seconds.solve += lap();
  if (scene_.energy_ledger) {
    phase.emplace("adding up energies");
    motions.energy = energy_sums({world_, h, solver_.law, rows_, wrench_, added_,
                                  motions.velocities, part, problem, impulses, gap});
  }
  const auto first_contact = static_cast<std::size_t>(problem.cones.scalar_slots());
  motions.graph = std::make_shared<StepGraph>(StepGraph{problem.delassus, std::move(part.contact),
                                                        std::move(part.joint_row), first_contact});
  report.seconds.integrate += lap();
  return motions;
}

FrozenStep SimulationParts::freeze() {
  const StandardArithmetic arithmetic;
  TALUS_ASSERT(comm_.size() == 1);
  choose_step(infinity);
  FrozenStep frozen;
  StepReport& report = frozen.report;
  report.step = world_.step + 1;
  report.time = world_.time + settings_.h;
  begin_step(report);
  move(report, &frozen);
  return frozen;
}

}  // namespace talus
