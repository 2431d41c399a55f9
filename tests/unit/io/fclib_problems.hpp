#pragma once
// One small problem for each of FCLib's layouts, with numbers that are not round.

#include "talus/problem/matrix_problem.hpp"

namespace talus::test {

/// Two contacts in space, one bilateral row.
inline LocalProblem local_problem() {
  LocalProblem p;
  p.dimension = 3;
  p.W = from_triplets(6, 6,
                      {{0, 0, 2.0},
                       {1, 1, 1.0},
                       {2, 2, 1.5},
                       {3, 3, 3.0},
                       {4, 4, 1.0},
                       {5, 5, 1.0 / 3.0},
                       {0, 3, 0.25},
                       {3, 0, 0.2500001},
                       {1, 5, 0.0}});
  p.V = from_triplets(6, 1, {{0, 0, 1.0}, {5, 0, -0.5}});
  p.R = from_triplets(1, 1, {{0, 0, 2.0}});
  p.q = {-1.0, 0.1, 0.2, -2.0, 0.3, 0.4};
  p.s = {0.5};
  p.friction = {0.3, 0.0};
  p.title = "local";
  return p;
}

/// Two contacts in the plane, three degrees of freedom, one bilateral row.
inline GlobalProblem global_problem() {
  GlobalProblem p;
  p.dimension = 2;
  p.M =
      from_triplets(3, 3, {{0, 0, 2.0}, {1, 1, 4.0}, {2, 2, 1.0 / 3.0}, {0, 2, 0.1}, {2, 0, 0.1}});
  p.H = from_triplets(3, 4, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, -1.0}, {0, 3, 0.7}});
  p.G = from_triplets(3, 1, {{1, 0, 1.0}, {2, 0, -1.0}});
  p.f = {0.1, -9.81, 0.2};
  p.w = {0.0, 0.01, 0.02, 0.03};
  p.b = {-0.125};
  p.friction = {0.5, 0.7};
  p.time_step = 0.005;
  p.title = "global";
  return p;
}

/// Two contacts in the plane that roll, three rows each; one bilateral row.
inline LocalProblem rolling_local_problem() {
  LocalProblem p = local_problem();
  p.dimension = 2;
  p.rolling_friction = {0.001, 1.0 / 7.0};
  p.title = "local rolling";
  return p;
}

/// One contact in space that rolls, three degrees of freedom, one bilateral row.
inline GlobalProblem rolling_global_problem() {
  GlobalProblem p = global_problem();
  p.dimension = 3;
  p.H = from_triplets(
      3, 5, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, -1.0}, {0, 3, 0.7}, {2, 3, 0.1}, {1, 4, 0.3}});
  p.w = {0.0, 0.01, 0.02, 0.03, 0.04};
  p.friction = {0.5};
  p.rolling_friction = {0.125};
  p.title = "global rolling";
  return p;
}

}  // namespace talus::test
