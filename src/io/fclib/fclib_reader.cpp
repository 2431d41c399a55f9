#include "io/fclib/sparse_group.hpp"
#include "io/hdf5/layouts.hpp"
#include "problem/matrix_checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

using Vector = std::optional<std::vector<double>>;

bool is_rolling(const std::string& root) {
  return root.find("_rolling") != std::string::npos;
}

std::optional<std::size_t> size_of(const Vector& v) {
  return v ? std::optional(v->size()) : std::nullopt;
}

/// What is found is a fault of the file.
MatrixFault told_to(InputFile& file) {
  return
      [&file](const std::string& place, const std::string& message) { file.fault(place, message); };
}

Vector finite_vector(InputFile& file, const std::string& dataset) {
  Vector values = file.reals(dataset);
  if (values) check_finite(*values, dataset, told_to(file));
  return values;
}

struct Contacts {
  bool rolling;
  std::optional<std::int64_t> rows;  ///< spacedim: of each contact
  Vector friction, rolling_friction;
};

Vector not_negative_vector(InputFile& file, const std::string& dataset) {
  Vector values = file.reals(dataset);
  if (values) check_not_negative(*values, dataset, told_to(file));
  return values;
}

Contacts read_contacts(InputFile& file, const std::string& root) {
  Contacts contacts{is_rolling(root), file.integer(root + "/spacedim"),
                    not_negative_vector(file, root + "/vectors/mu"), std::nullopt};
  const std::int64_t in_plane = rows_per_contact(2, contacts.rolling);
  const std::int64_t in_space = rows_per_contact(3, contacts.rolling);
  if (contacts.rows && *contacts.rows != in_plane && *contacts.rows != in_space) {
    file.fault(root + "/spacedim", 0, *contacts.rows,
               fmt::format("must be {} or {}{}", in_plane, in_space,
                           contacts.rolling ? ": rows of a contact in the plane or in space" : ""));
    contacts.rows.reset();
  }
  if (!contacts.rolling) return contacts;
  contacts.rolling_friction = not_negative_vector(file, root + "/vectors/mu_r");
  const auto sliding = size_of(contacts.friction), rolling = size_of(contacts.rolling_friction);
  if (sliding && rolling && *sliding != *rolling)
    file.fault(
        root + "/vectors/mu_r",
        fmt::format("has {} entries; must have {}, the length of vectors/mu", *rolling, *sliding));
  return contacts;
}

/// `rows` has spacedim entries for each contact. Its size, for others to agree with, where it is
/// not at fault itself.
std::optional<std::size_t> size_of_rows(InputFile& file, const std::string& dataset,
                                        const Vector& rows, const Contacts& contacts) {
  if (!rows || !contacts.rows || !contacts.friction) return size_of(rows);
  const auto each = static_cast<std::size_t>(*contacts.rows);
  const std::size_t expected = each * contacts.friction->size();
  if (rows->size() == expected) return expected;
  file.fault(dataset, fmt::format("has {} entries; must have {}, spacedim = {} for each of the {} "
                                  "entries of vectors/mu",
                                  rows->size(), expected, each, contacts.friction->size()));
  return {};
}

/// Moves what was read without a fault into a problem.
template <class Problem>
void take_contacts(Contacts& contacts, Problem& problem) {
  problem.dimension = *contacts.rows == rows_per_contact(2, contacts.rolling) ? 2 : 3;
  problem.friction = std::move(*contacts.friction);
  if (contacts.rolling) problem.rolling_friction = std::move(*contacts.rolling_friction);
}

/// Groups and datasets that only make sense together. True when all are there.
bool all_or_none(InputFile& file, const std::vector<std::string>& names) {
  std::size_t there = 0;
  std::string present, absent;
  for (const std::string& name : names) {
    const bool found = file.has(name);
    there += found ? 1 : 0;
    (found ? present : absent) += " " + name;
  }
  if (there != 0 && there != names.size())
    file.fault(names.front(),
               fmt::format("bilateral rows need all of their data: there is{}, but not{}", present,
                           absent));
  return there == names.size();
}

}  // namespace

std::optional<LocalProblem> read_fclib_local(InputFile& file, const std::string& root) {
  Contacts contacts = read_contacts(file, root);
  Vector q = finite_vector(file, root + "/vectors/q");
  const Expected rows{size_of_rows(file, root + "/vectors/q", q, contacts),
                      "the length of vectors/q"};
  std::optional<SparseMatrix> W = read_sparse(file, root + "/W", rows, rows);
  if (W) check_delassus_matrix(*W, root + "/W", told_to(file));

  std::optional<SparseMatrix> V, R;
  Vector s;
  const bool bilateral = all_or_none(file, {root + "/V", root + "/R", root + "/vectors/s"});
  if (bilateral) {
    s = finite_vector(file, root + "/vectors/s");
    const Expected couplings{size_of(s), "the length of vectors/s"};
    V = read_sparse(file, root + "/V", rows, couplings);
    R = read_sparse(file, root + "/R", couplings, couplings);
    if (R) check_delassus_matrix(*R, root + "/R", told_to(file));
  }
  if (!file.errors().empty()) return {};

  LocalProblem problem;
  take_contacts(contacts, problem);
  problem.W = std::move(*W);
  problem.V = bilateral ? std::move(*V) : from_triplets(problem.W.rows, 0, {});
  if (bilateral) {
    problem.R = std::move(*R);
    problem.s = std::move(*s);
  }
  problem.q = std::move(*q);
  problem.title = file.text(root + "/info/title");
  check_layout(problem, told_to(file));
  return problem;
}

std::optional<GlobalProblem> read_fclib_global(InputFile& file, const std::string& root) {
  Contacts contacts = read_contacts(file, root);
  Vector f = finite_vector(file, root + "/vectors/f");
  Vector w = finite_vector(file, root + "/vectors/w");
  const Expected rows{size_of_rows(file, root + "/vectors/w", w, contacts),
                      "the length of vectors/w"};
  const Expected degrees{size_of(f), "the length of vectors/f"};
  std::optional<SparseMatrix> M = read_sparse(file, root + "/M", degrees, degrees);
  if (M) check_mass_matrix(*M, root + "/M", told_to(file));
  std::optional<SparseMatrix> H = read_sparse(file, root + "/H", degrees, rows);

  std::optional<SparseMatrix> G;
  Vector b;
  const bool bilateral = all_or_none(file, {root + "/G", root + "/vectors/b"});
  if (bilateral) {
    b = finite_vector(file, root + "/vectors/b");
    G = read_sparse(file, root + "/G", degrees, {size_of(b), "the length of vectors/b"});
  }

  Vector position;
  if (file.has("/bodies/position")) {
    position = file.table("/bodies/position", 3);
    if (position) file.require_finite("/bodies/position", *position);
    if (position && f && 2 * position->size() != f->size())
      file.fault("/bodies/position", fmt::format("has {} rows; must have {}, one for 6 entries of "
                                                 "vectors/f",
                                                 position->size() / 3, f->size() / 6));
  }
  const double time_step = file.real_attribute("/", "dt").value_or(0.0);
  if (!(time_step >= 0.0) || !std::isfinite(time_step))
    file.fault(fmt::format("/@dt = {}", time_step), "must be finite and not negative");
  if (!file.errors().empty()) return {};

  GlobalProblem problem;
  take_contacts(contacts, problem);
  problem.M = std::move(*M);
  problem.H = std::move(*H);
  problem.G = bilateral ? std::move(*G) : from_triplets(problem.M.rows, 0, {});
  problem.f = std::move(*f);
  problem.w = std::move(*w);
  if (bilateral) problem.b = std::move(*b);
  if (position)
    for (std::size_t i = 0; i < position->size(); i += 3)
      problem.body_centre.push_back({(*position)[i], (*position)[i + 1], (*position)[i + 2]});
  problem.time_step = time_step;
  problem.title = file.text(root + "/info/title");
  check_layout(problem, told_to(file));
  return problem;
}

}  // namespace talus::io
