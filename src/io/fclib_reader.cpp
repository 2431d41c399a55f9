#include "io/layouts.hpp"
#include "io/sparse_group.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

// Real files are symmetric to 4e-7 (text-born); a thousandth is no rounding any more.
constexpr double most_asymmetry = 1e-3;

using Vector = std::optional<std::vector<double>>;

std::optional<std::size_t> size_of(const Vector& v) {
  return v ? std::optional(v->size()) : std::nullopt;
}

Vector finite_vector(InputFile& file, const std::string& dataset) {
  Vector values = file.reals(dataset);
  if (values) file.require_finite(dataset, *values);
  return values;
}

struct Contacts {
  std::optional<std::int64_t> dimension;
  Vector friction;
};

Contacts read_contacts(InputFile& file, const std::string& root) {
  Contacts contacts{file.integer(root + "/spacedim"), finite_vector(file, root + "/vectors/mu")};
  if (contacts.dimension && *contacts.dimension != 2 && *contacts.dimension != 3) {
    file.fault(root + "/spacedim", 0, *contacts.dimension, "must be 2 or 3");
    contacts.dimension.reset();
  }
  if (contacts.friction)
    for (std::size_t i = 0; i < contacts.friction->size(); ++i)
      if ((*contacts.friction)[i] < 0.0)
        file.fault(root + "/vectors/mu", i, (*contacts.friction)[i], "must not be negative");
  return contacts;
}

/// `rows` has spacedim entries for each contact.
void require_rows(InputFile& file, const std::string& dataset, const Vector& rows,
                  const Contacts& contacts) {
  if (!rows || !contacts.dimension || !contacts.friction) return;
  const auto dimension = static_cast<std::size_t>(*contacts.dimension);
  const std::size_t expected = dimension * contacts.friction->size();
  if (rows->size() != expected)
    file.fault(dataset,
               fmt::format("has {} entries; must have {}, spacedim = {} for each of the {} "
                           "entries of vectors/mu",
                           rows->size(), expected, dimension, contacts.friction->size()));
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

double entry(const SparseMatrix& a, Index i, Index j) {
  const auto begin = a.column.begin() + a.row_start[i], end = a.column.begin() + a.row_start[i + 1];
  const auto found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? a.value[static_cast<std::size_t>(found - a.column.begin())]
                                     : 0.0;
}

void require_mass_matrix(InputFile& file, const std::string& group, const SparseMatrix& mass) {
  const auto fault = [&](Index i, Index j, double value, const std::string& message) {
    file.fault(fmt::format("{}[{},{}] = {}", group, i, j, value), message);
  };
  double largest = 0.0, worst = 0.0;
  Index worst_row = 0, worst_column = 0;
  for (double value : mass.value) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < mass.rows; ++i) {
    if (!(entry(mass, i, i) > 0.0))
      fault(i, i, entry(mass, i, i), "must be positive; M must be positive definite");
    for (std::int64_t k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
      const double difference = std::abs(mass.value[k] - entry(mass, mass.column[k], i));
      if (difference <= worst) continue;
      worst = difference;
      worst_row = i;
      worst_column = mass.column[k];
    }
  }
  if (worst > most_asymmetry * largest)
    fault(worst_row, worst_column, entry(mass, worst_row, worst_column),
          fmt::format("but [{},{}] = {}; M must be symmetric", worst_column, worst_row,
                      entry(mass, worst_column, worst_row)));
}

/// A row whose impulse pulls its own velocity back has no meaning; a zero diagonal is a row that
/// nothing moves.
void require_delassus_matrix(InputFile& file, const std::string& group, const SparseMatrix& W) {
  for (Index i = 0; i < W.rows; ++i)
    if (entry(W, i, i) < 0.0)
      file.fault(fmt::format("{}[{},{}] = {}", group, i, i, entry(W, i, i)),
                 "must not be negative: the matrix must be positive semi-definite");
}

}  // namespace

std::optional<LocalProblem> read_fclib_local(InputFile& file) {
  const std::string root = "/fclib_local";
  Contacts contacts = read_contacts(file, root);
  Vector q = finite_vector(file, root + "/vectors/q");
  require_rows(file, root + "/vectors/q", q, contacts);
  const Expected rows{size_of(q), "the length of vectors/q"};
  std::optional<SparseMatrix> W = read_sparse(file, root + "/W", rows, rows);
  if (W) require_delassus_matrix(file, root + "/W", *W);

  std::optional<SparseMatrix> V, R;
  Vector s;
  const bool bilateral = all_or_none(file, {root + "/V", root + "/R", root + "/vectors/s"});
  if (bilateral) {
    s = finite_vector(file, root + "/vectors/s");
    const Expected couplings{size_of(s), "the length of vectors/s"};
    V = read_sparse(file, root + "/V", rows, couplings);
    R = read_sparse(file, root + "/R", couplings, couplings);
    if (R) require_delassus_matrix(file, root + "/R", *R);
  }
  if (!file.errors().empty()) return {};

  LocalProblem problem;
  problem.dimension = static_cast<int>(*contacts.dimension);
  problem.W = std::move(*W);
  problem.V = bilateral ? std::move(*V) : from_triplets(problem.W.rows, 0, {});
  if (bilateral) {
    problem.R = std::move(*R);
    problem.s = std::move(*s);
  }
  problem.q = std::move(*q);
  problem.friction = std::move(*contacts.friction);
  problem.title = file.text(root + "/info/title");
  return problem;
}

std::optional<GlobalProblem> read_fclib_global(InputFile& file) {
  const std::string root = "/fclib_global";
  Contacts contacts = read_contacts(file, root);
  Vector f = finite_vector(file, root + "/vectors/f");
  Vector w = finite_vector(file, root + "/vectors/w");
  require_rows(file, root + "/vectors/w", w, contacts);
  const Expected degrees{size_of(f), "the length of vectors/f"};
  std::optional<SparseMatrix> M = read_sparse(file, root + "/M", degrees, degrees);
  if (M) require_mass_matrix(file, root + "/M", *M);
  std::optional<SparseMatrix> H =
      read_sparse(file, root + "/H", degrees, {size_of(w), "the length of vectors/w"});

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
  problem.dimension = static_cast<int>(*contacts.dimension);
  problem.M = std::move(*M);
  problem.H = std::move(*H);
  problem.G = bilateral ? std::move(*G) : from_triplets(problem.M.rows, 0, {});
  problem.f = std::move(*f);
  problem.w = std::move(*w);
  if (bilateral) problem.b = std::move(*b);
  problem.friction = std::move(*contacts.friction);
  if (position)
    for (std::size_t i = 0; i < position->size(); i += 3)
      problem.body_centre.push_back({(*position)[i], (*position)[i + 1], (*position)[i + 2]});
  problem.time_step = time_step;
  problem.title = file.text(root + "/info/title");
  return problem;
}

}  // namespace talus::io
