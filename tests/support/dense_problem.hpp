#pragma once
// Small problems written out as a dense N and r, for measures that can be worked out by hand.
// Vectors and matrices of a test are in plain order: scalar rows, then (n, t) of planar, then (n,
// t1, t2) of spatial, then (n, t1, t2, r1, r2, s) of rolling contacts, in contact frames and the
// units of storage.

#include "talus/metrics/measures.hpp"

#include <random>
#include <vector>

namespace talus::support {

using Plain = std::vector<double>;

/// Entry (i, j) of an m x m matrix is at i * m + j.
Plain plain_product(const Plain& matrix, const Plain& x);
Plain plain_diagonal_matrix(const Plain& diagonal);
/// A A^T + shift I with entries of A in [-1, 1].
Plain plain_random_matrix(std::size_t size, double shift, std::mt19937_64& random);
Plain plain_random_vector(std::size_t size, std::mt19937_64& random);

/// Length of a plain vector.
std::size_t plain_size(const ConeSet& cones);
RowVector to_stored(const ConeSet& cones, const Plain& plain);
Plain to_plain(const ConeSet& cones, const RowVector& stored);

/// N, r and what measure_diagonal() would say of them; `skew` may be empty.
ConeProblem dense_problem(const ConeSet& cones, const Plain& matrix, const Plain& free_velocity,
                          const Plain& skew = {});

/// One spatial contact about the world's z axis, first tangent along y.
ConeSet one_spatial_contact(double mu);
ConeSet one_planar_contact(double mu);
ConeSet one_row(double lower, double upper);

/// An iterate with its gap, and the shortcuts that tests read by.
struct Judged {
  ConeProblem problem;
  RowVector x, gap;

  Judged(const ConeProblem& judged_problem, Law law, const Plain& impulses);
  double measure(Measure measure, Law law) const;
  ErrorReport report(Law law) const;
};

}  // namespace talus::support
