#include "solvers/body_sweep.hpp"

#include "talus/core/error.hpp"

#include "core/key_order.hpp"
#include "parallel/tile_ranges.hpp"
#include "problem/rolling_block.hpp"
#include "solvers/tile_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace talus {
namespace {

/// N of the rows of this rank if its bodies had their mass divided by `multiplicity`; `bodies`
/// itself where that changes nothing.
std::shared_ptr<const BodyOperator> split_operator(const BodyOperator& bodies, const ConeSet& cones,
                                                   const std::vector<double>& multiplicity) {
  if (std::all_of(multiplicity.begin(), multiplicity.end(), [](double m) { return m == 1.0; }))
    return {std::shared_ptr<const BodyOperator>(), &bodies};
  auto part = std::make_shared<BodyPart>(bodies.part());
  part->neighbours.clear();
  for (std::size_t b = 0; b < multiplicity.size(); ++b) {
    const double m = multiplicity[b];
    Sym3& i = part->data.inverse_inertia[b];
    part->data.inverse_mass[b] *= m;
    i = {m * i.xx, m * i.xy, m * i.xz, m * i.yy, m * i.yz, m * i.zz};
  }
  return std::make_shared<BodyOperator>(std::move(part), cones, Communicator::self());
}

/// One moment about all axes, up to rounding.
bool is_round(const Sym3& inertia) {
  const double noise = 1e-13 * inertia.xx;
  const auto is_noise = [&](double x) { return std::abs(x) <= noise; };
  return is_noise(inertia.yy - inertia.xx) && is_noise(inertia.zz - inertia.xx) &&
         is_noise(inertia.xy) && is_noise(inertia.xz) && is_noise(inertia.yz);
}

}  // namespace

BodySweep::BodySweep(const ConeProblem& problem, const BodyOperator& bodies,
                     std::unique_ptr<SweepExchange> exchange,
                     const std::vector<double>& multiplicity)
    : operator_(bodies),
      part_(bodies.part()),
      data_(part_.data),
      cones_(problem.cones),
      free_velocity_(problem.free_velocity),
      exchange_(std::move(exchange)),
      split_(split_operator(bodies, problem.cones, multiplicity)) {
  bodies_.resize(data_.body_count() + 1);
  inertia_.resize(bodies_.size());
  for (std::size_t b = 0; b + 1 < bodies_.size(); ++b) {
    inertia_[b].inverse = split_->data().inverse_inertia[b];
    inertia_[b].is_movable = is_movable(data_.inverse_mass[b], data_.inverse_inertia[b]);
    bodies_[b].inverse_mass = split_->data().inverse_mass[b];
    bodies_[b].inverse_moment = inertia_[b].inverse.xx;
    is_round_ = is_round_ && (!inertia_[b].is_movable || is_round(inertia_[b].inverse));
  }
  for (const Index body : exchange_->shared()) share_.push_back(1.0 / multiplicity[body]);
  diagonal_ = problem.diagonal;
  if (split_.get() != &bodies) split_->diagonal(diagonal_);
  diagonal_.resize(part_.owned_joint_rows);
  row_blocks_ = blocks_of(data_.joint_key, part_.owned_joint_rows, data_.joint_body_a,
                          data_.joint_body_b, 128);
  RowBlocks& contacts = data_.has_rolling() ? rolling_blocks_ : cone_blocks_;
  contacts = blocks_of(data_.contact_key, part_.owned_contacts, data_.contact_body_a,
                       data_.contact_body_b, data_.has_rolling() ? 16 : 64);
  contacts_.reserve(contacts.order.size());
  for (const Index c : contacts.order) contacts_.push_back(contact_of(c));
}

BodySweep::Contact BodySweep::contact_of(Index c) const {
  const auto lever = [&](Index body, const Vec3& point) {
    return body == no_body ? Vec3{} : point - data_.centre[body];
  };
  Contact contact;
  contact.index = c;
  contact.normal = cones_.axis_of(c);
  contact.tangent1 = cones_.tangent[c];
  contact.tangent2 = cross(contact.normal, contact.tangent1);
  contact.lever_a = lever(data_.contact_body_a[c], data_.point[c]);
  contact.lever_b = lever(data_.contact_body_b[c], data_.point_on_b(c));
  if (data_.has_rolling()) {
    const SixRows free = rolling_impulse(cones_, free_velocity_, c);
    contact.free_velocity = free.linear;
    contact.free_turn = free.angular;
    contact.length = cones_.rolling_length[c];
  } else {
    contact.free_velocity = to_contact_frame(cones_, c, spatial_value(cones_, free_velocity_, c));
  }
  contact.normal_compliance = data_.normal_compliance[c];
  contact.tangent_compliance = data_.tangent_compliance[c];
  contact.body_a = movable(data_.contact_body_a[c]);
  contact.body_b = movable(data_.contact_body_b[c]);
  return contact;
}

Index BodySweep::movable(Index body) const {
  return body == no_body ? data_.body_count() : body;
}

Index BodySweep::moved(Index body) const {
  return body != no_body && inertia_[body].is_movable ? body : no_body;
}

RowBlocks BodySweep::blocks_of(const std::vector<GlobalId>& keys, Index count,
                               const std::vector<Index>& body_a, const std::vector<Index>& body_b,
                               Index least) const {
  std::vector<MovedBodies> pairs;
  pairs.reserve(count);
  for (Index row = 0; row < count; ++row) pairs.push_back({moved(body_a[row]), moved(body_b[row])});
  return independent_blocks(key_order({keys.data(), static_cast<std::size_t>(count)}), pairs,
                            data_.body_count(), rows_per_block(count, least));
}

Mat6 BodySweep::rolling_block(Index cone) const {
  const Index index = contacts_[cone].index;
  return in_contact_frame(cones_, index, split_->rolling_block(index));
}

Mat3 BodySweep::block(Index cone) const {
  const Contact& c = contacts_[cone];
  return seen_from({c.normal, c.tangent1, c.tangent2}, split_->spatial_block(c.index));
}

void BodySweep::refresh(RowVector& x) {
  update_mirrors(x);
  operator_.make_velocities(x);
  take_product();
  tiles_.take_impulses(x);
}

void BodySweep::take_product() {
  operator_.each_velocity([&](Index b, const Vec6& twist) {
    bodies_[b].velocity = {twist[0], twist[1], twist[2]};
    bodies_[b].spin = {twist[3], twist[4], twist[5]};
  });
}

void BodySweep::begin_sweeps() {
  begin_.clear();
  for (const Index body : exchange_->shared())
    begin_.push_back({bodies_[body].velocity, bodies_[body].spin});
}

void BodySweep::end_sweeps() {
  const std::vector<Index>& shared = exchange_->shared();
  changes_.clear();
  for (std::size_t k = 0; k < shared.size(); ++k) {
    const Body& body = bodies_[shared[k]];
    const Vec3 v = share_[k] * (body.velocity - begin_[k].velocity),
               w = share_[k] * (body.spin - begin_[k].spin);
    changes_.insert(changes_.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
  }
  exchange_->add_up(changes_);
  for (std::size_t k = 0; k < shared.size(); ++k) {
    const double* change = changes_.data() + 6 * k;
    Body& body = bodies_[shared[k]];
    body.velocity = begin_[k].velocity + Vec3{change[0], change[1], change[2]};
    body.spin = begin_[k].spin + Vec3{change[3], change[4], change[5]};
  }
}

double BodySweep::row_gap(Index row, const RowVector& x) const {
  const std::size_t j = row;
  const auto part = [](const Vec6& block, const Body& body) {
    return dot({block[0], block[1], block[2]}, body.velocity) +
           dot({block[3], block[4], block[5]}, body.spin);
  };
  return part(data_.joint_block_a[j], bodies_[movable(data_.joint_body_a[j])]) +
         part(data_.joint_block_b[j], bodies_[movable(data_.joint_body_b[j])]) +
         data_.joint_compliance[j] * x[j] + free_velocity_[j];
}

void BodySweep::push(Index index, const Vec3& force, const Vec3& torque) {
  const Inertia& inertia = inertia_[index];
  if (!inertia.is_movable) return;
  Body& body = bodies_[index];
  body.velocity = body.velocity + body.inverse_mass * force;
  body.spin = body.spin + inertia.inverse * torque;
}

void BodySweep::change_row(Index row, double change) {
  const std::size_t j = row;
  const auto push_by = [&](const Vec6& block, Index body) {
    push(movable(body), change * Vec3{block[0], block[1], block[2]},
         change * Vec3{block[3], block[4], block[5]});
  };
  push_by(data_.joint_block_a[j], data_.joint_body_a[j]);
  push_by(data_.joint_block_b[j], data_.joint_body_b[j]);
}

Vec3 BodySweep::velocity_at(const Body& body, const Vec3& lever) {
  return body.velocity + cross(body.spin, lever);
}

void BodySweep::fetch_cone(Index cone, const RowVector& x) const {
  const Contact& c = contacts_[cone];
  for (const Index body : {c.body_a, c.body_b}) {
    __builtin_prefetch(&bodies_[body]);
    __builtin_prefetch(&inertia_[body]);
  }
  for (Index k = 0; k < 3; ++k) __builtin_prefetch(&x[cones_.spatial_row(c.index, k)]);
}

// As cone_impulse() and set_cone_impulse(), with the frame that is at hand here.
Vec3 BodySweep::impulse_of_cone(Index cone, const RowVector& x) const {
  const Contact& c = contacts_[cone];
  const Vec3 impulse = spatial_value(cones_, x, c.index);
  return {dot(c.normal, impulse), dot(c.tangent1, impulse), dot(c.tangent2, impulse)};
}

void BodySweep::set_impulse_of_cone(Index cone, RowVector& x, const Vec3& impulse) const {
  const Contact& c = contacts_[cone];
  set_spatial_value(cones_, x, c.index,
                    impulse.x * c.normal + impulse.y * c.tangent1 + impulse.z * c.tangent2);
}

Vec3 BodySweep::cone_gap(Index cone, const Vec3& impulse, const RowVector& /*x*/) const {
  const Contact& c = contacts_[cone];
  const Vec3 w =
      velocity_at(bodies_[c.body_b], c.lever_b) - velocity_at(bodies_[c.body_a], c.lever_a);
  return Vec3{dot(c.normal, w) + c.normal_compliance * impulse.x,
              dot(c.tangent1, w) + c.tangent_compliance * impulse.y,
              dot(c.tangent2, w) + c.tangent_compliance * impulse.z} +
         c.free_velocity;
}

void BodySweep::change_cone(Index cone, const Vec3& change) {
  const Contact& c = contacts_[cone];
  const Vec3 force = change.x * c.normal + change.y * c.tangent1 + change.z * c.tangent2;
  push(c.body_b, force, cross(c.lever_b, force));
  push(c.body_a, -force, -cross(c.lever_a, force));
}

SixRows BodySweep::rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const {
  const Contact& c = contacts_[cone];
  const Vec3 turn = c.length * (bodies_[c.body_b].spin - bodies_[c.body_a].spin);
  return {cone_gap(cone, impulse.linear, x),
          Vec3{dot(c.normal, turn), dot(c.tangent1, turn), dot(c.tangent2, turn)} + c.free_turn};
}

void BodySweep::change_rolling(Index cone, const SixRows& change) {
  change_cone(cone, change.linear);
  const Contact& c = contacts_[cone];
  const Vec3 m = c.length * change.angular;
  const Vec3 torque = m.x * c.normal + m.y * c.tangent1 + m.z * c.tangent2;
  push(c.body_b, {}, torque);
  push(c.body_a, {}, -torque);
}

// The contacts of bodies as tiles have them.

namespace {}  // namespace

void BodySweep::make_tiles(bool associated, double least_diagonality) {
  std::vector<MovedBodies> pairs;
  std::vector<std::uint8_t> fits;
  std::vector<TileMetric> metrics;
  pairs.reserve(contacts_.size());
  fits.reserve(contacts_.size());
  metrics.reserve(contacts_.size());
  for (const Contact& c : contacts_) {
    pairs.push_back({inertia_[c.body_a].is_movable ? c.body_a : no_body,
                     inertia_[c.body_b].is_movable ? c.body_b : no_body});
    metrics.push_back(tile_metric_of(c));
    fits.push_back(diagonality(metrics.back()) >= least_diagonality ? 1 : 0);
  }
  tiles_ = ConeTiles(tiles_of(cone_blocks_, pairs, fits, data_.body_count()), associated,
                     data_.body_count());
  const std::vector<TileOrder::Tile>& tiles = tiles_.order().tiles;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    for (std::size_t lane = 0; lane < 8 && tiles[tile][lane] != no_place; ++lane) {
      const std::size_t place = tiles[tile][lane];
      TileContact contact = tile_contact_of(contacts_[place]);
      contact.metric = metrics[place];
      tiles_.set(tile, lane, contact);
    }
}

bool BodySweep::has_all_in_tiles() const {
  return part_.owned_joint_rows == 0 && tiles_.contacts() == part_.owned_contacts;
}

/// Where bodies have one moment about all axes and are touched on the normal through their centres
/// (spheres), the block is diagonal: sum 1/m along the normal, sum 1/m + r^2/I across.
TileMetric BodySweep::tile_metric_of(const Contact& c) const {
  constexpr double rounding = 1e-25;  // of a squared length
  const auto is_radial = [&](const Vec3& lever) {
    const Vec3 off = cross(lever, c.normal);
    return dot(off, off) <= rounding * dot(lever, lever);
  };
  if (!is_round_ || !is_radial(c.lever_a) || !is_radial(c.lever_b))
    return metric_of(c.normal, split_->spatial_block(c.index));
  const Body &a = bodies_[c.body_a], &b = bodies_[c.body_b];
  const double mass = a.inverse_mass + b.inverse_mass;
  const double turning =
      a.inverse_moment * dot(c.lever_a, c.lever_a) + b.inverse_moment * dot(c.lever_b, c.lever_b);
  const double across = mass + turning + c.tangent_compliance;
  return {mass + c.normal_compliance, across, {}, across};
}

TileContact BodySweep::tile_contact_of(const Contact& c) const {
  TileContact contact;
  contact.normal = c.normal;
  contact.lever_a = c.lever_a;
  contact.lever_b = c.lever_b;
  contact.free_velocity = spatial_value(cones_, free_velocity_, c.index);
  const std::size_t slot = cones_.spatial_slot(c.index);
  contact.friction = {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  contact.normal_compliance = c.normal_compliance;
  contact.tangent_compliance = c.tangent_compliance;
  contact.body_a = c.body_a;
  contact.body_b = c.body_b;
  contact.moves_a = inertia_[c.body_a].is_movable;
  contact.moves_b = inertia_[c.body_b].is_movable;
  contact.row = cones_.spatial_row(c.index, 0);
  return contact;
}

// A line of a body is eight numbers in the order of its members.
void BodySweep::extrapolate(double factor, bool look_follows) {
  static_assert(sizeof(Body) == 64 && std::is_standard_layout_v<Body>);
  before_.resize(8 * bodies_.size());
  for_tile_ranges(static_cast<Index>(bodies_.size()), [&](Index begin, Index end) {
    tile_kernels().extrapolate(&bodies_.front().velocity.x, before_.data(), factor, begin, end);
  });
  tiles_.begin_step(factor, look_follows);
}

bool BodySweep::sweep_tiles(std::size_t block, bool forward, double relaxation) {
  // and so is one of its inertia, up to the flag
  static_assert(sizeof(Inertia) == 64 && std::is_standard_layout_v<Inertia>);
  const TileBodies bodies{&bodies_.front().velocity.x,
                          is_round_ ? nullptr : &inertia_.front().inverse.xx};
  return tiles_.sweep(block, forward, bodies, relaxation);
}

}  // namespace talus
