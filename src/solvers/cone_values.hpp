#pragma once
// The impulses of one cone in its contact frame. Friction cones count planar ones first, then
// spatial ones, and speak the contact frame (n, t1, t2); a planar cone has t2 = 0. Rolling cones
// are counted apart: (n, t1, t2 | s, r1, r2), torques in the units of forces.

#include "talus/cones/cone_set.hpp"

namespace talus {

/// The impulse of a friction cone in its contact frame, and back into the stored rows.
Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse);

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse);

/// The start of box friction, whose bounds cut off and add corners of the cones: x_N >= 0 and every
/// tangent within +-mu x_N. `clipped` holds the projection on the cones and keeps its scalar rows.
void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped);

/// F A F^T, where the rows of F are the unit vectors of the frame.
Mat3 seen_from(const std::array<Vec3, 3>& frame, const Mat3& block);

}  // namespace talus
