#include "talus/problem/cone_problem.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/problem/matrix_operator.hpp"
#include "talus/problem/sparse_operator.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double rounding_asymmetry = 1e-12;  // below it a W is symmetric but for its last digits

/// Stored row of row k of contact c; contacts are the planar or the spatial group.
Index contact_row(const ConeSet& cones, Index c, Index k) {
  return cones.planar_count > 0 ? cones.planar_row(c, k) : cones.spatial_row(c, k);
}

/// FCLib's rows are the contact's own frame: the axis is (1, 0, 0).
ConeSet frame_cones(Index bilateral_count, int dimension, const std::vector<double>& friction) {
  const auto contacts = static_cast<Index>(friction.size());
  ConeSet cones =
      make_cone_set(bilateral_count, dimension == 2 ? contacts : 0, dimension == 3 ? contacts : 0);
  for (Index c = 0; c < contacts; ++c) {
    const double mu = friction[static_cast<std::size_t>(c)];
    if (dimension == 2)
      set_planar_friction(cones, c, mu);
    else
      set_spatial_friction(cones, c, mu, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  }
  return cones;
}

/// Appends the entries of `a`, rows and columns renumbered.
template <class RowOf, class ColumnOf>
void append(std::vector<Triplet>& entries, const SparseMatrix& a, const RowOf& row_of,
            const ColumnOf& column_of) {
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t e = a.row_start[static_cast<std::size_t>(i)];
         e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      entries.push_back({row_of(i), column_of(a.column[k]), a.value[k]});
    }
}

double largest_entry(const SparseMatrix& a) {
  double largest = 0.0;
  for (const double value : a.value) largest = std::max(largest, std::abs(value));
  return largest;
}

/// (A + sign A^T) / 2
SparseMatrix half_sum(const SparseMatrix& a, double sign) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t e = a.row_start[static_cast<std::size_t>(i)];
         e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      entries.push_back({i, a.column[k], 0.5 * a.value[k]});
      entries.push_back({a.column[k], i, 0.5 * sign * a.value[k]});
    }
  return from_triplets(a.rows, a.columns, std::move(entries));
}

/// Sets delassus, and skew where W is not symmetric.
void set_matrix(ConeProblem& problem, SparseMatrix w) {
  const SparseMatrix skew = half_sum(w, -1.0);
  const double size = largest_entry(w);
  problem.asymmetry = size > 0.0 ? 2.0 * largest_entry(skew) / size : 0.0;
  if (problem.asymmetry > rounding_asymmetry) {
    problem.delassus = std::make_shared<MatrixOperator>(half_sum(w, 1.0), problem.cones);
    problem.skew = std::make_shared<MatrixOperator>(skew, problem.cones);
  } else {
    problem.delassus = std::make_shared<MatrixOperator>(std::move(w), problem.cones);
  }
}

double infinity_norm(const std::vector<double>& block, std::size_t size) {
  double norm = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < size; ++j) sum += std::abs(block[size * i + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Norm of a contact's diagonal block in its own frame (n, t1[, t2]), which is the frame of
/// Siconos's figures.
double block_norm(const ConeProblem& problem, Index c) {
  const ConeSet& cones = problem.cones;
  if (cones.planar_count > 0) {
    const auto [nn, nt, tt] = problem.delassus->planar_block(c);
    return infinity_norm({nn, nt, nt, tt}, 2);
  }
  const Mat3 b = problem.delassus->spatial_block(c);
  const Vec3 n = cones.axis_of(c), t = cones.tangent[static_cast<std::size_t>(c)];
  const std::array<Vec3, 3> frame{n, t, cross(n, t)};
  std::vector<double> local;
  for (const Vec3& left : frame)
    for (const Vec3& right : frame)
      local.push_back(dot(left, {dot({b[0], b[1], b[2]}, right), dot({b[3], b[4], b[5]}, right),
                                 dot({b[6], b[7], b[8]}, right)}));
  return infinity_norm(local, 3);
}

/// There are no cones for it yet.
template <class Problem>
void refuse_rolling(const Problem& data) {
  if (data.has_rolling())
    throw InputError(
        "rolling and spinning friction are not solved by this version; leave them out");
}

}  // namespace

bool ConeProblem::all_free() const {
  if (cones.planar_count + cones.spatial_count > 0) return false;
  for (Index i = 0; i < cones.scalar_count; ++i)
    if (!cones.is_free(i)) return false;
  return true;
}

void measure_diagonal(ConeProblem& problem) {
  const ConeSet& cones = problem.cones;
  problem.delassus->diagonal(problem.diagonal);
  problem.scale.assign(static_cast<std::size_t>(cones.slots()), 0.0);
  const auto at = [&](Index row) { return problem.diagonal[static_cast<std::size_t>(row)]; };
  std::vector<double> traces, norms;  // of owned cones; summed without regard to their order
  const auto set = [&](Index slot, double trace, double rows, bool owned) {
    problem.scale[static_cast<std::size_t>(slot)] = trace / rows;
    if (owned) traces.push_back(trace);
  };
  each_stored(cones.scalar_count, cones.mirrors.scalar,
              [&](Index i, bool owned) { set(i, at(i), 1.0, owned); });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool owned) {
    set(cones.planar_slot(c), at(cones.planar_row(c, 0)) + at(cones.planar_row(c, 1)), 2.0, owned);
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool owned) {
    set(cones.spatial_slot(c),
        at(cones.spatial_row(c, 0)) + at(cones.spatial_row(c, 1)) + at(cones.spatial_row(c, 2)),
        3.0, owned);
  });
  const Communicator comm = Communicator::self();
  const double trace = exact_sum(comm, traces);
  problem.mean_diagonal = trace > 0.0 ? trace / cones.row_count() : 1.0;
  for (double& scale : problem.scale)
    if (!(scale > 0.0)) scale = problem.mean_diagonal;
  const Index contacts = cones.planar_count + cones.spatial_count;
  for (Index c = 0; c < contacts; ++c) norms.push_back(block_norm(problem, c));
  const double norm = exact_sum(comm, norms);
  problem.siconos_scale = norm > 0.0 ? norm / contacts : 1.0;
}

ConeProblem make_cone_problem(const BodyProblem& data) {
  refuse_rolling(data);
  ConeProblem problem;
  problem.cones = make_cone_set(data.joint_row_count(), 0, data.contact_count());
  for (Index j = 0; j < data.joint_row_count(); ++j)
    set_interval(problem.cones, j, data.joint_lower[static_cast<std::size_t>(j)],
                 data.joint_upper[static_cast<std::size_t>(j)]);
  for (Index c = 0; c < data.contact_count(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    set_spatial_friction(problem.cones, c, data.friction[i], data.normal[i], data.tangent[i]);
  }
  const auto bodies =
      std::make_shared<BodyOperator>(std::make_shared<BodyProblem>(data), problem.cones);
  problem.free_gap.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  bodies->relative_velocities(bodies->velocities(problem.free_gap, true), problem.free_gap);
  for (Index j = 0; j < data.joint_row_count(); ++j)
    problem.free_gap[static_cast<std::size_t>(j)] += data.joint_bias[static_cast<std::size_t>(j)];
  for (Index c = 0; c < data.contact_count(); ++c)
    set_spatial_value(
        problem.cones, problem.free_gap, c,
        spatial_value(problem.cones, problem.free_gap, c) +
            from_contact_frame(problem.cones, c, data.contact_bias[static_cast<std::size_t>(c)]));
  problem.delassus = bodies;
  measure_diagonal(problem);
  return problem;
}

ConeProblem make_cone_problem(const LocalProblem& data) {
  refuse_rolling(data);
  ConeProblem problem;
  problem.cones = frame_cones(data.bilateral_count(), data.dimension, data.friction);
  const ConeSet& cones = problem.cones;
  const Index d = data.rows_per_contact();
  const auto contact = [&](Index i) { return contact_row(cones, i / d, i % d); };
  const auto bilateral = [&](Index i) { return cones.scalar_row(i); };
  std::vector<Triplet> entries;
  append(entries, data.W, contact, contact);
  append(entries, data.V, contact, bilateral);
  append(entries, transposed(data.V), bilateral, contact);
  append(entries, data.R, bilateral, bilateral);
  set_matrix(problem, from_triplets(cones.stored_rows(), cones.stored_rows(), std::move(entries)));
  problem.free_gap.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  for (std::size_t i = 0; i < data.q.size(); ++i)
    problem.free_gap[static_cast<std::size_t>(contact(static_cast<Index>(i)))] = data.q[i];
  std::copy(data.s.begin(), data.s.end(), problem.free_gap.begin());
  measure_diagonal(problem);
  return problem;
}

ConeProblem make_cone_problem(const GlobalProblem& data) {
  refuse_rolling(data);
  ConeProblem problem;
  problem.cones = frame_cones(data.bilateral_count(), data.dimension, data.friction);
  const ConeSet& cones = problem.cones;
  const Index d = data.rows_per_contact();
  const auto contact = [&](Index i) { return contact_row(cones, i / d, i % d); };
  const auto itself = [](Index i) { return i; };
  std::vector<Triplet> entries;
  append(entries, transposed(data.G), itself, itself);
  append(entries, transposed(data.H), contact, itself);
  const auto mass = std::make_shared<MassInverse>(data.M);
  const auto sparse = std::make_shared<SparseOperator>(
      from_triplets(cones.stored_rows(), data.M.rows, std::move(entries)), mass, cones);
  problem.free_gap.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  sparse->relative_velocities(sparse->velocities(problem.free_gap, data.f), problem.free_gap);
  for (std::size_t i = 0; i < data.w.size(); ++i)
    problem.free_gap[static_cast<std::size_t>(contact(static_cast<Index>(i)))] += data.w[i];
  for (std::size_t i = 0; i < data.b.size(); ++i) problem.free_gap[i] += data.b[i];
  if (mass->symmetric())
    problem.delassus = sparse;
  else
    set_matrix(problem, sparse->assemble());
  measure_diagonal(problem);
  return problem;
}

ConeProblem make_cone_problem(const ProblemData& data) {
  return std::visit([](const auto& given) { return make_cone_problem(given); }, data);
}

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
               solution.r.size() ==
                   static_cast<std::size_t>(2 * cones.planar_count + 3 * cones.spatial_count));
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
  return x;
}

}  // namespace talus
