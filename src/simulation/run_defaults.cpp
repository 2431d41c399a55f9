#include "talus/simulation/run_defaults.hpp"

namespace talus {

SolveOptions run_defaults() {
  SolveOptions options;
  options.measure = Measure::NaturalLocal;
  options.tolerance = 0.0;
  options.max_iterations = 1000;
  options.automatic.first = Method::Pspgfb;
  options.brief = true;
  return options;
}

}  // namespace talus
