#include "talus/metrics/measures.hpp"

#include "talus/core/error.hpp"

#include "cones/projection.hpp"
#include "core/arithmetic.hpp"
#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace talus {
namespace {

bool is_relative(Measure measure) {
  return measure == Measure::NaturalRelative || measure == Measure::NaturalTau;
}

double numerator(Measure measure, const Iterate& iterate) {
  switch (measure) {
    case Measure::Natural:
    case Measure::NaturalRelative:
      return natural_residual(iterate);
    case Measure::NaturalVelocity:
      return natural_velocity(iterate);
    case Measure::NaturalLocal:
      return natural_local(iterate);
    case Measure::NaturalTau:
      return natural_tau(iterate);
    case Measure::Energy:
      return energy_error(iterate);
    case Measure::FischerBurmeister:
      return fischer_burmeister(iterate);
    case Measure::Siconos:
      return siconos_error(iterate);
    case Measure::SiconosInvariant:
      return siconos_invariant_error(iterate);
    case Measure::Bilateral:
      return bilateral_violation(iterate);
    case Measure::PenalisedGap:
      break;
  }
  return penalised_gap(iterate);
}

void add(RowVector& sum, const RowVector& term) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += term[i];
}

}  // namespace

void evaluate_gap(const ConeProblem& problem, Law law, const RowVector& x, RowVector& gap) {
  const StandardArithmetic arithmetic;
  gap.resize(x.size());
  problem.delassus->apply(x, gap);
  add(gap, problem.free_velocity);
  if (law != Law::Coulomb || problem.skew == nullptr) return;
  RowVector skew_part(x.size());
  problem.skew->apply(x, skew_part);
  add(gap, skew_part);
}

// NOLINTNEXTLINE(readability-function-size): seven, because all of it defines the one number
double evaluate(Measure measure, const ConeProblem& problem, Law law, const RowVector& x,
                const RowVector& gap, double reference, const Communicator& comm) {
  const StandardArithmetic arithmetic;
  const double value = numerator(measure, {problem, law, x, gap, comm});
  return is_relative(measure) ? value / reference : value;
}

double reference_of(Measure measure, const ConeProblem& problem, Law law,
                    const Communicator& comm) {
  const StandardArithmetic arithmetic;
  if (!is_relative(measure)) return 1.0;
  RowVector start;
  project(problem.cones, RowVector(static_cast<std::size_t>(problem.stored_rows()), 0.0), start);
  // Only intervals that do not hold 0 move the start; they alone cost a product.
  const bool at_zero = comm.all_agree(
      std::all_of(start.begin(), start.end(), [](double value) { return value == 0.0; }));
  RowVector gap = problem.free_velocity;
  if (!at_zero) evaluate_gap(problem, law, start, gap);
  const double value = numerator(measure, {problem, law, start, gap, comm});
  return value == 0.0 ? 1.0 : value;
}

ErrorReport evaluate_all(const ConeProblem& problem, Law law, const RowVector& x,
                         const RowVector& gap, const Communicator& comm) {
  const StandardArithmetic arithmetic;
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  const Iterate iterate{problem, law, x, gap, comm};
  ErrorReport report;
  report.natural = natural_residual(iterate);
  report.natural_relative =
      report.natural / reference_of(Measure::NaturalRelative, problem, law, comm);
  evaluate_velocities(problem, law, x, gap, comm, report);
  report.natural_tau = natural_tau(iterate) / reference_of(Measure::NaturalTau, problem, law, comm);
  report.energy = energy_error(iterate);
  report.fischer_burmeister = fischer_burmeister(iterate);
  const bool any_contacts = problem.total_contacts > 0;
  report.siconos = any_contacts ? siconos_error(iterate) : undefined;
  report.siconos_invariant = any_contacts ? siconos_invariant_error(iterate) : undefined;
  report.bilateral = bilateral_violation(iterate);
  report.objective = objective(iterate);
  report.duality_gap = duality_gap(iterate);
  report.penalised_gap = penalised_gap(iterate);
  report.dual_violation = dual_violation(iterate);
  return report;
}

// The names of laws and measures, as users write and read them.

namespace {

// In the order of the enumerators.
const std::vector<std::string>& law_names() {
  static const std::vector<std::string> names{"coulomb", "associated", "box"};
  return names;
}

std::size_t index_of(const std::string& name, const std::vector<std::string>& names,
                     const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("unknown {} '{}': {}known are {}", what, name,
                                 did_you_mean(name, names, "'"), fmt::join(names, ", ")));
  return static_cast<std::size_t>(std::distance(names.begin(), found));
}

}  // namespace

const std::vector<std::string>& measure_names() {
  static const std::vector<std::string> names{
      "natural",   "natural_relative",   "natural_velocity", "natural_tau",
      "energy",    "fischer_burmeister", "siconos",          "siconos_invariant",
      "bilateral", "penalised_gap",      "natural_local"};
  return names;
}

std::string name_of(Law law) {
  return law_names().at(static_cast<std::size_t>(law));
}

std::string name_of(Measure measure) {
  return measure_names().at(static_cast<std::size_t>(measure));
}

Law law_named(const std::string& name) {
  return static_cast<Law>(index_of(name, law_names(), "law"));
}

Measure measure_named(const std::string& name) {
  return static_cast<Measure>(index_of(name, measure_names(), "measure"));
}

}  // namespace talus
