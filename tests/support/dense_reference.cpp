#include "support/dense_reference.hpp"

#include <cmath>

namespace talus::support {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d eigen(const Vec3& v) {
  return {v.x, v.y, v.z};
}

MatrixXd dense(const SparseMatrix& a) {
  MatrixXd result = MatrixXd::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i)
    for (auto k = static_cast<std::size_t>(a.row_start[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_start[static_cast<std::size_t>(i) + 1]); ++k)
      result(i, a.column[k]) += a.value[k];
  return result;
}

VectorXd dense(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), static_cast<Index>(v.size()));
}

MatrixXd inverse_mass_of(const BodyProblem& data) {
  MatrixXd m = MatrixXd::Zero(6 * data.body_count(), 6 * data.body_count());
  for (Index i = 0; i < data.body_count(); ++i) {
    const auto b = static_cast<std::size_t>(i);
    const Sym3& s = data.inverse_inertia[b];
    m.block(6 * i, 6 * i, 3, 3) = data.inverse_mass[b] * Eigen::Matrix3d::Identity();
    m.block(6 * i + 3, 6 * i + 3, 3, 3) << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  }
  return m;
}

DenseReference reference_of(const BodyProblem& data) {
  DenseReference out;
  const Index joints = data.joint_row_count(), contacts = data.contact_count();
  const Index d = data.rows_per_contact(), rows = joints + d * contacts;
  out.rows_per_contact = data.rows_per_contact();
  out.D = MatrixXd::Zero(rows, 6 * data.body_count());
  VectorXd bias = VectorXd::Zero(rows), compliance = VectorXd::Zero(rows);
  for (Index j = 0; j < joints; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const auto put = [&](talus::Index body, const Vec6& block) {
      if (body == no_body) return;
      for (Index i = 0; i < 6; ++i) out.D(j, 6 * body + i) += block[static_cast<std::size_t>(i)];
    };
    put(data.joint_body_a[k], data.joint_block_a[k]);
    put(data.joint_body_b[k], data.joint_block_b[k]);
    bias[j] = data.joint_bias[k];
    compliance[j] = data.joint_compliance[k];
  }
  for (Index c = 0; c < contacts; ++c) {
    const auto k = static_cast<std::size_t>(c);
    const Vector3d n = eigen(data.normal[k]), t = eigen(data.tangent[k]);
    Eigen::Matrix3d frame;
    frame << n.transpose(), t.transpose(), n.cross(t).transpose();
    const auto put = [&](talus::Index body, const Vec3& point, double sign) {
      if (body == no_body) return;
      const Vector3d arm = eigen(point) - eigen(data.centre[static_cast<std::size_t>(body)]);
      Eigen::Matrix3d skew;  // skew * w = w x arm, the velocity of the point by turning
      skew << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
      out.D.block(joints + d * c, 6 * body, 3, 3) += sign * frame;
      out.D.block(joints + d * c, 6 * body + 3, 3, 3) += sign * frame * skew;
      if (d == 3) return;
      // angular velocities about t1, t2, n
      for (Index i = 0; i < 3; ++i)
        out.D.block(joints + d * c + 3 + i, 6 * body + 3, 1, 3) += sign * frame.row((i + 1) % 3);
    };
    put(data.contact_body_a[k], data.point[k], -1.0);
    put(data.contact_body_b[k], data.point_b.empty() ? data.point[k] : data.point_b[k], 1.0);
    bias.segment(joints + d * c, 3) = eigen(data.contact_bias[k]);
    const double et = data.tangent_compliance[k];
    compliance.segment(joints + d * c, 3) << data.normal_compliance[k], et, et;
  }
  out.inverse_mass = inverse_mass_of(data);
  out.f.resize(6 * data.body_count());
  for (Index i = 0; i < data.body_count(); ++i)
    for (Index k = 0; k < 6; ++k)
      out.f[6 * i + k] = data.momentum[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  out.N = out.D * out.inverse_mass * out.D.transpose();
  out.N.diagonal() += compliance;
  out.r = out.D * out.inverse_mass * out.f + bias;
  out.lower = dense(data.joint_lower);
  out.upper = dense(data.joint_upper);
  out.friction = data.friction;
  out.rolling = data.rolling_friction;
  out.spinning = data.spinning_friction;
  return out;
}

template <class Matrices>
void set_cones(DenseReference& out, const Matrices& data) {
  out.dimension = data.dimension;
  out.rows_per_contact = data.rows_per_contact();
  out.friction = data.friction;
  out.rolling = data.rolling_friction;
}

DenseReference reference_of(const LocalProblem& data) {
  DenseReference out;
  const Index p = data.bilateral_count(), m = data.rows_per_contact() * data.contact_count();
  out.N = MatrixXd::Zero(p + m, p + m);
  out.r.resize(p + m);
  if (p > 0) {
    out.N.topLeftCorner(p, p) = dense(data.R);
    out.N.topRightCorner(p, m) = dense(data.V).transpose();
    out.N.bottomLeftCorner(m, p) = dense(data.V);
    out.r.head(p) = dense(data.s);
  }
  if (m > 0) out.N.bottomRightCorner(m, m) = dense(data.W);
  out.r.tail(m) = dense(data.q);
  out.lower = VectorXd::Constant(p, -infinity);
  out.upper = VectorXd::Constant(p, infinity);
  set_cones(out, data);
  return out;
}

DenseReference reference_of(const GlobalProblem& data) {
  DenseReference out;
  const Index p = data.bilateral_count(), m = data.rows_per_contact() * data.contact_count();
  out.D = MatrixXd::Zero(p + m, data.M.rows);
  if (p > 0) out.D.topRows(p) = dense(data.G).transpose();
  if (m > 0) out.D.bottomRows(m) = dense(data.H).transpose();
  out.inverse_mass = dense(data.M).ldlt().solve(MatrixXd::Identity(data.M.rows, data.M.rows));
  out.f = dense(data.f);
  out.N = out.D * out.inverse_mass * out.D.transpose();
  VectorXd bias(p + m);
  bias << dense(data.b), dense(data.w);
  out.r = out.D * out.inverse_mass * out.f + bias;
  out.lower = VectorXd::Constant(p, -infinity);
  out.upper = VectorXd::Constant(p, infinity);
  set_cones(out, data);
  return out;
}

double interval_fault(double x, double w, double lower, double upper) {
  double fault = std::max({0.0, lower - x, x - upper});
  if (w > 0.0) fault = std::max(fault, std::min(w, x - lower));
  if (w < 0.0) fault = std::max(fault, std::min(-w, upper - x));
  return fault;
}

/// A part of a contact's rows with its coefficient: |x_part| <= mu x_n.
struct Part {
  double mu;
  VectorXd x, w;
};

/// The conditions of the law where they are an intersection of cones.
double rolling_fault(Law law, const std::vector<Part>& parts, double xn, double wn) {
  double fault = std::max({0.0, -xn}), needed = 0.0, product = xn * wn;
  for (const auto& [mu, x, w] : parts) {
    if (law == Law::Box) {
      for (Index k = 0; k < x.size(); ++k)
        fault = std::max(fault, interval_fault(x[k], w[k], -mu * xn, mu * xn));
      continue;
    }
    fault = std::max(fault, x.norm() - mu * xn);
    needed += mu * w.norm();
    product += x.dot(w);
    if (law == Law::Coulomb) product += xn * mu * w.norm();
  }
  if (law == Law::Box) return std::max(fault, interval_fault(xn, wn, 0.0, infinity));
  if (law == Law::Coulomb) wn += needed;
  return std::max({fault, needed - wn, std::abs(product)});
}

/// Rows of one contact, in given units.
double rolling_fault(Law law, const DenseReference& problem, std::size_t c, const VectorXd& x,
                     const VectorXd& w) {
  const Index tangents = problem.dimension - 1;
  std::vector<Part> parts{
      {problem.friction[c], x.segment(1, tangents), w.segment(1, tangents)},
      {problem.rolling[c], x.segment(1 + tangents, tangents), w.segment(1 + tangents, tangents)}};
  if (!problem.spinning.empty()) parts.push_back({problem.spinning[c], x.tail(1), w.tail(1)});
  return rolling_fault(law, parts, x[0], w[0]);
}

double friction_fault(Law law, double mu, const VectorXd& x, const VectorXd& w) {
  const Index tangents = x.size() - 1;
  const double xn = x[0], xt = x.tail(tangents).norm(), wt = w.tail(tangents).norm();
  if (law == Law::Box) {
    double fault = interval_fault(xn, w[0], 0.0, infinity);
    for (Index k = 1; k <= tangents; ++k)
      fault = std::max(fault, interval_fault(x[k], w[k], -mu * xn, mu * xn));
    return fault;
  }
  const double cosine = 1.0 / std::sqrt(1.0 + mu * mu), sine = mu * cosine;
  const double wn = law == Law::Coulomb ? w[0] + mu * wt : w[0];
  const double product = xn * wn + x.tail(tangents).dot(w.tail(tangents));
  return std::max({0.0, cosine * xt - sine * xn, sine * wt - cosine * wn, std::abs(product)});
}

}  // namespace

DenseReference dense_reference(const ProblemData& data) {
  return std::visit([](const auto& given) { return reference_of(given); }, data);
}

VectorXd stacked_impulses(const Solution& solution) {
  VectorXd x(static_cast<Index>(solution.l.size() + solution.r.size()));
  x << dense(solution.l), dense(solution.r);
  return x;
}

double complementarity_fault(const DenseReference& problem, Law law, const VectorXd& impulses) {
  const VectorXd w = problem.N * impulses + problem.r;
  const Index p = problem.scalar_rows(), d = problem.rows_per_contact;
  double fault = 0.0;
  for (Index i = 0; i < p; ++i)
    fault = std::max(fault, interval_fault(impulses[i], w[i], problem.lower[i], problem.upper[i]));
  for (std::size_t c = 0; c < problem.friction.size(); ++c) {
    const Index first = p + d * static_cast<Index>(c);
    const VectorXd x = impulses.segment(first, d), gap = w.segment(first, d);
    fault =
        std::max(fault, problem.rolling.empty() ? friction_fault(law, problem.friction[c], x, gap)
                                                : rolling_fault(law, problem, c, x, gap));
  }
  return fault;
}

}  // namespace talus::support
