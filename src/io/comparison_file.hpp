#pragma once
// What a comparison of methods leaves: a JSON file with everything, and a CSV file with one line
// per problem and method. Keys: docs/file_formats.md.

#include "io/report_file.hpp"
#include "solvers/compare.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace talus {

struct ComparedProblem {
  RunFacts facts;            ///< what the problem is
  std::string known;         ///< group of the stored answer of the same law; empty: there is none
  double known_error = 0.0;  ///< of that answer, in the measure of the comparison
  double known_objective = 0.0;  ///< of that answer, J
  std::vector<MethodRun> runs;
};

/// A file that was not compared, and why.
struct LeftOut {
  std::string file, reason;
};

/// Solves of a problem that were not begun, because the user ended the comparison.
struct NotRun {
  std::string problem;
  std::vector<std::string> methods;
};

struct Comparison {
  Law law = Law::Coulomb;
  Measure measure = Measure::NaturalRelative;
  std::vector<double> tolerances;    ///< falling
  std::vector<std::string> methods;  ///< those asked for
  std::vector<std::pair<std::string, std::string>> options;
  int threads = 1;
  std::vector<ComparedProblem> problems;
  std::vector<LeftOut> unread;   ///< problem files that could not be read
  std::vector<LeftOut> skipped;  ///< files of a folder that are no problem files
  std::vector<NotRun> not_run;
  bool finished = true;  ///< false: written in between, or ended by the user

  /// Whether every method has been tried on a problem and ended by itself.
  bool is_complete(const ComparedProblem& problem) const;
};

/// What the methods of a profile are measured by.
enum class Cost { Work, Seconds };

/// One line per method that took at least one problem, to the tolerance of that index. Problems
/// that no method takes do not count, nor do those where the user ended the comparison.
std::vector<ProfileLine> profile_of(const Comparison& comparison, std::size_t tolerance, Cost cost);

/// Curves are in it for one problem, profiles for several. Numbers that are not finite are null.
std::string comparison_json(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

}  // namespace talus
