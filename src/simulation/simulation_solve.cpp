// The contact problem of a step, and its answer.

#include "talus/assembly/contact_rows.hpp"
#include "talus/core/arithmetic.hpp"
#include "talus/core/error.hpp"
#include "talus/partition/step_part.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/simulation/simulation.hpp"
#include "talus/stepping/schemes.hpp"

#include "simulation/energy_sums.hpp"
#include "simulation/impact_solve.hpp"
#include "simulation/lap.hpp"
#include "simulation/local_means.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace talus {
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
  for (std::size_t k = 0; k < part.contact.size(); ++k) {
    if (part.contact[k] < 0) continue;
    const auto cone = static_cast<Index>(k);
    const auto c = static_cast<std::size_t>(part.contact[k]);
    const Vec3 force =
        contacts.impulse[c] + cohesion_pull(world, part.contact[k], h) * contacts.normal[c];
    if (contacts.angular_impulse.empty())
      set_spatial_value(problem.cones, start, cone, force);
    else
      set_rolling_value(
          problem.cones, start, cone,
          {force, (1.0 / problem.cones.rolling_length[k]) * contacts.angular_impulse[c]});
  }
  return start;
}

/// Impulses of a solve, back to the contacts; those of joint rows are returned.
std::vector<double> keep_impulses(const ConeProblem& problem, const RowVector& impulses,
                                  const StepPart& part, double h, World& world,
                                  std::size_t joint_rows) {
  ContactSet& contacts = world.contacts;
  for (std::size_t k = 0; k < part.contact.size(); ++k) {
    if (part.contact[k] < 0) continue;
    const auto cone = static_cast<Index>(k);
    const auto c = static_cast<std::size_t>(part.contact[k]);
    if (contacts.angular_impulse.empty()) {
      contacts.impulse[c] = spatial_value(problem.cones, impulses, cone);
    } else {
      const SixRows rows = rolling_value(problem.cones, impulses, cone);
      contacts.impulse[c] = rows.linear;
      contacts.angular_impulse[c] = problem.cones.rolling_length[k] * rows.angular;
    }
    contacts.impulse[c] =
        contacts.impulse[c] - cohesion_pull(world, part.contact[k], h) * contacts.normal[c];
  }
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
    data.contact_bias[k].x += normal(problem.free_gap, k) - normal(asked, k);
}

/// Some body has a momentum that its state alone does not tell: ghosts must be told theirs.
bool has_hidden_momenta(const World& world) {
  for (const Joint& joint : world.joints)
    if (joint.angle_motor.type == MotorType::Force || joint.way_motor.type == MotorType::Force)
      return true;
  return world.materials.is_cohesive();
}

}  // namespace

StepPart Simulation::assemble(StepReport& report, NormalRows& normals) {
  const double h = settings_.h;
  BodyProblem data;
  find_stiff_bodies(report);
  body_rows(world_, h, wrench_, data, added_);
  contact_rows(world_, h, wide_, data);
  if (has_hidden_momenta(world_)) share_.share_momenta(world_, data.momentum);
  add_wide_cohesion(world_, h, wide_, comm_, data);
  normals = contact_biases(world_, settings_, data);
  append_joint_rows(world_, settings_, rows_, data, added_);
  return step_part(world_, wide_, std::move(data), contact_identities(world_.contacts), comm_);
}

Simulation::Motions Simulation::solve_step(StepReport& report, const SolveOptions& options,
                                           FrozenStep* frozen) {
  Lap lap;
  std::optional<Phase> phase(std::in_place, "assembling rows");
  const double h = settings_.h;
  NormalRows normals;
  StepPart part = assemble(report, normals);
  const auto kept = std::make_shared<BodyPart>(std::move(part.part));
  ConeProblem problem = make_cone_problem(kept, comm_, SetUp::WithoutSiconosScale);
  RowVector impulses = stored_start(world_, rows_, part, problem, h), gap;
  if (frozen != nullptr)
    frozen->start = make_solution(*kept, problem, impulses, RowVector(impulses.size(), 0.0));
  report.seconds.assemble += lap();

  phase.emplace("solving");
  const RowVector asked = frozen != nullptr ? problem.free_gap : RowVector{};
  const bool is_rough =
      options.max_iterations < solver_.max_iterations || options.tolerance > solver_.tolerance;
  const auto [solved, less_restitution] = solve_step_problem(
      {world_, settings_, part, normals, is_rough}, options, comm_, problem, impulses, gap);
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

FrozenStep Simulation::freeze() {
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

void Simulation::balance_energy(Motions& motions, StepReport& report) const {
  if (!scene_.energy_ledger) return;
  const Phase phase("adding up energies");
  report.energy = energy_ledger(world_, std::move(motions.energy), *kinetic_, comm_);
}

}  // namespace talus
