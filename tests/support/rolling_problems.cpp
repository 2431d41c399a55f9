#include "support/rolling_problems.hpp"

#include "generate/random.hpp"

#include <cmath>
#include <optional>

namespace talus::support {
namespace {

enum RollingPurpose : std::uint32_t {
  purpose_pair = 501,
  purpose_contact,
  purpose_joint,
  purpose_rows,
  purpose_spin,
  purpose_mass
};

/// Rows of one contact beside the normal one: |x_part| <= mu x_n.
using Part = std::vector<double>;

double length_of(const Part& p) {
  double square = 0.0;
  for (const double value : p) square += value * value;
  return std::sqrt(square);
}

Part random_part(std::size_t size, KeyedRandom& random) {
  Part p(size);
  for (double& value : p) value = random.uniform(-1.0, 1.0);
  return p;
}

struct Pair {
  double impulse = 0.0, gap = 0.0;  // along the normal
  std::vector<Part> x, w;           // sliding, rolling, spinning
};

struct PairKind {
  Law law;
  std::vector<double> mu;          // of the parts
  std::vector<std::size_t> sizes;  // of the parts
};

/// Impulses of one part that go with the gap velocity w and the normal impulse.
Part impulse_against(Law law, const Part& w, double bound, KeyedRandom& random) {
  const bool at_rest = length_of(w) == 0.0;
  Part x = random_part(w.size(), random);
  for (double& value : x) value *= 0.6 * bound;  // inside: three of them have a length below 1.04
  if (w.size() > 1)
    for (double& value : x) value *= 0.7;
  if (at_rest) return x;
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (law != Law::Box)
      x[k] = -bound * w[k] / length_of(w);
    else if (w[k] != 0.0)
      x[k] = w[k] > 0.0 ? -bound : bound;
  }
  return x;
}

/// `turning`: gap velocities of the rolling and spinning parts where they are given.
Pair draw_pair(const PairKind& kind, const std::optional<std::vector<Part>>& turning,
               KeyedRandom& random) {
  Pair pair;
  const bool open = random.chance(0.25);
  for (std::size_t i = 0; i < kind.mu.size(); ++i) {
    Part w = random_part(kind.sizes[i], random);
    if (random.chance(0.5) && !open) w.assign(w.size(), 0.0);
    if (turning && i > 0) w = (*turning)[i - 1];
    pair.w.push_back(w);
  }
  double needed = 0.0;
  for (std::size_t i = 0; i < kind.mu.size(); ++i) needed += kind.mu[i] * length_of(pair.w[i]);
  if (!open) pair.impulse = random.uniform(0.5, 1.5);
  if (kind.law == Law::Associated) pair.gap = needed;
  if (open) pair.gap += random.uniform(0.2, 1.0);
  for (std::size_t i = 0; i < kind.mu.size(); ++i)
    pair.x.push_back(impulse_against(kind.law, pair.w[i], kind.mu[i] * pair.impulse, random));
  return pair;
}

double around(double mean, KeyedRandom& random) {
  return mean * random.uniform(0.5, 1.5);
}

struct Coefficients {
  double sliding, rolling, spinning;
};

Coefficients coefficients_of(const RollingOptions& options, Index contact) {
  KeyedRandom random(options.seed, static_cast<std::uint64_t>(contact), purpose_pair);
  Coefficients mu{around(options.friction, random), around(options.rolling, random),
                  around(options.spin, random)};
  if (!options.spinning || contact % 3 == 2) mu.spinning = 0.0;
  if (options.mixed && contact % 5 == 4) mu.rolling = 0.0;
  return mu;
}

void append_rows(std::vector<double>& rows, double normal, const std::vector<Part>& parts) {
  rows.push_back(normal);
  for (const Part& part : parts) rows.insert(rows.end(), part.begin(), part.end());
}

// ---- bodies

class RollingBodies {
 public:
  explicit RollingBodies(const RollingOptions& options) : options_(options) {
    for (Index b = 0; b < options.contacts; ++b) add_body(b);
    for (Index c = 0; c < options.contacts; ++c) add_contact(c);
    for (Index j = 0; j < options.free_rows; ++j) add_joint(j);
    for (Index b = 0; b < options.contacts; ++b) set_momentum(b);
    result_.data = data_;
  }
  Manufactured result() const { return result_; }

 private:
  void add_body(Index b) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(b), purpose_rows);
    const double mass = random.uniform(0.5, 2.0), inertia = random.uniform(0.05, 0.2);
    data_.add_body(2.0 * random.direction(), 1.0 / mass,
                   {1.0 / inertia, 0.3, 0.1, 1.5 / inertia, -0.2, 1.2 / inertia}, {});
    const Vec3 v = random.direction();
    // two of three spins move, the third is that of the world
    const Vec3 w = b % 3 == 0
                       ? Vec3{}
                       : KeyedRandom(options_.seed, static_cast<std::uint64_t>(b % 3), purpose_spin)
                             .direction();
    velocity_.push_back({v.x, v.y, v.z, w.x, w.y, w.z});
    for (const double value : velocity_.back()) result_.exact.v.push_back(value);
    wrench_.push_back({});
  }

  Vec3 spin_of(Index body) const {
    if (body == no_body) return {};
    const Vec6& v = velocity_[static_cast<std::size_t>(body)];
    return {v[3], v[4], v[5]};
  }
  Vec3 arm(Index body, const Vec3& point) const {
    return point - data_.centre[static_cast<std::size_t>(body)];
  }
  Vec3 velocity_at(Index body, const Vec3& point) const {
    if (body == no_body) return {};
    const Vec6& v = velocity_[static_cast<std::size_t>(body)];
    return Vec3{v[0], v[1], v[2]} + cross(spin_of(body), arm(body, point));
  }
  void push(Index body, const Vec3& point, const Vec3& force, const Vec3& torque) {
    if (body == no_body) return;
    const Vec3 m = torque + cross(arm(body, point), force);
    Vec6& wrench = wrench_[static_cast<std::size_t>(body)];
    wrench[0] += force.x;
    wrench[1] += force.y;
    wrench[2] += force.z;
    wrench[3] += m.x;
    wrench[4] += m.y;
    wrench[5] += m.z;
  }

  void add_contact(Index c) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(c), purpose_contact);
    // a tree: six rows for the six unknowns of each body, so that impulses are unique, without
    // which the velocities of the Coulomb law need not be
    const Index b = c;
    const Index a =
        c % 4 == 0 ? no_body : static_cast<Index>(random.below(static_cast<std::uint64_t>(c)));
    const Vec3 n = random.direction(), t = tangent_of(n), other = cross(n, t);
    const Vec3 point = data_.centre[static_cast<std::size_t>(b)] + random.direction();
    const Coefficients mu = coefficients_of(options_, c);
    const Vec3 turn = spin_of(b) - spin_of(a);
    const std::vector<Part> turning{{dot(t, turn), dot(other, turn)}, {dot(n, turn)}};
    const Pair pair = draw_pair({options_.law, {mu.sliding, mu.rolling, mu.spinning}, {2, 2, 1}},
                                turning, random);
    const Part &f = pair.x[0], &m = pair.x[1], &s = pair.x[2], &slip = pair.w[0];
    push(b, point, pair.impulse * n + f[0] * t + f[1] * other, m[0] * t + m[1] * other + s[0] * n);
    push(a, point, -pair.impulse * n - f[0] * t - f[1] * other,
         -m[0] * t - m[1] * other - s[0] * n);
    const Vec3 moved = velocity_at(b, point) - velocity_at(a, point);
    data_.add_contact(
        a, b, n, point, mu.sliding,
        {pair.gap - dot(n, moved), slip[0] - dot(t, moved), slip[1] - dot(other, moved)});
    data_.tangent.back() = t;
    data_.rolling_friction.resize(data_.normal.size(), 0.0);
    data_.spinning_friction.resize(data_.normal.size(), 0.0);
    data_.rolling_friction.back() = mu.rolling;
    data_.spinning_friction.back() = mu.spinning;
    append_rows(result_.exact.r, pair.impulse, pair.x);
    append_rows(result_.exact.u, pair.gap, pair.w);
  }

  void add_joint(Index j) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(j), purpose_joint);
    const Index b = 2 * j;
    Vec6 block{};
    double moved = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
      block.at(k) = random.uniform(-1.0, 1.0);
      moved += block.at(k) * velocity_[static_cast<std::size_t>(b)].at(k);
    }
    data_.add_joint_row(no_body, b, {}, block, -moved);
    const double impulse = random.uniform(-1.0, 1.0);
    for (std::size_t k = 0; k < 6; ++k)
      wrench_[static_cast<std::size_t>(b)].at(k) += impulse * block.at(k);
    result_.exact.l.push_back(impulse);
    result_.joint_gap.push_back(0.0);
  }

  /// f = M v - D^T gamma, with M from the inverse by Cramer's rule.
  void set_momentum(Index body) {
    const auto b = static_cast<std::size_t>(body);
    const Sym3& s = data_.inverse_inertia[b];
    const Vec3 columns[3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    const double determinant = dot(columns[0], cross(columns[1], columns[2]));
    const Vec3 w = spin_of(body);
    Vec6& f = data_.momentum[b];
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 row = (1.0 / determinant) * cross(columns[(k + 1) % 3], columns[(k + 2) % 3]);
      f.at(k) = velocity_[b].at(k) / data_.inverse_mass[b] - wrench_[b].at(k);
      f.at(3 + k) = dot(row, w) - wrench_[b].at(3 + k);
    }
  }

  RollingOptions options_;
  BodyProblem data_;
  std::vector<Vec6> velocity_, wrench_;
  Manufactured result_;
};

// ---- matrices

/// Random rows over some unknowns, and the pairs.
struct RollingRows {
  Index unknowns = 0, rows = 0;
  std::vector<Triplet> contact, joint;  // (row, unknown)
  std::vector<double> friction, rolling;
  Manufactured result;

  explicit RollingRows(const RollingOptions& options)
      : rows(rows_per_contact(options.dimension, true)) {
    unknowns = 3 * options.contacts + options.free_rows;
    const auto parts = static_cast<std::size_t>(options.dimension - 1);
    for (Index c = 0; c < options.contacts; ++c) {
      KeyedRandom random(options.seed, static_cast<std::uint64_t>(c), purpose_contact);
      const Coefficients mu = coefficients_of(options, c);
      const Pair pair =
          draw_pair({options.law, {mu.sliding, mu.rolling}, {parts, parts}}, {}, random);
      append_rows(result.exact.r, pair.impulse, pair.x);
      append_rows(result.exact.u, pair.gap, pair.w);
      friction.push_back(mu.sliding);
      rolling.push_back(mu.rolling);
      for (Index k = 0; k < rows; ++k)
        add_row(contact, rows * c + k, k < options.dimension ? 1.0 : 0.2, random);
    }
    for (Index j = 0; j < options.free_rows; ++j) {
      KeyedRandom random(options.seed, static_cast<std::uint64_t>(j), purpose_joint);
      add_row(joint, j, 1.0, random);
      result.exact.l.push_back(random.uniform(-1.0, 1.0));
      result.joint_gap.push_back(0.0);
    }
  }

  void add_row(std::vector<Triplet>& entries, Index row, double size, KeyedRandom& random) const {
    for (int k = 0; k < 5; ++k) {
      const auto unknown = static_cast<Index>(random.below(static_cast<std::uint64_t>(unknowns)));
      entries.push_back({row, unknown, size * random.uniform(-1.0, 1.0)});
    }
  }
};

/// A B^T, by columns of unknowns.
SparseMatrix product(const SparseMatrix& a, const SparseMatrix& b) {
  const SparseMatrix t = transposed(b);
  std::vector<Triplet> entries;
  for (Index i = 0; i < a.rows; ++i)
    for (auto e = a.row_start[static_cast<std::size_t>(i)];
         e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto unknown = static_cast<std::size_t>(a.column[static_cast<std::size_t>(e)]);
      for (auto g = t.row_start[unknown]; g < t.row_start[unknown + 1]; ++g)
        entries.push_back(
            {i, t.column[static_cast<std::size_t>(g)],
             a.value[static_cast<std::size_t>(e)] * t.value[static_cast<std::size_t>(g)]});
    }
  return from_triplets(a.rows, b.rows, entries);
}

void subtract(std::vector<double>& values, const std::vector<double>& others) {
  for (std::size_t i = 0; i < others.size(); ++i) values[i] -= others[i];
}

void add_skew(SparseMatrix& w, const RollingOptions& options) {
  double largest = 0.0;
  for (const double value : w.value) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < w.rows; ++i)
    for (auto e = w.row_start[static_cast<std::size_t>(i)];
         e < w.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const Index j = w.column[static_cast<std::size_t>(e)];
      if (i == j) continue;
      const auto low = static_cast<std::uint64_t>(std::min(i, j)),
                 high = static_cast<std::uint64_t>(std::max(i, j));
      const double part =
          0.5 * options.asymmetry * largest *
          KeyedRandom(options.seed, low * 100000 + high, purpose_mass).uniform(-1.0, 1.0);
      w.value[static_cast<std::size_t>(e)] += i < j ? part : -part;
    }
}

}  // namespace

Manufactured manufacture_rolling_bodies(const RollingOptions& options) {
  return RollingBodies(options).result();
}

Manufactured manufacture_rolling_local(const RollingOptions& options) {
  RollingRows rows(options);
  Manufactured result = rows.result;
  const SparseMatrix contact =
      from_triplets(rows.rows * options.contacts, rows.unknowns, rows.contact);
  const SparseMatrix joint = from_triplets(options.free_rows, rows.unknowns, rows.joint);
  LocalProblem data;
  data.dimension = options.dimension;
  data.friction = rows.friction;
  data.rolling_friction = rows.rolling;
  data.W = product(contact, contact);
  data.V = product(contact, joint);
  data.R = product(joint, joint);
  // the associated law is a minimisation and knows the symmetric part of W only
  const SparseMatrix symmetric = data.W;
  add_skew(data.W, options);
  data.q = result.exact.u;
  subtract(data.q, times(options.law == Law::Coulomb ? data.W : symmetric, result.exact.r));
  subtract(data.q, times(data.V, result.exact.l));
  data.s.assign(static_cast<std::size_t>(options.free_rows), 0.0);
  subtract(data.s, times(transposed(data.V), result.exact.r));
  subtract(data.s, times(data.R, result.exact.l));
  result.data = data;
  return result;
}

Manufactured manufacture_rolling_global(const RollingOptions& options) {
  RollingRows rows(options);
  Manufactured result = rows.result;
  const SparseMatrix contact =
      from_triplets(rows.rows * options.contacts, rows.unknowns, rows.contact);
  const SparseMatrix joint = from_triplets(options.free_rows, rows.unknowns, rows.joint);
  GlobalProblem data;
  data.dimension = options.dimension;
  data.friction = rows.friction;
  data.rolling_friction = rows.rolling;
  std::vector<Triplet> mass;
  for (Index i = 0; i < rows.unknowns; ++i) {
    KeyedRandom random(options.seed, static_cast<std::uint64_t>(i), purpose_mass);
    mass.push_back({i, i, random.uniform(0.8, 2.0)});
    if (i == 0) continue;
    mass.push_back({i, i - 1, 0.2});
    mass.push_back({i - 1, i, 0.2});
  }
  data.M = from_triplets(rows.unknowns, rows.unknowns, mass);
  data.H = transposed(contact);
  data.G = transposed(joint);
  for (Index i = 0; i < rows.unknowns; ++i)
    result.exact.v.push_back(
        KeyedRandom(options.seed, static_cast<std::uint64_t>(i), purpose_rows).uniform(-1.0, 1.0));
  data.f = times(data.M, result.exact.v);
  subtract(data.f, times(data.H, result.exact.r));
  subtract(data.f, times(data.G, result.exact.l));
  data.w = result.exact.u;
  subtract(data.w, times(contact, result.exact.v));
  data.b.assign(static_cast<std::size_t>(options.free_rows), 0.0);
  subtract(data.b, times(joint, result.exact.v));
  result.data = data;
  return result;
}

}  // namespace talus::support
