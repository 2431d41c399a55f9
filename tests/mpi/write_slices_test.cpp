// Files that the ranks write together: the bytes of one rank's file, or nothing at all.

#include "talus/solvers/solve.hpp"

#include "generate/generate.hpp"
#include "io/problem_slice.hpp"
#include "io/report_file.hpp"
#include "mpi/full_disk.hpp"
#include "mpi/on_ranks.hpp"
#include "mpi/shared_folder.hpp"
#include "partition/partition.hpp"
#include "support/random_bodies.hpp"
#include "support/same_slices.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

namespace talus {
namespace {

using test::agreed_message;
using test::bytes_of;
using test::FullDisk;
using test::SharedFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

BodyProblem some_bodies(bool rolling) {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 120;
  options.joints = 30;
  options.rolling = rolling;
  return support::random_bodies(options);
}

/// Different numbers everywhere; some are -0.
Solution answer_of(const BodyProblem& problem) {
  const auto numbers = [](std::size_t count, double step) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(i % 7 == 3 ? -0.0 : static_cast<double>(i) * step - 1.0);
    return values;
  };
  const std::size_t rows =
      problem.normal.size() * static_cast<std::size_t>(problem.rows_per_contact());
  return {numbers(rows, 0.1), numbers(rows, 0.3), numbers(problem.joint_bias.size(), 0.7),
          numbers(6 * problem.centre.size(), 0.9)};
}

/// The numbers of the things at `places`.
std::vector<double> picked(const std::vector<double>& all, const std::vector<GlobalId>& places,
                           std::size_t each) {
  std::vector<double> mine;
  for (const GlobalId place : places)
    for (std::size_t k = 0; k < each; ++k)
      mine.push_back(all[each * static_cast<std::size_t>(place) + k]);
  return mine;
}

SolutionSlice sliced(const Communicator& world, const BodyProblem& problem, const Solution& whole,
                     const std::string& partition) {
  const BodySlice slice = slice_of(problem, world.rank(), world.size());
  const BodyPart part =
      distribute(world, slice, partition_bodies(world, slice, parse_partition(partition)));
  const auto rows = static_cast<std::size_t>(problem.rows_per_contact());
  return solution_slice(
      world, part,
      {picked(whole.u, part.contact_place, rows), picked(whole.r, part.contact_place, rows),
       picked(whole.l, part.joint_place, 1), picked(whole.v, part.body_place, 6)});
}

const std::vector<Attribute> attributes{
    {"law", "coulomb"}, {"error", 1e-9}, {"n", std::int64_t{7}}};

class WriteSlices : public testing::TestWithParam<bool> {};

TEST_P(WriteSlices, OfASolutionGiveTheBytesOfOneRank) {
  const SharedFolder folder;
  const BodyProblem problem = some_bodies(GetParam());
  const Solution whole = answer_of(problem);
  folder.on_rank_0([&] {
    write_native(folder.file("one.h5"), problem);
    for (const char* name : {"one.h5", "alone.h5"})
      write_solution(folder.file(name), whole, attributes);
  });
  for (const char* partition : {"metis", "random:3"}) {
    folder.on_rank_0([&] { write_native(folder.file("many.h5"), problem); });
    const SolutionSlice mine = sliced(folder.world, problem, whole, partition);

    write_solution(folder.file("many.h5"), mine, attributes, folder.world);
    write_solution(folder.file("new.h5"), mine, attributes, folder.world);

    EXPECT_EQ(folder.entries(), 4U);
    EXPECT_EQ(bytes_of(folder.file("new.h5")), bytes_of(folder.file("alone.h5")));
    EXPECT_EQ(read_solution(folder.file("many.h5")).u, whole.u);
    EXPECT_EQ(read_solution(folder.file("many.h5")).v, whole.v);
    EXPECT_EQ(solution_hash(mine.rows, folder.world), solution_hash(whole));
    EXPECT_EQ(bytes_of(folder.file("many.h5")), bytes_of(folder.file("one.h5")));
    folder.world.barrier();
  }
}

TEST_P(WriteSlices, GoBesideWhatOthersPutBeforeTheirHdf5) {
  const SharedFolder folder;
  const BodyProblem problem = some_bodies(GetParam());
  const Solution whole = answer_of(problem);
  folder.on_rank_0([&] {
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, 1024);
    for (const char* name : {"one.h5", "many.h5"})
      H5Fclose(H5Fcreate(folder.file(name).c_str(), H5F_ACC_TRUNC, how, H5P_DEFAULT));
    H5Pclose(how);
    write_solution(folder.file("one.h5"), whole);
  });

  write_solution(folder.file("many.h5"), sliced(folder.world, problem, whole, "random:3"), {},
                 folder.world);

  EXPECT_EQ(bytes_of(folder.file("many.h5")).size(), bytes_of(folder.file("one.h5")).size());
  EXPECT_EQ(read_solution(folder.file("many.h5")).r, whole.r);
  EXPECT_EQ(read_solution(folder.file("many.h5")).v, whole.v);
}

TEST_P(WriteSlices, OfAProblemGiveTheBytesOfOneRank) {
  const SharedFolder folder;
  BodyProblem problem = some_bodies(GetParam());
  problem.title = "in slices";
  folder.on_rank_0([&] { write_native(folder.file("one.h5"), problem); });

  write_native(folder.file("many.h5"), slice_of(problem, folder.world.rank(), folder.world.size()),
               folder.world);

  EXPECT_EQ(folder.entries(), 2U);
  EXPECT_EQ(bytes_of(folder.file("many.h5")), bytes_of(folder.file("one.h5")));
}

TEST_P(WriteSlices, OfASolveHaveTheBitsOfOneRank) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies(GetParam());
  const ConeProblem alone = make_cone_problem(whole);
  const OnRanks mine = on_ranks(whole, "alternating", world);
  SolveOptions options;
  options.method = Method::Apgd;
  options.law = Law::Associated;
  options.max_iterations = 30;
  RowVector x(static_cast<std::size_t>(alone.stored_rows()), 0.0), gap;
  solve(alone, options, Communicator::self(), x, gap);
  const Solution expected = make_solution(whole, alone, x, gap);
  x.assign(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0);
  solve(mine.problem, options, world, x, gap);

  const SolutionSlice slice =
      solution_slice(world, *mine.part, make_solution(*mine.part, mine.problem, x, gap));

  EXPECT_EQ(slice.rows_per_contact, whole.rows_per_contact());
  EXPECT_EQ(solution_hash(slice.rows, world), solution_hash(expected));
}

INSTANTIATE_TEST_SUITE_P(Rolling, WriteSlices, testing::Bool());

TEST(WriteProblem, SmallerThanTheNumberOfRanksOrEmpty) {
  const SharedFolder folder;
  BodyProblem problem;
  const auto expect_same = [&] {
    folder.on_rank_0([&] { write_native(folder.file("one.h5"), problem); });
    write_native(folder.file("many.h5"),
                 slice_of(problem, folder.world.rank(), folder.world.size()), folder.world);
    EXPECT_EQ(bytes_of(folder.file("many.h5")), bytes_of(folder.file("one.h5")));
    folder.world.barrier();
  };
  expect_same();
  problem.add_body({0.0, 0.0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {});
  problem.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, {});
  problem.point_b = {{0.0, 0.0, 0.1}};
  expect_same();
}

TEST(WriteProblem, GeneratedInSlicesHasTheBytesOfOneRank) {
  const SharedFolder folder;
  for (const char* kind : {"stack", "wall", "chain", "net"}) {  // a packing takes its time
    const GenerateOptions options{.kind = kind, .bodies = 200};
    folder.on_rank_0([&] { write_native(folder.file("one.h5"), generate(options)); });

    write_native(folder.file("many.h5"),
                 generate_slice(options, folder.world.rank(), folder.world.size()), folder.world);

    EXPECT_EQ(bytes_of(folder.file("many.h5")), bytes_of(folder.file("one.h5"))) << kind;
    folder.world.barrier();
  }
}

TEST(WriteProblem, FaultsAreThoseOfAllSlicesAndNothingIsWritten) {
  const SharedFolder folder;
  BodyProblem problem = some_bodies(false);
  problem.friction.front() = problem.friction.back() = -1.0;

  const std::string message = agreed_message(folder.world, [&] {
    write_native(folder.file("p.h5"), slice_of(problem, folder.world.rank(), folder.world.size()),
                 folder.world);
  });

  EXPECT_THAT(message, AllOf(HasSubstr("p.h5: /contacts/friction[0] = -1"),
                             HasSubstr("p.h5: /contacts/friction[119] = -1")));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(SolutionSlices, OfFclibsRollingContactsHaveNoRowForSpinning) {
  const Communicator world = Communicator::world();
  const BodyProblem problem = some_bodies(true);
  const Solution whole = answer_of(problem);
  ProblemFile file;
  file.format = "fclib_global_rolling";

  const SolutionSlice mine = in_rows_of_file(file, sliced(world, problem, whole, "blocks"));

  file.data = problem;
  const Solution expected = in_rows_of_file(file, whole);
  EXPECT_EQ(mine.rows_per_contact, 5);
  EXPECT_EQ(solution_hash(mine.rows, world), solution_hash(expected));
  file.format = "native";
  EXPECT_EQ(in_rows_of_file(file, sliced(world, problem, whole, "blocks")).rows_per_contact, 6);
}

TEST(SolutionSlices, WithoutVelocitiesAreHashedByTheirGaps) {
  const Communicator world = Communicator::world();
  const std::vector<double> numbers{1.0, 2.0, 3.0, 4.0, 5.0};
  const Solution whole{numbers, {7.0, 8.0, 9.0, 10.0, 11.0}, {}, {}};
  const auto share = [&](const std::vector<double>& values) {
    const SliceRange range = slice_range(5, world.rank(), world.size());
    return std::vector<double>(values.begin() + range.first, values.begin() + range.last);
  };

  EXPECT_EQ(solution_hash({share(whole.u), share(whole.r), {}, {}}, world), solution_hash(whole));
}

// ---- what fails
// ----------------------------------------------------------------------------------

class WriteFails : public testing::Test {
 protected:
  /// An older answer stands under the goal; it must stay.
  WriteFails() {
    folder_.on_rank_0([&] { write_solution(goal_, {{9.0}, {9.0}, {}, {}}); });
    before_ = bytes_of(goal_);
  }

  std::string message_of_writing(const std::string& path) {
    const Solution whole = answer_of(problem_);
    const SolutionSlice mine = sliced(folder_.world, problem_, whole, "blocks");
    return agreed_message(folder_.world,
                          [&] { write_solution(path, mine, attributes, folder_.world); });
  }
  void expect_all_as_before() {
    EXPECT_EQ(folder_.entries(), 1U);
    EXPECT_EQ(bytes_of(goal_), before_);
  }

  const SharedFolder folder_;
  const BodyProblem problem_ = some_bodies(false);
  const std::string goal_ = folder_.file("s.h5");
  std::string before_;
};

TEST_F(WriteFails, WhereTheFolderIsNotThere) {
  EXPECT_THAT(message_of_writing(folder_.file("none/s.h5")),
              AllOf(HasSubstr("none/s.h5: cannot be written"), HasSubstr("No such file")));
  expect_all_as_before();
}

TEST_F(WriteFails, WhereTheFileIsDamaged) {
  folder_.on_rank_0([&] { std::ofstream(goal_) << "ten years of work"; });
  before_ = "ten years of work";

  EXPECT_THAT(message_of_writing(goal_), HasSubstr("s.h5: is not an HDF5 file"));
  expect_all_as_before();
}

TEST_F(WriteFails, WhereTheDiskOfAnyRankIsFull) {
  // the last rank that has contacts to write
  const int last =
      slice_rank(problem_.contact_count(), problem_.contact_count() - 1, folder_.world.size());
  for (const int full : {0, last}) {
    std::optional<FullDisk> disk;
    if (folder_.world.rank() == full) disk.emplace(4000);
    const std::string message = message_of_writing(goal_);
    disk.reset();

    const std::string who = folder_.world.size() > 1 ? "rank " + std::to_string(full) + ": " : "";
    EXPECT_THAT(message,
                AllOf(HasSubstr(who + goal_), HasSubstr("could not be written: File too large")));
    expect_all_as_before();
  }
}

TEST_F(WriteFails, WhereARankSeesAnotherFolder) {
  if (folder_.world.size() == 1) GTEST_SKIP() << "one rank sees one folder";
  const auto here = std::filesystem::current_path();
  const bool elsewhere = folder_.world.rank() == folder_.world.size() - 1;
  std::filesystem::current_path(elsewhere ? "/" : folder_.path());

  const std::string message = message_of_writing("s.h5");

  std::filesystem::current_path(here);
  EXPECT_THAT(message, HasSubstr("all ranks must see the same folder"));
  expect_all_as_before();
}

}  // namespace
}  // namespace talus
