#pragma once
// Blocks and rows of rolling cones in other frames and units, and the order in which files have
// them.

#include "talus/cones/cone_set.hpp"

namespace talus {

/// Stored row of a rolling cone's k-th row in files, (n, t1, t2, r1, r2, s) or (n, t, r) in the
/// plane, for cones whose frame is (1, 0, 0), (0, 1, 0): 0 .. 5, for ConeSet::rolling_row.
Index place_of_file_row(const ConeSet& cones, Index k);

/// Rows and columns (n, t1, t2 | s, r1, r2).
Mat6 in_contact_frame(const ConeSet& cones, Index c, const Mat6& block);

/// Torque rows in N m s and angular velocities in rad/s: as if the cone's length were 1.
Mat6 in_given_units(const ConeSet& cones, Index c, const Mat6& block);

/// Infinity norm in the contact frame and given units, which are those of Siconos's figures. The
/// spin row is left out where it does not count.
double rolling_block_norm(const ConeSet& cones, Index c, const Mat6& block);

/// Which rows (n, t1, t2 | s, r1, r2) of a rolling cone count: ConeSet::rows_that_count in the
/// order of storage.
std::array<bool, 6> places_that_count(const ConeSet& cones, Index c);

}  // namespace talus
