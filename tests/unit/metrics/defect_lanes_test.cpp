// The natural map of eight spatial cones at a time against the plain one: the same bits on each
// x86-64 level, of owned cones and of mirrors, for all magnitudes.

#include "generate/random.hpp"
#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

constexpr Index owned = 1030, mirrored = 5;  // more than one piece of tiles, and a last one

ConeProblem some_problem() {
  const std::vector<double> frictions{0.0, 1e-8, 0.3, 1.0, 1e8, infinity};
  ConeProblem problem;
  ConeCounts counts, mirrors;
  counts.scalar = 3;
  counts.spatial = owned;
  mirrors.spatial = mirrored;
  problem.cones = make_cone_set(counts, mirrors);
  each_stored(owned, mirrored, [&](Index c, bool /*owned*/) {
    KeyedRandom random(3, static_cast<std::uint64_t>(c), 1);
    set_spatial_friction(problem.cones, c,
                         frictions[static_cast<std::size_t>(c) % frictions.size()],
                         random.direction(), {});
  });
  problem.scale.assign(static_cast<std::size_t>(problem.cones.slots()), 1.0);
  for (std::size_t slot = 0; slot < problem.scale.size(); ++slot)
    problem.scale[slot] = KeyedRandom(4, slot, 1).uniform(0.1, 10.0);
  return problem;
}

/// Of each size from none to too large for squares; some are no numbers.
RowVector some_rows(const ConeSet& cones, std::uint64_t seed) {
  const std::vector<double> sizes{1.0, 0.0, 1e-3, 1e-170, 1e170, 1e-308, 1e300, 1.0};
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  each_stored(owned, mirrored, [&](Index c, bool /*owned*/) {
    KeyedRandom random(seed, static_cast<std::uint64_t>(c), 2);
    const auto i = static_cast<std::size_t>(c);
    // whole tiles of the usual size, and tiles of all sizes
    const double size = i / 8 % 2 == 0 ? 1.0 : sizes[(i + seed) % sizes.size()];
    Vec3 value = size * random.direction();
    if (i == 100) value = {infinity, 0.0, -infinity};
    if (i == 200) value.y = std::numeric_limits<double>::quiet_NaN();
    if (i % 7 == 0) value = random.uniform() * cones.axis_of(c);  // within, or opposite
    set_spatial_value(cones, rows, c, value);
  });
  return rows;
}

std::uint64_t comparable(double x) {
  return std::isnan(x) ? 0 : support::bits_of(x);
}

TEST(DefectLanes, GiveTheBitsOfThePlainNaturalMap) {
  const ConeProblem problem = some_problem();
  const RowVector impulses = some_rows(problem.cones, 5), gap = some_rows(problem.cones, 6);
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box})
    for (const SimdLevel level : support::levels_here()) {
      const support::ForcedLevel forced(level);
      const Iterate iterate{problem, law, impulses, gap, Communicator::self()};
      const std::vector<double> found = defects(iterate, problem.scale);
      ASSERT_EQ(found.size(), static_cast<std::size_t>(problem.cones.slots()));
      for (Index c = 0; c < problem.cones.spatial_slots(); ++c) {
        const auto slot = static_cast<std::size_t>(problem.cones.spatial_slot(c));
        const double expected =
            c < owned ? contact_defect(law, spatial_state(iterate, c), problem.scale[slot]) : 0.0;
        ASSERT_EQ(comparable(found[slot]), comparable(expected))
            << "cone " << c << ", law " << name_of(law) << ", level " << name_of(level) << ": "
            << found[slot] << " for " << expected;
      }
    }
}

/// Each cone is a neighbourhood of its own. It has no numbers: no measure asks for a product.
class EachAlone final : public LinearOperator {
 public:
  void diagonal(RowVector& /*d*/) const override {}
  std::array<double, 3> planar_block(Index /*cone*/) const override { return {}; }
  Mat3 spatial_block(Index /*cone*/) const override { return {}; }
  Mat6 rolling_block(Index /*cone*/) const override { return {}; }

 private:
  void multiply(const double* /*x*/, double* /*y*/) const override {}
};

TEST(DefectLanes, MirrorsAreMeasuredWhereTheyAreAskedFor) {
  ConeProblem problem = some_problem();
  problem.delassus = std::make_shared<EachAlone>();
  const RowVector impulses(static_cast<std::size_t>(problem.cones.stored_rows()), 0.0);
  RowVector gap = impulses;
  const Index mirror = first_mirror(owned);
  set_spatial_value(problem.cones, gap, mirror, -3.0 * problem.cones.axis_of(mirror));
  const Iterate iterate{problem, Law::Associated, impulses, gap, Communicator::self()};

  for (const double defect : defects(iterate, problem.scale)) EXPECT_EQ(defect, 0.0);
  EXPECT_NEAR(natural_local(iterate), 3.0, 1e-14);
}

}  // namespace
}  // namespace talus
