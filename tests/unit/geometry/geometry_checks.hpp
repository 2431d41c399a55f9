#pragma once
// Random places, and what is true of all contacts.

#include "geometry/narrow_phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace talus {

inline void expect_near(const Vec3& found, const Vec3& expected, double tolerance) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

class RandomPlaces {
 public:
  explicit RandomPlaces(std::uint64_t seed) : random_(seed) {}
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vec3 vector(double size) {
    const double x = number(-size, size), y = number(-size, size);
    return {x, y, number(-size, size)};
  }
  Vec3 direction() { return rotate(quaternion(), {0.0, 0.0, 1.0}); }
  Quaternion quaternion() {
    const double w = number(-1.0, 1.0), x = number(-1.0, 1.0), y = number(-1.0, 1.0);
    return normalised({w, x, y, number(-1.0, 1.0)});
  }
  Pose pose(double size) {
    const Vec3 at = vector(size);
    return {at, quaternion()};
  }

 private:
  std::mt19937_64 random_;
};

inline std::vector<ContactPoint> contacts_of(const PlacedShape& a, const PlacedShape& b,
                                             double margin) {
  std::vector<ContactPoint> contacts;
  collide(a, b, margin, contacts);
  return contacts;
}

inline double smallest_gap(const std::vector<ContactPoint>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const ContactPoint& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

/// Unit normals, gaps within the margin, features that rise.
inline void expect_in_order(const std::vector<ContactPoint>& contacts, double margin) {
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    EXPECT_NEAR(length(contacts[k].normal), 1.0, 1e-14);
    EXPECT_LE(contacts[k].gap, margin);
    if (k > 0) {
      EXPECT_LT(contacts[k - 1].feature, contacts[k].feature);
    }
  }
}

}  // namespace talus
