// Each way to spoil an FCLib file, and what is said about it.

#include "talus/io/problem_file.hpp"

#include "unit/io/fclib_problems.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

// HDF5 loses some hundred bytes over some damaged objects; LeakSanitizer asks for suppressions.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace talus {
namespace {

using test::FileFault;
using test::Folder;
using test::global_problem;
using test::local_problem;
using test::Surgery;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

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
                  "/W/p[6] = 100", "but i, x have 9 entries; must be their number"},
        FileFault{"no_entries_by_rows",
                  [](auto& f) {
                    f.integers("/fclib_local/W/p", {0, 0, 0, 0, 0, 0, 0});
                  },
                  "/W/p[6] = 0", "but i, x have 9 entries; must be their number"},
        FileFault{"no_entries",
                  [](auto& f) {
                    f.matrix("/fclib_local/W", {6, 6, 0, 1}, {0}, {0}, {2.0});
                  },
                  "/W/nz[0] = 0", "but p, i, x have 1 entries; must be their number"},
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
                  "/fclib_global/H/nz[0] = 7", "but p, i, x have 4 entries"},
        FileFault{"few_values", [](auto& f) { f.reals("/fclib_global/H/x", {1.0}); },
                  "/fclib_global/H/x: has 1 entries", "must have 4, for /fclib_global/H/nz[0] = 4"},
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

TEST(FclibFault, AllFaultsAreReportedAtOnce) {
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

TEST(FclibFault, OneFaultIsReportedOnce) {
  const std::vector<FileFault> each{
      {"nan_on_the_diagonal", [](auto& f) { f.change("/fclib_global/M/x", 0, nan); },
       "M/x[0] = nan", ""},
      {"index",
       [](auto& f) {
         f.wide_integers("/fclib_global/H/i", {0, std::int64_t{1} << 40, 2, 0});
       },
       "H/i[1] = 1099511627776", ""},
      {"rows_of_M", [](auto& f) { f.integers("/fclib_global/M/m", {9}); }, "M/m[0] = 9", ""},
      {"rows",
       [](auto& f) {
         f.reals("/fclib_global/vectors/w", {1, 2, 3});
       },
       "vectors/w", ""},
      {"entries", [](auto& f) { f.integers("/fclib_global/H/nz", {0}); }, "H/nz[0] = 0", ""}};
  for (const FileFault& fault : each) {
    SCOPED_TRACE(fault.situation);
    const Folder folder;
    write_fclib(folder.file("p.h5"), global_problem());
    {
      Surgery file(folder.file("p.h5"));
      fault.spoil(file);
    }

    EXPECT_THAT(test::faults_of(folder.file("p.h5")),
                ::testing::ElementsAre(HasSubstr(fault.place)));
  }
}

TEST(FclibFault, AThousandFaultsAreCounted) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), local_problem());
  Surgery(folder.file("p.h5")).reals("/fclib_local/vectors/mu", std::vector<double>(1000, -1.0));

  const std::vector<std::string> faults = test::faults_of(folder.file("p.h5"));

  ASSERT_EQ(faults.size(), 21u);
  EXPECT_THAT(faults.back(), HasSubstr("and 981 more"));  // 1000 and the length of q, less 20 shown
}

TEST(FclibFault, SizesFarBeyondTheVectorsTakeNoMemory) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), global_problem());
  Surgery(folder.file("p.h5"))
      .matrix("/fclib_global/H", {2147483647, 2147483647, 0, 0}, {}, {}, {});

  EXPECT_THAT(test::faults_of(folder.file("p.h5")),
              Contains(HasSubstr("/fclib_global/H/m[0] = 2147483647: must be 3")));
}

}  // namespace
}  // namespace talus
