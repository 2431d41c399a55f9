#include "talus/io/problem_file.hpp"

#include "io/sparse_group.hpp"
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
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two contacts in space, one bilateral row.
LocalProblem local_problem() {
  LocalProblem p;
  p.dimension = 3;
  p.W = from_triplets(6, 6,
                      {{0, 0, 2.0},
                       {1, 1, 1.0},
                       {2, 2, 1.5},
                       {3, 3, 3.0},
                       {4, 4, 1.0},
                       {5, 5, 1.0 / 3.0},
                       {0, 3, 0.25},
                       {3, 0, 0.2500001},
                       {1, 5, 0.0}});
  p.V = from_triplets(6, 1, {{0, 0, 1.0}, {5, 0, -0.5}});
  p.R = from_triplets(1, 1, {{0, 0, 2.0}});
  p.q = {-1.0, 0.1, 0.2, -2.0, 0.3, 0.4};
  p.s = {0.5};
  p.friction = {0.3, 0.0};
  p.title = "local";
  return p;
}

/// Two contacts in the plane, three degrees of freedom, one bilateral row.
GlobalProblem global_problem() {
  GlobalProblem p;
  p.dimension = 2;
  p.M =
      from_triplets(3, 3, {{0, 0, 2.0}, {1, 1, 4.0}, {2, 2, 1.0 / 3.0}, {0, 2, 0.1}, {2, 0, 0.1}});
  p.H = from_triplets(3, 4, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, -1.0}, {0, 3, 0.7}});
  p.G = from_triplets(3, 1, {{1, 0, 1.0}, {2, 0, -1.0}});
  p.f = {0.1, -9.81, 0.2};
  p.w = {0.0, 0.01, 0.02, 0.03};
  p.b = {-0.125};
  p.friction = {0.5, 0.7};
  p.time_step = 0.005;
  p.title = "global";
  return p;
}

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

class LocalFault : public ::testing::TestWithParam<FileFault> {};

TEST_P(LocalFault, IsReportedWithFileDatasetIndexAndValue) {
  const Folder folder;
  write_fclib(folder.file("pile.h5"), local_problem());
  {
    Surgery file(folder.file("pile.h5"));
    GetParam().spoil(file);
  }

  EXPECT_THAT(test::faults_of(folder.file("pile.h5")),
              Contains(AllOf(HasSubstr("pile.h5: /fclib_local" + GetParam().place),
                             HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, LocalFault,
    ::testing::Values(
        FileFault{"dimension", [](auto& f) { f.integers("/fclib_local/spacedim", {4}); },
                  "/spacedim[0] = 4", "must be 2 or 3"},
        FileFault{"dimension_count",
                  [](auto& f) {
                    f.integers("/fclib_local/spacedim", {3, 3});
                  },
                  "/spacedim: has 2 entries", "must have 1"},
        FileFault{"dimension_text", [](auto& f) { f.text("/fclib_local/spacedim", "3"); },
                  "/spacedim: holds text", "must hold integers"},
        FileFault{"friction", [](auto& f) { f.change("/fclib_local/vectors/mu", 1, -0.5); },
                  "/vectors/mu[1] = -0.5", "must not be negative"},
        FileFault{"friction_nan", [](auto& f) { f.change("/fclib_local/vectors/mu", 0, nan); },
                  "/vectors/mu[0] = nan", "finite"},
        FileFault{"rows",
                  [](auto& f) {
                    f.reals("/fclib_local/vectors/q", {1, 2, 3, 4});
                  },
                  "/vectors/q: has 4 entries", "must have 6, spacedim = 3 for each of the 2"},
        FileFault{"infinite", [](auto& f) { f.change("/fclib_local/vectors/q", 5, -1.0 / 0.0); },
                  "/vectors/q[5] = -inf", "finite"},
        FileFault{"no_W", [](auto& f) { f.remove("/fclib_local/W"); }, "/W", "is missing"},
        FileFault{"no_x", [](auto& f) { f.remove("/fclib_local/W/x"); }, "/W/x", "is missing"},
        FileFault{"no_vectors", [](auto& f) { f.remove("/fclib_local/vectors"); }, "/vectors/q",
                  "is missing"},
        FileFault{"no_R", [](auto& f) { f.remove("/fclib_local/R"); }, "/V",
                  "but not /fclib_local/R"},
        FileFault{"no_s", [](auto& f) { f.remove("/fclib_local/vectors/s"); }, "/V",
                  "but not /fclib_local/vectors/s"},
        FileFault{"W_rows", [](auto& f) { f.integers("/fclib_local/W/m", {9}); }, "/W/m[0] = 9",
                  "must be 6, the length of vectors/q"},
        FileFault{"W_negative_rows", [](auto& f) { f.integers("/fclib_local/W/m", {-6}); },
                  "/W/m[0] = -6", "must lie between 0 and 2147483647"},
        FileFault{"V_columns", [](auto& f) { f.integers("/fclib_local/V/n", {2}); }, "/V/n[0] = 2",
                  "must be 1, the length of vectors/s"},
        FileFault{"pointers_fall", [](auto& f) { f.change("/fclib_local/W/p", 2, 1); },
                  "/W/p[2] = 1", "is less than the one before it, 2"},
        FileFault{"pointers_start", [](auto& f) { f.change("/fclib_local/W/p", 0, 1); },
                  "/W/p[0] = 1", "must be 0"},
        FileFault{"pointers_negative", [](auto& f) { f.change("/fclib_local/W/p", 1, -7); },
                  "/W/p[1] = -7", "is less than the one before it, 0"},
        FileFault{"pointers_end", [](auto& f) { f.change("/fclib_local/W/p", 6, 100); },
                  "/W/x: has 9 entries", "must have 100"},
        FileFault{"pointers_few",
                  [](auto& f) {
                    f.integers("/fclib_local/W/p", {0, 9});
                  },
                  "/W/p: has 2 entries", "must have 7"},
        FileFault{"index_large", [](auto& f) { f.change("/fclib_local/W/i", 3, 6); }, "/W/i[3] = 6",
                  "out of range; must lie in [0, 6)"},
        FileFault{"index_negative", [](auto& f) { f.change("/fclib_local/W/i", 3, -1); },
                  "/W/i[3] = -1", "out of range"},
        FileFault{"value_nan", [](auto& f) { f.change("/fclib_local/W/x", 8, nan); },
                  "/W/x[8] = nan", "finite"},
        FileFault{"storage", [](auto& f) { f.integers("/fclib_local/W/nz", {-3}); },
                  "/W/nz[0] = -3", "number of triplets"},
        FileFault{"negative_diagonal", [](auto& f) { f.change("/fclib_local/W/x", 0, -2.0); },
                  "/W[0,0] = -2", "must not be negative"},
        FileFault{"absurd", [](auto& f) { f.claim("/fclib_local/W/x", hsize_t{1} << 40); },
                  "/W/x: claims 1099511627776 numbers", "damaged"}),
    test::situation_of);

class GlobalFault : public ::testing::TestWithParam<FileFault> {};

TEST_P(GlobalFault, IsReportedWithFileDatasetIndexAndValue) {
  const Folder folder;
  write_fclib(folder.file("pile.h5"), global_problem());
  {
    Surgery file(folder.file("pile.h5"));
    GetParam().spoil(file);
  }

  EXPECT_THAT(
      test::faults_of(folder.file("pile.h5")),
      Contains(AllOf(HasSubstr("pile.h5: " + GetParam().place), HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, GlobalFault,
    ::testing::Values(
        FileFault{"rows",
                  [](auto& f) {
                    f.reals("/fclib_global/vectors/w", {1, 2, 3});
                  },
                  "/fclib_global/vectors/w: has 3 entries", "must have 4, spacedim = 2"},
        FileFault{"forces",
                  [](auto& f) {
                    f.reals("/fclib_global/vectors/f", {1, 2});
                  },
                  "/fclib_global/M/m[0] = 3", "must be 2, the length of vectors/f"},
        FileFault{"no_G", [](auto& f) { f.remove("/fclib_global/G"); }, "/fclib_global/G",
                  "there is /fclib_global/vectors/b, but not /fclib_global/G"},
        FileFault{"row_index", [](auto& f) { f.change("/fclib_global/H/i", 1, 3); },
                  "/fclib_global/H/i[1] = 3", "must lie in [0, 3)"},
        FileFault{"column_index", [](auto& f) { f.change("/fclib_global/H/p", 1, 4); },
                  "/fclib_global/H/p[1] = 4", "must lie in [0, 4)"},
        FileFault{"few_triplets", [](auto& f) { f.integers("/fclib_global/H/nz", {7}); },
                  "/fclib_global/H/x: has 4 entries", "must have 7"},
        FileFault{"mass_diagonal", [](auto& f) { f.change("/fclib_global/M/x", 2, -4.0); },
                  "/fclib_global/M[1,1] = -4", "must be positive"},
        FileFault{"no_mass",
                  [](auto& f) {
                    f.matrix("/fclib_global/M", {3, 3, 2, 2}, {0, 1}, {0, 1}, {1.0, 1.0});
                  },
                  "/fclib_global/M[2,2] = 0", "must be positive"},
        FileFault{"asymmetric", [](auto& f) { f.change("/fclib_global/M/x", 1, 0.2); },
                  "/fclib_global/M[0,2] = 0.2: but [2,0] = 0.1", "must be symmetric"},
        FileFault{"positions",
                  [](auto& f) {
                    f.group("/bodies");
                    f.reals("/bodies/position", {1, 2, 3}, {1, 3});
                  },
                  "/bodies/position: has 1 rows", "must have 0, one for 6 entries of vectors/f"},
        FileFault{"positions_nan",
                  [](auto& f) {
                    f.group("/bodies");
                    f.reals("/bodies/position", {1, nan, 3}, {1, 3});
                  },
                  "/bodies/position[1] = nan", "finite"},
        FileFault{"time_step", [](auto& f) { f.attribute("/", "dt", nan); }, "/@dt = nan",
                  "must be finite and not negative"}),
    test::situation_of);

TEST(FclibFile, RoundingAsymmetryOfMassIsTakenAsGiven) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), global_problem());
  Surgery(folder.file("p.h5")).change("/fclib_global/M/x", 1, 0.1001);

  const auto read = std::get<GlobalProblem>(read_problem(folder.file("p.h5")).data);

  EXPECT_THAT(read.M.value, ElementsAre(2.0, 0.1001, 4.0, 0.1, 1.0 / 3.0));
}

TEST(FclibFile, AllFaultsAreReportedAtOnce) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), global_problem());
  {
    Surgery file(folder.file("p.h5"));
    file.change("/fclib_global/vectors/mu", 0, -1.0);
    file.change("/fclib_global/H/i", 0, 99);
    file.remove("/fclib_global/vectors/b");
    file.change("/fclib_global/vectors/f", 2, nan);
  }

  EXPECT_THAT(test::faults_of(folder.file("p.h5")),
              ::testing::UnorderedElementsAre(HasSubstr("mu[0] = -1"), HasSubstr("H/i[0] = 99"),
                                              HasSubstr("vectors/b"), HasSubstr("f[2] = nan")));
}

TEST(FclibFile, AThousandFaultsAreCounted) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), local_problem());
  Surgery(folder.file("p.h5")).reals("/fclib_local/vectors/mu", std::vector<double>(1000, -1.0));

  const std::vector<std::string> faults = test::faults_of(folder.file("p.h5"));

  ASSERT_EQ(faults.size(), 21u);
  EXPECT_THAT(faults.back(), HasSubstr("and 981 more"));  // 1000 and the length of q, less 20 shown
}

TEST(FclibFile, SizesFarBeyondTheVectorsTakeNoMemory) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), global_problem());
  Surgery(folder.file("p.h5"))
      .matrix("/fclib_global/H", {2147483647, 2147483647, 0, 0}, {}, {}, {});

  EXPECT_THAT(test::faults_of(folder.file("p.h5")),
              Contains(HasSubstr("/fclib_global/H/m[0] = 2147483647: must be 3")));
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
