#include "solvers/row_passes.hpp"

#include "talus/core/error.hpp"

#include "core/of_level.hpp"
#include "problem/linear_operator.hpp"
#include "solvers/pass_kernels.hpp"

#include <cmath>

namespace talus {
namespace {

/// One weight per cone. The energy under the box law has one per row.
bool is_natural_map(Measure measure, Law law) {
  switch (measure) {
    case Measure::Natural:
    case Measure::NaturalRelative:
    case Measure::NaturalVelocity:
    case Measure::NaturalLocal:
    case Measure::NaturalTau:
      return true;
    case Measure::Energy:
      return law != Law::Box;
    case Measure::FischerBurmeister:
    case Measure::Siconos:
    case Measure::SiconosInvariant:
    case Measure::Bilateral:
    case Measure::PenalisedGap:
      break;
  }
  return false;
}

}  // namespace

FusedMeasure::FusedMeasure(const ConeProblem& problem, const SolveOptions& options,
                           const Communicator& comm)
    : problem_(problem),
      measure_(options.measure),
      law_(options.law),
      comm_(comm),
      reference_(reference_of(measure_, problem, law_, comm)) {
  const RowVector& scale = problem.scale;
  inverse_scale_.resize(scale.size());
  weight_.resize(scale.size());
  const auto fill = [&](const auto& inverse, const auto& weight) {
    for (std::size_t slot = 0; slot < scale.size(); ++slot) {
      inverse_scale_[slot] = inverse(scale[slot]);
      weight_[slot] = weight(scale[slot]);
    }
  };
  const double tau = 1.0 / problem.mean_diagonal;
  const auto inverse = [](double g) { return 1.0 / g; };
  switch (measure_) {
    case Measure::NaturalTau:
      fill([&](double) { return tau; }, [&](double) { return 1.0 / (tau * tau); });
      break;
    case Measure::NaturalVelocity:
    case Measure::NaturalLocal:
      fill(inverse, [](double g) { return g * g; });
      break;
    case Measure::Energy:
      fill(inverse, [](double g) { return 0.5 * g; });
      break;
    default:
      fill(inverse, [](double g) { return g; });
  }
}

double FusedMeasure::finish(double sum, const RowVector& x, const RowVector& gap) const {
  if (!is_natural_map(measure_, law_))
    return evaluate(measure_, problem_, law_, x, gap, reference_, comm_);
  if (measure_ == Measure::Energy) return sum;
  if (measure_ == Measure::NaturalVelocity || measure_ == Measure::NaturalLocal)
    return std::sqrt(sum / static_cast<double>(std::max<GlobalId>(1, problem_.total_cones)));
  return std::sqrt(sum) / reference_;
}

Preconditioner make_preconditioner(const ConeProblem& problem, bool averaged) {
  Preconditioner p;
  p.scale = problem.scale;
  if (!averaged) p.scale.assign(p.scale.size(), problem.mean_diagonal);
  p.inverse_scale.resize(p.scale.size());
  for (std::size_t slot = 0; slot < p.scale.size(); ++slot)
    p.inverse_scale[slot] = 1.0 / p.scale[slot];
  return p;
}

Law iterated_law(const ConeProblem& problem, Law law) {
  const bool all_the_same = problem.frictionless() && (law == Law::Box || problem.skew == nullptr);
  return all_the_same ? Law::Associated : law;
}

const PassKernels& pass_kernels(Law law) {
  const LawKernels& kernels = law_kernels();
  switch (law) {
    case Law::Coulomb:
      return kernels.coulomb;
    case Law::Box:
      return kernels.box;
    case Law::Associated:
      break;
  }
  return kernels.associated;
}

void apply(const ConeProblem& problem, Law law, const RowVector& x, RowVector& image) {
  problem.delassus->apply(x, image);
  if (law != Law::Coulomb || problem.skew == nullptr) return;
  RowVector skew_part(x.size());
  problem.skew->apply(x, skew_part);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] += skew_part[i];
}

namespace baseline {
extern const LawKernels pass_kernel_table;
}
namespace v3 {
extern const LawKernels pass_kernel_table;
}
namespace v4 {
extern const LawKernels pass_kernel_table;
}

const LawKernels& law_kernels() {
  return of_level(baseline::pass_kernel_table, v3::pass_kernel_table, v4::pass_kernel_table);
}

const PassKernels& pass_kernels() {
  return law_kernels().associated;
}

}  // namespace talus
