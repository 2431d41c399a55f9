// Answers in the terms of the data.

#include "talus/core/error.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "core/arithmetic.hpp"
#include "problem/body_operator.hpp"
#include "problem/matrix_part.hpp"
#include "problem/rolling_block.hpp"
#include "problem/sparse_operator.hpp"

namespace talus {
namespace {

/// Appends the rows of a rolling cone in the order of files; `unit` turns torque rows into N m s or
/// rad/s.
void append(std::vector<double>& values, const ConeSet& cones, Index c, const SixRows& stored,
            double unit) {
  const auto [f, m] = rolling_to_contact_frame(cones, c, stored);
  const std::array<double, 6> places{f.x, f.y, f.z, unit * m.x, unit * m.y, unit * m.z};
  for (Index k = 0; k < cones.rolling_rows; ++k)
    values.push_back(places[place_of_file_row(cones, k)]);
}

/// r, l and u of the owned rows.
Solution row_solution(const ConeSet& cones, const RowVector& impulses, const RowVector& gap) {
  Solution solution;
  solution.l.assign(impulses.begin(), impulses.begin() + cones.scalar_count);
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k) {
      solution.r.push_back(impulses[cones.planar_row(c, k)]);
      solution.u.push_back(gap[cones.planar_row(c, k)]);
    }
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const Vec3 r = to_contact_frame(cones, c, spatial_value(cones, impulses, c));
    const Vec3 u = to_contact_frame(cones, c, spatial_value(cones, gap, c));
    solution.r.insert(solution.r.end(), {r.x, r.y, r.z});
    solution.u.insert(solution.u.end(), {u.x, u.y, u.z});
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const double length = cones.rolling_length[c];
    append(solution.r, cones, c, rolling_value(cones, impulses, c), length);
    append(solution.u, cones, c, rolling_value(cones, gap, c), 1.0 / length);
  }
  return solution;
}

/// Velocities of the first `owned` bodies. Collective.
std::vector<double> body_velocities(const ConeProblem& problem, const RowVector& impulses,
                                    Index owned) {
  const auto& bodies = dynamic_cast<const BodyOperator&>(*problem.delassus);
  const std::vector<Vec6> all = bodies.velocities(impulses, true);
  std::vector<double> flat;
  for (std::size_t b = 0; b < static_cast<std::size_t>(owned); ++b)
    flat.insert(flat.end(), all[b].begin(), all[b].end());
  return flat;
}

/// From the r of contact `from` of a solution to the stored rows of cone `to`.
void take_contact(const ConeSet& cones, const Solution& solution, std::size_t from, Index to,
                  RowVector& x) {
  const auto given = [&](std::size_t rows, std::size_t k) { return solution.r[rows * from + k]; };
  if (cones.planar_slots() > 0) {
    for (Index k = 0; k < 2; ++k)
      x[cones.planar_row(to, k)] = given(2, static_cast<std::size_t>(k));
  } else if (cones.spatial_slots() > 0) {
    set_spatial_value(cones, x, to,
                      from_contact_frame(cones, to, {given(3, 0), given(3, 1), given(3, 2)}));
  } else {
    std::array<double, 6> places{};
    for (Index k = 0; k < cones.rolling_rows; ++k)
      places[place_of_file_row(cones, k)] =
          given(static_cast<std::size_t>(cones.rolling_rows), static_cast<std::size_t>(k));
    const double per_length = 1.0 / cones.rolling_length[to];
    set_rolling_value(
        cones, x, to,
        rolling_from_contact_frame(cones, to,
                                   {{places[0], places[1], places[2]},
                                    per_length * Vec3{places[3], places[4], places[5]}}));
  }
}

}  // namespace

Solution make_solution(const BodyPart& part, const ConeProblem& problem, const RowVector& impulses,
                       const RowVector& gap) {
  const StandardArithmetic arithmetic;
  Solution solution = row_solution(problem.cones, impulses, gap);
  solution.v = body_velocities(problem, impulses, part.owned_bodies);
  return solution;
}

Solution make_solution(const ProblemData& data, const ConeProblem& problem,
                       const RowVector& impulses, const RowVector& gap) {
  const StandardArithmetic arithmetic;
  Solution solution = row_solution(problem.cones, impulses, gap);
  if (const auto* bodies = std::get_if<BodyProblem>(&data)) {
    solution.v = body_velocities(problem, impulses, bodies->body_count());
  } else if (const auto* global = std::get_if<GlobalProblem>(&data)) {
    set_velocities(*global, solution);
  }
  return solution;
}

Solution make_solution(const MatrixPart& part, const RowVector& impulses, const RowVector& gap) {
  const StandardArithmetic arithmetic;
  return row_solution(part.problem.cones, impulses, gap);
}

void set_velocities(const GlobalProblem& data, Solution& whole) {
  // from the matrices of the file, not from the operator that was iterated with
  whole.v = times(data.H, whole.r);
  const std::vector<double> joints = times(data.G, whole.l);
  for (std::size_t i = 0; i < whole.v.size(); ++i)
    whole.v[i] += (joints.empty() ? 0.0 : joints[i]) + data.f[i];
  MassInverse(data.M).solve(whole.v);
}

RowVector impulses_from(const ConeProblem& problem, const Solution& solution) {
  const ConeSet& cones = problem.cones;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  TALUS_ASSERT(solution.l.size() == static_cast<std::size_t>(cones.scalar_count) &&
               solution.r.size() == static_cast<std::size_t>(cones.solution_rows()));
  std::copy(solution.l.begin(), solution.l.end(), x.begin());
  for (Index c = 0; c < cones.contact_count(); ++c)
    take_contact(cones, solution, static_cast<std::size_t>(c), c, x);
  return x;
}

RowVector impulses_from(const BodyPart& part, const ConeProblem& problem, const Solution& whole) {
  const ConeSet& cones = problem.cones;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  const auto take = [](const std::vector<GlobalId>& places, Index first, const auto& put) {
    for (std::size_t i = 0; i < places.size(); ++i)
      put(static_cast<std::size_t>(places[i]), first + static_cast<Index>(i));
  };
  const auto put_joint = [&](std::size_t from, Index to) {
    x[cones.scalar_row(to)] = whole.l[from];
  };
  const auto put_contact = [&](std::size_t from, Index to) {
    take_contact(cones, whole, from, to, x);
  };
  take(part.joint_place, 0, put_joint);
  take(part.joint_mirror_place, first_mirror(part.owned_joint_rows), put_joint);
  take(part.contact_place, 0, put_contact);
  take(part.contact_mirror_place, first_mirror(part.owned_contacts), put_contact);
  return x;
}

RowVector impulses_from(const MatrixPart& part, const Solution& whole) {
  const ConeSet& cones = part.problem.cones;
  RowVector x(static_cast<std::size_t>(part.problem.stored_rows()), 0.0);
  for (std::size_t i = 0; i < part.bilateral_place.size(); ++i)
    x[i] = whole.l[part.bilateral_place[i]];
  for (std::size_t c = 0; c < part.contact_place.size(); ++c)
    take_contact(cones, whole, static_cast<std::size_t>(part.contact_place[c]),
                 static_cast<Index>(c), x);
  return x;
}

}  // namespace talus
