#include "talus/problem/cone_problem.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "cones/frame_tiles.hpp"
#include "core/arithmetic.hpp"
#include "core/in_parallel.hpp"
#include "core/vector_numbers.hpp"
#include "parallel/tile_ranges.hpp"
#include "problem/body_operator.hpp"
#include "problem/hub_rows.hpp"
#include "problem/matrix_checks.hpp"
#include "problem/matrix_operator.hpp"
#include "problem/rolling_block.hpp"
#include "problem/sparse_operator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr double rounding_asymmetry = 1e-12;  // below it a W is symmetric but for its last digits

/// Stored row of row k of contact c; contacts are the planar, the spatial or the rolling group.
Index contact_row(const ConeSet& cones, Index c, Index k) {
  if (cones.rolling_count > 0) return cones.rolling_row(c, place_of_file_row(cones, k));
  return cones.planar_count > 0 ? cones.planar_row(c, k) : cones.spatial_row(c, k);
}

/// FCLib's rows are the contact's own frame: the axis is (1, 0, 0).
template <class Matrices>
ConeSet frame_cones(const Matrices& data) {
  const Index contacts = data.contact_count();
  ConeCounts counts{data.bilateral_count()};
  if (data.has_rolling())
    counts.rolling = contacts;
  else
    (data.dimension == 2 ? counts.planar : counts.spatial) = contacts;
  ConeSet cones = make_cone_set(counts);
  if (data.has_rolling()) cones.rolling_rows = data.rows_per_contact();
  const Vec3 axis{1.0, 0.0, 0.0}, tangent{0.0, 1.0, 0.0};
  for (Index c = 0; c < contacts; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double mu = data.friction[i];
    if (data.has_rolling())
      set_rolling_friction(cones, c, {mu, data.rolling_friction[i], 0.0}, axis, tangent);
    else if (data.dimension == 2)
      set_planar_friction(cones, c, mu);
    else
      set_spatial_friction(cones, c, mu, axis, tangent);
  }
  return cones;
}

/// Sizes and indices of what a program gives: files have been looked at more closely.
template <class Matrices>
void require_layout(const Matrices& data) {
  InputErrors errors;
  const std::string name = "problem";
  check_layout(data, told_to(errors, name));
  errors.throw_if_any();
}

/// The length that makes the torque rows that count as stiff as the force rows, on average over
/// their diagonal: for a sphere about its radius. `given`: N with all lengths 1. docs/decisions/008
void set_lengths(ConeSet& cones, const LinearOperator& given) {
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    const Mat6 block = in_contact_frame(cones, c, given.rolling_block(c));
    const std::array<bool, 6> counts = places_that_count(cones, c);
    double force = 0.0, torque = 0.0, force_rows = 0.0, torque_rows = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
      if (!counts[k]) continue;
      (k < 3 ? force : torque) += block[7 * k];
      (k < 3 ? force_rows : torque_rows) += 1.0;
    }
    const double length = std::sqrt((force / force_rows) / (torque / torque_rows));
    // nothing to compare, or numbers that are reported elsewhere: the length stays 1
    if (!(length > 0.0) || !std::isfinite(length)) return;
    set_rolling_length(cones, c, length);
  });
}

/// Per stored row what a row in given units is multiplied with: the length of its cone for torque
/// rows.
RowVector row_units(const ConeSet& cones) {
  RowVector units(static_cast<std::size_t>(cones.stored_rows()), 1.0);
  for (Index c = 0; c < cones.rolling_slots(); ++c)
    for (Index k = 3; k < 6; ++k) units[cones.rolling_row(c, k)] = cones.rolling_length[c];
  return units;
}

/// Appends the entries of `a`, rows and columns renumbered.
template <class RowOf, class ColumnOf>
void append(std::vector<Triplet>& entries, const SparseMatrix& a, const RowOf& row_of,
            const ColumnOf& column_of) {
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t e = a.row_start[i]; e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
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
    for (std::int64_t e = a.row_start[i]; e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
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

/// Norm of a contact's diagonal block in its own frame (n, t1[, t2]) and the units given, which are
/// those of Siconos's figures.
double block_norm(const ConeProblem& problem, Index c) {
  const ConeSet& cones = problem.cones;
  if (cones.rolling_count > 0)
    return rolling_block_norm(cones, c, problem.delassus->rolling_block(c));
  if (cones.planar_count > 0) {
    const auto [nn, nt, tt] = problem.delassus->planar_block(c);
    return infinity_norm({nn, nt, nt, tt}, 2);
  }
  const Mat3 b = problem.delassus->spatial_block(c);
  const Vec3 n = cones.axis_of(c), t = cones.tangent[c];
  const std::array<Vec3, 3> frame{n, t, cross(n, t)};
  std::vector<double> local;
  for (const Vec3& left : frame)
    for (const Vec3& right : frame)
      local.push_back(dot(left, {dot({b[0], b[1], b[2]}, right), dot({b[3], b[4], b[5]}, right),
                                 dot({b[6], b[7], b[8]}, right)}));
  return infinity_norm(local, 3);
}

/// visit(place) of cones of a kind: those that are owned, then their mirrors, which are few.
template <class Visit>
void each_stored_in_parallel(Index owned, Index mirrors, const Visit& visit) {
  in_parallel(static_cast<std::size_t>(owned),
              [&](std::size_t i) { visit(static_cast<Index>(i)); });
  for (Index m = 0; m < mirrors; ++m) visit(first_mirror(owned) + m);
}

/// set_spatial_friction() of all contacts, filling between owned and mirrored ones too, which is
/// given as it is made.
void set_spatial_frictions(const BodyProblem& data, ConeSet& cones) {
  const auto is_given = [](double mu) { return mu >= 0.0; };
  TALUS_ASSERT(std::all_of(data.friction.begin(), data.friction.end(), is_given));
  const Index slot = cones.spatial_first_slot();
  const FramePass pass{data.friction.data(),       numbers_of(data.normal),
                       numbers_of(data.tangent),   cones.friction.data() + slot,
                       cones.cosine.data() + slot, cones.sine.data() + slot,
                       cones.axis.data(),          numbers_of(cones.tangent),
                       data.contact_count()};
  for_tile_ranges(cones.spatial_slots() / lanes,
                  [&](Index begin, Index end) { frame_kernels().make(pass, begin, end); });
}

/// Adds biases of contacts, (n, t1, t2), to the rows of their velocities.
void add_biases(const BodyProblem& data, const ConeSet& cones, RowVector& rows) {
  FramedPass pass{cones.axis.data(),
                  numbers_of(cones.tangent),
                  numbers_of(data.contact_bias),
                  nullptr,
                  rows.data() + cones.spatial_first_row(),
                  3 * lanes,
                  data.contact_count()};
  const auto add = [&] {
    for_tile_ranges(padded(pass.count) / lanes,
                    [&](Index begin, Index end) { frame_kernels().add(pass, begin, end); });
  };
  if (data.has_rolling()) {
    pass.rows = rows.data() + cones.rolling_first_row();
    pass.stride = 6 * lanes;
  }
  add();
  if (!data.has_rolling() || data.turning_bias.empty()) return;
  pass.parts = numbers_of(data.turning_bias);
  pass.factor = cones.rolling_length.data();
  pass.rows += 3 * lanes;
  add();
}

ConeSet body_cones(const BodyPart& part) {
  const BodyProblem& data = part.data;
  ConeCounts owned{part.owned_joint_rows}, mirrors{part.mirrored_joint_rows};
  (data.has_rolling() ? owned.rolling : owned.spatial) = part.owned_contacts;
  (data.has_rolling() ? mirrors.rolling : mirrors.spatial) = part.mirrored_contacts;
  ConeSet cones = make_cone_set(owned, mirrors);
  each_stored(owned.scalar, mirrors.scalar, [&](Index j, bool /*owned*/) {
    set_interval(cones, j, data.joint_lower[j], data.joint_upper[j]);
  });
  if (!data.has_rolling()) {
    set_spatial_frictions(data, cones);
    return cones;
  }
  each_stored_in_parallel(part.owned_contacts, part.mirrored_contacts, [&](Index c) {
    const auto i = static_cast<std::size_t>(c);
    set_rolling_friction(cones, c,
                         {data.friction[i], data.rolling_friction[i], data.spinning_friction[i]},
                         data.normal[i], data.tangent[i]);
  });
  return cones;
}

/// An owned row is mirrored by the owner of a ghost that moves: where nothing moves, nothing of the
/// row need be known, and the rows of a hub body have one owner.
void set_mirrored_elsewhere(ConeProblem& problem, const BodyPart& part) {
  const BodyProblem& data = part.data;
  const std::vector<bool> hub = hub_marks(part);
  const auto moving_ghost = [&](Index body) {
    if (body == no_body || body < part.owned_bodies) return false;
    const auto b = static_cast<std::size_t>(body);
    return !hub[b] && is_movable(data.inverse_mass[b], data.inverse_inertia[b]);
  };
  const auto list = [&](Index owned, const std::vector<Index>& a, const std::vector<Index>& b,
                        Index first_slot) {
    for (Index i = 0; i < owned; ++i)
      if (moving_ghost(a[i]) || moving_ghost(b[i]))
        problem.mirrored_elsewhere.push_back(first_slot + i);
  };
  list(part.owned_joint_rows, data.joint_body_a, data.joint_body_b, 0);
  list(part.owned_contacts, data.contact_body_a, data.contact_body_b, problem.cones.scalar_slots());
}

/// What ranks put together of a problem, in one message.
class Together {
 public:
  Together(const ConeProblem& problem, std::span<double> riders)
      : largest_{problem.mass_ratio}, riders_(riders) {
    const ConeSet& cones = problem.cones;
    GlobalId free_rows = 0;
    for (Index i = 0; i < cones.scalar_count; ++i) free_rows += cones.is_free(i) ? 1 : 0;
    totals_ = {cones.row_count(),
               cones.cone_count(),
               cones.contact_count(),
               cones.rolling_count,
               free_rows,
               cones.scalar_count - free_rows,
               cones.frictionless() ? 0 : 1,
               cones.planar_count};
    largest_.insert(largest_.end(), riders.begin(), riders.end());
  }
  /// In any order.
  void add_trace(std::span<const double> terms) { sums_[0].add(terms); }
  void add_norm(std::span<const double> terms) { sums_[1].add(terms); }

  void reduce(ConeProblem& problem, const Communicator& comm) {
    talus::reduce(comm, {totals_, largest_, sums_});
    problem.total_rows = totals_[0];
    problem.total_cones = totals_[1];
    problem.total_contacts = totals_[2];
    problem.total_rolling = totals_[3];
    problem.total_free = totals_[4];
    problem.total_bounded = totals_[5];
    problem.rough_ranks = totals_[6];
    problem.total_planar = totals_[7];
    problem.mass_ratio = largest_[0];
    std::copy(largest_.begin() + 1, largest_.end(), riders_.begin());
  }
  double trace() const { return sums_[0].value(); }
  double norm() const { return sums_[1].value(); }

 private:
  std::array<std::int64_t, 8> totals_{};
  std::vector<double> largest_;
  std::span<double> riders_;
  std::array<LimbSum, 2> sums_{};
};

/// Of two bodies that a contact joins, the largest: how many times one is heavier.
double mass_ratio_of(const BodyProblem& data) {
  double largest = 0.0;
  for (std::size_t c = 0; c < data.contact_body_a.size(); ++c) {
    const Index a = data.contact_body_a[c], b = data.contact_body_b[c];
    if (a == no_body || b == no_body) continue;
    const double light = std::max(data.inverse_mass[a], data.inverse_mass[b]);
    const double heavy = std::min(data.inverse_mass[a], data.inverse_mass[b]);
    if (heavy > 0.0) largest = std::max(largest, light / heavy);
  }
  return largest;
}

}  // namespace

void measure_diagonal(ConeProblem& problem, const Communicator& comm, SetUp set_up,
                      std::span<double> riders) {
  const ConeSet& cones = problem.cones;
  problem.delassus->diagonal(problem.diagonal);
  problem.scale.assign(static_cast<std::size_t>(cones.slots()), 0.0);
  const auto at = [&](Index row) { return problem.diagonal[row]; };
  std::vector<double> traces, norms;  // of owned cones; summed without regard to their order
  const auto set = [&](Index slot, double trace, double rows, bool owned) {
    problem.scale[slot] = trace / rows;
    if (owned) traces.push_back(trace);
  };
  const std::size_t spatial = static_cast<std::size_t>(cones.spatial_count);
  std::vector<double> spatial_traces(spatial);
  each_stored(cones.scalar_count, cones.mirrors.scalar,
              [&](Index i, bool owned) { set(i, at(i), 1.0, owned); });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool owned) {
    set(cones.planar_slot(c), at(cones.planar_row(c, 0)) + at(cones.planar_row(c, 1)), 2.0, owned);
  });
  each_stored_in_parallel(cones.spatial_count, cones.mirrors.spatial, [&](Index c) {
    const double trace =
        at(cones.spatial_row(c, 0)) + at(cones.spatial_row(c, 1)) + at(cones.spatial_row(c, 2));
    problem.scale[cones.spatial_slot(c)] = trace / 3.0;
    if (static_cast<std::size_t>(c) < spatial) spatial_traces[c] = trace;
  });
  traces.insert(traces.end(), spatial_traces.begin(), spatial_traces.end());
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool owned) {
    const Mat6 block = in_contact_frame(cones, c, problem.delassus->rolling_block(c));
    const std::array<bool, 6> counts = places_that_count(cones, c);
    double block_trace = 0.0, rows = 0.0;
    for (std::size_t k = 0; k < 6; ++k)
      if (counts[k]) {
        block_trace += block[7 * k];
        rows += 1.0;
      }
    set(cones.rolling_slot(c), block_trace, rows, owned);
  });
  Together together(problem, riders);
  together.add_trace(traces);
  if (set_up == SetUp::Whole)
    for (Index c = 0; c < cones.contact_count(); ++c) norms.push_back(block_norm(problem, c));
  together.add_norm(norms);
  together.reduce(problem, comm);
  const double trace = together.trace(), norm = together.norm();
  problem.mean_diagonal = trace > 0.0 ? trace / static_cast<double>(problem.total_rows) : 1.0;
  for (double& scale : problem.scale)
    if (!(scale > 0.0)) scale = problem.mean_diagonal;
  if (set_up == SetUp::Whole)
    problem.siconos_scale = norm > 0.0 ? norm / static_cast<double>(problem.total_contacts) : 1.0;
}

ConeProblem make_cone_problem(const std::shared_ptr<const BodyPart>& part, const Communicator& comm,
                              SetUp set_up, std::span<double> riders) {
  const StandardArithmetic arithmetic;
  ConeProblem problem;
  const BodyProblem& data = part->data;
  problem.cones = body_cones(*part);
  const ConeSet& cones = problem.cones;
  const auto bodies = std::make_shared<BodyOperator>(part, cones, comm);
  if (data.has_rolling()) {
    set_lengths(problem.cones, *bodies);
    bodies->take_lengths(cones);
  }
  problem.free_velocity.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  bodies->relative_velocities(bodies->free_velocities(), problem.free_velocity);
  for (Index j = 0; j < data.joint_row_count(); ++j) problem.free_velocity[j] += data.joint_bias[j];
  add_biases(data, cones, problem.free_velocity);
  problem.delassus = bodies;
  set_mirrored_elsewhere(problem, bodies->part());
  problem.key.assign(static_cast<std::size_t>(cones.slots()), 0);
  std::copy(data.joint_key.begin(), data.joint_key.end(), problem.key.begin());
  const std::vector<GlobalId>& identity = bodies->part().contact_identity;
  const std::vector<GlobalId>& contact_key = identity.empty() ? data.contact_key : identity;
  std::copy(contact_key.begin(), contact_key.end(), problem.key.begin() + cones.scalar_slots());
  problem.mass_ratio = mass_ratio_of(data);
  measure_diagonal(problem, comm, set_up, riders);
  return problem;
}

ConeProblem make_cone_problem(const BodyProblem& data) {
  return make_cone_problem(std::make_shared<BodyPart>(whole_part(data)), Communicator::self());
}

ConeProblem make_cone_problem(const LocalProblem& data) {
  require_layout(data);
  const StandardArithmetic arithmetic;
  ConeProblem problem;
  problem.cones = frame_cones(data);
  ConeSet& cones = problem.cones;
  const Index d = data.rows_per_contact(), rows = cones.stored_rows();
  const auto contact = [&](Index i) { return contact_row(cones, i / d, i % d); };
  const auto bilateral = [&](Index i) { return cones.scalar_row(i); };
  std::vector<Triplet> entries;
  append(entries, data.W, contact, contact);
  append(entries, data.V, contact, bilateral);
  append(entries, transposed(data.V), bilateral, contact);
  append(entries, data.R, bilateral, bilateral);
  if (data.has_rolling())
    set_lengths(cones, MatrixOperator(from_triplets(rows, rows, entries), cones));
  const RowVector units = row_units(cones);
  for (Triplet& e : entries) e.value *= units[e.row] * units[e.column];
  set_matrix(problem, from_triplets(rows, rows, std::move(entries)));
  problem.free_velocity.assign(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < data.q.size(); ++i) {
    const auto row = static_cast<std::size_t>(contact(static_cast<Index>(i)));
    problem.free_velocity[row] = units[row] * data.q[i];
  }
  std::copy(data.s.begin(), data.s.end(), problem.free_velocity.begin());
  measure_diagonal(problem, Communicator::self());
  return problem;
}

ConeProblem make_cone_problem(const GlobalProblem& data) {
  require_layout(data);
  const StandardArithmetic arithmetic;
  ConeProblem problem;
  problem.cones = frame_cones(data);
  ConeSet& cones = problem.cones;
  const Index d = data.rows_per_contact(), rows = cones.stored_rows();
  const auto contact = [&](Index i) { return contact_row(cones, i / d, i % d); };
  const auto itself = [](Index i) { return i; };
  std::vector<Triplet> entries;
  append(entries, transposed(data.G), itself, itself);
  append(entries, transposed(data.H), contact, itself);
  const auto mass = std::make_shared<MassInverse>(data.M);
  const auto jacobian = [&] { return from_triplets(rows, data.M.rows, entries); };
  if (data.has_rolling()) set_lengths(cones, SparseOperator(jacobian(), mass, cones));
  const RowVector units = row_units(cones);
  for (Triplet& e : entries) e.value *= units[e.row];
  const auto sparse = std::make_shared<SparseOperator>(jacobian(), mass, cones);
  problem.free_velocity.assign(static_cast<std::size_t>(rows), 0.0);
  sparse->relative_velocities(sparse->velocities(problem.free_velocity, data.f),
                              problem.free_velocity);
  for (std::size_t i = 0; i < data.w.size(); ++i) {
    const auto row = static_cast<std::size_t>(contact(static_cast<Index>(i)));
    problem.free_velocity[row] += units[row] * data.w[i];
  }
  for (std::size_t i = 0; i < data.b.size(); ++i) problem.free_velocity[i] += data.b[i];
  if (mass->symmetric())
    problem.delassus = sparse;
  else
    set_matrix(problem, sparse->assemble());
  measure_diagonal(problem, Communicator::self());
  return problem;
}

ConeProblem make_cone_problem(const ProblemData& data) {
  return std::visit([](const auto& given) { return make_cone_problem(given); }, data);
}

}  // namespace talus
