#include "talus/io/problem_file.hpp"

#include "io/fclib/sparse_group.hpp"
#include "unit/io/fclib_problems.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Folder;
using test::global_problem;
using test::local_problem;
using test::Surgery;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_same(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.row_start, b.row_start);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.value, b.value);
}

TEST(FclibFile, LocalProblemsComeBackBitForBit) {
  const Folder folder;
  const LocalProblem problem = local_problem();

  write_fclib(folder.file("p.hdf5"), problem);
  const ProblemFile file = read_problem(folder.file("p.hdf5"));

  EXPECT_EQ(file.format, "fclib_local");
  const auto& read = std::get<LocalProblem>(file.data);
  EXPECT_EQ(read.dimension, 3);
  expect_same(read.W, problem.W);  // unsymmetric as it was, explicit zero and all
  expect_same(read.V, problem.V);
  expect_same(read.R, problem.R);
  EXPECT_EQ(read.q, problem.q);
  EXPECT_EQ(read.s, problem.s);
  EXPECT_EQ(read.friction, problem.friction);
  EXPECT_EQ(read.title, "local");
  EXPECT_THAT(file.description, HasSubstr("talus"));
}

TEST(FclibFile, GlobalProblemsComeBackBitForBit) {
  const Folder folder;
  const GlobalProblem problem = global_problem();

  write_fclib(folder.file("p.hdf5"), problem);
  const ProblemFile file = read_problem(folder.file("p.hdf5"));

  EXPECT_EQ(file.format, "fclib_global");
  const auto& read = std::get<GlobalProblem>(file.data);
  EXPECT_EQ(read.dimension, 2);
  expect_same(read.M, problem.M);
  expect_same(read.H, problem.H);
  expect_same(read.G, problem.G);
  EXPECT_EQ(read.f, problem.f);
  EXPECT_EQ(read.w, problem.w);
  EXPECT_EQ(read.b, problem.b);
  EXPECT_EQ(read.friction, problem.friction);
  EXPECT_EQ(read.time_step, 0.005);
  EXPECT_EQ(read.title, "global");
}

TEST(FclibFile, LocalIsWrittenAsCompressedRowsAndGlobalAsTriplets) {
  const Folder folder;  // what FCLib's own files hold and Siconos reads
  write_fclib(folder.file("local.hdf5"), local_problem());
  write_fclib(folder.file("global.hdf5"), global_problem());

  Surgery local(folder.file("local.hdf5")), global(folder.file("global.hdf5"));

  EXPECT_THAT(local.all("/fclib_local/W/nz"), ElementsAre(-2));
  EXPECT_THAT(local.all("/fclib_local/W/p"), ElementsAre(0, 2, 4, 5, 7, 8, 9));
  EXPECT_THAT(local.all("/fclib_local/W/nzmax"), ElementsAre(9));
  EXPECT_THAT(global.all("/fclib_global/G/nz"), ElementsAre(2));
  EXPECT_THAT(global.all("/fclib_global/G/i"), ElementsAre(1, 2));  // rows
  EXPECT_THAT(global.all("/fclib_global/G/p"), ElementsAre(0, 0));  // columns
  EXPECT_THAT(global.all("/fclib_global/G/x"), ElementsAre(1.0, -1.0));
  EXPECT_THAT(global.all("/fclib_global/spacedim"), ElementsAre(2));
}

TEST(FclibFile, WithoutBilateralRowsThereAreNoGroupsForThem) {
  const Folder folder;
  LocalProblem local = local_problem();
  local.V = local.R = {};
  local.s = {};
  GlobalProblem global = global_problem();
  global.G = {};
  global.b = {};

  write_fclib(folder.file("local.hdf5"), local);
  write_fclib(folder.file("global.hdf5"), global);

  const auto read = std::get<LocalProblem>(read_problem(folder.file("local.hdf5")).data);
  EXPECT_EQ(read.bilateral_count(), 0);
  EXPECT_EQ(read.V.rows, 6);
  EXPECT_EQ(read.V.columns, 0);
  const auto wide = std::get<GlobalProblem>(read_problem(folder.file("global.hdf5")).data);
  EXPECT_EQ(wide.bilateral_count(), 0);
  EXPECT_EQ(wide.G.rows, 3);
}

TEST(FclibFile, ProblemsWithoutContactsAreRead) {
  const Folder folder;
  GlobalProblem problem = global_problem();
  problem.H = from_triplets(3, 0, {});
  problem.w = problem.friction = {};

  write_fclib(folder.file("p.hdf5"), problem);

  const auto read = std::get<GlobalProblem>(read_problem(folder.file("p.hdf5")).data);
  EXPECT_EQ(read.contact_count(), 0);
  EXPECT_EQ(read.bilateral_count(), 1);
  EXPECT_EQ(read.H.rows, 3);
  EXPECT_EQ(read.H.columns, 0);
}

/// The same 2 x 3 matrix in every storage: [1 0 2; 0 3 0].
struct Storage {
  const char* name;
  std::array<int, 4> header;
  std::vector<int> p, i;
  std::vector<double> x;
};

class FclibStorage : public ::testing::TestWithParam<Storage> {};

TEST_P(FclibStorage, HoldsTheMatrixThatWasMeant) {
  const Folder folder;
  GlobalProblem problem = global_problem();
  problem.M = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  problem.H = from_triplets(2, 4, {});
  problem.G = from_triplets(2, 3, {});
  problem.f = {0.0, 0.0};
  problem.b = {0.0, 0.0, 0.0};
  write_fclib(folder.file("p.hdf5"), problem);
  const Storage& s = GetParam();
  Surgery(folder.file("p.hdf5")).matrix("/fclib_global/G", s.header, s.p, s.i, s.x);

  const auto read = std::get<GlobalProblem>(read_problem(folder.file("p.hdf5")).data);

  expect_same(read.G, from_triplets(2, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 1, 3.0}}));
}

INSTANTIATE_TEST_SUITE_P(
    Each, FclibStorage,
    ::testing::Values(
        Storage{"triplets", {2, 3, 3, 3}, {2, 1, 0}, {0, 1, 0}, {2.0, 3.0, 1.0}},
        Storage{"columns", {2, 3, -1, 3}, {0, 1, 2, 3}, {0, 1, 0}, {1.0, 3.0, 2.0}},
        Storage{"rows", {2, 3, -2, 3}, {0, 2, 3}, {0, 2, 1}, {1.0, 2.0, 3.0}},
        Storage{"rows_unsorted", {2, 3, -2, 3}, {0, 2, 3}, {2, 0, 1}, {2.0, 1.0, 3.0}},
        Storage{"room_to_spare_in_triplets", {2, 3, 3, 9}, {0, 2, 1}, {0, 0, 1}, {1.0, 2.0, 3.0}},
        Storage{"more_entries_than_nz", {2, 3, 3, 4}, {0, 2, 1, 7}, {0, 0, 1, 7}, {1., 2., 3., 9.}},
        Storage{
            "more_entries_than_pointers", {2, 3, -2, 4}, {0, 2, 3}, {0, 2, 1, 0}, {1., 2., 3., 9.}},
        Storage{"duplicates_in_triplets",
                {2, 3, 4, 4},
                {0, 2, 1, 2},
                {0, 0, 1, 0},
                {1.0, 0.5, 3.0, 1.5}},
        Storage{"duplicates_in_columns",
                {2, 3, -1, 4},
                {0, 1, 3, 4},
                {0, 1, 1, 0},
                {1.0, 1.0, 2.0, 2.0}}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(FclibFile, RoundingAsymmetryOfMassIsTakenAsGiven) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), global_problem());
  Surgery(folder.file("p.h5")).change("/fclib_global/M/x", 1, 0.1001);

  const auto read = std::get<GlobalProblem>(read_problem(folder.file("p.h5")).data);

  EXPECT_THAT(read.M.value, ElementsAre(2.0, 0.1001, 4.0, 0.1, 1.0 / 3.0));
}

TEST(FclibFile, MoreThan32BitsIsRefusedByName) {
  try {
    io::require_fclib_size("out.h5", "entries of H", std::int64_t{1} << 31);
    FAIL() << "2147483648 must be refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out.h5: entries of H = 2147483648"));
    EXPECT_THAT(error.what(), HasSubstr("native layout"));
  }
  EXPECT_NO_THROW(io::require_fclib_size("out.h5", "entries of H", (std::int64_t{1} << 31) - 1));
}

}  // namespace
}  // namespace talus
