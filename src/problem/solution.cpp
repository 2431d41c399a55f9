// Answers in the terms of the data.

#include "talus/core/error.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/problem/sparse_operator.hpp"

#include "problem/rolling_block.hpp"

namespace talus {
namespace {

/// Appends the rows of a rolling cone in the order of files; `unit` turns torque rows into N m s or
/// rad/s.
void append(std::vector<double>& values, const ConeSet& cones, Index c, const SixRows& stored,
            double unit) {
  const auto [f, m] = rolling_to_contact_frame(cones, c, stored);
  const std::array<double, 6> places{f.x, f.y, f.z, unit * m.x, unit * m.y, unit * m.z};
  for (Index k = 0; k < cones.rolling_rows; ++k)
    values.push_back(places[static_cast<std::size_t>(place_of_file_row(cones, k))]);
}

}  // namespace

Solution make_solution(const ProblemData& data, const ConeProblem& problem,
                       const RowVector& impulses, const RowVector& gap) {
  const ConeSet& cones = problem.cones;
  Solution solution;
  solution.l.assign(impulses.begin(), impulses.begin() + cones.scalar_count);
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k) {
      solution.r.push_back(impulses[static_cast<std::size_t>(cones.planar_row(c, k))]);
      solution.u.push_back(gap[static_cast<std::size_t>(cones.planar_row(c, k))]);
    }
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const Vec3 r = to_contact_frame(cones, c, spatial_value(cones, impulses, c));
    const Vec3 u = to_contact_frame(cones, c, spatial_value(cones, gap, c));
    solution.r.insert(solution.r.end(), {r.x, r.y, r.z});
    solution.u.insert(solution.u.end(), {u.x, u.y, u.z});
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const double length = cones.rolling_length[static_cast<std::size_t>(c)];
    append(solution.r, cones, c, rolling_value(cones, impulses, c), length);
    append(solution.u, cones, c, rolling_value(cones, gap, c), 1.0 / length);
  }
  if (std::holds_alternative<BodyProblem>(data)) {
    const auto& bodies = dynamic_cast<const BodyOperator&>(*problem.delassus);
    for (const Vec6& v : bodies.velocities(impulses, true))
      solution.v.insert(solution.v.end(), v.begin(), v.end());
  } else if (const auto* global = std::get_if<GlobalProblem>(&data)) {
    // from the matrices of the file, not from the operator that was iterated with
    solution.v = times(global->H, solution.r);
    const std::vector<double> joints = times(global->G, solution.l);
    for (std::size_t i = 0; i < solution.v.size(); ++i)
      solution.v[i] += (joints.empty() ? 0.0 : joints[i]) + global->f[i];
    MassInverse(global->M).solve(solution.v);
  }
  return solution;
}

RowVector impulses_from(const ConeProblem& problem, const Solution& solution) {
  const ConeSet& cones = problem.cones;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  TALUS_ASSERT(solution.l.size() == static_cast<std::size_t>(cones.scalar_count) &&
               solution.r.size() == static_cast<std::size_t>(cones.solution_rows()));
  std::copy(solution.l.begin(), solution.l.end(), x.begin());
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k)
      x[static_cast<std::size_t>(cones.planar_row(c, k))] =
          solution.r[static_cast<std::size_t>(2 * c + k)];
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const auto i = static_cast<std::size_t>(3 * c);
    set_spatial_value(
        cones, x, c,
        from_contact_frame(cones, c, {solution.r[i], solution.r[i + 1], solution.r[i + 2]}));
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    std::array<double, 6> places{};
    for (Index k = 0; k < cones.rolling_rows; ++k)
      places[static_cast<std::size_t>(place_of_file_row(cones, k))] =
          solution.r[static_cast<std::size_t>(cones.rolling_rows * c + k)];
    const double per_length = 1.0 / cones.rolling_length[static_cast<std::size_t>(c)];
    set_rolling_value(
        cones, x, c,
        rolling_from_contact_frame(cones, c,
                                   {{places[0], places[1], places[2]},
                                    per_length * Vec3{places[3], places[4], places[5]}}));
  }
  return x;
}

}  // namespace talus
