#pragma once
// Angles and frames of eight friction cones at a time, with the bits of set_spatial_friction().
// Plain pointers: included by the kernel file.

namespace talus {

struct FramePass {
  // given, per cone: mu; three numbers each of the axis and of a direction for the first tangent
  const double *friction, *axis, *direction;
  // made: per slot, 24 per tile, three per cone
  double *mu, *cosine, *sine, *axis_tiles, *tangent;
  int count;  ///< of cones, from the first of tile 0 on
};

/// Of tiles [begin, end); the last one may have lanes without a cone, which stay as they are.
using FrameTiles = void(const FramePass&, int begin, int end);

/// tangent_of() of `axis`: three numbers per cone, of `count` cones.
using Tangents = void(const double* axis, double* tangent, int count);

struct FramedPass {
  const double *axis_tiles, *tangent;  ///< as made above
  const double* parts;                 ///< (n, t1, t2) per cone
  const double* factor;                ///< per cone, of the parts; null: 1
  double* rows;                        ///< x of the first cone
  int stride;                          ///< between tiles of rows
  int count;
};

/// Adds vectors that are given by their parts: from_contact_frame(). Tiles [begin, end).
using AddFramed = void(const FramedPass&, int begin, int end);

struct FrameKernels {
  FrameTiles* make;
  AddFramed* add;
  Tangents* tangents;
};
/// Of the level in use (core/simd.hpp).
const FrameKernels& frame_kernels();

}  // namespace talus
