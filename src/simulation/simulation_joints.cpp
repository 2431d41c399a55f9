// What a step sees of its joints before it is solved: how far they are open, and whether loads in
// them are stiffer than the step can follow.

#include "talus/simulation/simulation.hpp"

#include "simulation/joint_gaps.hpp"
#include "simulation/start_checks.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace talus {
namespace {

std::string words_of(const World& world, const StiffBody& stiff, double h) {
  if (stiff.body == no_body) return "";
  const auto b = static_cast<std::size_t>(stiff.body);
  const char* advice =
      stiff.sways ? "it is not followed, and from 2 on steps are unstable: keep time.step below"
                  : "it is held back, which is stable, and not followed: that takes a time.step "
                    "below";
  return fmt::format(
      "joint '{}' pulls body {} ({}) with {:.3g} N: h sqrt({}) = {:.3g}. How it swings on a load "
      "above {:g} is too fast for the step; {} {:.2g} s",
      world.joints[stiff.joint].name, world.bodies.id[b],
      world.bodies.group[b] >= 0 ? world.groups[world.bodies.group[b]] : "?", stiff.force,
      stiff.sways ? "T / (m l)" : "T l / I", stiff.step_angle, followed_angle, advice,
      h * followed_angle / stiff.step_angle);
}

}  // namespace

std::string warning_of_stiff_start(const World& world, double h, double gravity) {
  const StiffBody stiff = stiffest_at_start(world, h, gravity);
  if (!(stiff.step_angle > followed_angle)) return "";
  return "with three times the weight that hangs on them, " + words_of(world, stiff, h);
}

/// Inertia that the step's problem adds where joints are too stiff for it; the same on all ranks
/// that have the body.
void Simulation::find_stiff_bodies(StepReport& report) {
  added_.clear();
  if (world_.joints.empty()) return;
  const double h = settings_.h;
  const StiffBodies stiff = stiff_bodies(world_, h);
  added_ = added_inertia(world_, h, stiff);
  std::array<double, 1> most{stiff.stiffest.step_angle};
  comm_.largest(most);
  report.step_angle = most[0];
  if (!(most[0] > followed_angle)) return;
  if (comm_.size() > 1) {
    added_.resize(world_.bodies.id.size(), Sym3{});
    std::vector<Vec6> numbers(added_.size());
    for (std::size_t b = 0; b < added_.size(); ++b) {
      const Sym3& i = added_[b];
      numbers[b] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
    }
    share_.share_momenta(world_, numbers);
    for (std::size_t b = 0; b < added_.size(); ++b) {
      const Vec6& n = numbers[b];
      added_[b] = {n[0], n[1], n[2], n[3], n[4], n[5]};
    }
  }
  if (report.solves > 1) return;  // it is told already
  report.warnings.push_back(
      {"stiff", fmt::format("step {}: {}", report.step,
                            text_of_largest(comm_, stiff.stiffest.step_angle,
                                            words_of(world_, stiff.stiffest, h)))});
}

void Simulation::see_joint_gaps(StepReport& report) const {
  if (world_.joints.empty()) return;
  const JointGaps gaps = joint_gaps(world_, rows_);
  std::array<double, 4> most{gaps.gap, gaps.share, gaps.angle, gaps.worst};
  comm_.largest(most);
  report.largest_joint_gap = most[0];
  report.joint_gap_share = most[1];
  report.largest_joint_angle = most[2];
  if (!(most[3] > 1.0) || report.solves > 1) return;
  const std::string name = text_of_largest(comm_, gaps.worst, world_.joints[gaps.joint].name);
  report.warnings.push_back(
      {"joint", fmt::format("step {}: joints are open by up to {:.3g} m ({:.3g} % of the smaller "
                            "body) and {:.3g} rad, the worst is '{}': a smaller time.step, a "
                            "smaller tolerance or more iterations are needed",
                            report.step, most[0], 100.0 * most[1], most[2], name)});
}

}  // namespace talus
