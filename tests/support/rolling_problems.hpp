#pragma once
// Problems with rolling friction whose exact solution is known, made as in
// manufactured_problem.hpp: complementary pairs first, then data of which they are the answer.
// Nothing here uses the operators, projections or measures under test.

#include "support/manufactured_problem.hpp"

namespace talus::support {

struct RollingOptions {
  Law law = Law::Associated;
  Index contacts = 20;
  Index free_rows = 3;
  int dimension = 3;                                  ///< matrices only
  bool spinning = true;                               ///< bodies only: else mu_s = 0 everywhere
  bool mixed = true;                                  ///< every fifth contact does not roll
  double friction = 0.3, rolling = 0.1, spin = 0.05;  ///< mean coefficients: each varies by half
  double asymmetry = 0.0;  ///< local only: max |W - W^T| / max |W|, about
  std::uint64_t seed = 1;
};

/// A tree of as many bodies as contacts, of different mass and inertia. Angular velocities cannot
/// be biased, so that bodies share three spins: contacts between bodies of one spin do not roll. At
/// least 2 free_rows contacts.
Manufactured manufacture_rolling_bodies(const RollingOptions& options);
/// W, V and R from random rows.
Manufactured manufacture_rolling_local(const RollingOptions& options);
/// The same rows with a mass that is not block diagonal.
Manufactured manufacture_rolling_global(const RollingOptions& options);

}  // namespace talus::support
