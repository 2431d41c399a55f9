#pragma once
// Which rows form which cone, and where a row is stored.
//
// Cones come in four groups: scalar rows (free, non-negative, box: all are intervals [lower,
// upper]), planar friction cones (2 rows: n, t), spatial friction cones (3 rows) and rolling cones
// (6 rows: a force and a torque). Each group is stored in tiles of eight cones, row-major inside
// the tile, so that the eight lanes of a vector are eight cones:
//
//   row vector  | scalar tiles: 8 numbers | planar tiles: 8 n, 8 t | spatial tiles: 8 x, 8 y, 8 z |
//               | rolling tiles: 8 x, 8 y, 8 z of the force, then 8 x, 8 y, 8 z of the torque |
//   slot vector | 8 numbers per tile in the same order of groups: one number per cone |
//
// The last tile of a group is filled up with cones that hold only zero. A spatial or rolling cone
// lies about its `axis`: the world-frame contact normal, or (1, 0, 0) where rows are given in the
// contact's own frame (FCLib). In each group the cones this rank owns come first, then mirrors,
// each part in whole tiles.
//
// A rolling cone is {n >= 0, |t| <= mu n, |m_R| <= mu_r n, |m_S| <= mu_s n}, where m_S is the part
// of the torque along the axis and m_R the part across. Its torque rows are stored divided by a
// length of the cone, and its angular gap velocities multiplied by it, so that all six rows are in
// N s and m/s. docs/decisions/008.

#include "talus/core/types.hpp"

#include <array>

namespace talus {

inline constexpr Index lanes = 8;

/// Smallest multiple of the lane count that holds `count`.
inline Index padded(Index count) {
  return (count + lanes - 1) / lanes * lanes;
}

/// How many cones of each group.
struct ConeCounts {
  Index scalar = 0, planar = 0, spatial = 0, rolling = 0;
};

/// The six rows of a rolling cone: force and torque of an impulse, or velocity and angular velocity
/// of a gap, in units of the force and of the velocity.
struct SixRows {
  Vec3 linear, angular;
};

/// Coefficients of a rolling cone: mu without unit; mu_r and mu_s are lengths. Each 0 to infinity.
struct RollingFriction {
  double sliding = 0.0, rolling = 0.0, spinning = 0.0;
};

struct ConeSet {
  // Owned cones: every measure, sum and count is over these.
  Index scalar_count = 0;   ///< free, non-negative and box rows
  Index planar_count = 0;   ///< friction cones with 2 rows
  Index spatial_count = 0;  ///< friction cones with 3 rows
  Index rolling_count = 0;  ///< cones with 6 rows
  /// Cones that another rank owns and this one computes too, bit for bit the same, because they
  /// touch its bodies. Mirror m of a group is cone padded(count) + m. They take part in products
  /// and updates, never in sums.
  ConeCounts mirrors;

  RowVector lower, upper;  ///< per scalar slot; +-infinity allowed
  /// Per slot of all groups: coefficient of friction, and cosine and sine of the cone's half angle,
  /// which stay finite for every mu from 0 to infinity. Scalar slots hold 0, 1, 0.
  RowVector friction, cosine, sine;
  /// Unit axes, 24 numbers per tile laid out as spatial rows: spatial tiles, then rolling tiles.
  RowVector axis;
  std::vector<Vec3> tangent;  ///< per frame (see rolling_frame): first tangent t1; t2 = axis x t1

  /// Rolling cones have so many rows in files and in a Solution: 3 in the plane (n, t, r), 5
  /// without spin (n, t1, t2, r1, r2), or 6 (n, t1, t2, r1, r2, s).
  Index rolling_rows = 6;
  /// Per rolling slot of the group: mu_r and mu_s divided by the cone's length; that length, m.
  RowVector rolling_friction, spinning_friction, rolling_length;

  Index scalar_slots() const { return padded(scalar_count) + padded(mirrors.scalar); }
  Index planar_slots() const { return padded(planar_count) + padded(mirrors.planar); }
  Index spatial_slots() const { return padded(spatial_count) + padded(mirrors.spatial); }
  Index rolling_slots() const { return padded(rolling_count) + padded(mirrors.rolling); }
  Index owned_tiles() const {
    return (padded(scalar_count) + padded(planar_count) + padded(spatial_count) +
            padded(rolling_count)) /
           lanes;
  }
  Index mirrored_tiles() const { return slots() / lanes - owned_tiles(); }

  Index planar_first_row() const { return scalar_slots(); }
  Index spatial_first_row() const { return planar_first_row() + 2 * planar_slots(); }
  Index rolling_first_row() const { return spatial_first_row() + 3 * spatial_slots(); }
  /// Length of a row vector, filling included.
  Index stored_rows() const { return rolling_first_row() + 6 * rolling_slots(); }
  /// Owned rows that mean something (of rolling cones: those that count).
  Index row_count() const;
  /// Contact rows in a Solution.
  Index solution_rows() const {
    return 2 * planar_count + 3 * spatial_count + rolling_rows * rolling_count;
  }

  Index planar_first_slot() const { return scalar_slots(); }
  Index spatial_first_slot() const { return planar_first_slot() + planar_slots(); }
  Index rolling_first_slot() const { return spatial_first_slot() + spatial_slots(); }
  /// Length of a slot vector, filling included.
  Index slots() const { return rolling_first_slot() + rolling_slots(); }
  Index cone_count() const { return scalar_count + contact_count(); }
  Index contact_count() const { return planar_count + spatial_count + rolling_count; }

  Index scalar_row(Index i) const { return i; }
  Index planar_row(Index c, Index k) const {
    return planar_first_row() + c / lanes * (2 * lanes) + k * lanes + c % lanes;
  }
  Index spatial_row(Index c, Index k) const {
    return spatial_first_row() + c / lanes * (3 * lanes) + k * lanes + c % lanes;
  }
  /// k = 0, 1, 2: force; 3, 4, 5: torque.
  Index rolling_row(Index c, Index k) const {
    return rolling_first_row() + c / lanes * (6 * lanes) + k * lanes + c % lanes;
  }
  Index planar_slot(Index c) const { return planar_first_slot() + c; }
  Index spatial_slot(Index c) const { return spatial_first_slot() + c; }
  Index rolling_slot(Index c) const { return rolling_first_slot() + c; }
  /// The contact frame of rolling cone c; that of spatial cone c is c itself.
  Index rolling_frame(Index c) const { return spatial_slots() + c; }

  bool is_free(Index i) const { return lower[i] == -infinity && upper[i] == infinity; }
  Vec3 axis_of(Index frame) const {
    const auto i = static_cast<std::size_t>(frame / lanes * (3 * lanes) + frame % lanes);
    return {axis[i], axis[i + lanes], axis[i + 2 * lanes]};
  }
  /// Coefficients as stored: those of rolling and spinning divided by the cone's length.
  RollingFriction rolling_friction_of(Index c) const;
  /// Which rows (n, t1, t2, r1, r2, s) of rolling cone c count in means and in the number of rows.
  /// A row that friction pins to zero does not, nor one that a file does not have: a contact that
  /// does not roll counts as it would among spatial cones.
  std::array<bool, 6> rows_that_count(Index c) const;
  /// No friction of any kind: the Coulomb law is then the associated law.
  bool frictionless() const;
};

/// visit(cone, owned) for the cones of one group that mean something: owned ones, then mirrors.
template <class Visit>
void each_stored(Index count, Index mirrors, const Visit& visit) {
  for (Index c = 0; c < count; ++c) visit(c, true);
  for (Index m = 0; m < mirrors; ++m) visit(padded(count) + m, false);
}

/// visit(row, slot) for the rows of the first `count` cones of each group.
template <class Visit>
void each_row_of(const ConeSet& cones, const ConeCounts& count, const Visit& visit) {
  for (Index i = 0; i < count.scalar; ++i) visit(cones.scalar_row(i), i);
  for (Index c = 0; c < count.planar; ++c)
    for (Index k = 0; k < 2; ++k) visit(cones.planar_row(c, k), cones.planar_slot(c));
  for (Index c = 0; c < count.spatial; ++c)
    for (Index k = 0; k < 3; ++k) visit(cones.spatial_row(c, k), cones.spatial_slot(c));
  for (Index c = 0; c < count.rolling; ++c)
    for (Index k = 0; k < 6; ++k) visit(cones.rolling_row(c, k), cones.rolling_slot(c));
}
/// All stored rows, filling and mirrors included.
template <class Visit>
void each_stored_row(const ConeSet& cones, const Visit& visit) {
  each_row_of(
      cones,
      {cones.scalar_slots(), cones.planar_slots(), cones.spatial_slots(), cones.rolling_slots()},
      visit);
}
template <class Visit>
void each_owned_row(const ConeSet& cones, const Visit& visit) {
  each_row_of(cones,
              {cones.scalar_count, cones.planar_count, cones.spatial_count, cones.rolling_count},
              visit);
}

/// A set with all arrays sized, filling set, scalar rows free, cones frictionless about (1, 0, 0),
/// lengths of rolling cones 1.
ConeSet make_cone_set(const ConeCounts& owned, const ConeCounts& mirrors = {});
ConeSet make_cone_set(Index scalar_count, Index planar_count, Index spatial_count,
                      const ConeCounts& mirrors = {});

void set_interval(ConeSet& cones, Index i, double lower, double upper);
void set_planar_friction(ConeSet& cones, Index c, double mu);
/// `tangent` is made orthogonal to `axis`; a zero tangent is replaced by tangent_of(axis).
void set_spatial_friction(ConeSet& cones, Index c, double mu, const Vec3& axis,
                          const Vec3& tangent);
/// mu_r and mu_s in metres; they are stored divided by the cone's length.
void set_rolling_friction(ConeSet& cones, Index c, const RollingFriction& friction,
                          const Vec3& axis, const Vec3& tangent);
/// Changes the unit of the torque rows; the cone stays the same.
void set_rolling_length(ConeSet& cones, Index c, double length);

/// The same first tangent for the same normal on every machine: the coordinate axis least aligned
/// with it, made orthogonal.
Vec3 tangent_of(const Vec3& axis);

/// The rows of one spatial or rolling cone as vectors, and back.
inline Vec3 spatial_value(const ConeSet& cones, const RowVector& rows, Index c) {
  const auto first = static_cast<std::size_t>(cones.spatial_row(c, 0));
  return {rows[first], rows[first + lanes], rows[first + 2 * lanes]};
}
inline void set_spatial_value(const ConeSet& cones, RowVector& rows, Index c, const Vec3& value) {
  const auto first = static_cast<std::size_t>(cones.spatial_row(c, 0));
  rows[first] = value.x;
  rows[first + lanes] = value.y;
  rows[first + 2 * lanes] = value.z;
}
SixRows rolling_value(const ConeSet& cones, const RowVector& rows, Index c);
void set_rolling_value(const ConeSet& cones, RowVector& rows, Index c, const SixRows& value);

/// (n, t1, t2) components of a vector that is stored along (x, y, z), and back.
inline Vec3 to_contact_frame(const ConeSet& cones, Index frame, const Vec3& value) {
  const Vec3 normal = cones.axis_of(frame);
  const Vec3& tangent = cones.tangent[frame];
  return {dot(normal, value), dot(tangent, value), dot(cross(normal, tangent), value)};
}
inline Vec3 from_contact_frame(const ConeSet& cones, Index frame, const Vec3& components) {
  const Vec3 normal = cones.axis_of(frame);
  const Vec3& tangent = cones.tangent[frame];
  return components.x * normal + components.y * tangent + components.z * cross(normal, tangent);
}
/// The same for both vectors of a rolling cone: (n, t1, t2 | s, r1, r2).
SixRows rolling_to_contact_frame(const ConeSet& cones, Index c, const SixRows& value);
SixRows rolling_from_contact_frame(const ConeSet& cones, Index c, const SixRows& components);

}  // namespace talus
