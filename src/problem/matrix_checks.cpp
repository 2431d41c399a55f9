#include "problem/matrix_checks.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

// Real files are symmetric to 4e-7 (text-born); a thousandth is no rounding any more.
constexpr double most_asymmetry = 1e-3;

double entry(const SparseMatrix& a, Index i, Index j) {
  const auto begin = a.column.begin() + a.row_start[i], end = a.column.begin() + a.row_start[i + 1];
  const auto found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? a.value[found - a.column.begin()] : 0.0;
}

/// Whether its arrays make a matrix at all: only then may anyone look at its entries.
bool is_stored_well(const SparseMatrix& a, const std::string& place, const MatrixFault& fault) {
  const auto is_wrong = [&](const std::string& message) {
    fault(place, message);
    return false;
  };
  if (a.rows < 0 || a.columns < 0)
    return is_wrong(fmt::format("is {} x {}: no size of a matrix", a.rows, a.columns));
  if (a.row_start.size() != static_cast<std::size_t>(a.rows) + 1)
    return is_wrong(fmt::format("row_start has {} entries; must have {}, one more than rows",
                                a.row_start.size(), a.rows + std::int64_t{1}));
  if (a.column.size() != a.value.size())
    return is_wrong(fmt::format("has {} columns of entries and {} values; must have as many",
                                a.column.size(), a.value.size()));
  if (a.row_start.front() != 0 || a.row_start.back() != a.nonzeros() ||
      !std::is_sorted(a.row_start.begin(), a.row_start.end()))
    return is_wrong(
        fmt::format("row_start must grow from 0 to {}, the number of entries", a.nonzeros()));
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      if (a.column[k] < 0 || a.column[k] >= a.columns)
        return is_wrong(fmt::format("entry {} of row {} is in column {}; must be from 0 to {}", k,
                                    i, a.column[k], a.columns - 1));
      if (k > a.row_start[i] && a.column[k] <= a.column[k - 1])
        return is_wrong(fmt::format("columns of row {} must ascend", i));
    }
  return true;
}

bool has_size(const SparseMatrix& a, const std::string& place, std::size_t rows,
              std::size_t columns, const MatrixFault& fault) {
  if (static_cast<std::size_t>(a.rows) == rows && static_cast<std::size_t>(a.columns) == columns)
    return true;
  fault(place,
        fmt::format("is {} x {}; must be {} x {}: the lengths of the vectors that belong to it",
                    a.rows, a.columns, rows, columns));
  return false;
}

/// A matrix of couplings may be left out where there are none.
bool is_left_out(const SparseMatrix& a, std::size_t couplings) {
  return couplings == 0 && a.rows == 0 && a.columns == 0 && a.value.empty();
}

/// True where the arrays make a matrix of that size.
bool check_matrix(const SparseMatrix& a, const std::string& place, std::size_t rows,
                  std::size_t columns, const MatrixFault& fault) {
  return is_stored_well(a, place, fault) && has_size(a, place, rows, columns, fault);
}

bool check_length(const std::vector<double>& values, const std::string& place, std::size_t length,
                  const std::string& because, const MatrixFault& fault) {
  if (values.size() == length) return true;
  fault(place, fmt::format("has {} entries; must have {}, {}", values.size(), length, because));
  return false;
}

/// Dimension and how many coefficients there are. The number of rows, 0 where it cannot be told.
template <class Problem>
std::size_t check_contacts(const Problem& p, const MatrixFault& fault) {
  if (p.has_rolling())
    check_length(p.rolling_friction, "/vectors/mu_r", p.friction.size(), "the length of vectors/mu",
                 fault);
  if (p.dimension == 2 || p.dimension == 3)
    return p.friction.size() * static_cast<std::size_t>(p.rows_per_contact());
  fault(fmt::format("/dimension = {}", p.dimension), "must be 2 or 3");
  return 0;
}

template <class Problem>
void check_rows(const Problem& p, const std::vector<double>& values, const char* place,
                std::size_t rows, const MatrixFault& fault) {
  check_length(values, place, rows,
               fmt::format("{} for each of the {} entries of vectors/mu", p.rows_per_contact(),
                           p.friction.size()),
               fault);
}

}  // namespace

MatrixFault told_to(InputErrors& errors, const std::string& name) {
  return [&errors, &name](const std::string& place, const std::string& message) {
    errors.add(fmt::format("{}: {}: {}", name, place, message));
  };
}

void check_finite(const std::vector<double>& values, const std::string& place,
                  const MatrixFault& fault) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      fault(fmt::format("{}[{}] = {}", place, i, values[i]), "must be a finite number");
}

void check_not_negative(const std::vector<double>& values, const std::string& place,
                        const MatrixFault& fault) {
  check_finite(values, place, fault);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0.0)
      fault(fmt::format("{}[{}] = {}", place, i, values[i]), "must not be negative");
}

void check_mass_matrix(const SparseMatrix& mass, const std::string& place,
                       const MatrixFault& fault) {
  const auto fault_at = [&](Index i, Index j, const std::string& message) {
    fault(fmt::format("{}[{},{}] = {}", place, i, j, entry(mass, i, j)), message);
  };
  double largest = 0.0, worst = 0.0;
  Index worst_row = 0, worst_column = 0;
  for (double value : mass.value) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < mass.rows; ++i) {
    if (!(entry(mass, i, i) > 0.0)) fault_at(i, i, "must be positive; M must be positive definite");
    for (std::int64_t k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
      const double difference = std::abs(mass.value[k] - entry(mass, mass.column[k], i));
      if (difference <= worst) continue;
      worst = difference;
      worst_row = i;
      worst_column = mass.column[k];
    }
  }
  if (worst > most_asymmetry * largest)
    fault_at(worst_row, worst_column,
             fmt::format("but [{},{}] = {}; M must be symmetric", worst_column, worst_row,
                         entry(mass, worst_column, worst_row)));
}

void check_delassus_matrix(const SparseMatrix& matrix, const std::string& place,
                           const MatrixFault& fault) {
  for (Index i = 0; i < matrix.rows; ++i)
    if (entry(matrix, i, i) < 0.0)
      fault(fmt::format("{}[{},{}] = {}", place, i, i, entry(matrix, i, i)),
            "must not be negative: the matrix must be positive semi-definite");
}

void check_layout(const LocalProblem& p, const MatrixFault& fault) {
  const std::size_t rows = check_contacts(p, fault), couplings = p.s.size();
  if (rows == 0 && !p.friction.empty()) return;  // the rest would be told wrong things of
  check_rows(p, p.q, "/vectors/q", rows, fault);
  check_matrix(p.W, "/W", rows, rows, fault);
  if (!is_left_out(p.V, couplings)) check_matrix(p.V, "/V", rows, couplings, fault);
  check_matrix(p.R, "/R", couplings, couplings, fault);
}

void check_layout(const GlobalProblem& p, const MatrixFault& fault) {
  const std::size_t rows = check_contacts(p, fault), degrees = p.f.size();
  if (rows == 0 && !p.friction.empty()) return;
  check_rows(p, p.w, "/vectors/w", rows, fault);
  check_matrix(p.M, "/M", degrees, degrees, fault);
  check_matrix(p.H, "/H", degrees, rows, fault);
  if (!is_left_out(p.G, p.b.size())) check_matrix(p.G, "/G", degrees, p.b.size(), fault);
  if (!p.body_centre.empty() && 6 * p.body_centre.size() != degrees)
    fault("/bodies/position", fmt::format("has {} rows; must have {}, one for 6 entries of "
                                          "vectors/f",
                                          p.body_centre.size(), degrees / 6));
}

namespace {

/// Entries are looked at where all of them are there.
template <class Problem, class CheckEntries>
void validate_in_turn(const Problem& problem, const std::string& name,
                      const CheckEntries& check_entries) {
  InputErrors errors;
  const MatrixFault fault = told_to(errors, name);
  check_layout(problem, fault);
  errors.throw_if_any();
  check_not_negative(problem.friction, "/vectors/mu", fault);
  check_not_negative(problem.rolling_friction, "/vectors/mu_r", fault);
  check_entries(fault);
  errors.throw_if_any();
}

}  // namespace

void validate(const LocalProblem& problem, const std::string& name) {
  validate_in_turn(problem, name, [&](const MatrixFault& fault) {
    check_finite(problem.q, "/vectors/q", fault);
    check_finite(problem.s, "/vectors/s", fault);
    check_finite(problem.W.value, "/W/x", fault);
    check_finite(problem.V.value, "/V/x", fault);
    check_finite(problem.R.value, "/R/x", fault);
    check_delassus_matrix(problem.W, "/W", fault);
    check_delassus_matrix(problem.R, "/R", fault);
  });
}

void validate(const GlobalProblem& problem, const std::string& name) {
  validate_in_turn(problem, name, [&](const MatrixFault& fault) {
    check_finite(problem.f, "/vectors/f", fault);
    check_finite(problem.w, "/vectors/w", fault);
    check_finite(problem.b, "/vectors/b", fault);
    check_finite(problem.H.value, "/H/x", fault);
    check_finite(problem.G.value, "/G/x", fault);
    check_mass_matrix(problem.M, "/M", fault);
    if (!(problem.time_step >= 0.0) || !std::isfinite(problem.time_step))
      fault(fmt::format("/@dt = {}", problem.time_step), "must be finite and not negative");
  });
}

}  // namespace talus
