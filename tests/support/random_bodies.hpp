#pragma once
// Random rigid bodies, contacts and joints for tests of operators: nothing physical about them, so
// that no symmetry of a real scene hides a wrong sign or index.

#include "talus/problem/body_problem.hpp"
#include "talus/problem/cone_problem.hpp"

#include "problem/body_operator.hpp"

namespace talus::support {

struct RandomBodies {
  Index bodies = 7, contacts = 21, joints = 5;
  bool compliance = false;      ///< of every row
  bool two_points = false;      ///< body B is touched elsewhere than body A
  bool immovable_body = false;  ///< body 0 has no inverse mass and inertia
  bool rolling = false;         ///< rolling and spinning friction of most contacts
  double width = 10.0;          ///< m, of the cube that centres lie in; contacts are 1 m from them
  std::uint64_t seed = 1;
};

/// A quarter of the rows is with the world. Keys run in another order than storage. Coordinates are
/// multiples of 2^-20 m, so that a shift by whole metres is exact.
BodyProblem random_bodies(const RandomBodies& options);

/// The cones of a body problem: what make_cone_problem() makes of it.
ConeSet cones_of(const BodyProblem& problem);

/// The operator of one rank that owns all.
BodyOperator operator_of(const BodyProblem& problem, const ConeSet& cones);

/// Random numbers in rows that mean something, zero in filling.
RowVector random_impulses(const ConeSet& cones, std::uint64_t seed);

}  // namespace talus::support
