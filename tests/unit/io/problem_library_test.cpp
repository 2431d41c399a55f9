// The real problems, where they are: every file is read, written again, and read back the same.

#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Folder;

std::vector<std::filesystem::path> real_files() {
  const std::filesystem::path folder = test::problems_folder() + "/fclib";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
  std::sort(files.begin(), files.end());
  return files;
}

bool has_group(const std::string& path, const char* group) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const bool found = H5Lexists(file, group, H5P_DEFAULT) > 0;
  H5Fclose(file);
  return found;
}

bool same(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row_start == b.row_start &&
         a.column == b.column && a.value == b.value;
}

bool same(const ProblemData& a, const ProblemData& b) {
  if (const auto* x = std::get_if<LocalProblem>(&a)) {
    const auto* y = std::get_if<LocalProblem>(&b);
    return y != nullptr && x->dimension == y->dimension && same(x->W, y->W) && same(x->V, y->V) &&
           same(x->R, y->R) && x->q == y->q && x->s == y->s && x->friction == y->friction &&
           x->rolling_friction == y->rolling_friction;
  }
  const auto* x = std::get_if<GlobalProblem>(&a);
  const auto* y = std::get_if<GlobalProblem>(&b);
  return x != nullptr && y != nullptr && x->dimension == y->dimension && same(x->M, y->M) &&
         same(x->H, y->H) && same(x->G, y->G) && x->f == y->f && x->w == y->w && x->b == y->b &&
         x->friction == y->friction && x->rolling_friction == y->rolling_friction;
}

TEST(ProblemLibrary, EveryFileIsReadAndComesBackFromAnExport) {
  const auto files = real_files();
  if (files.empty()) GTEST_SKIP() << test::problems_folder() << " is not there; set TALUS_PROBLEMS";
  const Folder folder;

  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename().string());
    const ProblemFile file = read_problem(path.string());
    write_fclib(folder.file("copy.h5"), file.data);

    EXPECT_TRUE(same(read_problem(folder.file("copy.h5")).data, file.data));
    EXPECT_THAT(file.solutions, ::testing::Contains("solution"));
    const bool rolling = file.format.find("rolling") != std::string::npos;
    EXPECT_EQ(file.reference_objective.has_value(), !rolling);  // the collection has none of those
  }
}

TEST(ProblemLibrary, SolutionsFitTheirProblems) {
  const auto files = real_files();
  if (files.empty()) GTEST_SKIP() << test::problems_folder() << " is not there; set TALUS_PROBLEMS";

  for (const std::filesystem::path& path : files) {
    if (!has_group(path.string(), "fclib_local") &&
        !has_group(path.string(), "fclib_local_rolling"))
      continue;
    SCOPED_TRACE(path.filename().string());
    const ProblemFile file = read_problem(path.string());
    const auto& problem = std::get<LocalProblem>(file.data);
    const Solution solution = read_solution(path.string());

    // u = W r + q, as the collection wrote it: says that rows are not taken for columns
    const std::vector<double> u = times(problem.W, solution.r);
    ASSERT_EQ(u.size(), solution.u.size());
    double scale = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      double terms = std::abs(problem.q[i]);
      for (std::int64_t k = problem.W.row_start[i]; k < problem.W.row_start[i + 1]; ++k)
        terms += std::abs(problem.W.value[k] * solution.r[problem.W.column[k]]);
      scale = std::max(scale, terms);
      worst = std::max(worst, std::abs(u[i] + problem.q[i] - solution.u[i]));
    }
    EXPECT_LE(worst, 1e-13 * scale);  // sums of some hundred terms, in another order
  }
}

}  // namespace
}  // namespace talus
