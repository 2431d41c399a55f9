#pragma once
// Problems whose exact solution is known: every cone draws a complementary pair (x in K, w in K*, x
// . w = 0), which is the Moreau split of z = x - w, and the data is chosen so that this pair is the
// answer. Nothing here uses the operators, projections or measures under test. Impulses of repeated
// rows are not unique: compare velocities.

#include "talus/metrics/measures.hpp"
#include "talus/problem/cone_problem.hpp"

namespace talus::support {

/// Conditioning is worsened by mass_ratio and bounded by compliance. Impulses and velocities are of
/// the order of (lighter mass) x (1 m/s) and 1 m/s.
struct ManufacturedOptions {
  Law law = Law::Associated;  ///< the law of which the pair is the answer
  Index bodies = 12;
  Index contacts = 24;         ///< before they are repeated
  Index free_rows = 0;         ///< joint rows, before they are repeated
  Index nonnegative_rows = 0;  ///< bodies only
  Index box_rows = 0;          ///< bodies only: [l, u], (-inf, u] and [l, inf) in turn
  /// A quarter of the contacts has the least, a quarter the greatest value, the others lie between.
  double least_friction = 0.2, greatest_friction = 0.8;
  int repeats = 1;  ///< every row so many times: redundant, each copy with an impulse of its own
  double mass_ratio = 1.0;  ///< greatest to least mass
  double compliance = 0.0;  ///< E of every row, times 1 / (lighter mass); bodies only
  bool strict = true;  ///< false: half of the cones are degenerate (x and w both on a boundary)
  bool immovable_body = false;  ///< body 0 has no inverse mass
  int dimension = 3;            ///< matrices only: 2 or 3 rows per contact
  double asymmetry =
      0.0;  ///< local only: max |W - W^T| / max |W|, about; the law decides which W is solved
  std::uint64_t seed = 1;
};

struct Manufactured {
  ProblemData data;
  Solution exact;  ///< u, r: (n, t1[, t2]) per contact; l per joint or bilateral row; v
  std::vector<double> joint_gap;  ///< w of the joint or bilateral rows
};

Manufactured manufacture_bodies(const ManufacturedOptions& options);
/// W, V, R from random 6-blocks (3-blocks in the plane) and random masses.
Manufactured manufacture_local(const ManufacturedOptions& options);
/// M sparse, symmetric positive definite and not block diagonal.
Manufactured manufacture_global(const ManufacturedOptions& options);
/// The bodies of manufacture_bodies written as M, H, G: M is block diagonal. Free joint rows only.
Manufactured manufacture_global_of_bodies(const ManufacturedOptions& options);

/// max |u - u_exact| and |v - v_exact| over max |exact|.
double velocity_error(const Manufactured& problem, const Solution& found);

}  // namespace talus::support
