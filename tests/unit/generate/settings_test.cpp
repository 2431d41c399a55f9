#include "generate/settings.hpp"

#include "talus/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace talus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> faults_of(const std::string& text) {
  try {
    parse_generate(text);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

std::vector<std::string> faults_of(const GenerateOptions& options) {
  try {
    settled(options);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

TEST(ParseGenerate, ReadsEveryKindOfValue) {
  const GenerateOptions options =
      parse_generate("stack,bodies=50,friction=0.25,mass-ratio=1e3,order=top,seed=7");

  EXPECT_EQ(options.kind, "stack");
  EXPECT_EQ(options.bodies, 50);
  EXPECT_EQ(options.friction, 0.25);
  EXPECT_EQ(options.mass_ratio, 1000.0);
  EXPECT_EQ(options.order, "top");
  EXPECT_EQ(options.seed, 7);
  EXPECT_EQ(options.speed, std::nullopt);
}

TEST(ParseGenerate, KindAloneIsEnough) {
  for (const std::string& kind : generate_kinds()) EXPECT_EQ(parse_generate(kind).kind, kind);
}

TEST(ParseGenerate, UnknownKindNamesTheNearest) {
  EXPECT_THAT(faults_of("stcak,bodies=3"),
              ElementsAre("generate: kind = \"stcak\" is unknown: did you mean stack? "
                          "known are stack, wall, packing, chain, net"));
  EXPECT_THAT(faults_of(""), ElementsAre(HasSubstr("kind = \"\" is unknown")));
}

TEST(ParseGenerate, AllFaultsAreReportedAtOnce) {
  EXPECT_THAT(
      faults_of("stack,bodies=ten,frction=0.1,friction=-1,radius=2,seed,order=botom,speed=1x"),
      ElementsAre(
          "generate: bodies = \"ten\" must be a whole number",
          "generate: key \"frction\" is unknown: did you mean friction? keys of stack are bodies, "
          "friction, mass_ratio, speed, step, seed, order",
          "generate: \"seed\" must be key=value", "generate: speed = \"1x\" must be a number",
          "generate: friction = -1 must be 0 to 1000000 for stack (default 0.5)",
          "generate: radius is not used by stack (only by packing): leave it out",
          "generate: order = \"botom\" is unknown: known are alternating, graded, "
          "top"));
}

TEST(ParseGenerate, TwiceGivenEmptyAndFractionalValuesAreFaults) {
  EXPECT_THAT(faults_of("stack,seed=1,seed=2"), ElementsAre("generate: seed is given twice"));
  EXPECT_THAT(faults_of("stack,order=top,order=top"),
              ElementsAre("generate: order is given twice"));
  EXPECT_THAT(faults_of("stack,"), ElementsAre("generate: \"\" must be key=value"));
  EXPECT_THAT(faults_of("stack,bodies="),
              ElementsAre("generate: bodies = \"\" must be a whole number"));
  EXPECT_THAT(faults_of("stack,bodies=2.5"),
              ElementsAre("generate: bodies = \"2.5\" must be a whole number"));
  EXPECT_THAT(faults_of("stack,bodies=99999999999999999999"),
              ElementsAre(HasSubstr("must be a whole number")));
}

TEST(ParseGenerate, UnitsAndLimitsAreNamed) {
  EXPECT_THAT(
      faults_of("packing,radius=0"),
      ElementsAre("generate: radius = 0 must be 1e-06 to 1000 m for packing (default 0.005 m)"));
  EXPECT_THAT(
      faults_of("packing,bodies=0"),
      ElementsAre(HasSubstr("bodies = 0 must be 1 to 10000000 for packing (default 1000)")));
  EXPECT_THAT(faults_of("packing,rolling-friction=-1,spinning-friction=nan"),
              ElementsAre("generate: rolling_friction = -1 must be 0 to 1000 m for packing "
                          "(default 0 m)",
                          HasSubstr("spinning_friction = nan must be 0 to 1000 m")));
  EXPECT_THAT(faults_of("wall,step=nan"), ElementsAre(HasSubstr("step = nan must be")));
  EXPECT_THAT(faults_of("wall,speed=inf"), ElementsAre(HasSubstr("speed = inf must be")));
  EXPECT_THAT(faults_of("net,bodies=3"), ElementsAre(HasSubstr("bodies = 3 must be 4 to")));
}

TEST(ParseGenerate, KeysOfOtherKindsAreFaults) {
  EXPECT_THAT(
      faults_of("wall,seed=1"),
      ElementsAre("generate: seed is not used by wall (only by stack, packing, chain, net): "
                  "leave it out"));
  EXPECT_THAT(faults_of("chain,order=top"),
              ElementsAre("generate: order is not used by chain (only by stack): leave it out"));
  EXPECT_THAT(faults_of("stack,rolling_friction=0.1"),
              ElementsAre(HasSubstr("rolling_friction is not used by stack (only by packing)")));
  EXPECT_THAT(faults_of("net,friction=0.5"),
              ElementsAre(HasSubstr("only by stack, wall, packing")));
}

TEST(ParseGenerate, WidthMustFitTheBodies) {
  EXPECT_THAT(faults_of("wall,bodies=11,width=11"),
              ElementsAre(HasSubstr("width = 11 must be at most the number of bricks, 10")));
  EXPECT_TRUE(faults_of("wall,bodies=11,width=10").empty());
  EXPECT_THAT(faults_of("net,bodies=10,width=1"),
              ElementsAre(HasSubstr("width = 1 must be 2 to 9")));
  EXPECT_THAT(faults_of("net,bodies=10,width=10"),
              ElementsAre(HasSubstr("width = 10 must be 2 to 9")));
  EXPECT_TRUE(faults_of("net,bodies=10,width=9").empty());
}

TEST(GenerateSettings, DefaultsAreThoseOfTheKind) {
  EXPECT_EQ(settled({.kind = "stack"}).bodies, 20);
  EXPECT_EQ(settled({.kind = "wall"}).mass_ratio, 1000.0);
  EXPECT_EQ(settled({.kind = "packing", .radius = 0.1}).radius, 0.1);
  EXPECT_EQ(settled({.kind = "chain"}).seed, 1u);
}

TEST(GenerateSettings, OptionsSetInCodeAreCheckedToo) {
  EXPECT_EQ(faults_of(GenerateOptions{.kind = "cube"}).size(), 1u);
  EXPECT_EQ(faults_of(GenerateOptions{.kind = "stack", .bodies = -1, .radius = 0.1}).size(), 2u);
  EXPECT_THROW(generate({.kind = "wall", .seed = 1}), InputError);
}

TEST(GenerateKeys, ListWhatAKindUsesWithDefaultsAndLimits) {
  for (const std::string& kind : generate_kinds()) {
    for (const GenerateKey& key : generate_keys(kind)) {
      SCOPED_TRACE(kind + " " + key.name);
      EXPECT_FALSE(key.help.empty());
      EXPECT_TRUE(
          faults_of(kind + "," + key.name + "=" + key.value).empty());  // defaults are allowed
    }
  }
  EXPECT_THROW(generate_keys("cube"), InputError);
}

}  // namespace
}  // namespace talus
