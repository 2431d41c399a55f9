#include "problem/rolling_block.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr std::array<Index, 6> place_in_space{0, 1, 2, 4, 5, 3};
constexpr std::array<Index, 3> place_in_plane{0, 1, 4};

}  // namespace

Index place_of_file_row(const ConeSet& cones, Index k) {
  TALUS_ASSERT(0 <= k && k < cones.rolling_rows);
  const auto i = static_cast<std::size_t>(k);
  return cones.rolling_rows == 3 ? place_in_plane.at(i) : place_in_space.at(i);
}

Mat6 in_contact_frame(const ConeSet& cones, Index c, const Mat6& block) {
  const Index frame = cones.rolling_frame(c);
  const Vec3 n = cones.axis_of(frame), t1 = cones.tangent[frame];
  const std::array<Vec3, 3> axes{n, t1, cross(n, t1)};
  Mat6 turned{};
  // four 3 x 3 quarters, F A F^T each
  for (std::size_t up = 0; up < 6; up += 3)
    for (std::size_t left = 0; left < 6; left += 3)
      for (std::size_t j = 0; j < 3; ++j) {
        const auto row_times_axis = [&](std::size_t i) {
          const double* row = block.data() + 6 * (up + i) + left;
          return row[0] * axes[j].x + row[1] * axes[j].y + row[2] * axes[j].z;
        };
        const Vec3 image{row_times_axis(0), row_times_axis(1), row_times_axis(2)};
        for (std::size_t i = 0; i < 3; ++i) turned[6 * (up + i) + left + j] = dot(axes[i], image);
      }
  return turned;
}

Mat6 in_given_units(const ConeSet& cones, Index c, const Mat6& block) {
  const double length = cones.rolling_length[c];
  Mat6 given = block;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      if (i >= 3) given[6 * i + j] /= length;
      if (j >= 3) given[6 * i + j] /= length;
    }
  return given;
}

double rolling_block_norm(const ConeSet& cones, Index c, const Mat6& block) {
  const Mat6 given = in_given_units(cones, c, in_contact_frame(cones, c, block));
  const bool spins = cones.rows_that_count(c)[5];
  const auto counts = [&](std::size_t place) { return place != 3 || spins; };
  double norm = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 6; ++j)
      if (counts(i) && counts(j)) sum += std::abs(given[6 * i + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

std::array<bool, 6> places_that_count(const ConeSet& cones, Index c) {
  const std::array<bool, 6> rows = cones.rows_that_count(c);  // n, t1, t2, r1, r2, s
  std::array<bool, 6> places{};
  for (std::size_t k = 0; k < rows.size(); ++k) places[place_in_space[k]] = rows[k];
  return places;
}

}  // namespace talus
