// Diagonal blocks of N for rigid bodies: each from the two bodies of its row alone.

#include "talus/core/error.hpp"

#include "core/in_parallel.hpp"
#include "problem/body_operator.hpp"
#include "problem/rolling_block.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// The same for I^-1 = diag(i), without the products with 0: the same bits, up to the sign of 0.
void add_principal(const Vec3& i, double inverse_mass, const Vec3& r, Mat3& block) {
  const double xy = i.x * r.y, xz = i.x * r.z, yx = i.y * r.x, yz = i.y * r.z, zx = i.z * r.x,
               zy = i.z * r.y;
  block[0] += yz * r.z + zy * r.y + inverse_mass;
  block[3] += -zy * r.x;
  block[6] += -yz * r.x;
  block[1] += -zx * r.y;
  block[4] += zx * r.x + xz * r.z + inverse_mass;
  block[7] += -xz * r.y;
  block[2] += -yx * r.z;
  block[5] += -xy * r.z;
  block[8] += xy * r.y + yx * r.x + inverse_mass;
}

}  // namespace

Mat3 BodyOperator::spatial_block(Index contact) const {
  const BodyProblem& d = *data_;
  const auto c = static_cast<std::size_t>(contact);
  Mat3 block{};
  const auto add_body = [&](Index body, const Vec3& point) {
    if (body == no_body) return;
    const auto b = static_cast<std::size_t>(body);
    const Vec3 r = point - d.centre[b];
    const Sym3& inertia = d.inverse_inertia[b];
    if (inertia.xy == 0.0 && inertia.xz == 0.0 && inertia.yz == 0.0) {
      add_principal({inertia.xx, inertia.yy, inertia.zz}, d.inverse_mass[b], r, block);
      return;
    }
    // columns: (I^-1 (r x e_j)) x r, plus e_j / m
    const std::array<Vec3, 3> unit{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 column =
          cross(d.inverse_inertia[b] * cross(r, unit[j]), r) + d.inverse_mass[b] * unit[j];
      block[j] += column.x;
      block[3 + j] += column.y;
      block[6 + j] += column.z;
    }
  };
  add_body(d.contact_body_a[c], d.point[c]);
  add_body(d.contact_body_b[c], d.point_on_b(contact));
  const Vec3& n = d.normal[c];
  const std::array<double, 3> normal{n.x, n.y, n.z};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      block[3 * i + j] +=
          (d.normal_compliance[c] - d.tangent_compliance[c]) * normal[i] * normal[j] +
          (i == j ? d.tangent_compliance[c] : 0.0);
  return block;
}

Mat6 BodyOperator::rolling_block(Index contact) const {
  TALUS_ASSERT(rolls());
  const BodyProblem& d = *data_;
  const auto c = static_cast<std::size_t>(contact);
  const double length = length_[c];
  Mat6 block{};
  const Mat3 force = spatial_block(contact);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) block[6 * i + j] = force[3 * i + j];
  const auto add_body = [&](Index body, const Vec3& point) {
    if (body == no_body) return;
    const auto b = static_cast<std::size_t>(body);
    const Vec3 r = point - d.centre[b];
    const std::array<Vec3, 3> unit{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    for (std::size_t j = 0; j < 3; ++j) {
      // a unit torque turns the body and so moves its point
      const Vec3 turn = length * (d.inverse_inertia[b] * unit[j]);
      const Vec3 move = cross(turn, r);
      const std::array<double, 6> column{move.x,          move.y,          move.z,
                                         length * turn.x, length * turn.y, length * turn.z};
      for (std::size_t i = 0; i < 6; ++i) {
        block[6 * i + 3 + j] += column[i];
        if (i < 3) block[6 * (3 + j) + i] += column[i];
      }
    }
  };
  add_body(d.contact_body_a[c], d.point[c]);
  add_body(d.contact_body_b[c], d.point_on_b(contact));
  return block;
}

std::array<double, 3> BodyOperator::planar_block(Index /*cone*/) const {
  TALUS_ASSERT(!"rigid bodies have spatial contacts only");
  return {};
}

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
