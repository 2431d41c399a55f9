#pragma once
// What every solver sees: find gamma in K with w = N gamma + r in K* and gamma . w = 0.
// Solvers never learn whether bodies or matrices stand behind N. A const problem of one rank may be
// solved by several threads at once, each with a communicator of its own: the answers are those of
// one. On several ranks one thread of each may call.

#include "talus/cones/cone_set.hpp"
#include "talus/problem/body_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include <memory>
#include <span>
#include <variant>

namespace talus {

class LinearOperator;  // src/problem/linear_operator.hpp

struct ConeProblem {
  ConeSet cones;
  std::shared_ptr<const LinearOperator> delassus;  ///< N: symmetric, positive semi-definite
  /// Antisymmetric part of a given W, null where W is symmetric. The Coulomb law adds it in its
  /// operator; the associated law, which is a minimisation, leaves it out and says so.
  std::shared_ptr<const LinearOperator> skew;
  double asymmetry = 0.0;   ///< max |W - W^T| / max |W|
  RowVector free_velocity;  ///< r: gap velocity without impulses
  RowVector diagonal;       ///< of N, per stored row
  RowVector scale;  ///< per slot g_c: mean diagonal of the cone's rows; > 0 also in filling and
                    ///< degenerate rows
  double mean_diagonal = 1.0;  ///< over all rows that mean something
  double siconos_scale =
      1.0;  ///< mean over contacts of the infinity norm of the diagonal block, contact frame

  /// Per slot, what tells a cone from the others of its group, the same on any rank; empty: the
  /// slot itself.
  std::vector<GlobalId> key;
  /// A share of a given W or M: it has no bodies whose mass could be split.
  bool is_share_of_matrix = false;
  std::vector<Index> mirrored_elsewhere;  ///< slots of owned cones that another rank mirrors
  /// Over all ranks, of what they own.
  GlobalId total_rows = 0, total_cones = 0, total_contacts = 0;
  GlobalId total_planar = 0, total_rolling = 0;  ///< among the contacts
  GlobalId total_free = 0;                       ///< scalar rows without bounds
  GlobalId total_bounded = 0;                    ///< the other scalar rows
  GlobalId rough_ranks = 0;  ///< ranks that own a cone with friction of any kind
  /// How many times heavier one of two bodies is that a contact joins: the largest; 0: no such.
  double mass_ratio = 0.0;

  Index stored_rows() const { return cones.stored_rows(); }
  /// Free rows only: a linear system. These two are alike on all ranks.
  bool all_free() const { return total_contacts == 0 && total_bounded == 0; }
  /// The Coulomb law is then the associated law.
  bool frictionless() const { return rough_ranks == 0; }
};

/// Whether siconos_scale, which only Siconos's errors need and which costs as much as the rest of
/// the set-up, is worth its time.
enum class SetUp { Whole, WithoutSiconosScale };

/// Fills diagonal, scale, mean_diagonal, siconos_scale and the totals from `delassus` and `cones`.
/// A cone without diagonal gets mean_diagonal as its scale (1 where every row is so).
/// `mass_ratio` is this rank's own before, and of all ranks after.
/// `riders`: numbers of the caller, of which the largest of all ranks travel along. Collective: one
/// reduction.
void measure_diagonal(ConeProblem& problem, const Communicator& comm, SetUp set_up = SetUp::Whole,
                      std::span<double> riders = {});

/// What a user gives: bodies, or matrices.
using ProblemData = std::variant<BodyProblem, LocalProblem, GlobalProblem>;

/// Rows: joint rows (or bilateral rows) are the scalar group, contacts the planar or spatial group,
/// in the order of the data. Throws InputError where sizes or indices are wrong (a part is trusted:
/// who made it has looked), or where M is not positive definite (naming the pivot).
ConeProblem make_cone_problem(const ProblemData& data);
ConeProblem make_cone_problem(const BodyProblem& data);
/// This rank's share. Collective.
ConeProblem make_cone_problem(const std::shared_ptr<const BodyPart>& part, const Communicator& comm,
                              SetUp set_up = SetUp::Whole, std::span<double> riders = {});
ConeProblem make_cone_problem(const LocalProblem& data);
ConeProblem make_cone_problem(const GlobalProblem& data);

/// An answer in the terms of the data: contact frame, rows (N, T1[, T2]).
struct Solution {
  std::vector<double> u;  ///< relative velocity at contacts, m/s
  std::vector<double> r;  ///< contact impulses, N s
  std::vector<double> l;  ///< impulses of joint or bilateral rows
  std::vector<double>
      v;  ///< body velocities (6 per body, or one per row of M); empty for local problems
};

/// `gap` = N gamma + r (+ skew part where the law uses it).
Solution make_solution(const ProblemData& data, const ConeProblem& problem,
                       const RowVector& impulses, const RowVector& gap);
/// Of what this rank owns, in the order of its part. Collective.
Solution make_solution(const BodyPart& part, const ConeProblem& problem, const RowVector& impulses,
                       const RowVector& gap);
/// Stored impulses from a solution's r and l (a warm start); of a part, from the solution of the
/// whole.
RowVector impulses_from(const ConeProblem& problem, const Solution& solution);
RowVector impulses_from(const BodyPart& part, const ConeProblem& problem, const Solution& whole);

}  // namespace talus
