#include "talus/core/error.hpp"

#include "support/complementary_pair.hpp"
#include "support/manufactured_parts.hpp"
#include "support/manufactured_problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::support {
namespace {

/// One row of D: entries at the unknowns of at most two bodies.
using Row = std::vector<std::pair<Index, double>>;

struct Rows {
  std::vector<Row> contact;  // dimension rows per contact
  std::vector<Row> bilateral;
  std::vector<double> inverse_mass;  // per unknown
  std::vector<double> friction;
  Manufactured result;  // exact u, r, l
};

/// A random block on body `first` and another one; scaled so that copies and masses keep impulses
/// of their order.
class RowMaker {
 public:
  explicit RowMaker(const ManufacturedOptions& options)
      : options_(options), unknowns_(options.dimension == 2 ? 3 : 6) {
    TALUS_ASSERT(options.bodies >= 2);
    TALUS_ASSERT(options.nonnegative_rows == 0 && options.box_rows == 0);
    TALUS_ASSERT(options.compliance == 0.0 && !options.immovable_body);
    for (Index i = 0; i < options.bodies; ++i) {
      KeyedRandom random(options.seed, static_cast<std::uint64_t>(i), purpose::body);
      masses_.push_back(mass_of(options, i, random));
      for (Index k = 0; k < unknowns_; ++k)
        rows_.inverse_mass.push_back(1.0 / (masses_.back() * random.uniform(0.5, 1.5)));
    }
  }

  Rows make() {
    for (Index c = 0; c < options_.contacts; ++c) add_contact(c);
    for (Index j = 0; j < options_.free_rows; ++j) add_bilateral(j);
    return std::move(rows_);
  }

 private:
  Row draw_row(Index a, Index b, KeyedRandom& random) const {
    Row row;
    for (const Index body : {std::min(a, b), std::max(a, b)})
      for (Index k = 0; k < unknowns_; ++k)
        row.emplace_back(unknowns_ * body + k, random.uniform(-1.0, 1.0));
    return row;
  }

  Index draw_partner(Index body, KeyedRandom& random) const {
    const auto others = static_cast<std::uint64_t>(options_.bodies - 1);
    return (body + 1 + static_cast<Index>(random.below(others))) % options_.bodies;
  }

  double lighter(Index a, Index b) const {
    return std::min(masses_[static_cast<std::size_t>(a)], masses_[static_cast<std::size_t>(b)]);
  }

  void add_contact(Index c) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(c), purpose::contact);
    const Index a = c % options_.bodies, b = draw_partner(a, random);
    std::vector<Row> block;
    for (int k = 0; k < options_.dimension; ++k) block.push_back(draw_row(a, b, random));
    const FrictionKind kind{options_.law, options_.dimension, friction_of(options_, c, random),
                            options_.strict};
    const FrictionState state = draw_friction_state(kind, random);
    for (int copy = 0; copy < options_.repeats; ++copy) {
      rows_.contact.insert(rows_.contact.end(), block.begin(), block.end());
      rows_.friction.push_back(kind.friction);
      append(rows_.result.exact.r, lighter(a, b) * draw_friction_impulse(kind, state, random),
             options_.dimension);
      append(rows_.result.exact.u, state.gap, options_.dimension);
    }
  }

  void add_bilateral(Index j) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(j), purpose::joint);
    const Index a = j % options_.bodies, b = draw_partner(a, random);
    const Row row = draw_row(a, b, random);
    for (int copy = 0; copy < options_.repeats; ++copy) {
      rows_.bilateral.push_back(row);
      rows_.result.exact.l.push_back(lighter(a, b) * random.uniform(-1.5, 1.5));
      rows_.result.joint_gap.push_back(0.0);
    }
  }

  const ManufacturedOptions& options_;
  Index unknowns_;
  std::vector<double> masses_;
  Rows rows_;
};

/// A M^-1 B^T by plain sums over common unknowns.
SparseMatrix product(const std::vector<Row>& a, const std::vector<Row>& b,
                     const std::vector<double>& inverse_mass) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::map<Index, double> other(b[j].begin(), b[j].end());
      double sum = 0.0;
      bool touch = false;
      for (const auto& [unknown, value] : a[i]) {
        const auto found = other.find(unknown);
        if (found == other.end()) continue;
        touch = true;
        sum += value * inverse_mass[static_cast<std::size_t>(unknown)] * found->second;
      }
      if (touch) entries.push_back({static_cast<Index>(i), static_cast<Index>(j), sum});
    }
  return from_triplets(static_cast<Index>(a.size()), static_cast<Index>(b.size()), entries);
}

/// W + skew part, entry by entry so that W^T is known exactly.
SparseMatrix with_skew(const SparseMatrix& symmetric, const ManufacturedOptions& options) {
  double largest = 0.0;
  for (const double value : symmetric.value) largest = std::max(largest, std::abs(value));
  SparseMatrix w = symmetric;
  for (Index i = 0; i < w.rows; ++i)
    for (auto k = w.row_start[static_cast<std::size_t>(i)];
         k < w.row_start[static_cast<std::size_t>(i) + 1]; ++k) {
      const Index j = w.column[static_cast<std::size_t>(k)];
      if (i == j) continue;
      const auto pair =
          static_cast<std::uint64_t>(std::min(i, j)) * static_cast<std::uint64_t>(w.rows) +
          static_cast<std::uint64_t>(std::max(i, j));
      KeyedRandom random(options.seed, pair, purpose::matrix);
      const double part = 0.5 * options.asymmetry * largest * random.uniform(-1.0, 1.0);
      w.value[static_cast<std::size_t>(k)] += i < j ? part : -part;
    }
  return w;
}

/// values += sign * (A x)
void add_product(std::vector<double>& values, const SparseMatrix& a, const std::vector<double>& x,
                 double sign) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (auto k = static_cast<std::size_t>(a.row_start[i]);
         k < static_cast<std::size_t>(a.row_start[i + 1]); ++k)
      values[i] += sign * a.value[k] * x[static_cast<std::size_t>(a.column[k])];
}

/// D^T as an n x m matrix.
SparseMatrix as_columns(const std::vector<Row>& rows, Index unknowns) {
  std::vector<Triplet> entries;
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (const auto& [unknown, value] : rows[j])
      entries.push_back({unknown, static_cast<Index>(j), value});
  return from_triplets(unknowns, static_cast<Index>(rows.size()), entries);
}

/// -(D v), row by row.
std::vector<double> minus_motion(const std::vector<Row>& rows, const std::vector<double>& v) {
  std::vector<double> motion(rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [unknown, value] : rows[i])
      motion[i] -= value * v[static_cast<std::size_t>(unknown)];
  return motion;
}

/// Tridiagonal plus a few far entries, made positive definite by dominant diagonals.
SparseMatrix coupled_mass(const Rows& rows, const ManufacturedOptions& options) {
  const auto n = static_cast<Index>(rows.inverse_mass.size());
  std::vector<double> diagonal(static_cast<std::size_t>(n), 0.0);
  std::vector<Triplet> entries;
  const auto couple = [&](Index i, Index j, double share) {
    const double mass = 1.0 / std::max(rows.inverse_mass[static_cast<std::size_t>(i)],
                                       rows.inverse_mass[static_cast<std::size_t>(j)]);
    const double value = share * mass;
    entries.push_back({i, j, value});
    entries.push_back({j, i, value});
    diagonal[static_cast<std::size_t>(i)] += std::abs(value);
    diagonal[static_cast<std::size_t>(j)] += std::abs(value);
  };
  for (Index i = 0; i < n; ++i) {
    KeyedRandom random(options.seed, static_cast<std::uint64_t>(i), purpose::matrix);
    if (i + 1 < n) couple(i, i + 1, random.uniform(-0.3, 0.3));
    const auto far = static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
    if (far > i + 1 && random.chance(0.3)) couple(i, far, random.uniform(-0.3, 0.3));
  }
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    entries.push_back({i, i, diagonal[k] + 1.0 / rows.inverse_mass[k]});
  }
  return from_triplets(n, n, entries);
}

SparseMatrix inverse_of_blocks(const BodyProblem& bodies) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < bodies.body_count(); ++i) {
    const auto b = static_cast<std::size_t>(i);
    for (Index k = 0; k < 3; ++k)
      entries.push_back({6 * i + k, 6 * i + k, 1.0 / bodies.inverse_mass[b]});
    const Sym3& s = bodies.inverse_inertia[b];
    const Vec3 columns[3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    const double determinant = dot(columns[0], cross(columns[1], columns[2]));
    for (Index k = 0; k < 3; ++k) {
      // rows of the inverse are cross products of the columns (Cramer)
      const Vec3 r = (1.0 / determinant) * cross(columns[(k + 1) % 3], columns[(k + 2) % 3]);
      entries.push_back({6 * i + 3 + k, 6 * i + 3, r.x});
      entries.push_back({6 * i + 3 + k, 6 * i + 4, r.y});
      entries.push_back({6 * i + 3 + k, 6 * i + 5, r.z});
    }
  }
  // the two halves differ by roundings; M is said to be symmetric
  std::vector<Triplet> symmetric;
  for (const Triplet& e : entries) {
    symmetric.push_back({e.row, e.column, 0.5 * e.value});
    symmetric.push_back({e.column, e.row, 0.5 * e.value});
  }
  return from_triplets(6 * bodies.body_count(), 6 * bodies.body_count(), symmetric);
}

void add_block(Row& row, Index body, const Vec6& block) {
  if (body == no_body) return;
  for (Index k = 0; k < 6; ++k) row.emplace_back(6 * body + k, block[static_cast<std::size_t>(k)]);
}

}  // namespace

Manufactured manufacture_local(const ManufacturedOptions& options) {
  Rows rows = RowMaker(options).make();
  Manufactured result = std::move(rows.result);
  LocalProblem data;
  data.dimension = options.dimension;
  data.friction = rows.friction;
  const SparseMatrix symmetric = product(rows.contact, rows.contact, rows.inverse_mass);
  data.W = with_skew(symmetric, options);
  data.V = product(rows.contact, rows.bilateral, rows.inverse_mass);
  data.R = product(rows.bilateral, rows.bilateral, rows.inverse_mass);
  // the associated law is a minimisation and knows the symmetric part of W only
  data.q = result.exact.u;
  add_product(data.q, options.law == Law::Coulomb ? data.W : symmetric, result.exact.r, -1.0);
  add_product(data.q, data.V, result.exact.l, -1.0);
  data.s.assign(rows.bilateral.size(), 0.0);
  add_product(data.s, product(rows.bilateral, rows.contact, rows.inverse_mass), result.exact.r,
              -1.0);
  add_product(data.s, data.R, result.exact.l, -1.0);
  result.data = std::move(data);
  return result;
}

Manufactured manufacture_global(const ManufacturedOptions& options) {
  Rows rows = RowMaker(options).make();
  Manufactured result = std::move(rows.result);
  GlobalProblem data;
  data.dimension = options.dimension;
  data.friction = rows.friction;
  const auto unknowns = static_cast<Index>(rows.inverse_mass.size());
  data.M = coupled_mass(rows, options);
  data.H = as_columns(rows.contact, unknowns);
  data.G = as_columns(rows.bilateral, unknowns);
  for (Index i = 0; i < unknowns; ++i)
    result.exact.v.push_back(
        KeyedRandom(options.seed, static_cast<std::uint64_t>(i), purpose::matrix + 1)
            .uniform(-1.0, 1.0));
  data.f.assign(result.exact.v.size(), 0.0);
  add_product(data.f, data.M, result.exact.v, 1.0);
  add_product(data.f, data.H, result.exact.r, -1.0);
  add_product(data.f, data.G, result.exact.l, -1.0);
  data.w = minus_motion(rows.contact, result.exact.v);
  for (std::size_t i = 0; i < data.w.size(); ++i) data.w[i] += result.exact.u[i];
  data.b = minus_motion(rows.bilateral, result.exact.v);
  result.data = std::move(data);
  return result;
}

Manufactured manufacture_global_of_bodies(const ManufacturedOptions& options) {
  TALUS_ASSERT(options.nonnegative_rows == 0 && options.box_rows == 0);
  TALUS_ASSERT(options.compliance == 0.0 && !options.immovable_body);
  Manufactured result = manufacture_bodies(options);
  const auto& bodies = std::get<BodyProblem>(result.data);
  std::vector<Row> contacts, joints;
  GlobalProblem data;
  for (std::size_t c = 0; c < bodies.normal.size(); ++c) {
    const Vec3 n = bodies.normal[c], t = bodies.tangent[c];
    for (const Vec3& d : {n, t, cross(n, t)}) {
      Row row;
      for (const auto& [body, sign] :
           {std::pair{bodies.contact_body_a[c], -1.0}, std::pair{bodies.contact_body_b[c], 1.0}}) {
        if (body == no_body) continue;
        const Vec3 turn = cross(bodies.point[c] - bodies.centre[static_cast<std::size_t>(body)], d);
        add_block(
            row, body,
            {sign * d.x, sign * d.y, sign * d.z, sign * turn.x, sign * turn.y, sign * turn.z});
      }
      contacts.push_back(row);
    }
    const Vec3& bias = bodies.contact_bias[c];
    data.w.insert(data.w.end(), {bias.x, bias.y, bias.z});
  }
  for (std::size_t j = 0; j < bodies.joint_bias.size(); ++j) {
    joints.emplace_back();
    add_block(joints.back(), bodies.joint_body_a[j], bodies.joint_block_a[j]);
    add_block(joints.back(), bodies.joint_body_b[j], bodies.joint_block_b[j]);
  }
  data.M = inverse_of_blocks(bodies);
  data.H = as_columns(contacts, 6 * bodies.body_count());
  data.G = as_columns(joints, 6 * bodies.body_count());
  for (const Vec6& f : bodies.momentum) data.f.insert(data.f.end(), f.begin(), f.end());
  data.b = bodies.joint_bias;
  data.friction = bodies.friction;
  data.body_centre = bodies.centre;
  result.data = std::move(data);
  return result;
}

}  // namespace talus::support
