#pragma once
// From the velocities of a solve to the next positions.

#include "talus/model/world.hpp"
#include "talus/stepping/step_settings.hpp"

#include <vector>

namespace talus {

/// Velocities of kinematic bodies over the step [t, t + h]: with them they are at t + h where their
/// motion says.
void set_kinematic_velocities(World& world, double h);

/// Moves every body that this rank owns, and those with prescribed motions, by a step: x + h v, q
/// turned exactly by h w. Angular momenta stay what the solve has made them. `velocities`: 6 per
/// body (of bodies that impulses move), of a problem with the inertias of body_rows(). Adds the
/// ticks of a step to the time and 1 to the steps.
void integrate(World& world, const StepSettings& settings, const std::vector<Vec6>& velocities);

/// Brings centres of the same bodies back into the cell along periodic axes. Returns the periods
/// per body, of ghosts none: shift_images() asks for theirs too.
std::vector<Shift> wrap(World& world);
/// A place likewise; what is in the cell or on its ends stays, and what rounding leaves outside is
/// put on its end.
Vec3 brought_back(const Domain& domain, const Vec3& place);
/// The names and points of contacts follow their bodies.
void shift_images(World& world, const std::vector<Shift>& shifts);

}  // namespace talus
