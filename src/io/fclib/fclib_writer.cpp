#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/fclib/inertia.hpp"
#include "io/fclib/sparse_group.hpp"
#include "io/output_file.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

using io::OutputFile;
using io::Storage;

void write_info(OutputFile& file, const std::string& root, const std::string& title) {
  file.group(root + "/info");
  file.write(root + "/info/title", title);
  file.write(root + "/info/description", std::string("written by talus " TALUS_VERSION));
  file.write(root + "/info/math_info", std::string());
}

template <class Problem>
std::string root_of(const Problem& p, const char* plain) {
  return plain + std::string(p.has_rolling() ? "_rolling" : "");
}

template <class Problem>
void write_friction(OutputFile& file, const std::string& root, const Problem& p) {
  file.write(root + "/vectors/mu", p.friction);
  if (p.has_rolling()) file.write(root + "/vectors/mu_r", p.rolling_friction);
}

void require_sizes(const std::string& path,
                   const std::vector<std::pair<const char*, const SparseMatrix*>>& matrices) {
  for (const auto& [name, matrix] : matrices)
    io::require_fclib_size(path, fmt::format("entries of {}", name), matrix->nonzeros());
}

void write(const std::string& path, const LocalProblem& p) {
  require_sizes(path, {{"W", &p.W}, {"V", &p.V}, {"R", &p.R}});
  const std::string root = root_of(p, "/fclib_local");
  OutputFile file(path);
  file.group(root);
  file.write(root + "/spacedim", std::vector<std::int32_t>{p.rows_per_contact()});
  write_sparse(file, root + "/W", p.W, Storage::CompressedRows);
  file.group(root + "/vectors");
  file.write(root + "/vectors/q", p.q);
  write_friction(file, root, p);
  if (!p.s.empty()) {
    write_sparse(file, root + "/V", p.V, Storage::CompressedRows);
    write_sparse(file, root + "/R", p.R, Storage::CompressedRows);
    file.write(root + "/vectors/s", p.s);
  }
  write_info(file, root, p.title);
  file.commit();
}

void write(const std::string& path, const GlobalProblem& p) {
  require_sizes(path, {{"M", &p.M}, {"H", &p.H}, {"G", &p.G}});
  const std::string root = root_of(p, "/fclib_global");
  OutputFile file(path);
  file.group(root);
  file.write(root + "/spacedim", std::vector<std::int32_t>{p.rows_per_contact()});
  write_sparse(file, root + "/M", p.M, Storage::Triplet);
  write_sparse(file, root + "/H", p.H, Storage::Triplet);
  file.group(root + "/vectors");
  file.write(root + "/vectors/f", p.f);
  file.write(root + "/vectors/w", p.w);
  write_friction(file, root, p);
  if (!p.b.empty()) {
    write_sparse(file, root + "/G", p.G, Storage::Triplet);
    file.write(root + "/vectors/b", p.b);
  }
  write_info(file, root, p.title);
  if (!p.body_centre.empty()) {
    std::vector<double> position;
    for (const Vec3& c : p.body_centre) position.insert(position.end(), {c.x, c.y, c.z});
    file.group("/bodies");
    file.write("/bodies/position", position, 3);
  }
  if (p.time_step > 0.0) file.attribute("/", "dt", p.time_step);
  file.commit();
}

bool is_immovable(const BodyProblem& p, std::size_t b) {
  const Sym3& i = p.inverse_inertia[b];
  return p.inverse_mass[b] == 0.0 && i.xx == 0.0 && i.yy == 0.0 && i.zz == 0.0;
}

/// The whole list of what FCLib has no words for.
void require_expressible(const std::string& path, const BodyProblem& p) {
  InputErrors errors;
  const auto refuse = [&](const char* what, std::size_t i, const std::string& value,
                          const char* reason) {
    errors.add(fmt::format("{}: {}[{}] = {}: {}; write the native layout instead", path, what, i,
                           value, reason));
  };
  for (std::size_t b = 0; b < p.centre.size(); ++b)
    if (!is_immovable(p, b) && (p.inverse_mass[b] == 0.0 || !io::inverse(p.inverse_inertia[b])))
      refuse("bodies", b, fmt::format("inverse mass {}", p.inverse_mass[b]),
             "moves in some directions only, so that it has no mass matrix, which FCLib asks for");
  for (std::size_t c = 0; c < p.normal.size(); ++c)
    if (p.normal_compliance[c] != 0.0 || p.tangent_compliance[c] != 0.0)
      refuse("contact compliance", c,
             fmt::format("({}, {})", p.normal_compliance[c], p.tangent_compliance[c]),
             "FCLib has no compliance");
  for (std::size_t c = 0; c < p.spinning_friction.size(); ++c)
    if (p.spinning_friction[c] != 0.0)
      refuse("spinning friction", c, fmt::format("{}", p.spinning_friction[c]),
             "FCLib has rolling friction but none against spinning");
  for (std::size_t j = 0; j < p.joint_bias.size(); ++j) {
    if (p.joint_compliance[j] != 0.0)
      refuse("joint compliance", j, fmt::format("{}", p.joint_compliance[j]),
             "FCLib has no compliance");
    if (p.joint_lower[j] != -infinity || p.joint_upper[j] != infinity)
      refuse("joint bounds", j, fmt::format("[{}, {}]", p.joint_lower[j], p.joint_upper[j]),
             "FCLib's bilateral rows have no bounds");
  }
  errors.throw_if_any();
}

/// Bodies that move keep their order; the others have no rows in M.
std::vector<Index> first_rows(const BodyProblem& p) {
  std::vector<Index> first(p.centre.size(), no_body);
  Index next = 0;
  for (std::size_t b = 0; b < first.size(); ++b) {
    if (is_immovable(p, b)) continue;
    first[b] = next;
    next += 6;
  }
  return first;
}

/// Upper bounds, before a triplet is made: what is refused must not first fill the memory.
void require_body_sizes(const std::string& path, const BodyProblem& p) {
  io::require_fclib_size(path, "entries of M", 12 * static_cast<std::int64_t>(p.centre.size()));
  const std::int64_t of_contact = p.has_rolling() ? 48 : 36;
  io::require_fclib_size(path, "entries of H",
                         of_contact * static_cast<std::int64_t>(p.normal.size()));
  io::require_fclib_size(path, "entries of G", 12 * static_cast<std::int64_t>(p.joint_bias.size()));
}

class ColumnWriter {
 public:
  explicit ColumnWriter(std::vector<Index> first_row) : first_row_(std::move(first_row)) {}

  void add(Index column, Index body, const Vec6& block) {
    if (body == no_body || first_row_[body] == no_body) return;
    for (Index k = 0; k < 6; ++k)
      if (block[k] != 0.0) entries_.push_back({first_row_[body] + k, column, block[k]});
  }

  SparseMatrix matrix(Index rows, Index columns) {
    return from_triplets(rows, columns, std::move(entries_));
  }

 private:
  std::vector<Index> first_row_;
  std::vector<Triplet> entries_;
};

SparseMatrix mass_matrix(const BodyProblem& p, const std::vector<Index>& first, Index rows) {
  std::vector<Triplet> entries;
  for (std::size_t b = 0; b < p.centre.size(); ++b) {
    if (first[b] == no_body) continue;
    const Sym3 inertia = *io::inverse(p.inverse_inertia[b]);
    const std::array<std::array<double, 3>, 3> j{{{inertia.xx, inertia.xy, inertia.xz},
                                                  {inertia.xy, inertia.yy, inertia.yz},
                                                  {inertia.xz, inertia.yz, inertia.zz}}};
    for (Index k = 0; k < 3; ++k) {
      entries.push_back({first[b] + k, first[b] + k, 1.0 / p.inverse_mass[b]});
      for (Index l = 0; l < 3; ++l)
        entries.push_back({first[b] + 3 + k, first[b] + 3 + l, j[k][l]});
    }
  }
  return from_triplets(rows, rows, std::move(entries));
}

/// Columns (N, T1, T2), with rolling friction also R1 and R2: the relative angular velocity along
/// the tangents.
SparseMatrix contact_matrix(const BodyProblem& p, const std::vector<Index>& first, Index rows) {
  ColumnWriter columns(first);
  const Index each = rows_per_contact(3, p.has_rolling());
  for (Index c = 0; c < p.contact_count(); ++c) {
    const Vec3 n = p.normal[c], t1 = p.tangent[c];
    const std::array<Vec3, 3> frame{n, t1, cross(n, t1)};
    const auto touch = [&](Index body, const Vec3& point, double sign) {
      if (body == no_body) return;
      for (Index k = 0; k < 3; ++k) {
        const Vec3 d = sign * frame[k], turn = cross(point - p.centre[body], d);
        columns.add(each * c + k, body, {d.x, d.y, d.z, turn.x, turn.y, turn.z});
      }
      for (Index k = 3; k < each; ++k) {
        const Vec3 d = sign * frame[k - 2];
        columns.add(each * c + k, body, {0.0, 0.0, 0.0, d.x, d.y, d.z});
      }
    };
    touch(p.contact_body_a[c], p.point[c], -1.0);
    touch(p.contact_body_b[c], p.point_on_b(c), 1.0);
  }
  return columns.matrix(rows, each * p.contact_count());
}

SparseMatrix joint_matrix(const BodyProblem& p, const std::vector<Index>& first, Index rows) {
  ColumnWriter columns(first);
  for (Index j = 0; j < p.joint_row_count(); ++j) {
    columns.add(j, p.joint_body_a[j], p.joint_block_a[j]);
    columns.add(j, p.joint_body_b[j], p.joint_block_b[j]);
  }
  return columns.matrix(rows, p.joint_row_count());
}

void write(const std::string& path, const BodyProblem& p) {
  validate(p, path);
  require_expressible(path, p);
  require_body_sizes(path, p);
  const std::vector<Index> first = first_rows(p);
  GlobalProblem g;
  for (std::size_t b = 0; b < p.centre.size(); ++b) {
    if (first[b] == no_body) continue;
    g.body_centre.push_back(p.centre[b]);
    g.f.insert(g.f.end(), p.momentum[b].begin(), p.momentum[b].end());
  }
  const auto rows = static_cast<Index>(g.f.size());
  g.M = mass_matrix(p, first, rows);
  g.H = contact_matrix(p, first, rows);
  g.G = joint_matrix(p, first, rows);
  g.friction = p.friction;
  g.rolling_friction = p.rolling_friction;
  for (std::size_t c = 0; c < p.contact_bias.size(); ++c) {
    const Vec3& e = p.contact_bias[c];
    const Vec3 turn = p.turning_bias.empty() ? Vec3{} : p.turning_bias[c];
    g.w.insert(g.w.end(), {e.x, e.y, e.z});
    if (g.has_rolling()) g.w.insert(g.w.end(), {turn.y, turn.z});
  }
  g.b = p.joint_bias;
  g.time_step = p.time_step;
  g.title = p.title;
  write(path, g);
}

}  // namespace

void write_fclib(const std::string& path, const ProblemData& problem) {
  std::visit([&](const auto& data) { write(path, data); }, problem);
}

}  // namespace talus
