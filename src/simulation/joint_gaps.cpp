#include "simulation/joint_gaps.hpp"

#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

double smaller_size(const World& world, const JointRow& row) {
  double size = infinity;
  for (const Index body : {row.body_a, row.body_b})
    if (body != no_body) size = std::min(size, size_of_body(world, static_cast<std::size_t>(body)));
  return size;
}

bool is_rigid(const World& world, const JointRow& row) {
  return row.kind != JointRow::Kind::Velocity && !row.drives && row.compliance == 0.0 &&
         world.joints[row.joint].type != JointType::Spring;
}

}  // namespace

JointGaps joint_gaps(const World& world, const std::vector<JointRow>& rows) {
  JointGaps gaps;
  const auto see = [&](const JointRow& row, double gap, double angle) {
    const double size = smaller_size(world, row);
    const double share = std::isfinite(size) && size > 0.0 ? gap / size : 0.0;
    gaps.gap = std::max(gaps.gap, gap);
    gaps.share = std::max(gaps.share, share);
    gaps.angle = std::max(gaps.angle, angle);
    const double worst = std::max(share / most_joint_gap, angle / most_joint_angle);
    if (worst <= gaps.worst) return;
    gaps.worst = worst;
    gaps.joint = row.joint;
  };
  for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
    double gap = 0.0, angle = 0.0;  // squares
    for (end = i; end < rows.size() && rows[end].joint == rows[i].joint; ++end) {
      const JointRow& row = rows[end];
      if (!is_rigid(world, row)) continue;
      const Vec3 linear{row.block_b[0], row.block_b[1], row.block_b[2]};
      const bool moves = dot(linear, linear) > 0.0;
      if (row.kind == JointRow::Kind::Position)
        (moves ? gap : angle) += row.error * row.error;
      else if (row.error < 0.0)
        see(row, moves ? -row.error : 0.0, moves ? 0.0 : -row.error);
    }
    see(rows[i], std::sqrt(gap), std::sqrt(angle));
  }
  return gaps;
}

}  // namespace talus
