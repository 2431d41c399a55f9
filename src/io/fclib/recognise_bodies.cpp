// Rigid bodies behind matrices. Nothing is taken for granted: the problem that is found is written
// out again and compared, so that what is solved is what the file says.

#include "talus/core/error.hpp"
#include "talus/core/rotation.hpp"
#include "talus/io/problem_file.hpp"

#include "io/fclib/inertia.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double agreement = 1e-12;  // relative: what a few roundings may cost, no more

Vec3 head(const Vec6& a) {
  return {a[0], a[1], a[2]};
}
Vec3 tail(const Vec6& a) {
  return {a[3], a[4], a[5]};
}

bool close_to(const Vec3& a, const Vec3& b, double tolerance) {
  const Vec3 d = a - b;
  return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) <= tolerance;
}

/// What one row of H^T or G^T does to each body it touches.
struct RowBlocks {
  int count = 0;  ///< 3 stands for more than two
  std::array<Index, 2> body{no_body, no_body};
  std::array<Vec6, 2> block{};
};

/// `blocks` keeps the bodies that the other rows of the same contact touch: all get the same
/// places.
void gather(const SparseMatrix& rows, Index row, RowBlocks& blocks) {
  for (std::int64_t k = rows.row_start[row]; k < rows.row_start[row + 1]; ++k) {
    if (rows.value[k] == 0.0) continue;  // files store whole blocks
    const Index body = rows.column[k] / 6;
    int place = 0;
    while (place < blocks.count && blocks.body[place] != body) ++place;
    if (place == 2) {
      blocks.count = 3;
      return;
    }
    if (place == blocks.count) blocks.body[blocks.count++] = body;
    blocks.block[place][rows.column[k] % 6] = rows.value[k];
  }
}

bool add_bodies(const GlobalProblem& g, BodyProblem& problem) {
  for (Index b = 0; b < g.M.rows / 6; ++b) {
    std::array<Vec6, 6> m{};
    for (Index i = 0; i < 6; ++i)
      for (std::int64_t k = g.M.row_start[6 * b + i]; k < g.M.row_start[6 * b + i + 1]; ++k) {
        if (g.M.value[k] == 0.0) continue;
        if (g.M.column[k] / 6 != b) return false;
        m[i][g.M.column[k] % 6] = g.M.value[k];
      }
    const double mass = m[0][0];
    const double inertia = std::max({m[3][3], m[4][4], m[5][5]});
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        if (i >= 3 && j >= 3) {
          if (std::abs(m[i][j] - m[j][i]) > agreement * inertia) return false;
          continue;
        }
        if (std::abs(m[i][j] - (i == j ? mass : 0.0)) > (i == j ? agreement * mass : 0.0))
          return false;
      }
    const auto inverse_inertia =
        io::inverse({m[3][3], 0.5 * (m[3][4] + m[4][3]), 0.5 * (m[3][5] + m[5][3]), m[4][4],
                     0.5 * (m[4][5] + m[5][4]), m[5][5]});
    if (!(mass > 0.0) || !inverse_inertia) return false;
    Vec6 momentum;
    std::copy_n(g.f.begin() + 6 * b, 6, momentum.begin());
    problem.add_body(g.body_centre[b], 1.0 / mass, *inverse_inertia, momentum);
  }
  return true;
}

/// The three or five rows of a contact, as seen by the first body that they touch and by the
/// second.
using BodyRows = std::array<Vec6, 5>;
using ContactRows = std::array<BodyRows, 2>;

/// r in A_k = r x T_k, for three orthonormal T_k: the sum of T_k x (r x T_k) is 2 r.
Vec3 lever_of(const BodyRows& rows) {
  Vec3 sum;
  for (std::size_t k = 0; k < 3; ++k) sum = sum + cross(head(rows[k]), tail(rows[k]));
  return 0.5 * sum;
}

struct Contact {
  Index a = no_body, b = no_body;
  Vec3 normal, tangent, point, point_b;
  BodyRows rows_a{}, rows_b{};
  double lever = 0.0;  ///< m, the longer one
};

std::optional<Contact> contact_of(const GlobalProblem& g, const SparseMatrix& rows, Index c) {
  const Index each = g.rows_per_contact();
  ContactRows of_body{};
  RowBlocks blocks;
  for (Index k = 0; k < each; ++k) {
    blocks.block = {};
    gather(rows, each * c + k, blocks);
    if (blocks.count > 2) return {};
    for (std::size_t place = 0; place < 2; ++place) of_body[place][k] = blocks.block[place];
  }
  if (blocks.count == 0) return {};
  const std::array<Index, 2> body = blocks.body;

  // The rows of body B are +(n, t1, n x t1), those of A the opposite: right- and left-handed.
  // Swapping A and B turns n and t1 around, which leaves u and r as they are, so every orthonormal
  // frame is one or the other.
  const auto& t = of_body[0];
  const bool first_is_b = dot(cross(head(t[0]), head(t[1])), head(t[2])) > 0.0;
  Contact contact;
  (first_is_b ? contact.b : contact.a) = body[0];
  (first_is_b ? contact.a : contact.b) = body[1];
  contact.rows_b = of_body[first_is_b ? 0 : 1];
  contact.rows_a = of_body[first_is_b ? 1 : 0];
  const double sign = first_is_b ? 1.0 : -1.0;
  contact.normal = sign * head(t[0]);
  contact.tangent = sign * head(t[1]);
  const auto point_on = [&](Index b, const BodyRows& r) {
    contact.lever = std::max(contact.lever, length(lever_of(r)));
    return g.body_centre[b] + lever_of(r);
  };
  if (contact.a != no_body) contact.point = point_on(contact.a, contact.rows_a);
  if (contact.b != no_body) contact.point_b = point_on(contact.b, contact.rows_b);
  if (contact.a == no_body) contact.point = contact.point_b;
  if (contact.b == no_body) contact.point_b = contact.point;
  return contact;
}

/// Whether a body that is touched at the end of `lever` with this frame has these rows.
bool rebuilds(const Contact& contact, double sign, const Vec3& lever, const BodyRows& rows,
              double typical_lever) {
  const Vec3& n = contact.normal;
  const std::array<Vec3, 3> frame{n, contact.tangent, cross(n, contact.tangent)};
  const double tolerance = agreement * std::max(contact.lever, typical_lever);
  for (std::size_t k = 0; k < 3; ++k)
    if (!close_to(sign * frame[k], head(rows[k]), agreement) ||
        !close_to(sign * cross(lever, frame[k]), tail(rows[k]), tolerance))
      return false;
  return true;
}

/// Whether R1 and R2 turn a body about the tangents and do nothing else; true without such rows.
bool rolls(const GlobalProblem& g, const Contact& contact, double sign, const BodyRows& rows) {
  const std::array<Vec3, 2> axis{contact.tangent, cross(contact.normal, contact.tangent)};
  for (std::size_t k = 0; k < 2 && g.has_rolling(); ++k)
    if (!close_to({}, head(rows[3 + k]), 0.0) ||
        !close_to(sign * axis[k], tail(rows[3 + k]), agreement))
      return false;
  return true;
}

bool is_rigid(const GlobalProblem& g, const Contact& c, const Vec3& point_b, double typical_lever) {
  if (std::abs(dot(c.normal, c.normal) - 1.0) > agreement ||
      std::abs(dot(c.tangent, c.tangent) - 1.0) > agreement ||
      std::abs(dot(c.normal, c.tangent)) > agreement)
    return false;
  return (c.a == no_body ||
          (rebuilds(c, -1.0, c.point - g.body_centre[c.a], c.rows_a, typical_lever) &&
           rolls(g, c, -1.0, c.rows_a))) &&
         (c.b == no_body ||
          (rebuilds(c, 1.0, point_b - g.body_centre[c.b], c.rows_b, typical_lever) &&
           rolls(g, c, 1.0, c.rows_b)));
}

bool add_contacts(const GlobalProblem& g, BodyProblem& problem) {
  const SparseMatrix rows = transposed(g.H);
  std::vector<Contact> contacts;
  contacts.reserve(g.friction.size());
  double levers = 0.0;
  for (Index c = 0; c < g.contact_count(); ++c) {
    const std::optional<Contact> contact = contact_of(g, rows, c);
    if (!contact) return false;
    levers += contact->lever;
    contacts.push_back(*contact);
  }
  // a lever that happens to be next to nothing is measured against the usual ones
  const double typical = contacts.empty() ? 0.0 : levers / static_cast<double>(contacts.size());

  bool one_point = true;
  for (const Contact& c : contacts) {
    if (!is_rigid(g, c, c.point_b, typical)) return false;
    one_point = one_point && is_rigid(g, c, c.point, typical);
  }
  const auto each = static_cast<std::size_t>(g.rows_per_contact());
  std::vector<Vec3> turning;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    const double* w = g.w.data() + each * i;
    if (g.has_rolling()) turning.push_back({0.0, w[3], w[4]});
    const Vec3 bias{w[0], w[1], w[2]};
    problem.add_contact(c.a, c.b, c.normal, c.point, g.friction[i], bias);
    problem.tangent.back() = c.tangent;
  }
  if (!one_point)
    for (const Contact& c : contacts) problem.point_b.push_back(c.point_b);
  problem.rolling_friction = g.rolling_friction;
  problem.spinning_friction.assign(g.rolling_friction.size(), 0.0);
  if (std::any_of(turning.begin(), turning.end(), [](const Vec3& w) { return dot(w, w) > 0.0; }))
    problem.turning_bias = std::move(turning);
  return true;
}

bool add_joints(const GlobalProblem& g, BodyProblem& problem) {
  const SparseMatrix rows = transposed(g.G);
  for (Index j = 0; j < g.bilateral_count(); ++j) {
    RowBlocks blocks;
    gather(rows, j, blocks);
    if (blocks.count == 0 || blocks.count > 2) return false;
    problem.add_joint_row(blocks.body[0], blocks.body[1], blocks.block[0], blocks.block[1], g.b[j]);
  }
  return true;
}

}  // namespace

std::optional<BodyProblem> recognise_bodies(const GlobalProblem& g) {
  const auto degrees = static_cast<std::size_t>(g.M.rows);
  if (g.dimension != 3 || g.body_centre.empty() || 6 * g.body_centre.size() != degrees) return {};
  BodyProblem problem;
  problem.time_step = g.time_step;
  problem.title = g.title;
  if (!add_bodies(g, problem) || !add_contacts(g, problem) || !add_joints(g, problem)) return {};
  return problem;
}

}  // namespace talus

namespace talus::io {

std::optional<Sym3> inverse(const Sym3& m) {
  // scaled, so that determinants of very small or large inertias neither vanish nor overflow
  const double largest = std::max({std::abs(m.xx), std::abs(m.yy), std::abs(m.zz)});
  if (!(largest > 0.0) || !std::isfinite(largest)) return {};
  const double s = 1.0 / largest;
  const Sym3 a{s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
  const double xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz;
  const double xz = a.xy * a.yz - a.xz * a.yy, yy = a.xx * a.zz - a.xz * a.xz;
  const double yz = a.xy * a.xz - a.xx * a.yz, zz = a.xx * a.yy - a.xy * a.xy;
  const double determinant = a.xx * xx + a.xy * xy + a.xz * xz;
  if (!(a.xx > 0.0) || !(zz > 0.0) || !(determinant > 0.0)) return {};
  const double t = s / determinant;
  return Sym3{t * xx, t * xy, t * xz, t * yy, t * yz, t * zz};
}

}  // namespace talus::io
