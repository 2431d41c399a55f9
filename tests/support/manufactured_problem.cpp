#include "support/manufactured_problem.hpp"

#include "support/complementary_pair.hpp"
#include "support/manufactured_parts.hpp"

#include <algorithm>
#include <cmath>

namespace talus::support {
namespace {

Sym3 with_axes(const std::array<Vec3, 3>& axes, const std::array<double, 3>& values) {
  Sym3 m;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& e = axes[k];
    const double s = values[k];
    m.xx += s * e.x * e.x;
    m.xy += s * e.x * e.y;
    m.xz += s * e.x * e.z;
    m.yy += s * e.y * e.y;
    m.yz += s * e.y * e.z;
    m.zz += s * e.z * e.z;
  }
  return m;
}

Vec3 perpendicular(const Vec3& axis, KeyedRandom& random) {
  for (;;) {
    const Vec3 d = random.direction();
    const Vec3 t = d - dot(d, axis) * axis;
    const double length = std::sqrt(dot(t, t));
    if (length > 0.1) return (1.0 / length) * t;
  }
}

/// Bodies on a jittered grid of 1 m, so that neighbours have arms of about 0.5 m.
class BodyMaker {
 public:
  explicit BodyMaker(const ManufacturedOptions& options) : options_(options) {
    while (side_ * side_ * side_ < options.bodies) ++side_;
    for (Index i = 0; i < options.bodies; ++i) add_body(i);
  }

  void add_contacts() {
    for (Index c = 0; c < options_.contacts; ++c) add_contact(c);
  }

  void add_joint_rows() {
    Index row = 0;
    for (Index i = 0; i < options_.free_rows; ++i) add_joint_row(row++, ScalarKind::Free, 0);
    for (Index i = 0; i < options_.nonnegative_rows; ++i)
      add_joint_row(row++, ScalarKind::NonNegative, 0);
    for (Index i = 0; i < options_.box_rows; ++i) add_joint_row(row++, ScalarKind::Box, i % 3);
  }

  /// Velocities follow from the impulses; then the biases make the drawn gap velocities true.
  Manufactured finish() {
    set_velocities();
    for (Index c = 0; c < data_.contact_count(); ++c) set_contact_bias(static_cast<std::size_t>(c));
    for (Index j = 0; j < data_.joint_row_count(); ++j) set_joint_bias(static_cast<std::size_t>(j));
    result_.data = data_;
    return std::move(result_);
  }

 private:
  struct Pair {
    Index a = no_body, b = no_body;
    double mass = 1.0;  // the lighter one
  };

  void add_body(Index i) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(i), purpose::body);
    const double mass = mass_of(options_, i, random);
    const Index layer = i / side_ / side_, row = i / side_ % side_, column = i % side_;
    const Vec3 corner{static_cast<double>(column), static_cast<double>(row),
                      static_cast<double>(layer)};
    const Vec3 centre = corner + random.uniform(0.0, 0.2) * random.direction();
    const Vec3 e1 = random.direction();
    const Vec3 e2 = perpendicular(e1, random);
    std::array<double, 3> inverse{};
    for (double& k : inverse) k = 1.0 / (0.1 * mass * random.uniform(0.5, 1.5));
    const Vec3 v = random.uniform(0.0, 1.0) * random.direction();
    const Vec3 l = 0.1 * mass * random.uniform(0.0, 1.0) * random.direction();
    const bool fixed = options_.immovable_body && i == 0;
    data_.add_body(centre, fixed ? 0.0 : 1.0 / mass,
                   fixed ? Sym3{} : with_axes({e1, e2, cross(e1, e2)}, inverse),
                   {mass * v.x, mass * v.y, mass * v.z, l.x, l.y, l.z});
    masses_.push_back(mass);
  }

  /// `a` and one of its 26 neighbours on the grid; the world stands where there is none.
  Pair draw_pair(Index a, KeyedRandom& random) const {
    Index offset[3] = {0, 0, 0};
    while (offset[0] == 0 && offset[1] == 0 && offset[2] == 0)
      for (Index& d : offset) d = static_cast<Index>(random.below(3)) - 1;
    const Index x = a % side_ + offset[0], y = a / side_ % side_ + offset[1],
                z = a / side_ / side_ + offset[2];
    const bool inside = std::min({x, y, z}) >= 0 && std::max({x, y, z}) < side_;
    Index b = inside ? x + side_ * (y + side_ * z) : no_body;
    if (b >= options_.bodies) b = no_body;
    const double mass_a = masses_[static_cast<std::size_t>(a)];
    const double mass_b = b == no_body ? mass_a : masses_[static_cast<std::size_t>(b)];
    Pair pair{a, b, std::min(mass_a, mass_b)};
    if (random.chance(0.5)) std::swap(pair.a, pair.b);
    return pair;
  }

  void add_contact(Index c) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(c), purpose::contact);
    const Index first = c % options_.bodies;
    const Pair pair = draw_pair(first, random);
    const Vec3 centre = data_.centre[static_cast<std::size_t>(first)];
    const Vec3 point = centre + random.uniform(0.3, 0.6) * random.direction();
    const Vec3 normal = random.direction();
    const Vec3 tangent = perpendicular(normal, random);
    const FrictionKind kind{options_.law, 3, friction_of(options_, c, random), options_.strict};
    const FrictionState state = draw_friction_state(kind, random);
    for (int copy = 0; copy < options_.repeats; ++copy) {
      data_.add_contact(pair.a, pair.b, normal, point, kind.friction, {});
      data_.tangent.back() = tangent;
      data_.normal_compliance.back() = options_.compliance / pair.mass;
      data_.tangent_compliance.back() = 0.5 * options_.compliance / pair.mass;
      append(result_.exact.r, pair.mass * draw_friction_impulse(kind, state, random));
      append(result_.exact.u, state.gap);
    }
  }

  void add_joint_row(Index row, ScalarKind kind, int variant) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(row), purpose::joint);
    const Pair pair = draw_pair(row % options_.bodies, random);
    Vec6 block_a{}, block_b{};
    for (double& k : block_a) k = pair.a == no_body ? 0.0 : random.uniform(-1.0, 1.0);
    for (double& k : block_b) k = pair.b == no_body ? 0.0 : random.uniform(-1.0, 1.0);
    const ScalarState state = draw_scalar_state(kind, variant, options_.strict, random);
    for (int copy = 0; copy < options_.repeats; ++copy) {
      data_.add_joint_row(pair.a, pair.b, block_a, block_b, 0.0);
      data_.joint_lower.back() = pair.mass * state.lower;
      data_.joint_upper.back() = pair.mass * state.upper;
      data_.joint_compliance.back() = options_.compliance / pair.mass;
      result_.exact.l.push_back(pair.mass * draw_scalar_impulse(state, random));
      result_.joint_gap.push_back(state.gap);
    }
  }

  /// Rows of D of one contact for body A and body B: w = velocity of B less velocity of A at the
  /// point.
  Vec6 contact_row(std::size_t c, int k, Index body, double sign) const {
    if (body == no_body) return {};
    const Vec3 n = data_.normal[c], t = data_.tangent[c];
    const Vec3 d = k == 0 ? n : k == 1 ? t : cross(n, t);
    const Vec3 turn = cross(data_.point[c] - data_.centre[static_cast<std::size_t>(body)], d);
    return {sign * d.x, sign * d.y, sign * d.z, sign * turn.x, sign * turn.y, sign * turn.z};
  }

  void push(std::vector<Vec6>& wrench, Index body, const Vec6& row, double impulse) const {
    if (body == no_body) return;
    for (std::size_t k = 0; k < 6; ++k)
      wrench[static_cast<std::size_t>(body)][k] += row[k] * impulse;
  }

  double move(Index body, const Vec6& row) const {
    double w = 0.0;
    if (body == no_body) return w;
    for (std::size_t k = 0; k < 6; ++k)
      w += row[k] * result_.exact.v[6 * static_cast<std::size_t>(body) + k];
    return w;
  }

  void set_velocities() {
    std::vector<Vec6> wrench = data_.momentum;
    for (std::size_t c = 0; c < data_.normal.size(); ++c)
      for (int k = 0; k < 3; ++k) {
        const double x = result_.exact.r[3 * c + static_cast<std::size_t>(k)];
        push(wrench, data_.contact_body_a[c], contact_row(c, k, data_.contact_body_a[c], -1.0), x);
        push(wrench, data_.contact_body_b[c], contact_row(c, k, data_.contact_body_b[c], 1.0), x);
      }
    for (std::size_t j = 0; j < data_.joint_bias.size(); ++j) {
      push(wrench, data_.joint_body_a[j], data_.joint_block_a[j], result_.exact.l[j]);
      push(wrench, data_.joint_body_b[j], data_.joint_block_b[j], result_.exact.l[j]);
    }
    for (std::size_t i = 0; i < wrench.size(); ++i) {
      const Vec6& f = wrench[i];
      append(result_.exact.v, data_.inverse_mass[i] * Vec3{f[0], f[1], f[2]});
      append(result_.exact.v, data_.inverse_inertia[i] * Vec3{f[3], f[4], f[5]});
    }
  }

  void set_contact_bias(std::size_t c) {
    std::array<double, 3> bias{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = data_.contact_body_a[c], b = data_.contact_body_b[c];
      const double e = k == 0 ? data_.normal_compliance[c] : data_.tangent_compliance[c];
      const int row = static_cast<int>(k);
      bias[k] = result_.exact.u[3 * c + k] - move(a, contact_row(c, row, a, -1.0)) -
                move(b, contact_row(c, row, b, 1.0)) - e * result_.exact.r[3 * c + k];
    }
    data_.contact_bias[c] = {bias[0], bias[1], bias[2]};
  }

  void set_joint_bias(std::size_t j) {
    data_.joint_bias[j] = result_.joint_gap[j] -
                          move(data_.joint_body_a[j], data_.joint_block_a[j]) -
                          move(data_.joint_body_b[j], data_.joint_block_b[j]) -
                          data_.joint_compliance[j] * result_.exact.l[j];
  }

  const ManufacturedOptions& options_;
  Index side_ = 1;
  std::vector<double> masses_;
  BodyProblem data_;
  Manufactured result_;
};

double most_different(const std::vector<double>& a, const std::vector<double>& b, double& largest) {
  if (a.size() != b.size()) return infinity;
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // a NaN must not pass as zero, which std::max would make of it
    if (!std::isfinite(b[i])) return infinity;
    most = std::max(most, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(a[i]));
  }
  return most;
}

}  // namespace

void append(std::vector<double>& values, const Vec3& v, int count) {
  values.push_back(v.x);
  values.push_back(v.y);
  if (count == 3) values.push_back(v.z);
}

double mass_of(const ManufacturedOptions& options, Index body, KeyedRandom& random) {
  if (body == 0) return 1.0;
  if (body == 1) return options.mass_ratio;
  return std::pow(options.mass_ratio, random.uniform());
}

double friction_of(const ManufacturedOptions& options, Index contact, KeyedRandom& random) {
  if (contact % 4 == 1) return options.least_friction;
  if (contact % 4 == 2) return options.greatest_friction;
  return random.uniform(options.least_friction, options.greatest_friction);
}

Manufactured manufacture_bodies(const ManufacturedOptions& options) {
  BodyMaker maker(options);
  maker.add_contacts();
  maker.add_joint_rows();
  return maker.finish();
}

double velocity_error(const Manufactured& problem, const Solution& found) {
  double largest = 0.0;
  const double u = most_different(problem.exact.u, found.u, largest);
  const double v = most_different(problem.exact.v, found.v, largest);
  const double error = std::max(u, v);
  return largest > 0.0 ? error / largest : error;
}

}  // namespace talus::support
