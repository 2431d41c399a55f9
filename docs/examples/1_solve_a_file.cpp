// Example 1: solve a contact problem from a file, and see how well.
//
//   ./1_solve_a_file problem.h5 [answer.h5]
//
// 1. Read the problem: native or FCLib layout, matrices or bodies. All faults of a file are said
//    at once.
// 2. Make the cone problem: N = D M^-1 D^T + E is an operator that is never assembled.
// 3. Solve from zero impulses, to an error in m/s.
// 4. Look at the verified error. It is computed from a fresh product, in every measure.
// 5. Write impulses, gap velocities and body velocities beside the problem.
//
// A problem to try it on: talus generate packing --bodies 500 --output problem.h5
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <talus/talus.hpp>

namespace {

int solve_file(const std::string& path, const std::string& goal) {
  // 1.
  const talus::ProblemFile file = talus::read_problem(path);

  // 2.
  const talus::ConeProblem problem = talus::make_cone_problem(file.data);

  // 3.
  talus::SolveOptions options;
  options.measure = talus::Measure::NaturalVelocity;
  options.tolerance = 1e-6;  // m/s: root mean square over all contacts and rows
  talus::RowVector impulses(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  const talus::SolveReport report =
      talus::solve(problem, options, talus::Communicator::self(), impulses, gap);

  // 4.
  std::printf("%s after %lld iterations: error %.2e m/s, wanted %.0e m/s\n",
              talus::name_of(report.status).c_str(), static_cast<long long>(report.iterations),
              report.error, report.tolerance);

  // 5.
  if (!goal.empty()) {
    std::filesystem::copy_file(path, goal, std::filesystem::copy_options::overwrite_existing);
    talus::write_solution(goal, talus::in_rows_of_file(
                                    file, talus::make_solution(file.data, problem, impulses, gap)));
  }
  return report.status == talus::SolveStatus::Converged ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s problem.h5 [answer.h5]\n", argv[0]);
    return 2;
  }
  try {
    return solve_file(argv[1], argc > 2 ? argv[2] : "");
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
}
