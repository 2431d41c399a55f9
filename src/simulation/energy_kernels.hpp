#pragma once
// What eight contacts do to the energies of bodies. Plain numbers: included by the kernel file.

namespace talus {

/// A centre, and velocities half way through the step; a number of filling each.
struct alignas(32) HalfwayBody {
  double position[4], linear[4], angular[4];
};

/// What eight spatial cones at a time are read from.
struct ContactPass {
  const HalfwayBody* bodies;
  // per contact of the world, vectors as three numbers
  const int *body_a, *body_b;
  const double *point, *normal, *gap;
  const double* point_b;     ///< null: the same
  const double* compliance;  ///< m/N; null: none has any
  const double* pull;        ///< of cohesion, N s; null: none is pulled
  // per cone, in tiles as stored
  const int* contact;  ///< of the world
  const double *impulses, *gap_velocities, *friction;
  bool associated;  ///< the law; else Coulomb's
};

/// J: 0 of contacts that neither push nor pull.
struct ContactTileEnergies {
  alignas(64) double impact[8], recovered[8], springs[8], friction[8], solver[8],
      solver_magnitude[8], cohesion[8];
};

using ContactTileKernel = void(const ContactPass&, int tile, ContactTileEnergies&);

/// Of the level in use (core/simd.hpp). Bit by bit what ContactEnergies::add() has of each contact.
ContactTileKernel& contact_tile_energies();

}  // namespace talus
