#pragma once
// What a time-stepping scheme asks of every row: bias and compliance.

#include "talus/problem/body_problem.hpp"
#include "talus/stepping/step_settings.hpp"

#include "assembly/joint_rows.hpp"

#include <vector>

namespace talus {

/// Fills contact_bias and compliances of the contacts of `problem`, which contact_rows() has made
/// of the world. Anitescu-Tasora [Tasora07, eq. 1]: a gap may be closed, a fixed share of an
/// overlap is taken away per step, no faster than the recovery speed. SPOOK [Lacoursiere13, eq. 21
/// corrected]. Both: an approach faster than the bounce speed that would close the gap within the
/// step is turned around by Newton's law.
/// With the law of Newton; what else can be made of it: NormalRows.
struct NormalRows {
  std::vector<double> bias;    ///< per contact of the world, m/s, without prescribed velocities
  std::vector<double> bounce;  ///< <= 0: what of it is restitution
};
NormalRows contact_biases(const World& world, const StepSettings& settings, BodyProblem& problem);

/// Appends the rows of joints. `added`: per body, inertia of links that the step cannot follow
/// (assembly/geometric_stiffness.hpp); none where empty.
void append_joint_rows(const World& world, const StepSettings& settings,
                       const std::vector<JointRow>& rows, BodyProblem& problem,
                       const std::vector<Sym3>& added = {});

}  // namespace talus
