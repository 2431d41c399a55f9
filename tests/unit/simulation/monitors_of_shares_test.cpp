// Quantiles and profiles against sorted lists.

#include "simulation/contact_forces.hpp"
#include "simulation/monitors.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::SmallScene;
using Kind = MonitorSettings::Kind;
using Row = std::vector<double>;

MonitorSettings monitor(Kind kind) {
  MonitorSettings settings;
  settings.kind = kind;
  return settings;
}

/// The line of a monitor now, without the time.
Row row_of(const MonitorSettings& settings, const World& world, double h) {
  Monitors monitors({settings}, Communicator::self());
  const auto rows = monitors.rows(0, world, contact_forces(world, h));
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(monitors.columns(0).size(), rows.at(0).size());
  EXPECT_EQ(rows.at(0).at(0), world.time);
  return {rows[0].begin() + 1, rows[0].end()};
}

/// As numpy.quantile has it.
double plain_quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(at));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - std::floor(at)) * (values[high] - values[low]);
}

/// Balls here and there, some at the same place, some at -0.
World scattered(int count) {
  SmallScene small(1e-2);
  small.add("one", Motion::Dynamic, small.sphere(0.1), {});
  World world = small.start().world();
  std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  std::normal_distribution<double> place(0.0, 1.0);
  NewBody body;
  body.mass = 1.0;
  body.inertia = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
  for (int i = 1; i < count; ++i) {
    body.id = i;
    body.pose.position = {place(random), -0.0, i % 3 == 0 ? 0.25 : 1e-9 * place(random)};
    append(world.bodies, body, 0.1);
  }
  return world;
}

TEST(Monitors, QuantilesAreThoseOfASortedList) {
  for (const int count : {1, 2, 7, 1000}) {
    const World world = scattered(count);
    for (int axis = 0; axis < 3; ++axis) {
      MonitorSettings settings = monitor(Kind::Quantiles);
      settings.axis = axis;
      settings.values = {0.0, 0.1, 0.5, 0.77, 1.0};
      std::vector<double> values;
      for (const Vec3& x : world.bodies.position)
        values.push_back(axis == 0 ? x.x : axis == 1 ? x.y : x.z);
      const Row row = row_of(settings, world, 1e-2);
      for (std::size_t k = 0; k < row.size(); ++k)
        EXPECT_EQ(row[k], plain_quantile(values, settings.values[k])) << count << " " << axis;
    }
  }
}

TEST(Monitors, ProfileHasTheQuantilesOfEachBin) {
  const World world = scattered(500);
  MonitorSettings settings = monitor(Kind::Profile);
  settings.axis = 0;
  settings.up = 2;
  settings.from = -2.0;
  settings.to = 6.0;
  settings.bins = 4;
  settings.values = {0.5, 0.9};
  const Row row = row_of(settings, world, 1e-2);
  for (std::size_t bin = 0; bin < 4; ++bin) {
    std::vector<double> heights;
    const double low = -2.0 + 2.0 * static_cast<double>(bin);
    for (const Vec3& x : world.bodies.position)
      if (low <= x.x && x.x < low + 2.0) heights.push_back(x.z);
    EXPECT_EQ(row[3 * bin], static_cast<double>(heights.size()));
    if (heights.empty()) {
      EXPECT_TRUE(std::isnan(row[3 * bin + 1]));
      continue;
    }
    EXPECT_EQ(row[3 * bin + 1], plain_quantile(heights, 0.5));
    EXPECT_EQ(row[3 * bin + 2], plain_quantile(heights, 0.9));
  }
}

}  // namespace
}  // namespace talus
