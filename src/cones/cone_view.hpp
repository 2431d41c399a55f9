#pragma once
// The arrays of a ConeSet as plain pointers, for kernel files.

namespace talus {

struct ConeSet;

struct ConeView {
  int scalar_tiles, planar_tiles, spatial_tiles;
  int planar_first_row, planar_first_slot, spatial_first_row, spatial_first_slot;
  const double *lower, *upper, *cosine, *sine, *axis;
};

ConeView view_of(const ConeSet& cones);

/// project_spatial without classes: the way out of a kernel for magnitudes whose squares leave the
/// range of double.
void project_spatial_plain(const double* x, const double* axis, double cosine, double sine,
                           double* projected);

}  // namespace talus
