#include "talus/cones/cone_set.hpp"
#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace talus {
namespace {

using test::FileFault;
using test::Folder;
using test::Surgery;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every array holds numbers that no other has, none of them round.
BodyProblem rich_problem() {
  BodyProblem p;
  p.add_body({0.1, 0.2, 0.3}, 1.0 / 3.0, {2.1, 0.1, 0.2, 2.2, 0.3, 2.3}, {0.1, 1, -0.1, 7, 8, 9});
  p.add_body({0.4, 0.5, 1.6}, 0.0, {}, {0, 0, -0.2, 0, 0, 0});
  p.body_id = {5000000000, -3};
  p.add_contact(no_body, 0, {0.0, 0.6, 0.8}, {0.7, 0.8, 0.9}, 0.5, {0.01, 0.02, 0.03});
  p.add_contact(0, 1, {0.0, 0.0, 1.0}, {1.0 / 7.0, 0.0, 1.0}, 0.25, {0.1, 0.0, 0.0});
  p.contact_key = {77, 6000000000};
  p.tangent[0] = {1.0, 0.0, 0.0};
  p.normal_compliance = {0.0, 1e-5};
  p.tangent_compliance = {2e-5, 3e-5};
  p.add_joint_row(0, 1, {1, 2, 3, 4, 5, 6}, {-1, -2, -3, -4, -5, -6.5}, 0.125);
  p.add_joint_row(1, no_body, {0, 2, 0, 0, 0, 0}, {}, -0.5);
  p.joint_key = {9, 8};
  p.joint_compliance = {0.0, 1e-6};
  p.joint_lower = {-infinity, -2.0};
  p.joint_upper = {infinity, 3.0};
  p.time_step = 0.005;
  p.title = "two bodies and a joint";
  return p;
}

template <class Vector>
bool same_vectors(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vector)) == 0);
}

void expect_same(const BodyProblem& a, const BodyProblem& b) {
  EXPECT_EQ(a.body_id, b.body_id);
  EXPECT_TRUE(same_vectors(a.centre, b.centre));
  EXPECT_EQ(a.inverse_mass, b.inverse_mass);
  EXPECT_TRUE(same_vectors(a.inverse_inertia, b.inverse_inertia));
  EXPECT_EQ(a.momentum, b.momentum);
  EXPECT_EQ(a.contact_key, b.contact_key);
  EXPECT_EQ(a.contact_body_a, b.contact_body_a);
  EXPECT_EQ(a.contact_body_b, b.contact_body_b);
  EXPECT_TRUE(same_vectors(a.normal, b.normal));
  EXPECT_TRUE(same_vectors(a.tangent, b.tangent));
  EXPECT_TRUE(same_vectors(a.point, b.point));
  EXPECT_TRUE(same_vectors(a.point_b, b.point_b));
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_TRUE(same_vectors(a.contact_bias, b.contact_bias));
  EXPECT_EQ(a.normal_compliance, b.normal_compliance);
  EXPECT_EQ(a.tangent_compliance, b.tangent_compliance);
  EXPECT_EQ(a.rolling_friction, b.rolling_friction);
  EXPECT_EQ(a.spinning_friction, b.spinning_friction);
  EXPECT_EQ(a.joint_key, b.joint_key);
  EXPECT_EQ(a.joint_body_a, b.joint_body_a);
  EXPECT_EQ(a.joint_body_b, b.joint_body_b);
  EXPECT_EQ(a.joint_block_a, b.joint_block_a);
  EXPECT_EQ(a.joint_block_b, b.joint_block_b);
  EXPECT_EQ(a.joint_bias, b.joint_bias);
  EXPECT_EQ(a.joint_compliance, b.joint_compliance);
  EXPECT_EQ(a.joint_lower, b.joint_lower);
  EXPECT_EQ(a.joint_upper, b.joint_upper);
  EXPECT_EQ(a.time_step, b.time_step);
  EXPECT_EQ(a.title, b.title);
}

TEST(NativeFile, EveryNumberComesBackBitForBit) {
  const Folder folder;
  const BodyProblem problem = rich_problem();

  write_native(folder.file("p.h5"), problem);
  const ProblemFile file = read_problem(folder.file("p.h5"));

  EXPECT_EQ(file.format, "native");
  EXPECT_EQ(file.path, folder.file("p.h5"));
  EXPECT_EQ(file.reference_objective, std::nullopt);
  expect_same(std::get<BodyProblem>(file.data), problem);
}

TEST(NativeFile, TwoPointsToAContactComeBack) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  problem.point_b = {{0.1, 0.2, 0.25}, {0.3, 0.4, 0.55}};

  write_native(folder.file("p.h5"), problem);

  expect_same(std::get<BodyProblem>(read_problem(folder.file("p.h5")).data), problem);
}

TEST(NativeFile, RollingAndSpinningFrictionComeBack) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  problem.rolling_friction = {0.001, 0.0};
  problem.spinning_friction = {1.0 / 3.0, 0.002};

  write_native(folder.file("p.h5"), problem);

  expect_same(std::get<BodyProblem>(read_problem(folder.file("p.h5")).data), problem);
}

TEST(NativeFile, OneOfTheFrictionsOfTorqueMayBeLeftOut) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  problem.rolling_friction = {0.001, 0.0};
  problem.spinning_friction = {0.5, 0.002};
  write_native(folder.file("rolling.h5"), problem);
  write_native(folder.file("spinning.h5"), problem);
  Surgery(folder.file("rolling.h5")).remove("/contacts/spinning_friction");
  Surgery(folder.file("spinning.h5")).remove("/contacts/rolling_friction");

  const auto rolling = std::get<BodyProblem>(read_problem(folder.file("rolling.h5")).data);
  const auto spinning = std::get<BodyProblem>(read_problem(folder.file("spinning.h5")).data);

  EXPECT_THAT(rolling.rolling_friction, ElementsAre(0.001, 0.0));
  EXPECT_THAT(rolling.spinning_friction, ElementsAre(0.0, 0.0));
  EXPECT_THAT(spinning.rolling_friction, ElementsAre(0.0, 0.0));
  EXPECT_THAT(spinning.spinning_friction, ElementsAre(0.5, 0.002));
}

TEST(NativeFile, NothingAtAllComesBackAsNothing) {
  const Folder folder;

  write_native(folder.file("p.h5"), BodyProblem{});

  expect_same(std::get<BodyProblem>(read_problem(folder.file("p.h5")).data), BodyProblem{});
}

TEST(NativeFile, WhatMayBeLeftOutIsNeutral) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  write_native(folder.file("p.h5"), problem);
  {
    Surgery file(folder.file("p.h5"));
    for (const char* name :
         {"/bodies/id", "/contacts/key", "/contacts/tangent", "/contacts/compliance", "/joints/key",
          "/joints/compliance", "/joints/lower", "/joints/upper"})
      file.remove(name);
  }

  const auto read = std::get<BodyProblem>(read_problem(folder.file("p.h5")).data);

  problem.body_id = problem.contact_key = problem.joint_key = {0, 1};
  problem.tangent = {tangent_of(problem.normal[0]), tangent_of(problem.normal[1])};
  problem.normal_compliance = problem.tangent_compliance = problem.joint_compliance = {0.0, 0.0};
  problem.joint_lower = {-infinity, -infinity};
  problem.joint_upper = {infinity, infinity};
  expect_same(read, problem);
}

TEST(NativeFile, GroupsOfContactsAndJointsMayBeLeftOut) {
  const Folder folder;
  write_native(folder.file("p.h5"), rich_problem());
  {
    Surgery file(folder.file("p.h5"));
    file.remove("/contacts");
    file.remove("/joints");
  }

  const auto read = std::get<BodyProblem>(read_problem(folder.file("p.h5")).data);

  EXPECT_EQ(read.body_count(), 2);
  EXPECT_EQ(read.contact_count(), 0);
  EXPECT_EQ(read.joint_row_count(), 0);
}

TEST(NativeFile, TextIsMadeFitForTerminalsAndJson) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  // kept: two letters of two and three bytes; not: escape, broken, overlong and surrogate bytes
  problem.title = "  \xc3\xa4 \xe2\x82\xac \x1b[2J \xff \xc0\xaf \xed\xa0\x80 \xe2\x82";

  write_native(folder.file("p.h5"), problem);

  EXPECT_EQ(std::get<BodyProblem>(read_problem(folder.file("p.h5")).data).title,
            "\xc3\xa4 \xe2\x82\xac  [2J ? ?? ??? ??");
}

TEST(NativeFile, TextOfVariableLengthIsRead) {
  const Folder folder;
  write_native(folder.file("p.h5"), rich_problem());
  Surgery(folder.file("p.h5")).text_attribute("/", "title", "from a script");

  EXPECT_EQ(std::get<BodyProblem>(read_problem(folder.file("p.h5")).data).title, "from a script");
}

TEST(NativeFile, NumbersOfOtherWidthsAreRead) {
  const Folder folder;
  write_native(folder.file("p.h5"), rich_problem());
  {
    Surgery file(folder.file("p.h5"));
    file.integers("/contacts/body_a", {-1, 0});   // 32 bits
    file.integers("/contacts/friction", {1, 0});  // integers are numbers too
  }

  const auto read = std::get<BodyProblem>(read_problem(folder.file("p.h5")).data);

  EXPECT_THAT(read.contact_body_a, ElementsAre(-1, 0));
  EXPECT_THAT(read.friction, ElementsAre(1.0, 0.0));
}

class NativeFileFault : public ::testing::TestWithParam<FileFault> {};

TEST_P(NativeFileFault, IsReportedWithFileDatasetIndexAndValue) {
  const Folder folder;
  const std::string path = folder.file("wall.h5");
  write_native(path, rich_problem());
  {
    Surgery file(path);
    GetParam().spoil(file);
  }

  EXPECT_THAT(test::faults_of(path), Contains(AllOf(HasSubstr("wall.h5: " + GetParam().place),
                                                    HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, NativeFileFault,
    ::testing::Values(
        FileFault{"version", [](auto& f) { f.attribute("/", "talus_problem", 2); },
                  "/@talus_problem = 2", "reads version 1"},
        FileFault{"version_type", [](auto& f) { f.attribute("/", "talus_problem", 1.5); },
                  "/@talus_problem", "must hold integers"},
        FileFault{"time_step", [](auto& f) { f.attribute("/", "time_step", -1.0); },
                  "time_step = -1", "not negative"},
        FileFault{"time_step_type", [](auto& f) { f.text_attribute("/", "time_step", "long"); },
                  "/@time_step: holds text", "must hold floating-point numbers"},
        FileFault{"missing_group", [](auto& f) { f.remove("/bodies"); }, "/bodies:", "is missing"},
        FileFault{"missing", [](auto& f) { f.remove("/bodies/momentum"); }, "/bodies/momentum",
                  "is missing"},
        FileFault{"missing_count", [](auto& f) { f.remove("/joints/bias"); }, "/joints/bias",
                  "is missing"},
        FileFault{"text", [](auto& f) { f.text("/contacts/friction", "rough"); },
                  "/contacts/friction: holds text", "must hold floating-point numbers"},
        FileFault{"reals_for_integers",
                  [](auto& f) {
                    f.reals("/contacts/body_a", {-1.0, 0.0});
                  },
                  "/contacts/body_a: holds floating-point numbers", "must hold integers"},
        FileFault{"rank",
                  [](auto& f) {
                    f.reals("/contacts/normal", {0, 0, 1, 0, 0, 1});
                  },
                  "/contacts/normal: has 1 dimensions", "must have 2"},
        FileFault{"columns",
                  [](auto& f) {
                    f.reals("/bodies/momentum", {1, 2, 3, 4}, {2, 2});
                  },
                  "/bodies/momentum: is 2 x 2", "must have 6 columns"},
        FileFault{"length",
                  [](auto& f) {
                    f.reals("/contacts/friction", {0.5, 0.5, 0.5});
                  },
                  "/contacts/friction has 3 entries", "must have 2"},
        FileFault{"compliance_rows",
                  [](auto& f) {
                    f.reals("/contacts/compliance", {0, 0}, {1, 2});
                  },
                  "/contacts/compliance has 1 entries", "must have 2"},
        FileFault{"group_for_dataset",
                  [](auto& f) {
                    f.remove("/contacts/friction");
                    f.group("/contacts/friction");
                  },
                  "/contacts/friction", "is not a dataset"},
        FileFault{"body_out_of_range",
                  [](auto& f) {
                    f.integers("/contacts/body_b", {0, 2});
                  },
                  "/contacts/body_b[1] = 2", "no such body"},
        FileFault{"body_beyond_32_bits", [](auto& f) { f.change("/contacts/body_b", 1, 5e9); },
                  "/contacts/body_b[1] = 5000000000", "no such body"},
        FileFault{"nan", [](auto& f) { f.change("/bodies/centre", 4, nan); },
                  "/bodies/centre[1,1] = nan", "finite"},
        FileFault{"infinity", [](auto& f) { f.change("/bodies/momentum", 11, infinity); },
                  "/bodies/momentum[1,5] = inf", "finite"},
        FileFault{"friction", [](auto& f) { f.change("/contacts/friction", 1, -0.25); },
                  "/contacts/friction[1] = -0.25", "not negative"},
        FileFault{"rolling_friction",
                  [](auto& f) {
                    f.reals("/contacts/rolling_friction", {0.1, -0.25});
                  },
                  "/contacts/rolling_friction[1] = -0.25", "not negative"},
        FileFault{"spinning_friction",
                  [](auto& f) {
                    f.reals("/contacts/spinning_friction", {nan, 0.0});
                  },
                  "/contacts/spinning_friction[0] = nan", "finite"},
        FileFault{"rolling_friction_length",
                  [](auto& f) { f.reals("/contacts/rolling_friction", {0.1}); },
                  "/contacts/rolling_friction has 1 entries", "must have 2"},
        FileFault{"bounds", [](auto& f) { f.change("/joints/upper", 1, -5.0); },
                  "/joints/lower[1] = -2 with upper = -5", "interval"},
        FileFault{"absurd", [](auto& f) { f.claim("/contacts/friction", hsize_t{1} << 40); },
                  "/contacts/friction: claims 1099511627776 numbers", "damaged"}),
    test::situation_of);

TEST(NativeFile, FaultsOfStructureAndContentAreReportedTogether) {
  const Folder folder;
  write_native(folder.file("p.h5"), rich_problem());
  {
    Surgery file(folder.file("p.h5"));
    file.remove("/bodies/momentum");
    file.change("/contacts/friction", 0, -1.0);
    file.change("/joints/bias", 1, nan);
  }

  EXPECT_THAT(test::faults_of(folder.file("p.h5")),
              ::testing::UnorderedElementsAre(HasSubstr("/bodies/momentum: is missing"),
                                              HasSubstr("/contacts/friction[0] = -1"),
                                              HasSubstr("/joints/bias[1] = nan")));
}

TEST(NativeFile, FaultyProblemsAreNotWritten) {
  const Folder folder;
  BodyProblem problem = rich_problem();
  problem.friction[0] = -1.0;

  EXPECT_THROW(write_native(folder.file("p.h5"), problem), InputError);

  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace talus
