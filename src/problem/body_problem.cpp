#include "talus/problem/body_problem.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace talus {
namespace {

// A normal that is off by more than this was never normalised; rounding leaves about 1e-16.
constexpr double unit_tolerance = 1e-9;
// How far below zero a minor of the inverse inertia may round, relative to its largest entry.
constexpr double minor_tolerance = 1e-12;

/// Names follow the native problem file (docs/file_formats.md), so that a message leads to the
/// data.
class Checker {
 public:
  Checker(const std::string& name, InputErrors& errors) : name_(name), errors_(errors) {}

  void fault(const char* array, std::size_t i, const std::string& value, const char* remedy) {
    errors_.add(fmt::format("{}: {}[{}] = {}: {}", name_, array, i, value, remedy));
  }

  void fault(const char* array, const std::string& value, const char* remedy) {
    errors_.add(fmt::format("{}: {} = {}: {}", name_, array, value, remedy));
  }

  /// True when the array may be read beside the others of its group.
  template <class T>
  bool length(const char* array, const std::vector<T>& values, std::size_t expected) {
    if (values.size() == expected) return true;
    errors_.add(fmt::format("{}: {} has {} entries: must have {}, one for each in its group", name_,
                            array, values.size(), expected));
    return false;
  }

  void finite(const char* array, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) fault(array, i, fmt::format("{}", values[i]), not_finite_);
  }

  void finite(const char* array, const std::vector<Vec3>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      finite(array, i, std::array{values[i].x, values[i].y, values[i].z});
  }

  void finite(const char* array, const std::vector<Vec6>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) finite(array, i, values[i]);
  }

  /// `column` is that of the array in the file, ",0" or ",1", where two of ours share one there.
  void finite_not_negative(const char* array, const std::vector<double>& values,
                           const char* column = "") {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(values[i] >= 0.0) || !std::isfinite(values[i]))
        errors_.add(fmt::format("{}: {}[{}{}] = {}: must be finite and not negative", name_, array,
                                i, column, values[i]));
  }

  void unique(const char* array, const std::vector<GlobalId>& keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
    });
    for (std::size_t k = 1; k < order.size(); ++k)
      if (keys[order[k]] == keys[order[k - 1]])
        fault(array, order[k], fmt::format("{}", keys[order[k]]),
              "is given twice; every entry needs a key of its own");
  }

  /// The two bodies of contacts or joint rows.
  void partners(const char* array_a, const std::vector<Index>& a, const char* array_b,
                const std::vector<Index>& b, std::size_t bodies) {
    in_range(array_a, a, bodies);
    in_range(array_b, b, bodies);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (a[i] == b[i] && is_there(a[i], bodies))
        fault(array_a, i, fmt::format("{}", a[i]),
              a[i] == no_body ? "both sides are the world; name at least one body"
                              : "both sides are the same body; name two, or -1 for the world");
  }

 private:
  static constexpr const char* not_finite_ = "must be a finite number";

  template <std::size_t width>
  void finite(const char* array, std::size_t i, const std::array<double, width>& parts) {
    for (std::size_t j = 0; j < width; ++j)
      if (!std::isfinite(parts[j]))
        errors_.add(
            fmt::format("{}: {}[{},{}] = {}: {}", name_, array, i, j, parts[j], not_finite_));
  }

  static bool is_there(Index body, std::size_t bodies) {
    return body == no_body || (body >= 0 && static_cast<std::size_t>(body) < bodies);
  }

  void in_range(const char* array, const std::vector<Index>& body, std::size_t bodies) {
    for (std::size_t i = 0; i < body.size(); ++i)
      if (!is_there(body[i], bodies))
        fault(array, i, fmt::format("{}", body[i]), "no such body; must be its index, or -1");
  }

  const std::string& name_;
  InputErrors& errors_;
};

bool is_positive_semidefinite(const Sym3& m) {
  const double largest = std::max({std::abs(m.xx), std::abs(m.xy), std::abs(m.xz), std::abs(m.yy),
                                   std::abs(m.yz), std::abs(m.zz)});
  if (largest == 0.0) return true;
  const double s = 1.0 / largest;
  const Sym3 a{s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
  const double yz = a.yy * a.zz - a.yz * a.yz;
  const double determinant =
      a.xx * yz - a.xy * (a.xy * a.zz - a.yz * a.xz) + a.xz * (a.xy * a.yz - a.yy * a.xz);
  const double smallest = std::min(
      {a.xx, a.yy, a.zz, yz, a.xx * a.yy - a.xy * a.xy, a.xx * a.zz - a.xz * a.xz, determinant});
  return smallest >= -minor_tolerance;
}

void check_bodies(const BodyProblem& p, Checker& check) {
  const std::size_t n = p.centre.size();
  check.length("/bodies/id", p.body_id, n);
  check.length("/bodies/inverse_mass", p.inverse_mass, n);
  check.length("/bodies/inverse_inertia", p.inverse_inertia, n);
  check.length("/bodies/momentum", p.momentum, n);
  check.unique("/bodies/id", p.body_id);
  check.finite("/bodies/centre", p.centre);
  check.finite_not_negative("/bodies/inverse_mass", p.inverse_mass);
  check.finite("/bodies/momentum", p.momentum);
  for (std::size_t i = 0; i < p.inverse_inertia.size(); ++i) {
    const Sym3& m = p.inverse_inertia[i];
    const std::string value =
        fmt::format("({}, {}, {}, {}, {}, {})", m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
    if (!std::isfinite(m.xx + m.xy + m.xz + m.yy + m.yz + m.zz))
      check.fault("/bodies/inverse_inertia", i, value, "must be finite");
    else if (!is_positive_semidefinite(m))
      check.fault("/bodies/inverse_inertia", i, value,
                  "must be positive semi-definite, in the order xx, xy, xz, yy, yz, zz");
  }
}

/// Of the two coefficients both are there or none.
void check_rolling(const BodyProblem& p, Checker& check) {
  if (p.rolling_friction.empty() && p.spinning_friction.empty()) return;
  check.length("/contacts/rolling_friction", p.rolling_friction, p.normal.size());
  check.length("/contacts/spinning_friction", p.spinning_friction, p.normal.size());
  check.finite_not_negative("/contacts/rolling_friction", p.rolling_friction);
  check.finite_not_negative("/contacts/spinning_friction", p.spinning_friction);
}

void check_contacts(const BodyProblem& p, Checker& check) {
  const std::size_t n = p.normal.size();
  check.length("/contacts/key", p.contact_key, n);
  check.length("/contacts/body_a", p.contact_body_a, n);
  check.length("/contacts/body_b", p.contact_body_b, n);
  check.length("/contacts/point", p.point, n);
  if (!p.point_b.empty()) check.length("/contacts/point_b", p.point_b, n);
  check.length("/contacts/friction", p.friction, n);
  check.length("/contacts/bias", p.contact_bias, n);
  if (check.length("/contacts/compliance (normal)", p.normal_compliance, n))  // one array in files
    check.length("/contacts/compliance (tangent)", p.tangent_compliance, n);
  check.unique("/contacts/key", p.contact_key);
  check.partners("/contacts/body_a", p.contact_body_a, "/contacts/body_b", p.contact_body_b,
                 p.centre.size());
  check.finite("/contacts/point", p.point);
  check.finite("/contacts/point_b", p.point_b);
  check.finite("/contacts/bias", p.contact_bias);
  check.finite_not_negative("/contacts/friction", p.friction);
  check.finite_not_negative("/contacts/compliance", p.normal_compliance, ",0");
  check.finite_not_negative("/contacts/compliance", p.tangent_compliance, ",1");
  check_rolling(p, check);

  const auto text = [](const Vec3& a) { return fmt::format("({}, {}, {})", a.x, a.y, a.z); };
  const auto is_unit = [](const Vec3& a) { return std::abs(dot(a, a) - 1.0) <= unit_tolerance; };
  for (std::size_t i = 0; i < n; ++i)
    if (!is_unit(p.normal[i]))
      check.fault("/contacts/normal", i, text(p.normal[i]), "must have length 1");
  if (!check.length("/contacts/tangent", p.tangent, n)) return;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& t = p.tangent[i];
    // where the normal is wrong, nothing can be at right angles to it
    const bool across = !is_unit(p.normal[i]) || std::abs(dot(t, p.normal[i])) <= unit_tolerance;
    if (!is_unit(t) || !across)
      check.fault("/contacts/tangent", i, text(t),
                  "must have length 1 and be at right angles to the normal");
  }
}

void check_joints(const BodyProblem& p, Checker& check) {
  const std::size_t n = p.joint_bias.size();
  check.length("/joints/key", p.joint_key, n);
  check.length("/joints/body_a", p.joint_body_a, n);
  check.length("/joints/body_b", p.joint_body_b, n);
  check.length("/joints/block_a", p.joint_block_a, n);
  check.length("/joints/block_b", p.joint_block_b, n);
  check.length("/joints/compliance", p.joint_compliance, n);
  check.unique("/joints/key", p.joint_key);
  check.partners("/joints/body_a", p.joint_body_a, "/joints/body_b", p.joint_body_b,
                 p.centre.size());
  check.finite("/joints/block_a", p.joint_block_a);
  check.finite("/joints/block_b", p.joint_block_b);
  check.finite("/joints/bias", p.joint_bias);
  check.finite_not_negative("/joints/compliance", p.joint_compliance);

  const bool both = check.length("/joints/lower", p.joint_lower, n) &
                    check.length("/joints/upper", p.joint_upper, n);
  if (!both) return;
  for (std::size_t i = 0; i < n; ++i) {
    const double lower = p.joint_lower[i], upper = p.joint_upper[i];
    // written so that NaN fails too
    if (!(lower <= upper) || lower == infinity || upper == -infinity)
      check.fault("/joints/lower", i, fmt::format("{} with upper = {}", lower, upper),
                  "must be an interval: lower <= upper, -inf and inf where there is no bound");
  }
}

}  // namespace

Index BodyProblem::add_body(const Vec3& body_centre, double body_inverse_mass,
                            const Sym3& body_inverse_inertia, const Vec6& body_momentum) {
  const Index i = body_count();
  body_id.push_back(i);
  centre.push_back(body_centre);
  inverse_mass.push_back(body_inverse_mass);
  inverse_inertia.push_back(body_inverse_inertia);
  momentum.push_back(body_momentum);
  return i;
}

Index BodyProblem::add_contact(Index body_a, Index body_b, const Vec3& contact_normal,
                               const Vec3& contact_point, double contact_friction,
                               const Vec3& bias) {
  const Index i = contact_count();
  contact_key.push_back(i);
  contact_body_a.push_back(body_a);
  contact_body_b.push_back(body_b);
  normal.push_back(contact_normal);
  tangent.push_back(tangent_of(contact_normal));
  point.push_back(contact_point);
  if (!point_b.empty()) point_b.push_back(contact_point);
  friction.push_back(contact_friction);
  contact_bias.push_back(bias);
  normal_compliance.push_back(0.0);
  tangent_compliance.push_back(0.0);
  if (!rolling_friction.empty()) rolling_friction.push_back(0.0);
  if (!spinning_friction.empty()) spinning_friction.push_back(0.0);
  return i;
}

Index BodyProblem::add_joint_row(Index body_a, Index body_b, const Vec6& block_a,
                                 const Vec6& block_b, double bias) {
  const Index i = joint_row_count();
  joint_key.push_back(i);
  joint_body_a.push_back(body_a);
  joint_body_b.push_back(body_b);
  joint_block_a.push_back(block_a);
  joint_block_b.push_back(block_b);
  joint_bias.push_back(bias);
  joint_compliance.push_back(0.0);
  joint_lower.push_back(-infinity);
  joint_upper.push_back(infinity);
  return i;
}

void validate(const BodyProblem& problem, const std::string& name) {
  InputErrors errors;
  Checker check(name, errors);
  check_bodies(problem, check);
  check_contacts(problem, check);
  check_joints(problem, check);
  if (!(problem.time_step >= 0.0) || !std::isfinite(problem.time_step))
    check.fault("time_step", fmt::format("{}", problem.time_step),
                "must be finite and not negative; 0 where it is unknown");
  errors.throw_if_any();
}

}  // namespace talus
