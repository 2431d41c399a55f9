#include "generate/shapes.hpp"

#include "talus/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

TEST(PortableArithmetic, RootsAndPowersAgreeWithLibm) {
  for (const double x : {1e-12, 0.3, 1.0, 7.9, 8.0, 1e9})
    EXPECT_NEAR(cube_root(x) / std::cbrt(x), 1.0, 1e-15);  // Newton ends within a few ulp
  for (const double x : {1e-6, 0.5, 1.0, 3.0, 1e6})
    for (const double t : {0.0, 1e-9, 0.25, 1.0 / 3.0, 0.999, 1.0})
      EXPECT_NEAR(fractional_power(x, t) / std::pow(x, t), 1.0,
                  1e-13);  // up to 53 roots and products
}

TEST(AddBox, InertiaIsThatOfABox) {
  BodyProblem problem;
  add_box(problem, {}, {1.0, 2.0, 3.0}, 12.0, {{1.0, 2.0, 3.0}, 0.1});

  EXPECT_DOUBLE_EQ(problem.inverse_mass[0], 1.0 / 12.0);
  EXPECT_DOUBLE_EQ(problem.inverse_inertia[0].xx, 1.0 / 13.0);  // m / 12 (2^2 + 3^2)
  EXPECT_DOUBLE_EQ(problem.inverse_inertia[0].yy, 1.0 / 10.0);
  EXPECT_DOUBLE_EQ(problem.inverse_inertia[0].zz, 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(problem.momentum[0][2], 12.0 * (3.0 - 0.1 * 9.81));
}

TEST(ContactKeys, DependOnBodiesAndFeatureOnly) {
  const auto key_of = [](Index a, Index b, int feature, bool others_first) {
    BodyProblem problem;
    for (int i = 0; i < 3; ++i) add_sphere(problem, {}, 1.0, 1.0, {});
    if (others_first) add_contact(problem, {0, 1, 7, {0, 0, 1}, {}, 0.0}, 0.0, 1.0);
    add_contact(problem, {a, b, feature, {0, 0, 1}, {}, 0.0}, 0.0, 1.0);
    return problem.contact_key.back();
  };

  EXPECT_EQ(key_of(1, 2, 0, false), key_of(1, 2, 0, true));
  EXPECT_EQ(key_of(1, 2, 0, false), key_of(2, 1, 0, false));
  EXPECT_NE(key_of(1, 2, 0, false), key_of(1, 2, 1, false));
  EXPECT_NE(key_of(no_body, 2, 0, false), key_of(0, 2, 0, false));
  EXPECT_THROW(key_of(1, 2, 512, false), std::logic_error);  // would run into the next pair
}

}  // namespace
}  // namespace talus
