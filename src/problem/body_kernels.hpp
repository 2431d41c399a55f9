#pragma once
// The two steps of a product with N for rigid bodies. Plain pointers: included by the kernel file.

namespace talus {

struct BodyPass {
  // bodies
  const long* contact_start;      ///< per body, into contact_entry
  const unsigned* contact_entry;  ///< 2 * contact + (1 where the body is A), key order
  const double* centre;           ///< 3 per body, relative to the origin
  const double* inverse;          ///< 8 per body: 1/m, inverse inertia xx xy xz yy yz zz, 0
  const double* wrench;           ///< 6 per body, from joints; null where there are none
  double* lines;  ///< 8 per body: velocity of its point at the origin, 0, angular velocity, 0
  // contacts, tiles of eight
  const int *body_a, *body_b;  ///< per slot
  const double* point;         ///< 24 per tile
  const double* axis;          ///< likewise, of contacts with compliance; null where none has any
  const double* offset;  ///< 24 per tile: from the point on A to that on B; null where all are zero
  const double *normal_compliance, *tangent_compliance;  ///< per slot; null where all are zero
  /// Per slot, of rolling contacts: torque rows are divided by it. Null: contacts have force rows
  /// only. Rows take 48 numbers per tile with torques, 24 without.
  const double* length;
};

/// Three numbers of each body, so many apart.
struct BodyVectors {
  const double* first;
  int stride;
};

/// What the set-up of a problem computes from the bodies of each contact, once. Levers are
/// differences of points in the world. At least one body.
struct SetUpPass {
  const int *body_a, *body_b;  ///< per contact; the number of bodies stands for the world
  int world;
  BodyVectors centre, velocity, spin;
  const double* inverse;            ///< 8 per body and the world, as above
  const double *point_a, *point_b;  ///< 3 per contact
  const double *axis, *normal_compliance, *tangent_compliance, *length;  ///< as above
  double* rows;  ///< of the contacts; what is filling stays as it is
  int contacts;  ///< the last tile may have fewer
};

struct BodyKernels {
  /// Lines of bodies [begin, end) from the impulses x of the contacts.
  void (*accumulate)(const BodyPass&, const double* x, long begin, long end);
  /// Wrenches on a body of the contacts in `entries`, as in contact_entry: component k of number i
  /// becomes terms[k * stride + i].
  void (*wrench_terms)(const BodyPass&, const double* x, long body, const unsigned* entries,
                       long count, double* terms, long stride);
  /// Rows y of contact tiles [begin, end) from the lines; x only for compliance.
  void (*contact_gaps)(const BodyPass&, const double* x, double* y, int begin, int end);
  /// Relative velocities of contact tiles [begin, end).
  void (*relative_velocities)(const SetUpPass&, int begin, int end);
  /// The diagonal of N there: of x, y, z and, where contacts roll, of the three turns.
  void (*diagonal)(const SetUpPass&, int begin, int end);
};

const BodyKernels& body_kernels();

}  // namespace talus
