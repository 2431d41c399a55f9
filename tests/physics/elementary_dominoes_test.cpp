// Dominoes. On hinges and without friction their collective fall is known: every domino that was
// hit leans on the next one, so that there is one freedom, whose energy is kept between impacts;
// an impact without rebound projects the velocities on the freedom with one domino more
// [Leeuwen10]. Free ones on a rough floor are compared with themselves at three steps.

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace talus {
namespace {

using support::expect_on_page;
using support::run_until;
using support::SmallScene;
using support::TruthRow;

constexpr double g = 9.81;

struct Row {
  double height = 0.05, thickness = 0.0075, width = 0.025, gap = 0.0175;  // m
  double push = 3.0;                                                      // rad/s of the first
  int count = 12;
  double pitch() const { return gap + thickness; }
  /// Of a domino at which it hits the next.
  double hit() const { return std::asin(gap / height); }
};

// ---- the collective fall ------------------------------------------------------------------------

/// Angles of dominoes 0 to n that lean on each other, and their rates for a rate of 1 of the
/// leader n, which is at `angle`.
struct Leaning {
  std::vector<double> angle, rate;
};
Leaning lean(const Row& row, int n, double angle) {
  Leaning all;
  all.angle.assign(static_cast<std::size_t>(n) + 1, angle);
  all.rate.assign(static_cast<std::size_t>(n) + 1, 1.0);
  for (auto i = static_cast<std::size_t>(n); i > 0; --i) {
    // an edge on a face: height sin(a_prev - a) = pitch cos(a) - thickness
    const double a = all.angle[i];
    const double over = std::asin((row.pitch() * std::cos(a) - row.thickness) / row.height);
    all.angle[i - 1] = a + over;
    all.rate[i - 1] =
        all.rate[i] * (1.0 - row.pitch() * std::sin(a) / (row.height * std::cos(over)));
  }
  return all;
}

/// Of one domino about its hinge, per mass.
double inertia(const Row& row) {
  return (row.height * row.height + row.thickness * row.thickness) / 3.0;
}
double sum_of_squares(const Leaning& all) {
  double sum = 0.0;
  for (const double rate : all.rate) sum += rate * rate;
  return sum;
}
double potential(const Row& row, const Leaning& all) {
  double sum = 0.0;
  for (const double a : all.angle)
    sum += 0.5 * g * (row.height * std::cos(a) + row.thickness * std::sin(a));
  return sum;
}

/// When domino n, the leader from its rest at rate `rate` on, comes to the angle; its rate there.
struct Arrival {
  double time = 0.0, rate = 0.0;
};
Arrival fall(const Row& row, int n, double rate, double angle) {
  const Leaning begin = lean(row, n, 0.0);
  const double energy =
      0.5 * inertia(row) * sum_of_squares(begin) * rate * rate + potential(row, begin);
  const auto rate_at = [&](double a) {
    const Leaning all = lean(row, n, a);
    return std::sqrt(2.0 * (energy - potential(row, all)) / (inertia(row) * sum_of_squares(all)));
  };
  const int parts = 2000;  // Simpson's rule
  double sum = 1.0 / rate_at(0.0) + 1.0 / rate_at(angle);
  for (int k = 1; k < parts; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) / rate_at(angle * k / parts);
  return {sum * angle / (3.0 * parts), rate_at(angle)};
}

/// When domino n reaches half the angle at which it hits the next one.
double exact_time(const Row& row, int n) {
  double time = 0.0, rate = row.push;
  for (int k = 0; k < n; ++k) {
    const Arrival hit = fall(row, k, rate, row.hit());
    time += hit.time;
    const double before = sum_of_squares(lean(row, k, row.hit()));
    rate = hit.rate * before / (before + 1.0);
  }
  return time + fall(row, n, rate, 0.5 * row.hit()).time;
}

// ---- by steps -----------------------------------------------------------------------------------

Simulation stand(const Row& row, double h, double friction, bool hinges) {
  SmallScene small(h, friction);
  small.solver.tolerance = 1e-9;
  if (!hinges) small.add_floor();
  const Index box = small.box({row.thickness, row.width, row.height});
  const auto first = static_cast<Index>(small.scene.bodies.size());
  for (int k = 0; k < row.count; ++k) {
    const double x = k * row.pitch();
    const std::size_t body = small.add("domino" + std::to_string(k), Motion::Dynamic, box,
                                       {x - 0.5 * row.thickness, 0.0, 0.5 * row.height});
    small.body(body).mass = 0.01;
    if (k == 0) {  // about its lower edge in front
      small.body(body).angular_velocity = {0.0, row.push, 0.0};
      small.body(body).velocity = {0.5 * row.push * row.height, 0.0,
                                   0.5 * row.push * row.thickness};
    }
    if (!hinges) continue;
    Joint hinge;
    hinge.name = "hinge" + std::to_string(k);
    hinge.type = JointType::Revolute;
    hinge.body_b = first + k;
    const Quaternion along_y = rotation_between({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
    hinge.frame_a = {{x, 0.0, 0.0}, along_y};
    hinge.frame_b = {{0.5 * row.thickness, 0.0, -0.5 * row.height}, along_y};
    hinge.angle_limits[0] = 0.0;  // they stand
    small.scene.world.joints.push_back(hinge);
    small.scene.joint_places.push_back("test");
  }
  return small.start();
}

double tilt(const Simulation& simulation, std::size_t body) {
  const Vec3 up = rotate(simulation.world().bodies.orientation[body], {0.0, 0.0, 1.0});
  return std::atan2(up.x, up.z);
}

/// When domino n passes the angle, by a straight line between two steps.
double time_of(Simulation& simulation, std::size_t body, double angle) {
  double before = tilt(simulation, body);
  const double h = simulation.settings().h;
  while (simulation.world().time < 2.0) {
    simulation.step();
    const double now = tilt(simulation, body);
    if (now >= angle) return simulation.world().time - h * (now - angle) / (now - before);
    before = now;
  }
  ADD_FAILURE() << "does not fall";
  return 0.0;
}

TEST(TruthOfDominoes, OnHingesFallTogetherAsKnown) {
  const Row row;
  for (const int n : {1, 4, 9}) {
    const double exact = exact_time(row, n);
    const TruthRow got = support::measured(
        "Dominoes on hinges: when number " + std::to_string(n + 1) + " is half way, s", exact, 1e-3,
        [&](double h) {
          Simulation simulation = stand(row, h, 0.0, true);
          return time_of(simulation, static_cast<std::size_t>(n), 0.5 * row.hit());
        });
    EXPECT_NEAR(got.got, exact, 0.01 * exact);
    expect_on_page(got);
  }
}

/// m/s between dominoes 6 and 11.
double speed_of(const Row& row, double h) {
  Simulation simulation = stand(row, h, 0.5, false);
  const double early = time_of(simulation, 6, 0.5 * row.hit());
  return 5.0 * row.pitch() / (time_of(simulation, 11, 0.5 * row.hit()) - early);
}

TEST(TruthOfDominoes, OnAFloorFallAtASpeedThatStepsAgreeOn) {
  const Row row;
  TruthRow got{"Dominoes on a floor, friction 0.5: speed of the wave, m/s; exact: extrapolated",
               0.0,
               0.0,
               1e-3,
               {},
               1e-9};
  std::array<double, 3> speed{};
  for (std::size_t k = 0; k < 3; ++k)
    speed.at(k) = speed_of(row, got.h / static_cast<double>(1 << k));
  got.got = speed[2];
  got.exact = 2.0 * speed[2] - speed[1];
  for (std::size_t k = 0; k < 3; ++k) got.error.at(k) = std::abs(speed.at(k) - got.exact);
  EXPECT_NEAR(speed[1] / speed[0], 1.0, 0.02);
  EXPECT_NEAR(speed[2] / speed[1], 1.0, 0.01);
  // what the first two differ by is twice what the last two do
  EXPECT_NEAR((speed[1] - speed[0]) / (speed[2] - speed[1]), 2.0, 0.5);
  expect_on_page(got);
}

}  // namespace
}  // namespace talus
