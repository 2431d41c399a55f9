#include "support/dense_problem.hpp"

#include "problem/linear_operator.hpp"

#include <algorithm>
#include <cmath>

namespace talus::support {
namespace {

Index planar_begin(const ConeSet& cones) {
  return cones.scalar_count;
}
Index spatial_begin(const ConeSet& cones) {
  return cones.scalar_count + 2 * cones.planar_count;
}

Index rolling_begin(const ConeSet& cones) {
  return spatial_begin(cones) + 3 * cones.spatial_count;
}

/// The plain twin of an operator: a matrix, multiplied out.
class DenseOperator final : public LinearOperator {
 public:
  DenseOperator(const ConeSet& cones, Plain matrix) : cones_(cones), matrix_(std::move(matrix)) {}

  void diagonal(RowVector& d) const override {
    d.assign(stored_rows(), 0.0);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = entry(i, i);
  }
  std::array<double, 3> planar_block(Index cone) const override {
    const auto n = static_cast<std::size_t>(cones_.planar_row(cone, 0));
    const auto t = static_cast<std::size_t>(cones_.planar_row(cone, 1));
    return {entry(n, n), entry(n, t), entry(t, t)};
  }
  Mat3 spatial_block(Index cone) const override {
    Mat3 block;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        block[3 * i + j] =
            entry(static_cast<std::size_t>(cones_.spatial_row(cone, static_cast<Index>(i))),
                  static_cast<std::size_t>(cones_.spatial_row(cone, static_cast<Index>(j))));
    return block;
  }
  Mat6 rolling_block(Index cone) const override {
    const auto row = [&](std::size_t k) {
      return static_cast<std::size_t>(cones_.rolling_row(cone, static_cast<Index>(k)));
    };
    Mat6 block{};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) block[6 * i + j] = entry(row(i), row(j));
    return block;
  }

 private:
  std::size_t stored_rows() const { return static_cast<std::size_t>(cones_.stored_rows()); }
  double entry(std::size_t i, std::size_t j) const {
    RowVector unit(stored_rows(), 0.0), column(stored_rows(), 0.0);
    unit[j] = 1.0;
    multiply(unit.data(), column.data());
    return column[i];
  }
  void multiply(const double* x, double* y) const override {
    const RowVector rows(x, x + stored_rows());
    const RowVector image = to_stored(cones_, plain_product(matrix_, to_plain(cones_, rows)));
    std::copy(image.begin(), image.end(), y);
  }

  ConeSet cones_;
  Plain matrix_;
};

double block_infinity_norm(const Plain& matrix, std::size_t begin, std::size_t rows) {
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  double norm = 0.0;
  for (std::size_t i = begin; i < begin + rows; ++i) {
    double sum = 0.0;
    for (std::size_t j = begin; j < begin + rows; ++j) sum += std::abs(matrix[i * size + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Scales from the matrix itself, so that no operator or problem code is needed.
void set_scales(ConeProblem& problem, const Plain& matrix) {
  const ConeSet& cones = problem.cones;
  const std::size_t size = plain_size(cones);
  problem.scale.assign(static_cast<std::size_t>(cones.slots()), 1.0);
  double all = 0.0, norms = 0.0;
  const auto set = [&](Index slot, std::size_t begin, std::size_t rows) {
    double sum = 0.0;
    for (std::size_t k = begin; k < begin + rows; ++k) sum += matrix[k * size + k];
    problem.scale[static_cast<std::size_t>(slot)] = sum / static_cast<double>(rows);
    all += sum;
    if (rows > 1) norms += block_infinity_norm(matrix, begin, rows);
  };
  for (Index i = 0; i < cones.scalar_count; ++i) set(i, static_cast<std::size_t>(i), 1);
  for (Index c = 0; c < cones.planar_count; ++c)
    set(cones.planar_slot(c), static_cast<std::size_t>(planar_begin(cones) + 2 * c), 2);
  for (Index c = 0; c < cones.spatial_count; ++c)
    set(cones.spatial_slot(c), static_cast<std::size_t>(spatial_begin(cones) + 3 * c), 3);
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const auto begin = static_cast<std::size_t>(rolling_begin(cones) + 6 * c);
    const std::array<bool, 6> counts = cones.rows_that_count(c);  // n, t1, t2, r1, r2, s
    double sum = 0.0, rows = 0.0;
    for (std::size_t k = 0; k < 6; ++k)
      if (counts.at(k)) {
        sum += matrix[(begin + k) * (size + 1)];
        rows += 1.0;
      }
    problem.scale[static_cast<std::size_t>(cones.rolling_slot(c))] = sum / rows;
    all += sum;
    norms += block_infinity_norm(matrix, begin, 6);
  }
  problem.mean_diagonal = all / static_cast<double>(cones.row_count());
  const Index contacts = cones.contact_count();
  problem.siconos_scale = contacts > 0 ? norms / contacts : 1.0;
}

}  // namespace

Plain plain_product(const Plain& matrix, const Plain& x) {
  Plain y(x.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += matrix[i * x.size() + j] * x[j];
  return y;
}

Plain plain_diagonal_matrix(const Plain& diagonal) {
  const std::size_t size = diagonal.size();
  Plain matrix(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) matrix[i * size + i] = diagonal[i];
  return matrix;
}

Plain plain_random_vector(std::size_t size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Plain values(size);
  for (double& value : values) value = uniform(random);
  return values;
}

Plain plain_random_matrix(std::size_t size, double shift, std::mt19937_64& random) {
  const Plain factor = plain_random_vector(size * size, random);
  Plain matrix(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    matrix[i * size + i] = shift;
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k)
        matrix[i * size + j] += factor[i * size + k] * factor[j * size + k];
  }
  return matrix;
}

std::size_t plain_size(const ConeSet& cones) {
  return static_cast<std::size_t>(rolling_begin(cones) + 6 * cones.rolling_count);
}

RowVector to_stored(const ConeSet& cones, const Plain& plain) {
  RowVector stored(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  for (Index i = 0; i < cones.scalar_count; ++i)
    stored[static_cast<std::size_t>(i)] = plain[static_cast<std::size_t>(i)];
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k)
      stored[static_cast<std::size_t>(cones.planar_row(c, k))] =
          plain[static_cast<std::size_t>(planar_begin(cones) + 2 * c + k)];
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const double* value = plain.data() + spatial_begin(cones) + 3 * c;
    set_spatial_value(cones, stored, c,
                      from_contact_frame(cones, c, {value[0], value[1], value[2]}));
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const double* v = plain.data() + rolling_begin(cones) + 6 * c;
    set_rolling_value(
        cones, stored, c,
        rolling_from_contact_frame(cones, c, {{v[0], v[1], v[2]}, {v[5], v[3], v[4]}}));
  }
  return stored;
}

Plain to_plain(const ConeSet& cones, const RowVector& stored) {
  Plain plain;
  for (Index i = 0; i < cones.scalar_count; ++i)
    plain.push_back(stored[static_cast<std::size_t>(i)]);
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k)
      plain.push_back(stored[static_cast<std::size_t>(cones.planar_row(c, k))]);
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const Vec3 value = to_contact_frame(cones, c, spatial_value(cones, stored, c));
    plain.insert(plain.end(), {value.x, value.y, value.z});
  }
  for (Index c = 0; c < cones.rolling_count; ++c) {
    const auto [f, m] = rolling_to_contact_frame(cones, c, rolling_value(cones, stored, c));
    plain.insert(plain.end(), {f.x, f.y, f.z, m.y, m.z, m.x});
  }
  return plain;
}

ConeProblem dense_problem(const ConeSet& cones, const Plain& matrix, const Plain& free_velocity,
                          const Plain& skew) {
  ConeProblem problem;
  problem.cones = cones;
  problem.delassus = std::make_shared<DenseOperator>(cones, matrix);
  if (!skew.empty()) problem.skew = std::make_shared<DenseOperator>(cones, skew);
  problem.free_velocity = to_stored(cones, free_velocity);
  problem.total_contacts = cones.contact_count();
  problem.delassus->diagonal(problem.diagonal);
  set_scales(problem, matrix);
  return problem;
}

ConeSet one_spatial_contact(double mu) {
  ConeSet cones = make_cone_set(0, 0, 1);
  set_spatial_friction(cones, 0, mu, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0});
  return cones;
}

ConeSet one_planar_contact(double mu) {
  ConeSet cones = make_cone_set(0, 1, 0);
  set_planar_friction(cones, 0, mu);
  return cones;
}

ConeSet one_row(double lower, double upper) {
  ConeSet cones = make_cone_set(1, 0, 0);
  set_interval(cones, 0, lower, upper);
  return cones;
}

Judged::Judged(const ConeProblem& judged_problem, Law law, const Plain& impulses)
    : problem(judged_problem), x(to_stored(judged_problem.cones, impulses)) {
  evaluate_gap(problem, law, x, gap);
}

double Judged::measure(Measure measure, Law law) const {
  const Communicator comm = Communicator::self();
  return evaluate(measure, problem, law, x, gap, reference_of(measure, problem, law, comm), comm);
}

ErrorReport Judged::report(Law law) const {
  return evaluate_all(problem, law, x, gap, Communicator::self());
}

}  // namespace talus::support
