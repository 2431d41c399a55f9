#pragma once
// The tolerance of a run that names none: from all that acts. docs/algorithms/stepping.md.

#include "talus/metrics/measures.hpp"
#include "talus/model/scene.hpp"
#include "talus/parallel/communicator.hpp"

#include <string>

namespace talus {

struct DefaultTolerance {
  double value = 0.0;  ///< m/s, positive
  std::string reason;  ///< what of all that acts has set it
};

/// Of a measure in m/s. `size`: of the smallest body that moves, m (0: none). Before the first
/// step; every rank has its share of the bodies, and all get the same. Collective.
DefaultTolerance default_tolerance(const Scene& scene, const World& world, Measure measure,
                                   double size, const Communicator& comm);

/// Of what the tolerance allows within a step, h times it: what the worst contacts may open or
/// close.
double worst_over_tolerance(Measure measure);

}  // namespace talus
