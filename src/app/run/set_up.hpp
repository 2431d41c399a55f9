#pragma once
// From a file to what solvers see; what is found only then still names the file.

#include "talus/io/problem_file.hpp"

#include "io/report_file.hpp"

#include <string>

namespace talus::app {

/// The problem of a file; where `path` is empty, the one that the text makes (KIND,key=value,...).
ProblemFile load_problem(const std::string& path, const std::string& generate_text);

/// make_cone_problem, which proves M positive definite; its fault gets the file and the dataset in
/// front. InputError too where what is finite in the file overflows in r or the diagonal of N.
ConeProblem set_up(const ProblemFile& file);

/// Places in the whole problem of the rows that a rank owns; null: it owns all, in order.
struct RowPlaces {
  const std::vector<GlobalId>*contact = nullptr, *joint = nullptr;
};
/// The second half of it.
void require_finite(const std::string& path, const ConeProblem& problem, const RowPlaces& places);

/// InputError where a solution has not as many rows as the whole problem.
void require_rows_of(const std::string& path, const std::string& group, const ConeProblem& problem,
                     const Solution& solution);

/// Impulses of a solution in `path`, on the cones of the problem. Throws InputError where they are
/// not of this problem.
RowVector stored_impulses(const std::string& path, const std::string& group,
                          const ProblemData& data, const ConeProblem& problem);

/// Without free rows the bilateral violation is 0 whatever the answer, without contacts Siconos's
/// errors are: no success to report.
void refuse_blind_measure(Measure measure, const ConeProblem& problem);

/// Whether two names mean one file, there or not.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace talus::app
