#pragma once
// The arrays of a ConeSet as plain pointers, for kernel files.

namespace talus {

struct ConeSet;

/// The tiles of one part of the rows: those that sums are taken over, or the mirrors behind them.
enum class RowPart { Owned, Mirrored };

struct ConeView {
  int scalar_tiles, planar_tiles, spatial_tiles, rolling_tiles;
  int scalar_first, planar_first_row, planar_first_slot, spatial_first_row, spatial_first_slot;
  int rolling_first_row, rolling_first_slot;
  const double *lower, *upper, *friction, *cosine, *sine;  ///< by slot
  /// Of the first spatial tile of the part. Tangents: three numbers per cone, one after another.
  const double *axis, *tangent;
  /// Of the first rolling tile of the part.
  const double *rolling_axis, *rolling_tangent, *rolling_friction, *spinning_friction;

  int tiles() const { return scalar_tiles + planar_tiles + spatial_tiles + rolling_tiles; }
};

ConeView view_of(const ConeSet& cones, RowPart part);

/// project_spatial and project_rolling without classes: the way out of a kernel for magnitudes
/// whose squares leave the range of double.
void project_spatial_plain(const double* x, const double* axis, double cosine, double sine,
                           double* projected);
/// `friction`: sliding, rolling, spinning.
void project_rolling_plain(const double* x, const double* axis, const double* friction,
                           double* projected);

}  // namespace talus
