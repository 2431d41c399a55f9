#pragma once
// Where energy came from and where it went, of a step or of many: exact sums over all ranks, the
// same bits for any number of them. Formulas: docs/algorithms/energy.md.

#include <cstdint>

namespace talus {

/// All in J. What is put in and what is taken out of the kinetic energy of bodies that impulses
/// move:
/// kinetic_end - kinetic_start = put_in() - taken_out(), but for rounding: unaccounted().
struct EnergyLedger {
  std::int64_t steps = 0;
  double kinetic_start = 0.0, kinetic_end = 0.0;
  // Put in, where positive.
  double gravity = 0.0;  ///< constant gravity: the fall of the potential energy
  double forces = 0.0;   ///< of groups and of callers
  double motors = 0.0;
  double walls = 0.0;   ///< by bodies of prescribed motion, through contacts and joints
  double bodies = 0.0;  ///< with bodies that came, less with those that went or were fixed
  // Taken out, where positive.
  double friction = 0.0;   ///< along the tangents of contacts
  double rolling = 0.0;    ///< by rolling and spinning friction
  double impact = 0.0;     ///< along normals: impacts, less what recovery of overlaps gives back
  double recovered = 0.0;  ///< that recovery, >= 0: a part of `impact`
  double cohesion = 0.0;   ///< by its pull
  double joints = 0.0;     ///< by rows of joints and limits
  double springs = 0.0;    ///< stored in them and lost by their damping; compliant contacts too
  double solver = 0.0;     ///< because answers are not exact
  double time_step = 0.0;  ///< because positions and turns are integrated with steps of h
  double late = 0.0;       ///< of `time_step`: 1/2 h m g . (v+ - v), which comes back as v does
  /// Sum of |what each contact or row has in `solver`|: there they may cancel.
  double solver_magnitude = 0.0;
  /// Of many steps: what went through, the sum over the steps of |what each source has put in|, and
  /// the largest kinetic energy that there was.
  double through = 0.0, kinetic_most = 0.0;
  double free_fall = 0.0;  ///< what gravity gives all bodies from rest in a step; of many the most

  double put_in() const { return gravity + forces + motors + walls + bodies; }
  /// What went through, of a single step.
  double moved() const;
  double taken_out() const {
    return friction + rolling + impact + cohesion + joints + springs + solver + time_step;
  }
  double unaccounted() const { return put_in() - taken_out() - (kinetic_end - kinetic_start); }
  /// The next step.
  void add(const EnergyLedger& next);
};

}  // namespace talus
