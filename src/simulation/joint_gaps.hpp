#pragma once
// How far joints are from where their types want them.

#include "assembly/joint_rows.hpp"

#include <vector>

namespace talus {

/// A run whose joints open further is not to be trusted: of the smaller body's size, and rad.
inline constexpr double most_joint_gap = 0.01;
inline constexpr double most_joint_angle = 0.01;

struct JointGaps {
  double gap = 0.0;    ///< m: the largest opening, or way beyond a limit
  double share = 0.0;  ///< of the smaller body's size: the largest
  double angle = 0.0;  ///< rad
  Index joint = 0;     ///< of World::joints: the one with the largest `worst`
  double worst = 0.0;  ///< share / most_joint_gap or angle / most_joint_angle
};
/// Of these rows; of springs, motors and compliant joints nothing: they are made to give way.
JointGaps joint_gaps(const World& world, const std::vector<JointRow>& rows);

}  // namespace talus
