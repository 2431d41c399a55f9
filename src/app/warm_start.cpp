#include "app/warm_start.hpp"

#include <utility>

namespace talus::app {

RowVector start_from(const std::string& file, const LoadedProblem& loaded,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  const ConeProblem& problem = loaded.problem();
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (file.empty()) return zero;
  RowVector warm = loaded.stored_impulses(file, "solution"), gap;
  const auto errors_at = [&](const RowVector& x) {
    evaluate_gap(problem, options.law, x, gap);
    // the reference of a relative measure is the same for both
    return std::pair{evaluate(options.measure, problem, options.law, x, gap, 1.0, comm),
                     evaluate(Measure::Natural, problem, options.law, x, gap, 1.0, comm)};
  };
  // a measure that sees part of the rows only may call both equal: then the natural residual
  // decides
  if (errors_at(warm) < errors_at(zero)) return warm;
  remarks.push_back(file + ": is a worse start than zero and was not used");
  return zero;
}

}  // namespace talus::app
