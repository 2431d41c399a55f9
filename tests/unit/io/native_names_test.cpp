// Names that the native layout does not know, and one message for one fault.

#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace talus {
namespace {

using test::FileFault;
using test::Folder;
using test::Surgery;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t far = std::int64_t{1} << 40;  // whose lower 32 bits are those of body 0

BodyProblem two_bodies() {
  BodyProblem p;
  p.add_body({0, 0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {0, 0, -0.1, 0, 0, 0});
  p.add_body({0, 0, 1.5}, 0.5, {2, 0, 0, 3, 0, 2}, {0, 0, -0.2, 0, 0, 0});
  p.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {});
  p.add_contact(0, 1, {0, 0, 1}, {0, 0, 1}, 0.25, {});
  p.add_joint_row(0, 1, {1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0}, 0.0);
  return p;
}

std::vector<std::string> faults_after(const std::function<void(Surgery&)>& spoil) {
  const Folder folder;
  write_native(folder.file("p.h5"), two_bodies());
  {
    Surgery file(folder.file("p.h5"));
    spoil(file);
  }
  return test::faults_of(folder.file("p.h5"));
}

class UnknownName : public ::testing::TestWithParam<FileFault> {};

TEST_P(UnknownName, IsRefusedWithTheNearestThatIsKnown) {
  EXPECT_THAT(faults_after(GetParam().spoil),
              ElementsAre(AllOf(HasSubstr("p.h5: " + GetParam().place + ": "),
                                HasSubstr("did you mean " + GetParam().remedy + "?"))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, UnknownName,
    ::testing::Values(
        FileFault{"compliance",
                  [](auto& f) {
                    f.reals("/contacts/complaince", {0, 0, 0, 0}, {2, 2});
                  },
                  "/contacts/complaince", "compliance"},
        FileFault{"rolling",
                  [](auto& f) {
                    f.reals("/contacts/rolling_radius", {0.1, 0.1});
                  },
                  "/contacts/rolling_radius", "rolling_friction"},
        FileFault{"of_a_body",
                  [](auto& f) {
                    f.reals("/bodies/momenta", {0.1, 0.1});
                  },
                  "/bodies/momenta", "momentum"},
        FileFault{"of_a_joint", [](auto& f) { f.reals("/joints/uper", {1.0}); }, "/joints/uper",
                  "upper"},
        FileFault{"group_in_a_group", [](auto& f) { f.group("/joints/body_c"); }, "/joints/body_c",
                  "body_a"},
        FileFault{"group", [](auto& f) { f.group("/contcts"); }, "/contcts", "contacts"},
        FileFault{"dataset_at_the_root", [](auto& f) { f.reals("/body", {1.0}); }, "/body",
                  "bodies"},
        FileFault{"solution", [](auto& f) { f.group("/solutions"); }, "/solutions", "solution"}),
    test::situation_of);

TEST(UnknownNames, AreLookedForEvenWhereTheNumberOfEntriesIsNotKnown) {
  const auto faults = faults_after([](auto& f) {
    f.remove("/contacts/normal");
    f.reals("/contacts/nrmal", {0, 0, 1, 0, 0, 1}, {2, 3});
  });

  EXPECT_THAT(faults, ElementsAre(HasSubstr("/contacts/normal: is missing"),
                                  AllOf(HasSubstr("/contacts/nrmal"), HasSubstr("mean normal?"))));
}

TEST(UnknownNames, SolutionsGuessesAndNotesHaveTheirPlace) {
  EXPECT_THAT(
      faults_after([](auto& f) {
        for (const char* group : {"/solution", "/solution_ccp", "/guesses", "/guesses/1", "/notes"})
          f.group(group);
        f.reals("/notes/anything", {1.0});
      }),
      IsEmpty());
}

/// Only one thing is wrong, and only one thing is said.
class OneFault : public ::testing::TestWithParam<FileFault> {};

TEST_P(OneFault, IsReportedOnce) {
  EXPECT_THAT(faults_after(GetParam().spoil),
              ElementsAre(AllOf(HasSubstr(GetParam().place), HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, OneFault,
    ::testing::Values(
        FileFault{"first_body_beyond_32_bits",
                  [](auto& f) {
                    f.wide_integers("/contacts/body_a", {far + 5, 0});
                  },
                  "/contacts/body_a[0] = 1099511627781", "no such body"},
        FileFault{"second_body_beyond_32_bits",  // 0 by its lower bits, as its partner
                  [](auto& f) {
                    f.wide_integers("/contacts/body_b", {0, far});
                  },
                  "/contacts/body_b[1] = 1099511627776", "no such body"},
        FileFault{"partner_of_the_world_beyond_32_bits",
                  [](auto& f) {
                    f.wide_integers("/contacts/body_b", {far - 1, 1});
                  },
                  "/contacts/body_b[0] = 1099511627775", "no such body"},
        FileFault{"bodies_that_are_no_integers",
                  [](auto& f) {
                    f.reals("/contacts/body_a", {-1, 0});
                  },
                  "/contacts/body_a", "must hold integers"},
        FileFault{"partners_that_are_missing", [](auto& f) { f.remove("/joints/body_b"); },
                  "/joints/body_b", "is missing"},
        FileFault{"normal_without_number",
                  [](auto& f) {
                    f.remove("/contacts/tangent");
                    f.change("/contacts/normal", 2, nan);
                  },
                  "/contacts/normal[0]", "length 1"},
        FileFault{"normal_that_points_elsewhere",
                  [](auto& f) { f.change("/contacts/normal", 0, 0.5); }, "/contacts/normal[0]",
                  "length 1"},
        FileFault{"tangents_of_another_shape",
                  [](auto& f) {
                    f.reals("/contacts/tangent", {1, 0, 0, 1}, {2, 2});
                  },
                  "/contacts/tangent", "must have 3 columns"},
        FileFault{"bounds_that_are_text", [](auto& f) { f.text("/joints/upper", "none"); },
                  "/joints/upper", "must hold floating-point numbers"},
        FileFault{"compliance_of_other_length",
                  [](auto& f) {
                    f.reals("/contacts/compliance", {0, 0}, {1, 2});
                  },
                  "/contacts/compliance", "has 1 entries"},
        FileFault{"bodies_that_are_missing", [](auto& f) { f.remove("/bodies"); }, "/bodies",
                  "is missing"}),
    test::situation_of);

TEST(OneFaults, OfTwoBodiesBothBeyond32BitsAreTwo) {
  EXPECT_THAT(faults_after([](auto& f) {
                f.wide_integers("/contacts/body_a", {-1, far});
                f.wide_integers("/contacts/body_b", {0, far});
              }),
              ElementsAre(HasSubstr("body_a[1]"), HasSubstr("body_b[1]")));
}

}  // namespace
}  // namespace talus
