// The frozen time steps of the P-SPG-FB paper's benchmarks, reconstructed: what the methods reach
// there, against the objectives and the iteration counts of another code that came with the files.

#include "talus/io/problem_file.hpp"
#include "talus/solvers/solve.hpp"

#include "support/places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace talus {
namespace {

std::filesystem::path benchmark(const std::string& name) {
  return support::problems_folder() / "benchmarks" / (name + ".h5");
}

SolveReport solved(const ProblemFile& file, const SolveOptions& options) {
  const ConeProblem problem = make_cone_problem(file.data);
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  return solve(problem, options, Communicator::self(), x, gap);
}

SolveOptions associated(Method method, Measure measure, double tolerance, std::int64_t iterations) {
  SolveOptions options;
  options.law = Law::Associated;
  options.method = method;
  options.measure = measure;
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  return options;
}

struct Reference {
  const char* name;
  double objective;              ///< of the problem collection
  std::int64_t apgd_iterations;  ///< room for to 1e-6: 1.5 x what was measured
  std::int64_t bb_iterations;    ///< Barzilai-Borwein of Project Chrono to 1e-3 (tau form)
  double pspgfb_share;           ///< of bb_iterations, that pspgfb may take: measured, and 2 %
};

class Benchmark : public testing::TestWithParam<Reference> {};

TEST_P(Benchmark, ApgdReaches1e6WithTheReferenceObjective) {
  const std::filesystem::path path = benchmark(GetParam().name);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no problem file " << path;

  const SolveReport report =
      solved(read_problem(path.string()),
             associated(Method::Apgd, Measure::NaturalRelative, 1e-6, GetParam().apgd_iterations));

  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_LE(report.errors.natural_relative, 1e-6);
  EXPECT_NEAR(report.errors.objective / GetParam().objective, 1.0, 1e-6);
  EXPECT_LE(static_cast<double>(report.operator_products),
            1.2 * static_cast<double>(report.iterations) + 10);
}

TEST_P(Benchmark, PspgfbReaches1e3InItsShareOfTheIterationsOfBarzilaiBorweinElsewhere) {
  const std::filesystem::path path = benchmark(GetParam().name);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no problem file " << path;
  const auto allowed = static_cast<std::int64_t>(GetParam().pspgfb_share *
                                                 static_cast<double>(GetParam().bb_iterations));

  const SolveReport report = solved(read_problem(path.string()),
                                    associated(Method::Pspgfb, Measure::NaturalTau, 1e-3, allowed));

  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_LE(report.iterations, allowed);
}

INSTANTIATE_TEST_SUITE_P(Files, Benchmark,
                         // faster on B2 and B4, slower on the others
                         testing::Values(Reference{"B1", -4.9443222709e-2, 300, 67, 1.15},
                                         Reference{"B2", -4.0864901554e+1, 7500, 1409, 1.0},
                                         Reference{"B3", -1.9398545700e+1, 300000, 2778, 1.22},
                                         Reference{"B4", -1.7516172684e+2, 4000, 525, 0.92},
                                         Reference{"G10", -2.0349004046e+2, 11000, 9095, 1.05}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BenchmarkB1, PspgfbReaches1e6WithinTheIterationsOfBarzilaiBorwein) {
  const std::filesystem::path path = benchmark("B1");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no problem file " << path;

  const SolveReport report = solved(read_problem(path.string()),
                                    associated(Method::Pspgfb, Measure::NaturalTau, 1e-6, 145));

  EXPECT_EQ(report.status, SolveStatus::Converged);
}

// 77 and 73 iterations to 1e-6; pspgfb needs 134 (docs/performance.md).
TEST(BenchmarkB1, KrylovMethodsReach1e6InFewerThan80Iterations) {
  const std::filesystem::path path = benchmark("B1");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no problem file " << path;
  const ProblemFile file = read_problem(path.string());

  for (const Method method : {Method::Cg, Method::Minres}) {
    const SolveReport report = solved(file, associated(method, Measure::NaturalRelative, 1e-6, 80));

    EXPECT_EQ(report.status, SolveStatus::Converged) << name_of(method);
    // f is above its minimum by the square of the residual
    EXPECT_NEAR(report.errors.objective / -4.9443222709e-2, 1.0, 1e-9) << name_of(method);
  }
}

}  // namespace
}  // namespace talus
