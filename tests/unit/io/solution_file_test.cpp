#include "talus/io/problem_file.hpp"

#include "io/hdf5/input_file.hpp"
#include "io/output_file.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <limits>
#include <sys/resource.h>

namespace talus {
namespace {

using test::Folder;
using test::Surgery;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Solution answer{{0.1, 0.2}, {1.0 / 3.0, 0.0}, {7.0}, {1, 2, 3, 4, 5, 6}};

LocalProblem one_contact() {
  LocalProblem p;
  p.dimension = 2;
  p.W = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  p.q = {-1.0, 0.5};
  p.friction = {0.5};
  return p;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SolutionFile, ComesBackBitForBitWithItsAttributes) {
  const Folder folder;

  write_solution(folder.file("s.h5"), answer,
                 {{"error_e1", 1e-9}, {"iterations", std::int64_t{1} << 40}, {"law", "coulomb"}});
  const Solution read = read_solution(folder.file("s.h5"));

  EXPECT_EQ(read.u, answer.u);
  EXPECT_EQ(read.r, answer.r);
  EXPECT_EQ(read.l, answer.l);
  EXPECT_EQ(read.v, answer.v);
  const hid_t file = H5Fopen(folder.file("s.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t error = H5Aopen_by_name(file, "solution", "error_e1", H5P_DEFAULT, H5P_DEFAULT);
  double value = 0.0;
  H5Aread(error, H5T_NATIVE_DOUBLE, &value);
  EXPECT_EQ(value, 1e-9);
  EXPECT_GT(H5Aexists_by_name(file, "solution", "law", H5P_DEFAULT), 0);
  H5Aclose(error);
  H5Fclose(file);
}

TEST(SolutionFile, LocalProblemsHaveNoVelocities) {
  const Folder folder;

  write_solution(folder.file("s.h5"), {{0.5, 0.0}, {1.0, 0.0}, {}, {}});

  EXPECT_TRUE(read_solution(folder.file("s.h5")).v.empty());
  EXPECT_TRUE(read_solution(folder.file("s.h5")).l.empty());
}

TEST(SolutionFile, GoesIntoTheFileOfItsProblemAndReplacesAnOlderOne) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());

  write_solution(folder.file("p.h5"), {{9.0, 9.0}, {9.0, 9.0}, {9.0}, {}});
  write_solution(folder.file("p.h5"), {{0.0, 0.5}, {1.0, 0.0}, {}, {}});

  const ProblemFile file = read_problem(folder.file("p.h5"));
  EXPECT_EQ(std::get<LocalProblem>(file.data).q, one_contact().q);
  EXPECT_THAT(file.solutions, ElementsAre("solution"));
  EXPECT_THAT(read_solution(folder.file("p.h5")).r, ElementsAre(1.0, 0.0));
  EXPECT_TRUE(read_solution(folder.file("p.h5")).l.empty());
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SolutionFile, LeavesAttributesOfTheFileAsTheyAre) {
  const Folder folder;
  BodyProblem bodies;
  bodies.add_body({1.0, 2.0, 3.0}, 1.0, {1, 0, 0, 1, 0, 1}, {});
  bodies.time_step = 0.125;
  write_native(folder.file("p.h5"), bodies);
  {
    Surgery file(folder.file("p.h5"));
    file.text_attribute("/", "title", "kept");  // of variable length
    file.group("/notes");
    file.attribute("/notes", "page", 7);
  }

  write_solution(folder.file("p.h5"), answer);

  const auto read = std::get<BodyProblem>(read_problem(folder.file("p.h5")).data);
  EXPECT_EQ(read.title, "kept");
  EXPECT_EQ(read.time_step, 0.125);
  EXPECT_EQ(read.centre[0].z, 3.0);
  EXPECT_EQ(io::InputFile(folder.file("p.h5")).integer_attribute("/notes", "page"), 7);
}

TEST(SolutionFile, OtherGroupsAreReadByName) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  {
    Surgery file(folder.file("p.h5"));
    file.group("/guesses");
    file.group("/guesses/1");
    file.reals("/guesses/1/r", {1.0, 2.0});
  }

  EXPECT_THAT(read_solution(folder.file("p.h5"), "guesses/1").r, ElementsAre(1.0, 2.0));
  EXPECT_THAT(message_of([&] { read_solution(folder.file("p.h5"), "solution"); }),
              AllOf(HasSubstr("p.h5: /solution: there is no such solution"),
                    HasSubstr("found: fclib_local guesses")));
}

TEST(SolutionFile, FaultsAreReportedTogether) {
  const Folder folder;
  write_solution(folder.file("s.h5"), answer);
  {
    Surgery file(folder.file("s.h5"));
    file.remove("/solution/r");
    file.change("/solution/u", 1, std::numeric_limits<double>::infinity());
  }

  EXPECT_THAT(message_of([&] { read_solution(folder.file("s.h5")); }),
              AllOf(HasSubstr("s.h5: /solution/r: is missing"), HasSubstr("/solution/u[1] = inf")));
}

TEST(Writing, WhatIsNotHdf5IsNotOverwrittenWithASolution) {
  const Folder folder;
  std::ofstream(folder.file("thesis.txt")) << "ten years of work";

  EXPECT_THAT(message_of([&] { write_solution(folder.file("thesis.txt"), answer); }),
              HasSubstr("thesis.txt: is not an HDF5 file"));

  EXPECT_EQ(bytes_of(folder.file("thesis.txt")), "ten years of work");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Writing, DamagedFilesAreNotAddedTo) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  std::string bytes = bytes_of(folder.file("p.h5"));
  // the header of a dataset that has nothing to do with the solution; its checksum no longer fits
  bytes[bytes.find("math_info")] = 'M';
  std::ofstream(folder.file("p.h5"), std::ios::binary) << bytes;

  EXPECT_THAT(message_of([&] { write_solution(folder.file("p.h5"), answer); }),
              HasSubstr("p.h5: is damaged, so that nothing can be added to it"));

  EXPECT_EQ(bytes_of(folder.file("p.h5")), bytes);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Writing, FoldersThatAreNotThereAreSaid) {
  const Folder folder;

  const std::string message =
      message_of([&] { write_fclib(folder.file("none/p.h5"), one_contact()); });

  EXPECT_THAT(message, AllOf(HasSubstr("none/p.h5: cannot be written"),
                             HasSubstr("No such file or directory")));
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Writing, AFolderOfThatNameStaysAndNothingIsLeftBeside) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("p.h5"));

  EXPECT_THAT(message_of([&] { write_fclib(folder.file("p.h5"), one_contact()); }),
              HasSubstr("p.h5: is not a regular file"));

  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Writing, AFolderMadeMeanwhileStaysToo) {
  const Folder folder;
  {
    io::OutputFile file(folder.file("p.h5"));
    std::filesystem::create_directory(folder.file("p.h5"));

    EXPECT_THAT(message_of([&] { file.commit(); }), HasSubstr("p.h5: could not take its place"));
  }

  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Writing, ExistingFilesAreReplacedWhole) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  write_solution(folder.file("p.h5"), answer);

  write_fclib(folder.file("p.h5"), one_contact());

  EXPECT_TRUE(read_problem(folder.file("p.h5")).solutions.empty());
  EXPECT_EQ(folder.entries(), 1u);
}

/// Runs `write` where files may not grow beyond 20 kB; the process ends with 0 when it threw a
/// runtime_error.
[[noreturn]] void write_on_a_full_disk(const std::function<void()>& write) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{20000, 20000};
  setrlimit(RLIMIT_FSIZE, &limit);
  try {
    write();
  } catch (const std::runtime_error& error) {
    std::fputs(error.what(), stderr);
    std::exit(0);
  }
  std::exit(1);
}

TEST(WritingDeathTest, AGoodFileSurvivesAFullDisk) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  const std::string before = bytes_of(folder.file("p.h5"));
  LocalProblem large = one_contact();
  large.q.assign(20000, 1.0);  // 160 kB
  Solution long_answer = answer;
  long_answer.u.assign(20000, 1.0);

  EXPECT_EXIT(write_on_a_full_disk([&] { write_fclib(folder.file("p.h5"), large); }),
              ::testing::ExitedWithCode(0), "p.h5: .* could not be written: File too large");
  EXPECT_EXIT(write_on_a_full_disk([&] { write_solution(folder.file("p.h5"), long_answer); }),
              ::testing::ExitedWithCode(0), "p.h5: .* could not be written: File too large");

  EXPECT_EQ(bytes_of(folder.file("p.h5")), before);
  EXPECT_EQ(folder.entries(), 1u);
}

ProblemFile with_solutions(const Folder& folder, const std::vector<Attribute>& attributes) {
  const std::string path = folder.file("p.h5");
  write_fclib(path, one_contact());
  write_solution(path, answer, attributes);
  return read_problem(path);
}

TEST(StoredAnswer, IsOfTheLawThatItsAttributeNames) {
  const Folder folder;
  const ProblemFile file = with_solutions(folder, {{"law", "associated"}});

  EXPECT_EQ(stored_answer(file, "associated"), "solution");
  EXPECT_EQ(stored_answer(file, "coulomb"), "");
}

TEST(StoredAnswer, WithoutAnAttributeIsWhatTheGroupUsuallyHolds) {
  const Folder folder;
  ProblemFile file = with_solutions(folder, {});
  {
    Surgery surgery(file.path);
    surgery.group("/solution_ccp");
    surgery.reals("/solution_ccp/r", {0.0, 0.0});
  }
  file = read_problem(file.path);

  EXPECT_EQ(stored_answer(file, "coulomb"), "solution");
  EXPECT_EQ(stored_answer(file, "associated"), "solution_ccp");
  EXPECT_EQ(stored_answer(file, "box"), "");
}

TEST(StoredAnswer, OfAFileWithoutOneIsNone) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());

  EXPECT_EQ(stored_answer(read_problem(folder.file("p.h5")), "coulomb"), "");
}

}  // namespace
}  // namespace talus
