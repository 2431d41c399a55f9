#pragma once
// Contact problems and their solutions in HDF5 files: our own layout, and FCLib's. Layouts:
// docs/file_formats.md.
//
// Reading throws InputError with all faults of the file, each with file, dataset, index and value.
// Writing makes the new file beside the old one, syncs it and renames it, so that a good file is
// never lost to a failed write; it throws InputError where the layout cannot hold the problem and
// std::runtime_error where the disk fails. HDF5 is not thread-safe: call from one thread at a time.

#include "talus/problem/cone_problem.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace talus {

struct ProblemFile {
  ProblemData data;
  std::string format;  ///< "native", or FCLib's "fclib_local", "fclib_global", either also with
                       ///< "_rolling" behind it
  std::string path;
  std::string description;             ///< FCLib's info/description; empty where there is none
  std::vector<std::string> solutions;  ///< groups that hold a solution, such as "solution_ccp"
  std::optional<double>
      reference_objective;  ///< of /solution_ccp: the associated law's best known objective
};

struct ReadOptions {
  /// A global FCLib problem with /bodies/position whose M and H are those of rigid bodies becomes a
  /// BodyProblem.
  bool recognise_bodies = true;
};

ProblemFile read_problem(const std::string& path, const ReadOptions& options = {});

/// Whether an HDF5 file means to hold a problem, sound or not. Throws InputError where it is no
/// HDF5 file.
bool holds_problem(const std::string& path);

void write_native(const std::string& path, const BodyProblem& problem);

/// Asked before long work begins: throws InputError where no problem can be written to `path`, and
/// where a file is there that holds none (an empty one may be filled). True where the problem in it
/// would be replaced.
bool require_problem_goal(const std::string& path, const std::string& option);

/// Bodies become FCLib's global layout (with our /bodies/position), matrices their own; with
/// rolling friction the rolling one. Refused by name: compliance, friction against spinning and
/// bounded joint rows, which FCLib cannot express, and more than its 32-bit indices can number.
void write_fclib(const std::string& path, const ProblemData& problem);

using Attribute = std::pair<std::string, std::variant<double, std::int64_t, std::string>>;

/// Where FCLib's files have the first guess of a solution.
inline const std::string first_guess = "guesses/1";

/// The group /solution (or first_guess, which becomes the only one) as FCLib lays it out. Where
/// `path` is an HDF5 file already, all else in it is kept (FCLib's own reader wants the problem in
/// the same file); an older group of that name is replaced.
void write_solution(const std::string& path, const Solution& solution,
                    const std::vector<Attribute>& attributes = {},
                    const std::string& group = "solution");

/// `group` may also be another that is laid out like it, such as "solution_ccp" or "guesses/1".
Solution read_solution(const std::string& path, const std::string& group = "solution");

/// FCLib's contacts have no row for spinning (N, T1, T2, R1, R2), those of bodies with rolling
/// friction have one more (S). A solution in the rows of the file's layout, where it was in those
/// of its problem: what write_solution() should get.
Solution in_rows_of_file(const ProblemFile& file, Solution solution);
/// And back: a solution without such rows gets them, with zeros. Any other is left as it is.
Solution in_rows_of_problem(const ProblemData& problem, Solution solution);
/// The same for bodies whose data no rank has whole.
Solution in_rows_of_file(const std::string& format, bool rolls, Solution solution);
Solution in_rows_of_problem(bool rolls, GlobalId contacts, Solution solution);

/// The group in which the file stores an answer of that law; empty where there is none. The group's
/// attribute `law` decides; without one, `solution` is of the Coulomb law, as FCLib states it, and
/// `solution_ccp` of the associated one.
std::string stored_answer(const ProblemFile& file, const std::string& law);

/// A global FCLib problem as rigid bodies, or nothing when any part of it is not exactly that.
std::optional<BodyProblem> recognise_bodies(const GlobalProblem& problem);

}  // namespace talus
