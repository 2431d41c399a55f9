#pragma once
// Which rows form which cone, and where a row is stored.
//
// Cones come in three groups: scalar rows (free, non-negative, box: all are intervals [lower,
// upper]), planar friction cones (2 rows: n, t) and spatial friction cones (3 rows). Each group is
// stored in tiles of eight cones, row-major inside the tile, so that the eight lanes of a vector
// are eight cones:
//
//   row vector  | scalar tiles: 8 numbers | planar tiles: 8 n, 8 t | spatial tiles: 8 x, 8 y, 8 z |
//   slot vector | 8 numbers per tile in the same order of groups: one number per cone |
//
// The last tile of a group is filled up with cones that hold only zero. A spatial cone lies about
// its `axis`: the world-frame contact normal, or (1, 0, 0) where rows are given in the contact's
// own frame (FCLib). In each group the cones this rank owns come first, then mirrors, each part in
// whole tiles.

#include "talus/core/types.hpp"

#include <limits>

namespace talus {

inline constexpr Index lanes = 8;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Smallest multiple of the lane count that holds `count`.
inline Index padded(Index count) {
  return (count + lanes - 1) / lanes * lanes;
}

/// How many cones of each group.
struct ConeCounts {
  Index scalar = 0, planar = 0, spatial = 0;
};

struct ConeSet {
  // Owned cones: every measure, sum and count is over these.
  Index scalar_count = 0;   ///< free, non-negative and box rows
  Index planar_count = 0;   ///< friction cones with 2 rows
  Index spatial_count = 0;  ///< friction cones with 3 rows
  /// Cones that another rank owns and this one computes too, bit for bit the same, because they
  /// touch its bodies. Mirror m of a group is cone padded(count) + m. They take part in products
  /// and updates, never in sums.
  ConeCounts mirrors;

  RowVector lower, upper;  ///< per scalar slot; +-infinity allowed
  /// Per slot of all groups: coefficient of friction, and cosine and sine of the cone's half angle,
  /// which stay finite for every mu from 0 to infinity. Scalar slots hold 0, 1, 0.
  RowVector friction, cosine, sine;
  RowVector axis;  ///< spatial group only, 24 numbers per tile: unit axes, laid out like its rows
  std::vector<Vec3> tangent;  ///< per spatial slot of the group: first tangent t1; t2 = axis x t1

  Index scalar_slots() const { return padded(scalar_count) + padded(mirrors.scalar); }
  Index planar_slots() const { return padded(planar_count) + padded(mirrors.planar); }
  Index spatial_slots() const { return padded(spatial_count) + padded(mirrors.spatial); }
  Index owned_tiles() const {
    return (padded(scalar_count) + padded(planar_count) + padded(spatial_count)) / lanes;
  }
  Index mirrored_tiles() const { return slots() / lanes - owned_tiles(); }

  Index planar_first_row() const { return scalar_slots(); }
  Index spatial_first_row() const { return planar_first_row() + 2 * planar_slots(); }
  /// Length of a row vector, filling included.
  Index stored_rows() const { return spatial_first_row() + 3 * spatial_slots(); }
  /// Owned rows that mean something.
  Index row_count() const { return scalar_count + 2 * planar_count + 3 * spatial_count; }

  Index planar_first_slot() const { return scalar_slots(); }
  Index spatial_first_slot() const { return planar_first_slot() + planar_slots(); }
  /// Length of a slot vector, filling included.
  Index slots() const { return spatial_first_slot() + spatial_slots(); }
  Index cone_count() const { return scalar_count + planar_count + spatial_count; }

  Index scalar_row(Index i) const { return i; }
  Index planar_row(Index c, Index k) const {
    return planar_first_row() + c / lanes * (2 * lanes) + k * lanes + c % lanes;
  }
  Index spatial_row(Index c, Index k) const {
    return spatial_first_row() + c / lanes * (3 * lanes) + k * lanes + c % lanes;
  }
  Index planar_slot(Index c) const { return planar_first_slot() + c; }
  Index spatial_slot(Index c) const { return spatial_first_slot() + c; }

  bool is_free(Index i) const {
    return lower[static_cast<std::size_t>(i)] == -infinity &&
           upper[static_cast<std::size_t>(i)] == infinity;
  }
  Vec3 axis_of(Index c) const;
};

/// visit(cone, owned) for the cones of one group that mean something: owned ones, then mirrors.
template <class Visit>
void each_stored(Index count, Index mirrors, const Visit& visit) {
  for (Index c = 0; c < count; ++c) visit(c, true);
  for (Index m = 0; m < mirrors; ++m) visit(padded(count) + m, false);
}

/// A set with all arrays sized, filling set, scalar rows free, cones frictionless about (1, 0, 0).
ConeSet make_cone_set(Index scalar_count, Index planar_count, Index spatial_count,
                      const ConeCounts& mirrors = {});

void set_interval(ConeSet& cones, Index i, double lower, double upper);
void set_planar_friction(ConeSet& cones, Index c, double mu);
/// `tangent` is made orthogonal to `axis`; a zero tangent is replaced by tangent_of(axis).
void set_spatial_friction(ConeSet& cones, Index c, double mu, const Vec3& axis,
                          const Vec3& tangent);

/// The same first tangent for the same normal on every machine: the coordinate axis least aligned
/// with it, made orthogonal.
Vec3 tangent_of(const Vec3& axis);

/// The rows of one spatial cone as a vector, and back.
Vec3 spatial_value(const ConeSet& cones, const RowVector& rows, Index c);
void set_spatial_value(const ConeSet& cones, RowVector& rows, Index c, const Vec3& value);

/// (n, t1, t2) components of a vector that is stored along (x, y, z), and back.
Vec3 to_contact_frame(const ConeSet& cones, Index c, const Vec3& value);
Vec3 from_contact_frame(const ConeSet& cones, Index c, const Vec3& components);

}  // namespace talus
