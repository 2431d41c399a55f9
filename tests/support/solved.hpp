#pragma once
// A solve from data to solution in one call.

#include "talus/solvers/solve.hpp"

namespace talus::support {

struct Solved {
  SolveReport report;
  Solution solution;
  RowVector impulses;
};

/// From `start`, which is filled up with zeros.
inline Solved solved(const ProblemData& data, const SolveOptions& options, RowVector start = {}) {
  const ConeProblem problem = make_cone_problem(data);
  Solved s;
  s.impulses = std::move(start);
  s.impulses.resize(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  RowVector gap;
  s.report = solve(problem, options, Communicator::self(), s.impulses, gap);
  s.solution = make_solution(data, problem, s.impulses, gap);
  return s;
}

/// psor to 1e-11.
inline SolveOptions psor_options(Law law) {
  SolveOptions options;
  options.method = Method::Psor;
  options.law = law;
  options.tolerance = 1e-11;
  options.max_iterations = 100000;
  return options;
}

}  // namespace talus::support
