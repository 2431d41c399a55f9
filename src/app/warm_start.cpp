#include "app/warm_start.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace talus::app {

RowVector start_from(const std::string& file, const LoadedProblem& loaded,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks) {
  const ConeProblem& problem = loaded.problem();
  RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  if (file.empty()) return zero;
  // "FILE.h5:GROUP", where no file has that name
  const std::size_t colon = file.rfind(".h5:");
  const bool names_group = colon != std::string::npos && !std::filesystem::exists(file);
  RowVector warm = names_group
                       ? loaded.stored_impulses(file.substr(0, colon + 3), file.substr(colon + 4))
                       : loaded.stored_impulses(file, "solution");
  RowVector gap;
  if (names_group) {  // whoever names one wants that start
    remarks.push_back(fmt::format("{}: was taken as the start", file));
    return warm;
  }
  const double reference = reference_of(options.measure, problem, options.law, comm);
  const auto errors_at = [&](const RowVector& x) {
    evaluate_gap(problem, options.law, x, gap);
    return std::pair{evaluate(options.measure, problem, options.law, x, gap, reference, comm),
                     evaluate(Measure::Natural, problem, options.law, x, gap, 1.0, comm)};
  };
  const auto of_warm = errors_at(warm), of_zero = errors_at(zero);
  const std::string errors = fmt::format("{} = {:.3e}, of zero {:.3e}", name_of(options.measure),
                                         of_warm.first, of_zero.first);
  // a measure that sees part of the rows only may call both equal: then the natural residual
  // decides
  if (of_warm < of_zero) {
    remarks.push_back(fmt::format("{}: was taken as the start: {}", file, errors));
    return warm;
  }
  remarks.push_back(
      fmt::format("{}: is a worse start than zero and was not used: {}", file, errors));
  return zero;
}

}  // namespace talus::app
