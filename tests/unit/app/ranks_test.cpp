// The program under mpirun: one answer, one voice, one message.

#include "talus/io/problem_file.hpp"

#include "generate/generate.hpp"
#include "support/on_many_ranks.hpp"
#include "support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

void write_problem(const Workplace& place, const std::string& name, const std::string& text) {
  write_native(place.path(name).string(), generate(parse_generate(text)));
}

TEST(ProgramOnRanks, AnswersHaveTheBytesOfOneRank) {
  const Workplace place;
  write_problem(place, "p.h5", "wall,bodies=40");
  EXPECT_EQ(place.run({"solve", "p.h5", "--output", "s1.h5", "--report", "r1.json"}).exit_code, 0);
  const Json alone = Json::parse(place.read("r1.json"));
  for (const std::string partition : {"metis", "random:3", "blocks"}) {
    SCOPED_TRACE(partition);

    const ProgramRun run = run_on_ranks(
        place, 3, "solve p.h5 --output s3.h5 --report r3.json --partition " + partition);

    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json report = Json::parse(place.read("r3.json"));
    EXPECT_EQ(report["solution_hash"], alone["solution_hash"]);
    EXPECT_EQ(report["iterations"], alone["iterations"]);
    EXPECT_EQ(report["bodies"], alone["bodies"]);
    EXPECT_EQ(report["contacts"], alone["contacts"]);
    EXPECT_EQ(report["ranks"], 3);
    EXPECT_EQ(report["partition"]["kind"], partition);
    EXPECT_EQ(report["ledger"]["exchanges"], report["exchanges"]);
    EXPECT_GT(report["ledger"]["bytes_per_rank"]["mean"], 0.0);
    EXPECT_EQ(place.read("s3.h5"), place.read("s1.h5"));
  }
}

TEST(ProgramOnRanks, OneRankSpeaks) {
  const Workplace place;

  const ProgramRun run = run_on_ranks(
      place, 2,
      "solve --generate wall,bodies=20 --verbose --model latency=1e-6,bandwidth=1e10,ranks=64");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("problem "));
  EXPECT_EQ(run.out.find("problem "), run.out.rfind("problem "));
  EXPECT_THAT(run.out, AllOf(HasSubstr("ranks       2 by metis"), HasSubstr("ledger "),
                             HasSubstr("model       64 ranks")));
  EXPECT_THAT(run.err, HasSubstr("ranks: 2, threads: "));
}

TEST(ProgramOnRanks, MoreRanksThanBodies) {
  const Workplace place;
  const ProgramRun alone = place.run({"solve", "--generate", "stack,bodies=2"});

  const ProgramRun run = run_on_ranks(place, 7, "solve --generate stack,bodies=2");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto hash = [](const std::string& out) { return out.substr(out.find("hash ")); };
  EXPECT_EQ(hash(run.out), hash(alone.out));
}

TEST(ProgramOnRanks, APartitionIsWrittenAndReadAgain) {
  const Workplace place;
  EXPECT_EQ(
      run_on_ranks(place, 3, "solve --generate wall,bodies=20 --write-partition p.txt").exit_code,
      0);
  const std::string lines = place.read("p.txt");

  const ProgramRun run = run_on_ranks(
      place, 3,
      "solve --generate wall,bodies=20 --partition file:p.txt --write-partition again.txt");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(place.read("again.txt"), lines);
}

TEST(ProgramOnRanks, AWarmStartIsTaken) {
  const Workplace place;
  write_problem(place, "p.h5", "wall,bodies=30");
  EXPECT_EQ(run_on_ranks(place, 2, "solve p.h5 --output s.h5").exit_code, 0);

  const ProgramRun run = run_on_ranks(place, 3, "solve p.h5 --warm-start s.h5 --report r.json");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(place.read("r.json"))["iterations"], 0);
}

TEST(ProgramOnRanks, ComparesAsOneRankDoes) {
  const Workplace place;
  const std::string words = "compare --generate wall,bodies=20 --methods apgd,pspgfb --output ";
  EXPECT_EQ(run_on_ranks(place, 1, words + "one.json").exit_code, 0);

  const ProgramRun run = run_on_ranks(place, 3, words + "three.json");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json one = Json::parse(place.read("one.json")),
             three = Json::parse(place.read("three.json"));
  for (std::size_t k = 0; k < 2; ++k)
    for (const char* key : {"iterations", "solution_hash"})
      EXPECT_EQ(three["problems"][0]["runs"][k][key], one["problems"][0]["runs"][k][key]) << key;
}

TEST(ProgramOnRanks, InfoAndGenerateAreDoneOnce) {
  const Workplace place;

  const ProgramRun made = run_on_ranks(place, 3, "generate wall --bodies 20 --output w.h5");
  const ProgramRun told = run_on_ranks(place, 3, "info w.h5");

  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(told.out, place.run({"info", "w.h5"}).out);
}

TEST(ProgramOnRanks, BadInputIsOneMessageAndLeavesNothing) {
  const Workplace place;
  place.write("damaged.h5", "no HDF5");
  place.write("short.txt", "0\n1\n");
  for (const auto& [words, told] :
       {std::pair<std::string, std::string>{"solve missing.h5 --output s.h5", "missing.h5"},
        {"solve damaged.h5 --output s.h5", "damaged.h5"},
        {"solve --generate wall,bodies=-1", "bodies"},
        {"solve --generate wall --methd apgd", "--method"},
        {"solve --generate wall --partition mets", "metis"},
        {"solve --generate wall,bodies=20 --partition file:short.txt", "fewer lines"},
        {"solve --generate wall,bodies=20 --partition file:none.txt", "none.txt"},
        {"solve --generate wall --model latency=1", "bandwidth"},
        {"solve --generate wall --model latency=1,bandwidth=0,ranks=2.5", "bandwidth=0"},
        {"solve --generate wall,bodies=20 --method minres", "push and never pull"},
        {"solve --generate wall,bodies=20 --measure bilateral", "bilateral"},
        {"compare damaged.h5", "damaged.h5"},
        {"generate wall --bodies 20", "--output"},
        {"info missing.h5", "missing.h5"},
        {"slove", "solve"}}) {
    SCOPED_TRACE(words);

    const ProgramRun run = run_on_ranks(place, 3, words);

    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, AllOf(StartsWith("talus: "), HasSubstr(told)));
    EXPECT_EQ(run.err.find("talus: "), run.err.rfind("talus: ")) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(place.files(), ElementsAre("damaged.h5", "short.txt"));
  }
}

TEST(ProgramOnRanks, RanksThatSeeUnlikeFilesAreTold) {
  const Workplace place;
  std::filesystem::create_directories(place.path("b"));
  write_problem(place, "p.h5", "stack,bodies=5,friction=0.5");
  for (const char* other : {"stack,bodies=5,friction=0.4", "stack,bodies=7", "wall,bodies=9"}) {
    write_problem(place, "b/p.h5", other);
    const std::string second = fmt::format("solve p.h5 : -n 1 --wdir {} {} solve p.h5",
                                           place.path("b").string(), support::program());

    const ProgramRun run = run_on_ranks(place, 1, second);

    EXPECT_EQ(run.exit_code, 2) << other << run.err;
    EXPECT_THAT(run.err, AllOf(StartsWith("talus: p.h5: rank 1 sees another file"),
                               HasSubstr("than rank 0")));
  }
}

TEST(ProgramOnRanks, RanksWithUnlikeCommandLinesAreTold) {
  const Workplace place;
  const ProgramRun run = run_on_ranks(
      place, 1, "solve --generate stack,bodies=4 : -n 1 " + support::program() + " info");
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, StartsWith("talus: rank 1 was started as 'talus info'"));
}

TEST(ProgramOnRanks, TasksThatDoNotKnowOfEachOtherAreTold) {
  const Workplace place;
  const auto alone = [&](const std::string& environment) {
    const std::string command = fmt::format(  // MPI itself leaks
        "cd {} && env ASAN_OPTIONS=detect_leaks=0 {} {} solve --generate stack,bodies=4 > .stdout "
        "2> .stderr",
        place.path("").string(), environment, support::program());
    const int status = std::system(command.c_str());
    return std::pair(WEXITSTATUS(status), place.read(".stderr"));
  };
  const auto [srun, said] = alone("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1");
  EXPECT_EQ(srun, 4);
  EXPECT_THAT(said, HasSubstr("no PMI"));
  EXPECT_EQ(alone("SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0").first, 0);
  const auto [other, says] = alone("PMI_SIZE=2 PMI_RANK=0");
  EXPECT_EQ(other, 4);
  EXPECT_THAT(says, HasSubstr("another MPI"));
}

TEST(ProgramOnRanks, ADiskThatFailsIsOneMessage) {
  const Workplace place;

  const ProgramRun run =
      run_on_ranks(place, 2, "solve --generate wall,bodies=10 --report /dev/full");

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("/dev/full"));
}

TEST(ProgramOnRanks, ATimeLimitLeavesTheBestAnswer) {
  const Workplace place;

  const ProgramRun run =
      run_on_ranks(place, 2,
                   "solve --generate wall,bodies=100 --method apgd --tolerance 0 --time-limit "
                   "0.1 --output s.h5 --report r.json");

  EXPECT_EQ(run.exit_code, 1) << run.err;
  const Json report = Json::parse(place.read("r.json"));
  EXPECT_EQ(report["status"], "time limit");
  EXPECT_EQ(report["reproducible"], "no");
  EXPECT_TRUE(place.has("s.h5"));
}

}  // namespace
}  // namespace talus
