// talus generate and talus info as a user meets them.

#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(GenerateCommand, MakesAProblemOfEveryKindInBothLayouts) {
  const Workplace place;
  for (const char* kind : {"stack", "wall", "packing", "chain", "net"}) {
    for (const char* layout : {"native", "fclib"}) {
      SCOPED_TRACE(std::string(kind) + ", " + layout);

      const ProgramRun made =
          place.run({"generate", kind, "--bodies", "5", "--layout", layout, "--output", "made.h5"});
      const ProgramRun info = place.run({"info", "made.h5", "--json"});

      EXPECT_EQ(made.exit_code, 0) << made.err;
      EXPECT_THAT(made.out, AllOf(HasSubstr("5 bodies"), HasSubstr(layout)));
      EXPECT_EQ(info.exit_code, 0) << info.err;
      EXPECT_EQ(json::parse(info.out)["bodies"], 5);
    }
  }
}

TEST(GenerateCommand, RollingFrictionGoesIntoBothLayoutsSpinningFrictionIntoOurs) {
  const Workplace place;
  const std::vector<std::string> rolling{"generate",           "packing", "--bodies", "5",
                                         "--rolling-friction", "0.001"};
  const auto made = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = rolling;
    words.insert(words.end(), more.begin(), more.end());
    return place.run(words);
  };

  const ProgramRun native = made({"--spinning-friction", "0.5", "--output", "a.h5"});
  const ProgramRun fclib = made({"--layout", "fclib", "--output", "b.h5"});
  const ProgramRun refused =
      made({"--spinning-friction", "0.5", "--layout", "fclib", "--output", "c.h5"});

  EXPECT_EQ(native.exit_code, 0) << native.err;
  EXPECT_EQ(fclib.exit_code, 0) << fclib.err;
  const auto a = std::get<BodyProblem>(read_problem(place.path("a.h5").string()).data);
  const ProblemFile b = read_problem(place.path("b.h5").string());
  EXPECT_EQ(a.spinning_friction[0], 0.5);
  EXPECT_EQ(b.format, "fclib_global_rolling");
  EXPECT_EQ(std::get<BodyProblem>(b.data).rolling_friction, a.rolling_friction);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("leave --spinning-friction 0.5 out"));
  EXPECT_THAT(place.files(), ElementsAre("a.h5", "b.h5"));
}

TEST(GenerateCommand, WordsMayComeInAnyOrderAndSpelling) {
  const Workplace place;

  const ProgramRun plain = place.run({"generate", "stack", "--bodies", "4", "--mass-ratio", "3",
                                      "--seed", "7", "--output", "a.h5"});
  const ProgramRun turned =
      place.run({"generate", "--output=b.h5", "--seed=7", "--mass_ratio=3", "--bodies=4", "stack"});

  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  ASSERT_EQ(turned.exit_code, 0) << turned.err;
  const auto a = std::get<BodyProblem>(read_problem(place.path("a.h5").string()).data);
  const auto b = std::get<BodyProblem>(read_problem(place.path("b.h5").string()).data);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.inverse_mass, b.inverse_mass);
  EXPECT_EQ(a.momentum, b.momentum) << "of random directions: the seed counts";
}

TEST(GenerateCommand, AllFaultsAreNamedAtOnceAndNothingIsWritten) {
  const Workplace place;

  const ProgramRun run = place.run({"generate", "wall", "--bodies", "-3", "--friction", "-1",
                                    "--seed", "3", "--layout", "fclb", "--output", "no/x.h5"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("bodies = -3"), HasSubstr("friction = -1"), HasSubstr("seed"),
                    HasSubstr("did you mean fclib"), HasSubstr("the folder no does not exist")));
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(GenerateCommand, WhatALayoutCannotHoldIsSaidOnceAndBeforeTheWork) {
  const Workplace place;

  const ProgramRun run = place.run({"generate", "packing", "--bodies", "100", "--spinning-friction",
                                    "0.001", "--layout", "fclib", "--output", "p.h5", "--verbose"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, StartsWith("talus: --layout fclib: FCLib has rolling friction but none "
                                  "against spinning: leave --spinning-friction 0.001 out"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(GenerateCommand, CountsInWordsAndTakesWholeNumbersInAnySpelling) {
  const Workplace place;

  const ProgramRun one = place.run({"generate", "stack", "--bodies", "1", "--output", "s.h5"});
  const ProgramRun hundred =
      place.run({"generate", "stack", "--bodies", "1e2", "--output", "t.h5"});

  EXPECT_THAT(one.out, HasSubstr("stack with 1 body, 4 contacts, 0 joint rows"));
  EXPECT_THAT(hundred.out, HasSubstr("stack with 100 bodies, 400 contacts"));
}

TEST(GenerateCommand, NeedsAKindAndAnOutput) {
  const Workplace place;

  const ProgramRun no_kind = place.run({"generate", "--output", "x.h5"});
  const ProgramRun no_output = place.run({"generate", "wall"});
  const ProgramRun no_such_kind = place.run({"generate", "pakcing", "--output", "x.h5"});

  EXPECT_EQ(no_kind.exit_code, 2);
  EXPECT_THAT(no_kind.err, HasSubstr("generate needs KIND"));
  EXPECT_EQ(no_output.exit_code, 2);
  EXPECT_THAT(no_output.err, HasSubstr("--output"));
  EXPECT_EQ(no_such_kind.exit_code, 2);
  EXPECT_THAT(no_such_kind.err, HasSubstr("did you mean packing"));
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(GenerateCommand, VerboseSaysHowLongItTookOnStderrOnly) {
  const Workplace place;

  const ProgramRun quiet = place.run({"generate", "stack", "--output", "x.h5"});
  const ProgramRun verbose = place.run({"generate", "stack", "--output", "x.h5", "--verbose"});

  EXPECT_THAT(quiet.err, IsEmpty());
  EXPECT_THAT(verbose.err, AllOf(HasSubstr("made in"), HasSubstr("written in")));
  EXPECT_EQ(quiet.out, verbose.out);
}

TEST(GenerateCommand, AFileThatHoldsNoProblemIsNotReplaced) {
  const Workplace place;
  place.write("thesis.txt", "years of work");
  BodyProblem problem;
  problem.add_body({0, 0, 1}, 0.5, {1, 0, 0, 1, 0, 1}, {});
  write_solution(place.path("answer.h5").string(), {{}, {}, {}, {1, 2, 3, 4, 5, 6}});

  const ProgramRun text = place.run({"generate", "stack", "--output", "thesis.txt"});
  const ProgramRun answer = place.run({"generate", "stack", "--output", "answer.h5"});

  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, AllOf(HasSubstr("--output thesis.txt: is there already"),
                              HasSubstr("give another name")));
  EXPECT_EQ(place.read("thesis.txt"), "years of work");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("holds no problem"));
  EXPECT_EQ(read_solution(place.path("answer.h5").string()).v.size(), 6u);
}

TEST(GenerateCommand, AnOlderProblemIsReplacedAndThatIsSaid) {
  const Workplace place;
  place.write("empty.h5", "");
  place.run({"generate", "wall", "--layout", "fclib", "--output", "x.h5"});
  std::filesystem::create_hard_link(place.path("x.h5"), place.path("kept.h5"));

  const ProgramRun first = place.run({"generate", "stack", "--output", "empty.h5"});
  const ProgramRun second = place.run({"generate", "stack", "--output", "x.h5"});

  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, IsEmpty());
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("x.h5: the problem that was there is replaced"));
  EXPECT_EQ(read_problem(place.path("x.h5").string()).format, "native");
  EXPECT_EQ(read_problem(place.path("kept.h5").string()).format, "fclib_global")
      << "another name of the same file keeps what was in it";
}

TEST(InfoCommand, CountsWhatTheFileHolds) {
  const Workplace place;
  BodyProblem problem;
  problem.title = "one on the floor";
  problem.add_body({0, 0, 1}, 0.5, {1, 0, 0, 1, 0, 1}, {0, 0, -1, 0, 0, 0});
  problem.add_body({0, 0, 2}, 0.25, {1, 0, 0, 1, 0, 1}, {});
  problem.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.125, {});
  problem.add_joint_row(0, 1, {0, 0, 1, 0, 0, 0}, {0, 0, -1, 0, 0, 0}, 0.0);
  write_native(place.path("two.h5").string(), problem);

  const ProgramRun as_json = place.run({"info", "two.h5", "--json"});
  const ProgramRun as_text = place.run({"info", "two.h5"});

  ASSERT_EQ(as_json.exit_code, 0) << as_json.err;
  const json info = json::parse(as_json.out);
  EXPECT_EQ(info["format"], "native");
  EXPECT_EQ(info["title"], "one on the floor");
  EXPECT_EQ(info["bodies"], 2);
  EXPECT_EQ(info["contacts"], 1);
  EXPECT_EQ(info["joint_rows"], 1);
  EXPECT_EQ(info["rows"], 4);
  EXPECT_EQ(info["islands"], 1);
  EXPECT_EQ(info["mass_kg"]["min"], 2.0);
  EXPECT_EQ(info["mass_kg"]["max"], 4.0);
  EXPECT_EQ(info["friction"]["max"], 0.125);
  EXPECT_EQ(as_text.exit_code, 0);
  for (const auto& [key, value] : info.items()) EXPECT_THAT(as_text.out, HasSubstr(key));
  EXPECT_THAT(as_text.out, AllOf(HasSubstr("2 to 4"), HasSubstr("one on the floor")));
  EXPECT_THAT(as_text.err, IsEmpty());
}

TEST(InfoCommand, DescribesMatricesToo) {
  const Workplace place;
  LocalProblem local;
  local.W = from_triplets(3, 3, {{0, 0, 2.0}, {1, 1, 2.0}, {2, 2, 2.0}});
  local.q = {-1.0, 0.5, 0.0};
  local.friction = {0.5};
  write_fclib(place.path("local.h5").string(), local);
  GlobalProblem global;
  global.M = from_triplets(2, 2, {{0, 0, 2.0}, {1, 1, 2.0}, {0, 1, 1.0}, {1, 0, 1.0}});
  global.dimension = 2;
  global.H = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  global.f = {-1.0, 0.5};
  global.w = {0.0, 0.0};
  global.friction = {0.25};
  write_fclib(place.path("global.h5").string(), global);

  const ProgramRun of_local = place.run({"info", "local.h5", "--json"});
  const ProgramRun of_global = place.run({"info", "global.h5", "--json"});

  ASSERT_EQ(of_local.exit_code, 0) << of_local.err;
  EXPECT_EQ(json::parse(of_local.out)["nonzeros_of_W"], 3);
  EXPECT_EQ(json::parse(of_local.out)["dimension"], 3);
  ASSERT_EQ(of_global.exit_code, 0) << of_global.err;
  EXPECT_EQ(json::parse(of_global.out)["nonzeros_of_M"], 4);
  EXPECT_EQ(json::parse(of_global.out)["degrees_of_freedom"], 2);
  EXPECT_EQ(json::parse(of_global.out)["matrix_free"], false);
}

TEST(InfoCommand, VerboseSaysHowLongItTook) {
  const Workplace place;
  place.run({"generate", "stack", "--output", "x.h5"});

  const ProgramRun run = place.run({"info", "x.h5", "--verbose"});

  EXPECT_THAT(run.err, AllOf(HasSubstr("read in"), HasSubstr("set up in")));
}

TEST(InfoCommand, ABadFileIsRefusedByName) {
  const Workplace place;
  place.write("text.h5", "not a problem");

  const ProgramRun text = place.run({"info", "text.h5"});
  const ProgramRun absent = place.run({"info", "absent.h5"});
  const ProgramRun folder = place.run({"info", "."});

  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, AllOf(HasSubstr("text.h5"), HasSubstr("HDF5")));
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, AllOf(HasSubstr("absent.h5"), HasSubstr("no such file")));
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err, HasSubstr("folder"));
  EXPECT_THAT(place.files(), ElementsAre("text.h5"));
}

}  // namespace
}  // namespace talus
