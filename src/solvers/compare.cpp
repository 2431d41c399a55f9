#include "solvers/compare.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

/// Threads are started and the problem's memory is touched before the clock runs.
void warm_up(const ConeProblem& problem, SolveOptions options, const Communicator& comm) {
  options.max_iterations = 1;
  options.keep_history = false;
  options.progress = {};
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  solve(problem, options, comm, x, gap);
}

CurvePoint point_of(const SolveReport& report, const HistoryEntry& entry) {
  return {entry.iteration, work_of(report.method, entry.iteration, entry.products), entry.seconds,
          entry.error};
}

double dot_product(const ConeSet& cones, const RowVector& a, const RowVector& b,
                   const Communicator& comm) {
  std::vector<double> terms;
  each_owned_row(cones, [&](Index row, Index /*slot*/) {
    const auto i = static_cast<std::size_t>(row);
    terms.push_back(a[i] * b[i]);
  });
  return exact_sum(comm, terms);
}

}  // namespace

std::string refusal_of(const ConeProblem& problem, Method method, Law law) {
  SolveOptions plain;
  plain.method = method;
  plain.law = law;
  try {
    validate(plain, problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::int64_t work_of(Method method, std::int64_t iterations, std::int64_t products) {
  return products + (method == Method::Psor ? iterations : 0);
}

std::int64_t work_of(const SolveReport& report) {
  if (report.candidates.empty())
    return work_of(report.method, report.iterations, report.operator_products);
  std::int64_t work = report.operator_products;
  for (const CandidateReport& c : report.candidates) work += work_of(c.method, c.iterations, 0);
  return work;
}

std::int64_t all_iterations(const SolveReport& report) {
  if (report.candidates.empty()) return report.iterations;
  std::int64_t iterations = 0;
  for (const CandidateReport& c : report.candidates) iterations += c.iterations;
  return iterations;
}

std::vector<Milestone> milestones_of(const SolveReport& report,
                                     const std::vector<double>& tolerances) {
  const std::vector<HistoryEntry>& history = report.history;
  std::vector<Milestone> milestones;
  for (const double tolerance : tolerances) {
    Milestone milestone{tolerance};
    auto entry = history.end();
    if (tolerance > report.tolerance && report.status != SolveStatus::Diverged)
      entry = std::find_if(history.begin(), history.end(), [&](const HistoryEntry& candidate) {
        return candidate.error <= tolerance;
      });
    // its own tolerance is met where the solve ended: the verification may have sent it back to
    // work
    else if (report.error <= report.tolerance && !history.empty())
      entry = std::prev(history.end());
    if (entry != history.end()) {
      const CurvePoint point = point_of(report, *entry);
      milestone = {tolerance, true, point.iteration, point.work, point.seconds};
    }
    milestones.push_back(milestone);
  }
  return milestones;
}

std::vector<CurvePoint> thinned_curve(const SolveReport& report) {
  const std::vector<HistoryEntry>& history = report.history;
  const auto less = [](const HistoryEntry& a, const HistoryEntry& b) { return a.error < b.error; };
  std::vector<CurvePoint> curve;
  for (std::size_t from = 0; from < history.size();) {
    // stretches of 1/50 of what lies before: each is as long as the others on a logarithmic axis
    const std::size_t to = std::min(history.size(), from + 1 + from / 50);
    const auto [least, largest] = std::minmax_element(
        history.begin() + static_cast<long>(from), history.begin() + static_cast<long>(to), less);
    const auto [first, second] = std::minmax(least, largest);
    curve.push_back(point_of(report, *first));
    if (first != second) curve.push_back(point_of(report, *second));
    from = to;
  }
  // where the solve ended
  if (!history.empty() && curve.back().iteration != history.back().iteration)
    curve.push_back(point_of(report, history.back()));
  return curve;
}

MethodRun run_method(const ConeProblem& problem, SolveOptions options,
                     const std::vector<double>& tolerances, const Communicator& comm,
                     RowVector& impulses, RowVector& gap) {
  TALUS_ASSERT(!tolerances.empty());
  options.tolerance = *std::min_element(tolerances.begin(), tolerances.end());
  options.history_all_measures = false;
  warm_up(problem, options, comm);
  options.keep_history = true;
  impulses.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  MethodRun run;
  run.method = name_of(options.method);
  run.report = solve(problem, options, comm, impulses, gap);
  run.work = work_of(run.report);
  run.milestones = milestones_of(run.report, tolerances);
  run.curve = thinned_curve(run.report);
  run.report.history = {};
  return run;
}

AnswerDistance distance_between(const ConeProblem& problem, const RowVector& impulses,
                                const RowVector& gap, const KnownAnswer& known,
                                const Communicator& comm) {
  RowVector change = impulses, moved = gap, image = known.gap;
  AnswerDistance distance;
  for (std::size_t i = 0; i < change.size(); ++i) {
    change[i] -= known.impulses[i];
    moved[i] -= known.gap[i];
    image[i] -= problem.free_velocity[i];
    distance.velocity = std::max(distance.velocity, std::abs(moved[i]));
  }
  std::array<double, 1> largest{distance.velocity};  // mirrors are the same numbers once more
  comm.largest(largest);
  distance.velocity = largest[0];
  // an antisymmetric part of N does no work: both are quadratic forms of the symmetric one
  const double difference = std::max(0.0, dot_product(problem.cones, change, moved, comm));
  const double size = std::max(0.0, dot_product(problem.cones, known.impulses, image, comm));
  distance.energy_norm = std::sqrt(size > 0.0 ? difference / size : difference);
  return distance;
}

namespace {

/// r_p,s = t_p,s / min over methods of t_p,s for one method s. [DolanMore02, sec. 2]
std::vector<double> ratios_of(std::size_t method, const std::vector<std::vector<double>>& costs,
                              double least_cost) {
  std::vector<double> ratios;
  for (const std::vector<double>& row : costs) {
    if (!std::isfinite(row[method])) continue;
    const double best = std::max(least_cost, *std::min_element(row.begin(), row.end()));
    ratios.push_back(std::max(least_cost, row[method]) / best);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

}  // namespace

std::vector<ProfileLine> performance_profile(const std::vector<std::string>& methods,
                                             const std::vector<std::vector<double>>& costs,
                                             double least_cost) {
  for (const std::vector<double>& row : costs) TALUS_ASSERT(row.size() == methods.size());
  const auto problems = static_cast<double>(costs.size());
  std::vector<ProfileLine> lines;
  for (std::size_t s = 0; s < methods.size(); ++s) {
    ProfileLine line{methods[s], {}, {}};
    const std::vector<double> ratios = ratios_of(s, costs, least_cost);
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      if (k + 1 < ratios.size() && ratios[k + 1] == ratios[k]) continue;
      line.tau.push_back(ratios[k]);
      line.share.push_back(static_cast<double>(k + 1) / problems);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

double share_within(const ProfileLine& line, double tau) {
  const auto above = std::upper_bound(line.tau.begin(), line.tau.end(), tau);
  return above == line.tau.begin() ? 0.0 : line.share[above - line.tau.begin() - 1];
}

}  // namespace talus
