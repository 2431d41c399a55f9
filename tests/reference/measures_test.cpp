// The measures on real problems: what Siconos's formulas gave for the solutions that are stored
// with the FCLib files, and what the benchmark files say of theirs. Errors of a solution are mostly
// rounding noise, so each file is also judged at an impulse far from it, by the formulas in plain
// form.

#include "talus/metrics/measures.hpp"

#include "talus/io/problem_file.hpp"

#include "support/places.hpp"
#include "support/plain_contacts.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace talus {
namespace {

#define TALUS_SKIP_WITHOUT(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no problem file " << (path)

/// A number beside the solution, read without the library.
std::optional<double> attribute(const std::filesystem::path& path, const std::string& group,
                                const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  std::optional<double> value;
  if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) {
    const hid_t object = H5Gopen2(file, group.c_str(), H5P_DEFAULT);
    if (H5Aexists(object, name) > 0) {
      const hid_t entry = H5Aopen(object, name, H5P_DEFAULT);
      double number = 0.0;
      H5Aread(entry, H5T_NATIVE_DOUBLE, &number);
      value = number;
      H5Aclose(entry);
    }
    H5Gclose(object);
  }
  H5Fclose(file);
  return value;
}

bool has_group(const std::filesystem::path& path, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const bool found = H5Lexists(file, name, H5P_DEFAULT) > 0;
  H5Fclose(file);
  return found;
}

std::filesystem::path condensed_form(const std::filesystem::path& path) {
  return path.parent_path() / (path.stem().string() + "_condensed.hdf5");
}

struct Loaded {
  Loaded(const std::filesystem::path& file, const std::string& group, Law judged_law)
      : path(file),
        data(read_problem(file.string()).data),
        problem(make_cone_problem(data)),
        solution(read_solution(file.string(), group)),
        law(judged_law) {
    set(impulses_from(problem, solution));
  }
  void set(const RowVector& impulses) {
    x = impulses;
    evaluate_gap(problem, law, x, gap);
  }
  double measure(Measure measure) const {
    return evaluate(measure, problem, law, x, gap, reference_of(measure, problem, law, comm), comm);
  }
  ErrorReport report() const { return evaluate_all(problem, law, x, gap, comm); }

  Communicator comm = Communicator::self();
  std::filesystem::path path;
  ProblemData data;
  ConeProblem problem;
  Solution solution;
  Law law;
  RowVector x, gap;
};

struct Group {
  const char* name;
  Law law;
};
constexpr Group groups[] = {{"solution", Law::Coulomb}, {"solution_ccp", Law::Associated}};

/// Those with stored errors for which the test has something to say.
template <class Wanted>
std::vector<std::string> fclib_files(const Wanted& wanted) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(support::problems_folder() / "fclib")) return {"none"};
  for (const auto& entry :
       std::filesystem::directory_iterator(support::problems_folder() / "fclib"))
    if (attribute(entry.path(), "solution", "error_e1") && wanted(entry.path()))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class FclibFile : public testing::TestWithParam<std::string> {};
/// W stands in it.
class LocalFclibFile : public FclibFile {};
/// The same problem with M eliminated stands beside it.
class CondensedFclibFile : public FclibFile {};

// The stored figures come from another program. Where they are above rounding (1e-12 of numbers
// whose sums reach 1e3 terms), ours are the same to three digits; where they are noise, so are
// ours.
TEST_P(FclibFile, SolutionsHaveTheErrorsThatAreStoredWithThem) {
  const auto path = support::problems_folder() / "fclib" / GetParam();
  TALUS_SKIP_WITHOUT(path);
  for (const Group& group : groups) {
    const auto e1 = attribute(path, group.name, "error_e1");
    if (!e1) continue;
    const Loaded loaded(path, group.name, group.law);

    const ErrorReport report = loaded.report();

    EXPECT_NEAR(report.siconos, *e1, 1e-3 * *e1 + 1e-12) << group.name;
    EXPECT_NEAR(report.siconos_invariant, *attribute(path, group.name, "error_e2"),
                1e-3 * *attribute(path, group.name, "error_e2") + 1e-12)
        << group.name;
    const auto objective = attribute(path, group.name, "objective").value_or(report.objective);
    EXPECT_NEAR(report.objective, objective, 1e-9 * std::abs(objective)) << group.name;
  }
}

/// A_ij of compressed rows.
double entry(const SparseMatrix& a, std::size_t i, std::size_t j) {
  for (auto e = static_cast<std::size_t>(a.row_start[i]);
       e < static_cast<std::size_t>(a.row_start[i + 1]); ++e)
    if (static_cast<std::size_t>(a.column[e]) == j) return a.value[e];
  return 0.0;
}

/// Three quarters of the solution, with a tangential part that is wrong everywhere.
std::vector<double> far_from(const std::vector<double>& solution) {
  const double size = 0.01 * support::plain_norm(solution);
  std::vector<double> r = solution;
  for (std::size_t i = 0; i < r.size(); ++i)
    r[i] = 0.75 * r[i] + size * (static_cast<double>((i * 7) % 5) - 1.5);
  return r;
}

TEST_P(LocalFclibFile, OffTheSolutionTheErrorsAreThoseOfThePlainFormulas) {
  const auto path = support::problems_folder() / "fclib" / GetParam();
  TALUS_SKIP_WITHOUT(path);
  Loaded loaded(path, "solution", Law::Coulomb);
  const auto* const local = std::get_if<LocalProblem>(&loaded.data);
  ASSERT_NE(local, nullptr);
  loaded.solution.r = far_from(loaded.solution.r);
  loaded.set(impulses_from(loaded.problem, loaded.solution));
  support::PlainContacts plain{static_cast<std::size_t>(local->dimension), local->friction,
                               local->q, loaded.solution.r, times(local->W, loaded.solution.r)};
  for (std::size_t i = 0; i < plain.u.size(); ++i) plain.u[i] += local->q[i];
  const double lam =
      support::plain_lam(plain.friction.size(), plain.dimension,
                         [&](std::size_t i, std::size_t j) { return entry(local->W, i, j); });

  const double e1 = loaded.measure(Measure::Siconos);
  const double e2 = loaded.measure(Measure::SiconosInvariant);

  // the same terms summed in another order
  EXPECT_NEAR(e1, plain.e1(true), 1e-10 * e1);
  EXPECT_NEAR(e2, plain.e2(true, lam), 1e-10 * e2);
  EXPECT_NEAR(lam, *attribute(path, "solution", "lam"), 1e-10 * lam);
}

// A file and the same problem with M eliminated, which carries the 6 or 7 digits that it was
// printed with.
TEST_P(CondensedFclibFile, AndTheWholeAreJudgedAlike) {
  const auto path = support::problems_folder() / "fclib" / GetParam();
  TALUS_SKIP_WITHOUT(path);
  const auto condensed = condensed_form(path);
  for (const Group& group : groups) {
    Loaded global(path, group.name, group.law), local(condensed, group.name, group.law);
    local.solution.r = global.solution.r = far_from(local.solution.r);
    local.set(impulses_from(local.problem, local.solution));
    global.set(impulses_from(global.problem, global.solution));

    for (const Measure measure : {Measure::Siconos, Measure::SiconosInvariant, Measure::NaturalTau,
                                  Measure::Energy, Measure::FischerBurmeister})
      EXPECT_NEAR(global.measure(measure), local.measure(measure), 1e-5 * local.measure(measure))
          << name_of(measure);
    EXPECT_NEAR(global.report().objective, local.report().objective,
                1e-5 * std::abs(local.report().objective));
  }
}

std::string readable(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.find(".hdf5"));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

using Path = std::filesystem::path;
INSTANTIATE_TEST_SUITE_P(Measures, FclibFile,
                         testing::ValuesIn(fclib_files([](const Path& /*any*/) { return true; })),
                         readable);
INSTANTIATE_TEST_SUITE_P(Measures, LocalFclibFile,
                         testing::ValuesIn(fclib_files([](const Path& path) {
                           return has_group(path, "fclib_local");
                         })),
                         readable);
INSTANTIATE_TEST_SUITE_P(Measures, CondensedFclibFile,
                         testing::ValuesIn(fclib_files([](const Path& path) {
                           return std::filesystem::exists(condensed_form(path));
                         })),
                         readable);

TEST(FclibFiles, AreJudgedOneWayOrTheOther) {
  const auto all = fclib_files([](const Path& /*any*/) { return true; });
  if (all == std::vector<std::string>{"none"}) GTEST_SKIP() << "no problem files";
  const auto both = fclib_files([](const Path& path) {
    return has_group(path, "fclib_local") || std::filesystem::exists(condensed_form(path));
  });
  EXPECT_EQ(both, all) << "a file without W and without a condensed form beside it";
  EXPECT_GT(all.size(), 10U);
}

class BenchmarkFile : public testing::TestWithParam<std::string> {};

// R0 pins the tau form: |x - P(x - tau r)| / tau at x = 0 with tau = 1 / mean diagonal.
TEST_P(BenchmarkFile, HasTheResidualsAndTheObjectiveThatAreStoredWithIt) {
  const auto path = support::problems_folder() / "benchmarks" / (GetParam() + ".h5");
  TALUS_SKIP_WITHOUT(path);
  const Loaded loaded(path, "solution_ccp", Law::Associated);
  const auto stored = [&](const char* name) { return *attribute(path, "solution_ccp", name); };

  const double at_zero =
      reference_of(Measure::NaturalTau, loaded.problem, Law::Associated, loaded.comm);
  const ErrorReport report = loaded.report();

  EXPECT_NEAR(at_zero, stored("R0"), 1e-9 * at_zero);
  EXPECT_NEAR(report.natural_tau, stored("residual_relative_to_zero"),
              0.01 * stored("residual_relative_to_zero") + 1e-12);
  EXPECT_NEAR(report.objective, stored("objective"), 1e-9 * std::abs(stored("objective")));
}

INSTANTIATE_TEST_SUITE_P(Measures, BenchmarkFile, testing::Values("B1", "B2", "B3", "B4", "G10"),
                         [](const testing::TestParamInfo<std::string>& given) {
                           return given.param;
                         });

}  // namespace
}  // namespace talus
