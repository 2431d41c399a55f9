#pragma once
// N and r as dense matrices, straight from the definitions: the plain twin that operators and
// answers are held against. For small problems. Rows: joint or bilateral rows first, then contacts
// (n, t1[, t2]), with rolling friction (n, t, r), (n, t1, t2, r1, r2) or (n, t1, t2, r1, r2, s), in
// the order and units of the data.

#include "talus/metrics/measures.hpp"
#include "talus/problem/cone_problem.hpp"

#include <Eigen/Dense>

namespace talus::support {

struct DenseReference {
  Eigen::MatrixXd N;                ///< with the skew part of a nonsymmetric W
  Eigen::VectorXd r;                ///< gap velocity without impulses
  Eigen::MatrixXd inverse_mass, D;  ///< empty for local problems
  Eigen::VectorXd f;
  Eigen::VectorXd lower, upper;  ///< of the scalar rows
  int dimension = 3;
  Index rows_per_contact = 3;
  std::vector<double> friction;
  std::vector<double> rolling, spinning;  ///< empty where there are no such rows

  Eigen::Index scalar_rows() const { return lower.size(); }
};

DenseReference dense_reference(const ProblemData& data);

/// l and then r of a solution, in the order of the dense rows.
Eigen::VectorXd stacked_impulses(const Solution& solution);

/// Largest distance of the pair from K x K* and from x . w = 0, with w = N x + r made dense: the
/// conditions of the law themselves, not a residual of ours. Intervals: w >= 0 at the lower bound,
/// w <= 0 at the upper, 0 between.
double complementarity_fault(const DenseReference& problem, Law law,
                             const Eigen::VectorXd& impulses);

}  // namespace talus::support
