#include "talus/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(InputErrors, ThrowNothingWhenThereAreNone) {
  InputErrors errors;

  errors.require(true, "mu", 0.5, "must not be negative");

  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(errors.count(), 0u);
  EXPECT_NO_THROW(errors.throw_if_any());
}

TEST(InputErrors, AreReportedTogetherInTheirOrder) {
  InputErrors errors;
  errors.require(false, "mu[3]", -0.5, "must not be negative");
  errors.add("no such body");

  try {
    errors.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.messages(), ElementsAre("mu[3] = -0.5 must not be negative", "no such body"));
    EXPECT_STREQ(error.what(), "mu[3] = -0.5 must not be negative\nno such body");
  }
}

TEST(InputErrors, ShowTwentyAndCountTheRest) {
  InputErrors errors;
  for (int i = 0; i < 20; ++i) errors.add("fault " + std::to_string(i));
  const auto shown = [&] {
    try {
      errors.throw_if_any();
    } catch (const InputError& error) {
      return error.messages();
    }
    return std::vector<std::string>{};
  };
  EXPECT_EQ(shown().size(), 20u);
  EXPECT_EQ(shown().back(), "fault 19");

  for (int i = 0; i < 99980; ++i) errors.add("fault");

  EXPECT_EQ(errors.count(), 100000u);
  EXPECT_EQ(shown().size(), 21u);
  EXPECT_EQ(shown().back(), "and 99980 more");
}

TEST(InputError, OfOneMessageIsThatMessage) {
  const InputError error("file.h5: truncated");

  EXPECT_STREQ(error.what(), "file.h5: truncated");
  EXPECT_THAT(error.messages(), ElementsAre("file.h5: truncated"));
}

TEST(CloseName, IsTheOneWithTheFewestEdits) {
  const std::vector<std::string> methods{"jacobi", "psor", "pspgfb", "apgd"};

  EXPECT_EQ(close_name("jakobi", methods), "jacobi");  // substituted
  EXPECT_EQ(close_name("sor", methods), "psor");       // left out
  EXPECT_EQ(close_name("apgdd", methods), "apgd");     // put in
  EXPECT_EQ(close_name("apdg", methods), "apgd");      // swapped
  EXPECT_EQ(close_name("pspgbf", methods), "pspgfb");
  EXPECT_EQ(close_name("psor", methods), "psor");
}

TEST(CloseName, IsTheOneThatTheWordBegins) {
  EXPECT_EQ(close_name("--tol", {"--law", "--tolerance"}), "--tolerance");
  EXPECT_EQ(close_name("ja", {"psor", "jacobi"}), "jacobi");
  EXPECT_EQ(close_name("--t", {"--tolerance"}), "") << "could be anything";
}

TEST(CloseName, OfTiesIsTheFirst) {
  EXPECT_EQ(close_name("cx", {"cd", "ca"}), "cd");
}

TEST(CloseName, IsNoneWhereTheWordIsEmptyOrFarFromAll) {
  EXPECT_EQ(close_name("", {"ab", "cg"}), "");
  EXPECT_EQ(close_name("--", {"--law"}), "");
  EXPECT_EQ(close_name("x", {"y"}), "");
  EXPECT_EQ(close_name("foo", {"net", "box"}), "");
  EXPECT_EQ(close_name("xyzzyq", {"coulomb", "box"}), "");
  EXPECT_EQ(close_name("--foo", {"--law", "--set"}), "");
  EXPECT_EQ(close_name("psor", {}), "");
}

TEST(DidYouMean, IsAQuestionOrNothing) {
  EXPECT_EQ(did_you_mean("sor", {"psor"}), "did you mean psor? ");
  EXPECT_EQ(did_you_mean("sor", {"psor"}, "'"), "did you mean 'psor'? ");
  EXPECT_EQ(did_you_mean("", {"psor"}), "");
}

TEST(Assertions, SayWhereAndWhat) {
  TALUS_ASSERT(1 + 1 == 2);
  try {
    TALUS_ASSERT(1 + 1 == 3);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("error_test.cpp:"));
    EXPECT_THAT(error.what(), HasSubstr("1 + 1 == 3"));
  }
}

}  // namespace
}  // namespace talus
