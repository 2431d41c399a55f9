#pragma once
// Boxes of any sizes, sorted into grids: one level of cells per factor of about 4 in size. A box
// stands in the one cell of its level that holds its low corner, so that a search looks into the
// few cells from which a box can reach it. [Ericson05, section 7.2]

#include "talus/geometry/shape.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// Places of boxes that a search found; its memory is used again.
struct GridHits {
  std::vector<Index> places;
  std::size_t count = 0;
};

class HierarchicalGrid {
 public:
  /// Sorts the boxes `which` of `boxes`, all of them finite. Boxes of a level have neighbouring
  /// places, small levels come first; inside a level, boxes of a row of cells do.
  void build(const std::vector<Bounds>& boxes, const std::vector<Index>& which);

  Index count() const { return static_cast<Index>(box_.size()); }
  std::size_t level_count() const { return levels_.size(); }
  const Bounds& box(Index place) const { return box_[place]; }
  /// Its index in `boxes`.
  Index body(Index place) const { return body_[place]; }
  Index first_of(std::size_t level) const { return levels_[level].end - levels_[level].count; }
  Index end_of(std::size_t level) const { return levels_[level].end; }
  /// What it costs to search level `other` from all boxes of `level`: rows of cells.
  double rows_searched(std::size_t level, std::size_t other) const;
  /// Of all boxes of a level.
  const Bounds& bounds(std::size_t level) const { return levels_[level].bounds; }

  /// Overwrites `hits` with the places after `after` of boxes of a level that overlap `box`, each
  /// once. Thread-safe.
  void search(const Bounds& box, std::size_t level, Index after, GridHits& hits) const;

 private:
  struct Axis {
    double origin = 0.0, inverse = 0.0;  ///< cell of x: (x - origin) inverse, rounded down
    double cells = 0.0;                  ///< a whole number
    /// What is counted and stored. A level with many more cells than boxes folds them: cell i is
    /// kept in bucket i modulo `buckets`, together with cells far away.
    std::int64_t buckets = 1;
  };
  struct Level {
    double extent = 0.0;  ///< no box of it is longer
    Bounds bounds, lows;  ///< of the boxes; of their low corners
    std::array<Axis, 3> axes;
    std::size_t first_bucket = 0;
    Index count = 0, end = 0;  ///< boxes; the place after the last
  };
  /// Buckets of an axis to look into: `count` of them from `first`, around the end.
  struct Range {
    std::int64_t first = 0, count = 0;
  };
  static std::int64_t bucket(const Axis& axis, double x);
  static Range range(const Axis& axis, double low, double high);
  static std::size_t bucket_of(const Level& level, const Vec3& low);

  void choose_levels(const std::vector<Bounds>& boxes, const std::vector<Index>& which);
  void measure_levels(const std::vector<Bounds>& boxes, const std::vector<Index>& which);
  static void lay_cells(Level& level);
  void sort(const std::vector<Bounds>& boxes, const std::vector<Index>& which);
  void scan(const Bounds& box, std::size_t first_bucket, std::size_t buckets, Index after,
            GridHits& hits) const;

  std::vector<Level> levels_;  ///< from small to large
  std::vector<Bounds> box_;    ///< by place
  std::vector<Index> body_;    ///< by place
  std::vector<Index> start_;   ///< by bucket: its first place; one more at the end

  // Workspace of build().
  std::vector<Index> in_bin_;
  std::vector<std::uint16_t> level_of_bin_;
  std::vector<std::uint16_t> level_of_box_;  ///< by number in `which`
  std::vector<std::size_t> bucket_of_box_;   ///< by number in `which`
};

}  // namespace talus
