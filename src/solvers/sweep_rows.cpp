#include "solvers/sweep_rows.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/matrix_operator.hpp"
#include "talus/problem/sparse_operator.hpp"

#include "problem/rolling_block.hpp"
#include "solvers/local_cone.hpp"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

std::vector<Index> ascending(Index count) {
  std::vector<Index> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<Index> by_key(const std::vector<GlobalId>& keys) {
  std::vector<Index> order = ascending(static_cast<Index>(keys.size()));
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return keys[at(a)] < keys[at(b)]; });
  return order;
}

/// F A F^T, where the rows of F are the unit vectors of the frame.
Mat3 seen_from(const std::array<Vec3, 3>& frame, const Mat3& block) {
  Mat3 turned{};
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 image = times(block, frame[j]);
    for (std::size_t i = 0; i < 3; ++i) turned[3 * i + j] = dot(frame[i], image);
  }
  return turned;
}

SparseMatrix sum(const SparseMatrix& a, const SparseMatrix& b) {
  std::vector<Triplet> entries;
  for (const SparseMatrix* part : {&a, &b})
    for (Index i = 0; i < part->rows; ++i)
      for (std::int64_t e = part->row_start[at(i)]; e < part->row_start[at(i) + 1]; ++e)
        entries.push_back({i, part->column[static_cast<std::size_t>(e)],
                           part->value[static_cast<std::size_t>(e)]});
  return from_triplets(a.rows, a.columns, std::move(entries));
}

SparseMatrix written_out(const LinearOperator& a) {
  const auto* matrix = dynamic_cast<const MatrixOperator*>(&a);
  const auto* sparse = dynamic_cast<const SparseOperator*>(&a);
  if (matrix != nullptr && !matrix->is_share()) return matrix->rows();
  if (sparse != nullptr && !sparse->is_share()) return sparse->assemble();
  if (matrix != nullptr || sparse != nullptr)
    throw InputError("psor on several ranks needs bodies: use apgd or pspgfb for given matrices");
  throw InputError("psor needs the rows of N, and this operator only multiplies; use apgd");
}

}  // namespace

Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  if (cone < cones.planar_count)
    return {x[at(cones.planar_row(cone, 0))], x[at(cones.planar_row(cone, 1))], 0.0};
  const Index spatial = cone - cones.planar_count;
  return to_contact_frame(cones, spatial, spatial_value(cones, x, spatial));
}

void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse) {
  if (cone < cones.planar_count) {
    x[at(cones.planar_row(cone, 0))] = impulse.x;
    x[at(cones.planar_row(cone, 1))] = impulse.y;
    return;
  }
  const Index spatial = cone - cones.planar_count;
  set_spatial_value(cones, x, spatial, from_contact_frame(cones, spatial, impulse));
}

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  return rolling_to_contact_frame(cones, cone, rolling_value(cones, x, cone));
}

void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse) {
  set_rolling_value(cones, x, cone, rolling_from_contact_frame(cones, cone, impulse));
}

void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped) {
  for (Index c = 0; c < cones.planar_count + cones.spatial_count; ++c) {
    const Index slot =
        c < cones.planar_count ? cones.planar_slot(c) : cones.spatial_slot(c - cones.planar_count);
    const Vec3 x = cone_impulse(cones, start, c);
    const double normal = std::max(x.x, 0.0);
    const double bound = normal > 0.0 ? cones.friction[at(slot)] * normal : 0.0;
    set_cone_impulse(cones, clipped, c,
                     {normal, std::clamp(x.y, -bound, bound), std::clamp(x.z, -bound, bound)});
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const SixRows x = rolling_impulse(cones, start, c);
    const RollingFriction mu = cones.rolling_friction_of(c);
    const double normal = std::max(x.linear.x, 0.0);
    const auto clip = [normal](double value, double coefficient) {
      const double bound = normal > 0.0 ? coefficient * normal : 0.0;
      return std::clamp(value, -bound, bound);
    };
    const Vec3 &f = x.linear, &m = x.angular;
    set_rolling_impulse(cones, clipped, c,
                        {{normal, clip(f.y, mu.sliding), clip(f.z, mu.sliding)},
                         {clip(m.x, mu.spinning), clip(m.y, mu.rolling), clip(m.z, mu.rolling)}});
  }
}

BodySweep::BodySweep(const ConeProblem& problem, const BodyOperator& bodies)
    : operator_(bodies), data_(bodies.data()), cones_(problem.cones), free_gap_(problem.free_gap) {
  const ConeSet& cones = problem.cones;
  bodies_.resize(at(data_.body_count()) + 1);
  for (std::size_t b = 0; b + 1 < bodies_.size(); ++b) {
    bodies_[b].inverse_mass = data_.inverse_mass[b];
    bodies_[b].inverse_inertia = data_.inverse_inertia[b];
  }
  const auto lever = [&](Index body, const Vec3& point) {
    return body == no_body ? Vec3{} : point - data_.centre[at(body)];
  };
  contacts_.resize(at(data_.contact_count()));
  for (Index c = 0; c < data_.contact_count(); ++c) {
    Contact& contact = contacts_[at(c)];
    contact.normal = cones.axis_of(c);
    contact.tangent1 = cones.tangent[at(c)];
    contact.tangent2 = cross(contact.normal, contact.tangent1);
    contact.lever_a = lever(data_.contact_body_a[at(c)], data_.point[at(c)]);
    contact.lever_b = lever(data_.contact_body_b[at(c)], data_.point_on_b(c));
    if (data_.has_rolling()) {
      const SixRows free = rolling_impulse(cones, free_gap_, c);
      contact.free_gap = free.linear;
      contact.free_turn = free.angular;
      contact.length = cones.rolling_length[at(c)];
    } else {
      contact.free_gap = to_contact_frame(cones, c, spatial_value(cones, free_gap_, c));
    }
    contact.normal_compliance = data_.normal_compliance[at(c)];
    contact.tangent_compliance = data_.tangent_compliance[at(c)];
    contact.body_a = movable(data_.contact_body_a[at(c)]);
    contact.body_b = movable(data_.contact_body_b[at(c)]);
  }
}

Index BodySweep::movable(Index body) const {
  return body == no_body ? data_.body_count() : body;
}

std::vector<Index> BodySweep::row_order() const {
  return by_key(data_.joint_key);
}

std::vector<Index> BodySweep::cone_order() const {
  return data_.has_rolling() ? std::vector<Index>{} : by_key(data_.contact_key);
}

std::vector<Index> BodySweep::rolling_order() const {
  return data_.has_rolling() ? by_key(data_.contact_key) : std::vector<Index>{};
}

Mat6 BodySweep::rolling_block(Index cone) const {
  return in_contact_frame(cones_, cone, operator_.rolling_block(cone));
}

Mat3 BodySweep::block(Index cone) const {
  const Contact& c = contacts_[at(cone)];
  return seen_from({c.normal, c.tangent1, c.tangent2}, operator_.spatial_block(cone));
}

void BodySweep::refresh(const RowVector& x) {
  const std::vector<Vec6> twist = operator_.velocities(x, false);
  for (std::size_t b = 0; b < twist.size(); ++b) {
    bodies_[b].velocity = {twist[b][0], twist[b][1], twist[b][2]};
    bodies_[b].spin = {twist[b][3], twist[b][4], twist[b][5]};
  }
}

double BodySweep::row_gap(Index row, const RowVector& x) const {
  const std::size_t j = at(row);
  const auto part = [](const Vec6& block, const Body& body) {
    return dot({block[0], block[1], block[2]}, body.velocity) +
           dot({block[3], block[4], block[5]}, body.spin);
  };
  return part(data_.joint_block_a[j], bodies_[at(movable(data_.joint_body_a[j]))]) +
         part(data_.joint_block_b[j], bodies_[at(movable(data_.joint_body_b[j]))]) +
         data_.joint_compliance[j] * x[j] + free_gap_[j];
}

void BodySweep::push(Body& body, const Vec3& force, const Vec3& torque) {
  body.velocity = body.velocity + body.inverse_mass * force;
  body.spin = body.spin + body.inverse_inertia * torque;
}

void BodySweep::change_row(Index row, double change) {
  const std::size_t j = at(row);
  const auto push_by = [&](const Vec6& block, Index body) {
    push(bodies_[at(movable(body))], change * Vec3{block[0], block[1], block[2]},
         change * Vec3{block[3], block[4], block[5]});
  };
  push_by(data_.joint_block_a[j], data_.joint_body_a[j]);
  push_by(data_.joint_block_b[j], data_.joint_body_b[j]);
}

Vec3 BodySweep::velocity_at(const Body& body, const Vec3& lever) {
  return body.velocity + cross(body.spin, lever);
}

Vec3 BodySweep::cone_gap(Index cone, const Vec3& impulse, const RowVector& /*x*/) const {
  const Contact& c = contacts_[at(cone)];
  const Vec3 w =
      velocity_at(bodies_[at(c.body_b)], c.lever_b) - velocity_at(bodies_[at(c.body_a)], c.lever_a);
  return Vec3{dot(c.normal, w) + c.normal_compliance * impulse.x,
              dot(c.tangent1, w) + c.tangent_compliance * impulse.y,
              dot(c.tangent2, w) + c.tangent_compliance * impulse.z} +
         c.free_gap;
}

void BodySweep::change_cone(Index cone, const Vec3& change) {
  const Contact& c = contacts_[at(cone)];
  const Vec3 force = change.x * c.normal + change.y * c.tangent1 + change.z * c.tangent2;
  push(bodies_[at(c.body_b)], force, cross(c.lever_b, force));
  push(bodies_[at(c.body_a)], -force, -cross(c.lever_a, force));
}

SixRows BodySweep::rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const {
  const Contact& c = contacts_[at(cone)];
  const Vec3 turn = c.length * (bodies_[at(c.body_b)].spin - bodies_[at(c.body_a)].spin);
  return {cone_gap(cone, impulse.linear, x),
          Vec3{dot(c.normal, turn), dot(c.tangent1, turn), dot(c.tangent2, turn)} + c.free_turn};
}

void BodySweep::change_rolling(Index cone, const SixRows& change) {
  change_cone(cone, change.linear);
  const Contact& c = contacts_[at(cone)];
  const Vec3 m = c.length * change.angular;
  const Vec3 torque = m.x * c.normal + m.y * c.tangent1 + m.z * c.tangent2;
  push(bodies_[at(c.body_b)], {}, torque);
  push(bodies_[at(c.body_a)], {}, -torque);
}

MatrixSweep::MatrixSweep(const ConeProblem& problem, SparseMatrix rows)
    : problem_(problem), rows_(std::move(rows)) {
  TALUS_ASSERT(rows_.rows == problem.stored_rows());
}

std::vector<Index> MatrixSweep::row_order() const {
  return ascending(problem_.cones.scalar_count);
}

std::vector<Index> MatrixSweep::cone_order() const {
  return ascending(problem_.cones.planar_count + problem_.cones.spatial_count);
}

std::vector<Index> MatrixSweep::rolling_order() const {
  return ascending(problem_.cones.rolling_count);
}

Mat6 MatrixSweep::rolling_block(Index cone) const {
  const ConeSet& cones = problem_.cones;
  Mat6 block{};
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      block[at(6 * i + j)] = entry(cones.rolling_row(cone, i), cones.rolling_row(cone, j));
  return in_contact_frame(cones, cone, block);
}

SixRows MatrixSweep::rolling_gap(Index cone, const SixRows& /*impulse*/, const RowVector& x) const {
  const ConeSet& cones = problem_.cones;
  const auto gap = [&](Index k) { return stored_gap(cones.rolling_row(cone, k), x); };
  return rolling_to_contact_frame(cones, cone,
                                  {{gap(0), gap(1), gap(2)}, {gap(3), gap(4), gap(5)}});
}

std::array<Index, 3> MatrixSweep::rows_of(Index cone) const {
  const ConeSet& cones = problem_.cones;
  if (cone < cones.planar_count) return {cones.planar_row(cone, 0), cones.planar_row(cone, 1), -1};
  const Index spatial = cone - cones.planar_count;
  return {cones.spatial_row(spatial, 0), cones.spatial_row(spatial, 1),
          cones.spatial_row(spatial, 2)};
}

double MatrixSweep::stored_gap(Index stored_row, const RowVector& x) const {
  const std::size_t row = at(stored_row);
  double sum = problem_.free_gap[row];
  for (std::int64_t e = rows_.row_start[row]; e < rows_.row_start[row + 1]; ++e) {
    const auto k = static_cast<std::size_t>(e);
    sum += rows_.value[k] * x[at(rows_.column[k])];
  }
  return sum;
}

double MatrixSweep::entry(Index stored_row, Index column) const {
  const auto begin = rows_.column.begin() + rows_.row_start[at(stored_row)];
  const auto end = rows_.column.begin() + rows_.row_start[at(stored_row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return 0.0;
  return rows_.value[static_cast<std::size_t>(found - rows_.column.begin())];
}

Mat3 MatrixSweep::block(Index cone) const {
  const std::array<Index, 3> rows = rows_of(cone);
  if (cone < problem_.cones.planar_count)
    return planar_as_spatial(entry(rows[0], rows[0]), entry(rows[0], rows[1]),
                             entry(rows[1], rows[0]), entry(rows[1], rows[1]));
  Mat3 block{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) block[3 * i + j] = entry(rows[i], rows[j]);
  const Index spatial = cone - problem_.cones.planar_count;
  const Vec3 n = problem_.cones.axis_of(spatial), t = problem_.cones.tangent[at(spatial)];
  return seen_from({n, t, cross(n, t)}, block);
}

Vec3 MatrixSweep::cone_gap(Index cone, const Vec3& /*impulse*/, const RowVector& x) const {
  const std::array<Index, 3> rows = rows_of(cone);
  if (cone < problem_.cones.planar_count)
    return {stored_gap(rows[0], x), stored_gap(rows[1], x), 0.0};
  return to_contact_frame(problem_.cones, cone - problem_.cones.planar_count,
                          {stored_gap(rows[0], x), stored_gap(rows[1], x), stored_gap(rows[2], x)});
}

SweepRows make_sweep_rows(const ConeProblem& problem, Law law) {
  if (const auto* bodies = dynamic_cast<const BodyOperator*>(problem.delassus.get()))
    return BodySweep(problem, *bodies);
  SparseMatrix rows = written_out(*problem.delassus);
  if (law == Law::Coulomb && problem.skew != nullptr) rows = sum(rows, written_out(*problem.skew));
  return MatrixSweep(problem, std::move(rows));
}

}  // namespace talus
