// What a product and an iteration cost, as ratios to a STREAM triad of the same run and the same
// threads. Prints one JSON object per problem.
//
//   talus_benchmark PROBLEM.h5 | KIND,key=value,...   [--repeat N]
//
// Times are minima over repetitions: what the code can do, with the noise of the machine left out.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/solvers/solve.hpp"

#include "core/simd.hpp"
#include "generate/generate.hpp"
#include "solvers/row_passes.hpp"

#include <omp.h>

#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using Json = nlohmann::ordered_json;

/// Least seconds of `repeat` runs.
template <class Work>
double least_seconds(int repeat, const Work& work) {
  double least = infinity;
  for (int k = 0; k < repeat; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(
        least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

/// a = b + s c over 3 x 128 MB; ns per element (24 bytes by the usual count).
double triad_nanoseconds(int repeat) {
  const std::int64_t size = 16 << 20;
  RowVector a(size), b(size), c(size);
  double *pa = a.data(), *pb = b.data(), *pc = c.data();
#pragma omp parallel for schedule(static) default(none) shared(pa, pb, pc, size)
  for (std::int64_t i = 0; i < size; ++i) {
    pa[i] = 0.0;
    pb[i] = 1.0;
    pc[i] = 2.0;
  }
  const double seconds = least_seconds(repeat, [&] {
#pragma omp parallel for simd schedule(static) default(none) shared(pa, pb, pc, size)
    for (std::int64_t i = 0; i < size; ++i) pa[i] = pb[i] + 3.0 * pc[i];
  });
  return 1e9 * seconds / static_cast<double>(size);
}

struct Problem {
  std::string name;
  ConeProblem cone_problem;
};

Problem load(const std::string& text) {
  if (text.find(".h5") != std::string::npos || text.find(".hdf5") != std::string::npos)
    return {text.substr(text.find_last_of('/') + 1), make_cone_problem(read_problem(text).data)};
  return {text, make_cone_problem(generate(parse_generate(text)))};
}

/// Seconds per iteration of a method: the difference of a long and a short run leaves out set-up
/// and verification.
double iteration_seconds(const Problem& p, Method method, int repeat) {
  SolveOptions options;
  options.law = Law::Associated;
  options.method = method;
  options.tolerance = 0.0;
  const auto seconds = [&](std::int64_t iterations) {
    options.max_iterations = iterations;
    return least_seconds(repeat, [&] {
      RowVector x(static_cast<std::size_t>(p.cone_problem.stored_rows()), 0.0), gap;
      solve(p.cone_problem, options, Communicator::self(), x, gap);
    });
  };
  const std::int64_t more =
      std::max<std::int64_t>(20, 20000000 / (p.cone_problem.cones.cone_count() + 1) / 10);
  return (seconds(10 + more) - seconds(10)) / static_cast<double>(more);
}

/// Seconds of the pass that makes the four exact sums of an spg iteration, reading its vectors
/// included.
double sums_seconds(const Problem& p, int repeat) {
  const ConeProblem& c = p.cone_problem;
  const auto rows = static_cast<std::size_t>(c.stored_rows());
  RowVector x(rows, 1.0), g(rows, 0.5), d(rows, 0.25), q(rows, 2.0);
  const PassParts<SpgPass> parts(c.cones, {{},
                                           x.data(),
                                           g.data(),
                                           d.data(),
                                           q.data(),
                                           c.scale.data(),
                                           c.scale.data(),
                                           {c.scale.data(), c.scale.data()}});
  FusedSums sums(4);
  const Communicator comm = Communicator::self();
  const auto fill = [&](const double* scales, LocalSums& local) {
    sum_over_rows(parts, 0, 4, Mirrors::LeftOut, local,
                  [&](const SpgPass& pass, Index from, Index to, LaneTotals& totals) {
                    pass_kernels().spg_sums(pass, from, to, scales, totals);
                  });
  };
  const auto reduce = [&] { sums.reduce(comm, fill); };
  reduce();  // the first one finds the scales
  return least_seconds(repeat, reduce);
}

Json measured(const std::string& text, int repeat) {
  const Problem p = load(text);
  const double triad = triad_nanoseconds(repeat);
  const double cones = p.cone_problem.cones.cone_count();
  const auto rows = static_cast<std::size_t>(p.cone_problem.stored_rows());
  RowVector x(rows, 1.0), y(rows);
  const int products = static_cast<int>(std::max(1.0, 1e6 / cones));
  const double product = least_seconds(repeat,
                                       [&] {
                                         for (int k = 0; k < products; ++k)
                                           p.cone_problem.delassus->apply(x, y);
                                       }) /
                         products;
  Json result = {{"problem", p.name},
                 {"cones", p.cone_problem.cones.cone_count()},
                 {"threads", omp_get_max_threads()},
                 {"simd", name_of(simd_level())},
                 {"triad_ns_per_element", triad},
                 {"product_ns_per_cone", 1e9 * product / cones},
                 {"product_over_triad", 1e9 * product / cones / triad}};
  for (const Method method : {Method::Jacobi, Method::Pspgfb, Method::Apgd, Method::Psor}) {
    const double ns = 1e9 * iteration_seconds(p, method, repeat) / cones;
    result[name_of(method) + "_ns_per_cone"] = ns;
    result[name_of(method) + "_over_triad"] = ns / triad;
  }
  const double sums = 1e9 * sums_seconds(p, 20 * repeat) / cones;
  result["exact_sums_ns_per_cone"] = sums;
  result["exact_sums_share_of_iteration"] = sums / result["pspgfb_ns_per_cone"].get<double>();
  return result;
}

}  // namespace
}  // namespace talus

int main(int argc, char** argv) {
  int repeat = 5;
  std::vector<std::string> problems;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
      repeat = std::max(1, std::atoi(argv[++i]));
    else
      problems.emplace_back(argv[i]);
  }
  if (problems.empty() || problems.front().starts_with('-')) {
    fmt::print(stderr,
               "usage: talus_benchmark PROBLEM.h5|KIND,key=value,... [more] [--repeat N]\n");
    return 2;
  }
  try {
    for (const std::string& problem : problems)
      fmt::print("{}\n", talus::measured(problem, repeat).dump(2));
  } catch (const std::exception& error) {
    fmt::print(stderr, "talus_benchmark: {}\n", error.what());
    return 2;
  }
  return 0;
}
