#include "talus/problem/body_problem.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace talus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two bodies, two contacts (one with the world), a joint: nothing wrong with it.
BodyProblem sound_problem() {
  BodyProblem p;
  p.add_body({0.0, 0.0, 0.5}, 1.0, {2.0, 0.0, 0.0, 2.0, 0.0, 2.0}, {0, 0, -0.1, 0, 0, 0});
  p.add_body({0.0, 0.0, 1.5}, 0.5, {2.0, 0.1, 0.0, 3.0, 0.0, 2.0}, {0, 0, -0.2, 0, 0, 0});
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, {0.0, 0.0, 0.0});
  p.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}, 0.25, {0.1, 0.0, 0.0});
  p.add_joint_row(0, 1, {1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0}, 0.0);
  p.time_step = 0.01;
  return p;
}

std::vector<std::string> faults(const BodyProblem& problem) {
  try {
    validate(problem, "box.h5");
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

TEST(BodyProblem, AppendsWithNeutralValuesForWhatIsNotGiven) {
  const BodyProblem p = sound_problem();

  EXPECT_EQ(p.body_count(), 2);
  EXPECT_EQ(p.contact_count(), 2);
  EXPECT_EQ(p.joint_row_count(), 1);
  EXPECT_EQ(p.body_id, (std::vector<GlobalId>{0, 1}));
  EXPECT_EQ(p.contact_key, (std::vector<GlobalId>{0, 1}));
  EXPECT_EQ(p.normal_compliance[1], 0.0);
  EXPECT_EQ(p.tangent_compliance[1], 0.0);
  EXPECT_EQ(dot(p.tangent[1], p.normal[1]), 0.0);
  EXPECT_EQ(dot(p.tangent[1], p.tangent[1]), 1.0);
  EXPECT_EQ(p.joint_lower[0], -infinity);
  EXPECT_EQ(p.joint_upper[0], infinity);
}

TEST(BodyProblem, ContactsHaveOnePointUnlessOneIsGivenForEachBody) {
  BodyProblem p = sound_problem();
  EXPECT_EQ(p.point_on_b(1).z, 1.0);

  p.point_b = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.9}};
  p.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 1.1}, 0.25, {0.1, 0.0, 0.0});

  EXPECT_EQ(p.point_on_b(1).z, 0.9);
  EXPECT_EQ(p.point_on_b(2).z, 1.1);
  EXPECT_TRUE(faults(p).empty());
}

TEST(BodyProblem, ContactsHaveSixRowsWithRollingAndSpinningFriction) {
  BodyProblem p = sound_problem();
  EXPECT_EQ(p.rows_per_contact(), 3);

  p.rolling_friction = {0.001, 0.0};
  p.spinning_friction = {0.0, 0.002};
  p.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 1.1}, 0.25, {0.1, 0.0, 0.0});

  EXPECT_EQ(p.rows_per_contact(), 6);
  EXPECT_EQ(p.rolling_friction, (std::vector<double>{0.001, 0.0, 0.0}));
  EXPECT_EQ(p.spinning_friction, (std::vector<double>{0.0, 0.002, 0.0}));
  EXPECT_TRUE(faults(p).empty());
}

TEST(BodyProblem, SoundProblemsPass) {
  EXPECT_TRUE(faults(sound_problem()).empty());
  EXPECT_TRUE(faults(BodyProblem{}).empty());
}

TEST(BodyProblem, ImmovableAndRankOneInertiasAreSound) {
  BodyProblem p = sound_problem();
  p.inverse_mass[0] = 0.0;
  p.inverse_inertia[0] = {};
  p.inverse_inertia[1] = {1.0, 2.0, 3.0, 4.0, 6.0, 9.0};  // (1, 2, 3) times its transpose

  EXPECT_TRUE(faults(p).empty());
}

struct Fault {
  const char* situation;
  std::function<void(BodyProblem&)> spoil;
  const char* place;
  const char* remedy;
};

class BodyProblemFault : public ::testing::TestWithParam<Fault> {};

TEST_P(BodyProblemFault, IsReportedWithPlaceValueAndRemedy) {
  BodyProblem p = sound_problem();
  GetParam().spoil(p);

  const std::vector<std::string> messages = faults(p);

  EXPECT_THAT(messages,
              ::testing::Contains(AllOf(HasSubstr("box.h5: "), HasSubstr(GetParam().place),
                                        HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BodyProblemFault,
    ::testing::Values(
        Fault{"ids", [](auto& p) { p.body_id[1] = 0; }, "/bodies/id[1] = 0", "given twice"},
        Fault{"id_count", [](auto& p) { p.body_id.pop_back(); }, "/bodies/id has 1 entries",
              "must have 2"},
        Fault{"centre", [](auto& p) { p.centre[1].y = nan; }, "/bodies/centre[1,1] = nan",
              "finite"},
        Fault{"mass", [](auto& p) { p.inverse_mass[0] = -2.0; }, "/bodies/inverse_mass[0] = -2",
              "not negative"},
        Fault{"inertia_nan", [](auto& p) { p.inverse_inertia[1].yz = nan; },
              "/bodies/inverse_inertia[1] = ", "finite"},
        Fault{"inertia_indefinite", [](auto& p) { p.inverse_inertia[1].xy = 9.0; },
              "/bodies/inverse_inertia[1] = (2, 9, 0, 3, 0, 2)", "positive semi-definite"},
        Fault{"momentum", [](auto& p) { p.momentum[0][5] = infinity; },
              "/bodies/momentum[0,5] = inf", "finite"},
        Fault{"rolling",
              [](auto& p) {
                p.rolling_friction = {0.1, -0.1};
                p.spinning_friction = {0.0, 0.0};
              },
              "/contacts/rolling_friction[1] = -0.1", "not negative"},
        Fault{"rolling_infinite",
              [](auto& p) {
                p.rolling_friction = {0.0, infinity};
                p.spinning_friction = {0.0, 0.0};
              },
              "/contacts/rolling_friction[1] = inf", "finite"},
        Fault{"spinning",
              [](auto& p) {
                p.rolling_friction = {0.0, 0.0};
                p.spinning_friction = {nan, 0.0};
              },
              "/contacts/spinning_friction[0] = nan", "finite"},
        Fault{"rolling_alone",
              [](auto& p) {
                p.rolling_friction = {0.0, 0.0};
              },
              "/contacts/spinning_friction has 0 entries", "must have 2"},
        Fault{"spinning_alone",
              [](auto& p) {
                p.spinning_friction = {0.0, 0.0, 0.0};
              },
              "/contacts/spinning_friction has 3 entries", "must have 2"},
        Fault{"contact_keys", [](auto& p) { p.contact_key[1] = 0; }, "/contacts/key[1] = 0",
              "given twice"},
        Fault{"body_out_of_range", [](auto& p) { p.contact_body_b[0] = 2; },
              "/contacts/body_b[0] = 2", "no such body"},
        Fault{"body_negative", [](auto& p) { p.contact_body_a[1] = -2; },
              "/contacts/body_a[1] = -2", "no such body"},
        Fault{"two_worlds", [](auto& p) { p.contact_body_b[0] = -1; }, "/contacts/body_a[0] = -1",
              "both sides are the world"},
        Fault{"with_itself", [](auto& p) { p.contact_body_a[1] = 1; }, "/contacts/body_a[1] = 1",
              "both sides are the same body"},
        Fault{"normal",
              [](auto& p) {
                p.normal[1] = {0.0, 0.0, 2.0};
              },
              "/contacts/normal[1] = (0, 0, 2)", "length 1"},
        Fault{"normal_nan", [](auto& p) { p.normal[1].x = nan; }, "/contacts/normal[1] = (nan",
              "length 1"},
        Fault{"tangent",
              [](auto& p) {
                p.tangent[0] = {0.0, 0.0, 1.0};
              },
              "/contacts/tangent[0] = (0, 0, 1)", "right angles"},
        Fault{"tangent_count", [](auto& p) { p.tangent.pop_back(); },
              "/contacts/tangent has 1 entries", "must have 2"},
        Fault{"point", [](auto& p) { p.point[0].z = -infinity; }, "/contacts/point[0,2] = -inf",
              "finite"},
        Fault{"point_b_count",
              [](auto& p) {
                p.point_b = {{0.0, 0.0, 0.0}};
              },
              "/contacts/point_b has 1 entries", "must have 2"},
        Fault{"point_b",
              [](auto& p) {
                p.point_b = p.point;
                p.point_b[1].x = nan;
              },
              "/contacts/point_b[1,0] = nan", "finite"},
        Fault{"friction", [](auto& p) { p.friction[1] = -0.5; }, "/contacts/friction[1] = -0.5",
              "not negative"},
        Fault{"bias", [](auto& p) { p.contact_bias[1].x = nan; }, "/contacts/bias[1,0] = nan",
              "finite"},
        Fault{"normal_compliance", [](auto& p) { p.normal_compliance[1] = -1.0; },
              "/contacts/compliance[1,0] = -1", "not negative"},
        Fault{"tangent_compliance", [](auto& p) { p.tangent_compliance[0] = nan; },
              "/contacts/compliance[0,1] = nan", "not negative"},
        Fault{"joint_body", [](auto& p) { p.joint_body_a[0] = 7; }, "/joints/body_a[0] = 7",
              "no such body"},
        Fault{"joint_block", [](auto& p) { p.joint_block_b[0][3] = nan; },
              "/joints/block_b[0,3] = nan", "finite"},
        Fault{"joint_bias", [](auto& p) { p.joint_bias[0] = nan; }, "/joints/bias[0] = nan",
              "finite"},
        Fault{"joint_compliance", [](auto& p) { p.joint_compliance[0] = -1e-9; },
              "/joints/compliance[0] = -1e-09", "not negative"},
        Fault{"joint_bounds", [](auto& p) { p.joint_lower[0] = 1.0, p.joint_upper[0] = 0.5; },
              "/joints/lower[0] = 1 with upper = 0.5", "interval"},
        Fault{"joint_bound_nan", [](auto& p) { p.joint_upper[0] = nan; },
              "/joints/lower[0] = -inf with upper = nan", "interval"},
        Fault{"joint_bound_count", [](auto& p) { p.joint_upper.clear(); },
              "/joints/upper has 0 entries", "must have 1"},
        Fault{"time_step", [](auto& p) { p.time_step = -0.01; }, "time_step = -0.01",
              "not negative"}),
    [](const auto& instance) { return std::string(instance.param.situation); });

TEST(BodyProblem, AllFaultsAreReportedAtOnce) {
  BodyProblem p = sound_problem();
  p.friction[0] = -1.0;
  p.inverse_mass[1] = nan;
  p.joint_bias[0] = infinity;

  EXPECT_EQ(faults(p).size(), 3u);
}

}  // namespace
}  // namespace talus
