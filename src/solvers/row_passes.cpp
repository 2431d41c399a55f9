#include "solvers/row_passes.hpp"

#include "talus/core/error.hpp"

#include <cmath>

namespace talus {
namespace {

bool is_natural_map(Measure measure) {
  switch (measure) {
    case Measure::Natural:
    case Measure::NaturalRelative:
    case Measure::NaturalVelocity:
    case Measure::NaturalTau:
    case Measure::Energy:
      return true;
    case Measure::FischerBurmeister:
    case Measure::Siconos:
    case Measure::SiconosInvariant:
    case Measure::Bilateral:
    case Measure::DualityGap:
      break;
  }
  return false;
}

}  // namespace

FusedMeasure::FusedMeasure(const ConeProblem& problem, Measure measure, const Communicator& comm)
    : problem_(problem),
      measure_(measure),
      comm_(comm),
      reference_(reference_of(measure, problem, Law::Associated, comm)) {
  const double tau = 1.0 / problem.mean_diagonal;
  for (const double g : problem.scale) {
    switch (measure) {
      case Measure::NaturalTau:
        inverse_scale_.push_back(tau);
        weight_.push_back(1.0 / (tau * tau));
        break;
      case Measure::NaturalVelocity:
        inverse_scale_.push_back(1.0 / g);
        weight_.push_back(g * g);
        break;
      case Measure::Energy:
        inverse_scale_.push_back(1.0 / g);
        weight_.push_back(0.5 * g);
        break;
      default:
        inverse_scale_.push_back(1.0 / g);
        weight_.push_back(g);
    }
  }
}

double FusedMeasure::finish(double sum, const RowVector& x, const RowVector& gap) const {
  if (!is_natural_map(measure_))
    return evaluate(measure_, problem_, Law::Associated, x, gap, reference_, comm_);
  if (measure_ == Measure::Energy) return sum;
  if (measure_ == Measure::NaturalVelocity)
    return std::sqrt(sum / std::max<Index>(1, problem_.cones.cone_count()));
  return std::sqrt(sum) / reference_;
}

Preconditioner make_preconditioner(const ConeProblem& problem, bool averaged) {
  Preconditioner p;
  p.scale = problem.scale;
  if (!averaged) p.scale.assign(p.scale.size(), problem.mean_diagonal);
  for (const double scale : p.scale) p.inverse_scale.push_back(1.0 / scale);
  return p;
}

void fresh_gradient(const ConeProblem& problem, const RowVector& x, RowVector& g) {
  problem.delassus->apply(x, g);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] += problem.free_gap[i];
}

}  // namespace talus
