#include "problem/body_operator.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "core/caught.hpp"
#include "core/in_parallel.hpp"
#include "core/key_order.hpp"
#include "core/of_level.hpp"
#include "core/vector_numbers.hpp"
#include "parallel/halo.hpp"
#include "parallel/tile_ranges.hpp"
#include "problem/body_kernels.hpp"
#include "problem/hub_rows.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

/// What acts on a body that nothing moves need not be known, and hub bodies have sums of their own.
std::vector<std::uint8_t> summed_marks(const BodyPart& part) {
  const BodyProblem& data = part.data;
  std::vector<std::uint8_t> marks(data.centre.size());
  for (std::size_t b = 0; b < marks.size(); ++b)
    marks[b] = is_movable(data.inverse_mass[b], data.inverse_inertia[b]) ? 1 : 0;
  for (const Index body : part.hub_bodies) marks[body] = 0;
  return marks;
}

/// Rows of the owned bodies that are `marked`: ghosts are summed by their owners.
BodyOperator::Incidence incidence_of(const BodyPart& part, const std::vector<std::uint8_t>& marked,
                                     const std::vector<GlobalId>& keys,
                                     const std::vector<Index>& body_a,
                                     const std::vector<Index>& body_b) {
  BodyOperator::Incidence incidence;
  incidence.start.assign(part.data.centre.size() + 1, 0);
  const auto is_summed = [&](Index body) {
    return body != no_body && body < part.owned_bodies && marked[body] != 0;
  };
  const auto count = [&](Index body) {
    if (is_summed(body)) ++incidence.start[static_cast<std::size_t>(body) + 1];
  };
  std::for_each(body_a.begin(), body_a.end(), count);
  std::for_each(body_b.begin(), body_b.end(), count);
  std::partial_sum(incidence.start.begin(), incidence.start.end(), incidence.start.begin());
  incidence.entry.resize(static_cast<std::size_t>(incidence.start.back()));
  std::vector<std::int64_t> next(incidence.start.begin(), incidence.start.end() - 1);
  for (const Index row : key_order(keys)) {
    const auto r = static_cast<std::size_t>(row);
    const auto put = [&](Index body, std::uint32_t is_a) {
      if (!is_summed(body)) return;
      const std::int64_t place = next[body]++;
      incidence.entry[place] = 2 * static_cast<std::uint32_t>(row) + is_a;
    };
    put(body_a[r], 1);
    put(body_b[r], 0);
  }
  return incidence;
}

Vec3 origin_of(const BodyPart& part, const Communicator& comm) {
  if (part.origin) return *part.origin;
  const BodyProblem& data = part.data;
  OriginBox box;
  for (std::size_t b = 0; b < static_cast<std::size_t>(part.owned_bodies); ++b)
    if (is_movable(data.inverse_mass[b], data.inverse_inertia[b])) box.widen(data.centre[b]);
  for (std::size_t c = 0; c < static_cast<std::size_t>(part.owned_contacts); ++c)
    box.widen(data.point[c]);
  comm.largest(box.numbers());
  return box.middle();
}

double row_times(const Vec6& block, const Vec6& twist) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 6; ++k) sum += block[k] * twist[k];
  return sum;
}

}  // namespace

Vec3 OriginBox::middle() const {
  const auto& n = numbers_;
  if (!(-n[0] <= n[3])) return {};
  return {0.5 * (n[3] - n[0]), 0.5 * (n[4] - n[1]), 0.5 * (n[5] - n[2])};
}

BodyOperator::BodyOperator(std::shared_ptr<const BodyPart> part, const ConeSet& cones,
                           const Communicator& comm)
    : part_(std::move(part)),
      data_(&part_->data),
      halo_(std::make_shared<Halo>(comm, part_->neighbours, HaloLayout{8, {0, 1, 2, 4, 5, 6}})),
      first_row_(cones.spatial_first_row()),
      tiles_((cones.spatial_slots() + cones.rolling_slots()) / lanes),
      rows_per_tile_(cones.rolling_slots() > 0 ? 6 * lanes : 3 * lanes),
      length_(cones.rolling_length) {
  const BodyProblem& d = *data_;
  TALUS_ASSERT(cones.contact_count() == part_->owned_contacts &&
               cones.scalar_count == part_->owned_joint_rows && cones.planar_count == 0);
  TALUS_ASSERT(cones.spatial_slots() == 0 || cones.rolling_slots() == 0);
  is_summed_ = summed_marks(*part_);
  contacts_ = incidence_of(*part_, is_summed_, d.contact_key, d.contact_body_a, d.contact_body_b);
  joints_ = incidence_of(*part_, is_summed_, d.joint_key, d.joint_body_a, d.joint_body_b);
  origin_ = origin_of(*part_, comm);
  centre_.resize(3 * d.centre.size());
  inverse_.resize(8 * d.centre.size());
  in_parallel(d.centre.size(), [&](std::size_t b) {
    const Vec3 c = d.centre[b] - origin_;
    const Sym3& i = d.inverse_inertia[b];
    const std::array<double, 3> centre{c.x, c.y, c.z};
    const std::array<double, 8> inverse{d.inverse_mass[b], i.xx, i.xy, i.xz, i.yy, i.yz, i.zz, 0.0};
    std::copy(centre.begin(), centre.end(), centre_.data() + 3 * b);
    std::copy(inverse.begin(), inverse.end(), inverse_.data() + 8 * b);
  });
  const auto slots = static_cast<std::size_t>(tiles_) * lanes;
  point_.assign(3 * slots, 0.0);
  if (!d.point_b.empty()) offset_.assign(3 * slots, 0.0);
  body_a_.assign(slots, d.body_count());
  body_b_.assign(slots, d.body_count());
  in_parallel(static_cast<std::size_t>(d.contact_count()), [&](std::size_t i) {
    const Vec3 p = d.point[i] - origin_;
    const std::size_t row = i / lanes * 3 * lanes + i % lanes;
    point_[row] = p.x;
    point_[row + lanes] = p.y;
    point_[row + 2 * lanes] = p.z;
    if (!offset_.empty()) {
      const Vec3 o = d.point_b[i] - d.point[i];
      offset_[row] = o.x;
      offset_[row + lanes] = o.y;
      offset_[row + 2 * lanes] = o.z;
    }
    if (d.contact_body_a[i] != no_body) body_a_[i] = d.contact_body_a[i];
    if (d.contact_body_b[i] != no_body) body_b_[i] = d.contact_body_b[i];
  });
  const auto is_soft = [](double compliance) { return compliance != 0.0; };
  if (std::none_of(d.normal_compliance.begin(), d.normal_compliance.end(), is_soft) &&
      std::none_of(d.tangent_compliance.begin(), d.tangent_compliance.end(), is_soft))
    return;
  axis_ = cones.axis;
  normal_compliance_.assign(slots, 0.0);
  tangent_compliance_.assign(slots, 0.0);
  std::copy(d.normal_compliance.begin(), d.normal_compliance.end(), normal_compliance_.begin());
  std::copy(d.tangent_compliance.begin(), d.tangent_compliance.end(), tangent_compliance_.begin());
}

BodyOperator::Workspace& BodyOperator::workspace() const {
  return workspaces_.mine([&] {
    Workspace made;
    // the last line is the world's: it stays at rest
    made.lines.assign(8 * (data_->centre.size() + 1), 0.0);
    if (!part_->hub_bodies.empty())
      made.hub = std::make_shared<HubRows>(*part_, halo_->communicator());
    return made;
  });
}

BodyPass BodyOperator::pass_of(Workspace& workspace) const {
  BodyPass pass{};
  pass.contact_start = contacts_.start.data();
  pass.contact_entry = contacts_.entry.data();
  pass.centre = centre_.data();
  pass.inverse = inverse_.data();
  pass.lines = workspace.lines.data();
  pass.body_a = body_a_.data();
  pass.body_b = body_b_.data();
  pass.point = point_.data();
  pass.offset = offset_.empty() ? nullptr : offset_.data();
  if (!axis_.empty()) {
    pass.axis = axis_.data();
    pass.normal_compliance = normal_compliance_.data();
    pass.tangent_compliance = tangent_compliance_.data();
  }
  pass.length = rolls() ? length_.data() : nullptr;
  return pass;
}

void BodyOperator::joint_wrench(Index body, const double* x, double* wrench) const {
  const auto b = static_cast<std::size_t>(body);
  for (int k = 0; k < 6; ++k) wrench[k] = 0.0;
  for (std::int64_t e = joints_.start[b]; e < joints_.start[b + 1]; ++e) {
    const std::uint32_t entry = joints_.entry[e];
    const std::size_t row = entry / 2;
    const Vec6& block = entry % 2 != 0 ? data_->joint_block_a[row] : data_->joint_block_b[row];
    for (std::size_t k = 0; k < 6; ++k) wrench[k] += block[k] * x[row];
  }
}

void BodyOperator::accumulate(BodyPass pass, const double* x, Index begin, Index end) const {
  RowVector wrenches;
  const bool has_joints = !joints_.entry.empty();
  constexpr Index piece = 256;  // wrenches of joints wait in a buffer that stays in cache
  if (!has_joints) {
    body_kernels().accumulate(pass, x + first_row_, begin, end);
    return;
  }
  wrenches.resize(6 * piece);
  for (Index from = begin; from < end; from += piece) {
    const Index to = std::min(end, from + piece);
    for (Index b = from; b < to; ++b)
      joint_wrench(b, x, wrenches.data() + 6 * static_cast<std::size_t>(b - from));
    pass.wrench = wrenches.data() - 6 * static_cast<std::ptrdiff_t>(from);
    body_kernels().accumulate(pass, x + first_row_, from, to);
  }
}

void BodyOperator::joint_gaps(const BodyPass& pass, const double* x, double* y) const {
  const auto twist_of = [&](Index body) -> Vec6 {
    return body == no_body ? Vec6{} : velocity(pass.lines, body);
  };
#pragma omp for schedule(static)
  for (Index j = 0; j < data_->joint_row_count(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    y[i] = row_times(data_->joint_block_a[i], twist_of(data_->joint_body_a[i])) +
           row_times(data_->joint_block_b[i], twist_of(data_->joint_body_b[i])) +
           data_->joint_compliance[i] * x[i];
  }
}

void BodyOperator::accumulate_polling(const BodyPass& pass, const double* x, Index begin,
                                      Index end) const {
  constexpr Index piece = 4096;  // bodies between two looks at the messages: some ten microseconds
  for (Index from = begin; from < end; from += piece) {
    accumulate(pass, x, from, std::min(end, from + piece));
    if (omp_get_thread_num() == 0) halo_->poll();
  }
}

void BodyOperator::multiply(const double* x, double* y) const {
  const Index bodies = part_->owned_bodies, boundary = part_->boundary_bodies;
  Workspace& work = workspace();
  HubRows* const hub = work.hub.get();
  const BodyPass pass = pass_of(work);
  const Index rows = data_->joint_row_count();
  std::fill(y + rows, y + padded(rows), 0.0);
  const double* impulses = x + first_row_;
  double* gaps = y + first_row_;
  if (tiles_ < tiles_worth_threads && bodies < 8 * tiles_worth_threads) {
    accumulate(pass, x, 0, boundary);
    halo_->start(work.lines.data());
    accumulate(pass, x, boundary, bodies);
    if (hub != nullptr) hub->add(pass, x, impulses, 0, 1);
    halo_->finish(work.lines.data());
    if (hub != nullptr) hub->finish(pass);
    body_kernels().contact_gaps(pass, impulses, gaps, 0, tiles_);
    joint_gaps(pass, x, y);
    return;
  }
  const StandardArithmetic arithmetic;
  Caught caught;  // of each piece between barriers, which all threads must reach
#pragma omp parallel default(none) firstprivate(arithmetic) \
    shared(x, y, bodies, boundary, work, hub, pass, impulses, gaps, caught)
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const auto place = static_cast<std::size_t>(thread);
    // What the neighbours wait for comes first; it travels while the rest is done. Only the master
    // thread speaks to MPI.
    if (!halo_->empty()) {
      const std::pair<Index, Index> mine = share_of(boundary, thread, threads);
      caught.run(place, [&] { accumulate(pass, x, mine.first, mine.second); });
#pragma omp barrier
#pragma omp master
      caught.run(place, [&] { halo_->start(work.lines.data()); });
    }
    const Index interior = halo_->empty() ? 0 : boundary;
    const std::pair<Index, Index> mine = share_of(bodies - interior, thread, threads);
    caught.run(place,
               [&] { accumulate_polling(pass, x, interior + mine.first, interior + mine.second); });
    if (hub != nullptr) {
      caught.run(place, [&] { hub->add(pass, x, impulses, thread, threads); });
#pragma omp barrier
    }
#pragma omp master
    caught.run(place, [&] {
      halo_->finish(work.lines.data());
      if (hub != nullptr) hub->finish(pass);
    });
#pragma omp barrier
    const auto [first_tile, last_tile] = share_of(tiles_, thread, threads);
    body_kernels().contact_gaps(pass, impulses, gaps, first_tile, last_tile);
    joint_gaps(pass, x, y);
  }
  caught.rethrow();
}

void BodyOperator::make_velocities(const RowVector& impulses) const {
  Workspace& work = workspace();
  const BodyPass pass = pass_of(work);
  HubRows* const hub = work.hub.get();
  accumulate(pass, impulses.data(), 0, part_->owned_bodies);
  halo_->start(work.lines.data());
  if (hub != nullptr) hub->add(pass, impulses.data(), impulses.data() + first_row_, 0, 1);
  halo_->finish(work.lines.data());
  if (hub != nullptr) hub->finish(pass);
}

Vec6 BodyOperator::velocity(Index body) const {
  return velocity(workspace().lines.data(), body);
}

Vec6 BodyOperator::velocity(const double* lines, Index body) const {
  const double* line = lines + 8 * static_cast<std::size_t>(body);
  const double* c = centre_.data() + 3 * static_cast<std::size_t>(body);
  const Vec3 w{line[4], line[5], line[6]};
  const Vec3 v = Vec3{line[0], line[1], line[2]} + cross(w, Vec3{c[0], c[1], c[2]});
  return {v.x, v.y, v.z, w.x, w.y, w.z};
}

std::vector<Vec6> BodyOperator::velocities(const RowVector& impulses, bool with_momentum) const {
  make_velocities(impulses);
  const double* const lines = workspace().lines.data();
  std::vector<Vec6> velocities(data_->centre.size());
  in_parallel(velocities.size(), [&](std::size_t b) {
    velocities[b] = velocity(lines, static_cast<Index>(b));
    if (!with_momentum) return;
    const Vec6 free = free_velocity(b);
    for (std::size_t k = 0; k < 6; ++k) velocities[b][k] += free[k];
  });
  return velocities;
}

Vec6 BodyOperator::free_velocity(std::size_t body) const {
  const Vec6& f = data_->momentum[body];
  const double inverse_mass = data_->inverse_mass[body];
  const Vec3 spin = data_->inverse_inertia[body] * Vec3{f[3], f[4], f[5]};
  return {inverse_mass * f[0], inverse_mass * f[1], inverse_mass * f[2], spin.x, spin.y, spin.z};
}

std::vector<Vec6> BodyOperator::free_velocities() const {
  std::vector<Vec6> velocities(data_->centre.size());
  in_parallel(velocities.size(), [&](std::size_t b) { velocities[b] = free_velocity(b); });
  return velocities;
}

SetUpPass BodyOperator::set_up_pass(double* rows) const {
  const BodyProblem& d = *data_;
  SetUpPass pass{};
  pass.body_a = body_a_.data();
  pass.body_b = body_b_.data();
  pass.world = d.body_count();
  pass.centre = {numbers_of(d.centre), 3};
  pass.inverse = inverse_.data();
  pass.point_a = numbers_of(d.point);
  pass.point_b = numbers_of(d.point_b.empty() ? d.point : d.point_b);
  if (!axis_.empty()) {
    pass.axis = axis_.data();
    pass.normal_compliance = normal_compliance_.data();
    pass.tangent_compliance = tangent_compliance_.data();
  }
  pass.length = rolls() ? length_.data() : nullptr;
  pass.rows = rows + first_row_;
  pass.contacts = d.contact_count();
  return pass;
}

void BodyOperator::relative_velocities(const std::vector<Vec6>& velocities, RowVector& rows) const {
  const BodyProblem& d = *data_;
  const Vec6 rest{};
  const auto twist_of = [&](Index body) -> const Vec6& {
    return body == no_body ? rest : velocities[body];
  };
  for (std::size_t j = 0; j < d.joint_bias.size(); ++j)
    rows[j] = row_times(d.joint_block_a[j], twist_of(d.joint_body_a[j])) +
              row_times(d.joint_block_b[j], twist_of(d.joint_body_b[j]));
  SetUpPass pass = set_up_pass(rows.data());
  if (velocities.empty()) return;  // nothing moves
  pass.velocity = {velocities.front().data(), 6};
  pass.spin = {velocities.front().data() + 3, 6};
  for_tile_ranges(tiles_, [&](Index begin, Index end) {
    body_kernels().relative_velocities(pass, begin, end);
  });
}

void BodyOperator::diagonal(RowVector& diagonal) const {
  const BodyProblem& d = *data_;
  diagonal.assign(static_cast<std::size_t>(first_row_ + rows_per_tile_ * tiles_), 0.0);
  for (std::size_t j = 0; j < d.joint_bias.size(); ++j) {
    const auto add_body = [&](Index body, const Vec6& block) {
      if (body == no_body) return;
      const auto b = static_cast<std::size_t>(body);
      const Vec3 force{block[0], block[1], block[2]}, torque{block[3], block[4], block[5]};
      diagonal[j] +=
          d.inverse_mass[b] * dot(force, force) + dot(torque, d.inverse_inertia[b] * torque);
    };
    add_body(d.joint_body_a[j], d.joint_block_a[j]);
    add_body(d.joint_body_b[j], d.joint_block_b[j]);
    diagonal[j] += d.joint_compliance[j];
  }
  if (d.centre.empty()) return;
  const SetUpPass pass = set_up_pass(diagonal.data());
  for_tile_ranges(tiles_,
                  [&](Index begin, Index end) { body_kernels().diagonal(pass, begin, end); });
}

Index BodyOperator::first_row_of(Index contact) const {
  return first_row_ + contact / lanes * rows_per_tile_ + contact % lanes;
}

namespace baseline {
extern const BodyKernels body_kernel_table;
}
namespace v3 {
extern const BodyKernels body_kernel_table;
}
namespace v4 {
extern const BodyKernels body_kernel_table;
}

const BodyKernels& body_kernels() {
  return of_level(baseline::body_kernel_table, v3::body_kernel_table, v4::body_kernel_table);
}

}  // namespace talus
