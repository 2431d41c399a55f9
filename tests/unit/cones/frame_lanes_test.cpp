// Angles and frames of eight cones at a time against those of one: the same bits on each x86-64
// level, also where the last tile is not full.

#include "talus/cones/cone_set.hpp"

#include "cones/frame_tiles.hpp"
#include "core/vector_numbers.hpp"
#include "generate/random.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr Index count = 8 * 5 + 3;

struct Given {
  std::vector<double> friction;
  std::vector<Vec3> axis, direction, parts;
};

/// Along axes of the world too, with tangents that lie in the plane, near the normal or along it.
Given some_contacts() {
  const std::vector<double> frictions{0.0, 1e-8, 0.3, 1.0, 1.5, 1e8, infinity};
  const std::vector<Vec3> axes{{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0}, {0.6, 0.0, 0.8}};
  Given given;
  for (std::size_t c = 0; c < count; ++c) {
    KeyedRandom random(7, c, 1);
    given.friction.push_back(frictions[c % frictions.size()]);
    given.axis.push_back(c % 5 == 0 ? axes[c / 5 % axes.size()] : random.direction());
    const Vec3 n = given.axis.back(), any = random.direction();
    const std::vector<Vec3> directions{any, {}, tangent_of(n), n, n + 1e-5 * any, 1e-9 * any};
    given.direction.push_back(directions[c % directions.size()]);
    given.parts.push_back({random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), -0.5});
  }
  return given;
}

void expect_same(const Vec3& found, const Vec3& expected, const char* what, std::size_t c) {
  EXPECT_EQ(support::bits_of(found.x), support::bits_of(expected.x)) << what << " of " << c;
  EXPECT_EQ(support::bits_of(found.y), support::bits_of(expected.y)) << what << " of " << c;
  EXPECT_EQ(support::bits_of(found.z), support::bits_of(expected.z)) << what << " of " << c;
}

TEST(FrameLanes, AreThoseOfEachConeAlone) {
  const Given given = some_contacts();
  ConeSet expected = make_cone_set(0, 0, count);
  for (Index c = 0; c < count; ++c)
    set_spatial_friction(expected, c, given.friction[c], given.axis[c], given.direction[c]);
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    ConeSet found = make_cone_set(0, 0, count);
    const FramePass pass{
        given.friction.data(), numbers_of(given.axis),    numbers_of(given.direction),
        found.friction.data(), found.cosine.data(),       found.sine.data(),
        found.axis.data(),     numbers_of(found.tangent), count};
    frame_kernels().make(pass, 0, 2);
    frame_kernels().make(pass, 2, padded(count) / lanes);
    EXPECT_EQ(found.friction, expected.friction);
    EXPECT_EQ(found.cosine, expected.cosine);
    EXPECT_EQ(found.sine, expected.sine);
    EXPECT_EQ(found.axis, expected.axis);
    for (std::size_t c = 0; c < found.tangent.size(); ++c)
      expect_same(found.tangent[c], expected.tangent[c], "tangent", c);
  }
}

TEST(FrameLanes, GiveTangentsToNormals) {
  const Given given = some_contacts();
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    std::vector<Vec3> found(count);
    frame_kernels().tangents(numbers_of(given.axis), numbers_of(found), count);
    for (std::size_t c = 0; c < count; ++c)
      expect_same(found[c], tangent_of(given.axis[c]), "tangent", c);
  }
}

TEST(FrameLanes, AddWhatIsGivenByItsParts) {
  const Given given = some_contacts();
  ConeSet cones = make_cone_set({0, 0, 0, count});
  std::vector<double> factor;
  for (Index c = 0; c < count; ++c) {
    set_rolling_friction(cones, c, {0.5, 0.1, 0.1}, given.axis[c], given.direction[c]);
    factor.push_back(0.1 * (c + 1));
  }
  const RowVector before(static_cast<std::size_t>(cones.stored_rows()), 0.7);
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    RowVector rows = before;
    FramedPass pass{cones.axis.data(),
                    numbers_of(cones.tangent),
                    numbers_of(given.parts),
                    nullptr,
                    rows.data(),
                    6 * lanes,
                    count};
    frame_kernels().add(pass, 0, padded(count) / lanes);
    pass.rows += 3 * lanes;
    pass.factor = factor.data();
    frame_kernels().add(pass, 0, padded(count) / lanes);
    for (Index c = 0; c < cones.rolling_slots(); ++c) {
      const Vec3 there{0.7, 0.7, 0.7};
      const SixRows found = rolling_value(cones, rows, c);
      const bool is_filling = c >= count;
      const Vec3 more = is_filling ? Vec3{} : from_contact_frame(cones, c, given.parts[c]);
      expect_same(found.linear, there + more, "force", static_cast<std::size_t>(c));
      expect_same(found.angular, is_filling ? there : there + factor[c] * more, "torque",
                  static_cast<std::size_t>(c));
    }
  }
}

}  // namespace
}  // namespace talus
