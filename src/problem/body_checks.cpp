#include "problem/body_checks.hpp"

#include "talus/cones/cone_set.hpp"

#include "core/key_order.hpp"

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

  /// Where entry 0 of what follows stands in the whole.
  void begin(GlobalId first) { first_ = first; }

  void fault(const char* array, std::size_t i, const std::string& value, const char* remedy) {
    errors_.add(fmt::format("{}: {}[{}] = {}: {}", name_, array, place(i), value, remedy));
  }

  void fault(const char* array, const std::string& value, const char* remedy) {
    errors_.add(fmt::format("{}: {} = {}: {}", name_, array, value, remedy));
  }

  /// True when the array may be read beside the others of its group.
  bool length(const char* array, std::size_t count, std::size_t expected) {
    if (count == expected) return true;
    errors_.add(fmt::format("{}: {} has {} entries: must have {}, one for each in its group", name_,
                            array, count, expected));
    return false;
  }
  template <class T>
  bool length(const char* array, const std::vector<T>& values, std::size_t expected) {
    return length(array, values.size(), expected);
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
                                place(i), column, values[i]));
  }

  void in_range(const char* array, const RowSide& side, GlobalId bodies) {
    for (std::size_t i = 0; i < side.count; ++i)
      if (!is_there(side.body(i), bodies))
        fault(array, i, fmt::format("{}", side.body(i)), "no such body; must be its index, or -1");
  }

  /// The two bodies of contacts or joint rows, which are different ones.
  void partners(const char* array_a, const RowSide& a, const RowSide& b, GlobalId bodies) {
    for (std::size_t i = 0; i < std::min(a.count, b.count); ++i)
      if (a.body(i) == b.body(i) && is_there(a.body(i), bodies))
        fault(array_a, i, fmt::format("{}", a.body(i)),
              a.body(i) == no_body ? "both sides are the world; name at least one body"
                                   : "both sides are the same body; name two, or -1 for the world");
  }

 private:
  static constexpr const char* not_finite_ = "must be a finite number";

  template <std::size_t width>
  void finite(const char* array, std::size_t i, const std::array<double, width>& parts) {
    for (std::size_t j = 0; j < width; ++j)
      if (!std::isfinite(parts[j]))
        errors_.add(fmt::format("{}: {}[{},{}] = {}: {}", name_, array, place(i), j, parts[j],
                                not_finite_));
  }

  static bool is_there(GlobalId body, GlobalId bodies) {
    return body == no_body || (body >= 0 && body < bodies);
  }

  GlobalId place(std::size_t i) const { return first_ + static_cast<GlobalId>(i); }

  const std::string& name_;
  InputErrors& errors_;
  GlobalId first_ = 0;
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

void check_body_lengths(const BodyProblem& p, Checker& check) {
  const std::size_t n = p.centre.size();
  check.length("/bodies/id", p.body_id, n);
  check.length("/bodies/inverse_mass", p.inverse_mass, n);
  check.length("/bodies/inverse_inertia", p.inverse_inertia, n);
  check.length("/bodies/momentum", p.momentum, n);
}

void check_bodies(const BodyProblem& p, Checker& check) {
  check_body_lengths(p, check);
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

/// Of the two coefficients of rolling both are there or none.
void check_rolling_lengths(const BodyProblem& p, Checker& check) {
  if (p.rolling_friction.empty() && p.spinning_friction.empty() && p.turning_bias.empty()) return;
  check.length("/contacts/rolling_friction", p.rolling_friction, p.normal.size());
  check.length("/contacts/spinning_friction", p.spinning_friction, p.normal.size());
  if (!p.turning_bias.empty())
    check.length("/contacts/turning_bias", p.turning_bias, p.normal.size());
}

void check_contact_lengths(const BodyProblem& p, const CheckedRows& rows, Checker& check) {
  const std::size_t n = p.normal.size();
  check.length("/contacts/key", p.contact_key, n);
  check.length("/contacts/body_a", rows.contact_a.count, n);
  check.length("/contacts/body_b", rows.contact_b.count, n);
  check.length("/contacts/point", p.point, n);
  if (!p.point_b.empty()) check.length("/contacts/point_b", p.point_b, n);
  check.length("/contacts/friction", p.friction, n);
  check.length("/contacts/bias", p.contact_bias, n);
  if (check.length("/contacts/compliance (normal)", p.normal_compliance, n))  // one array in files
    check.length("/contacts/compliance (tangent)", p.tangent_compliance, n);
  check.length("/contacts/tangent", p.tangent, n);
  check_rolling_lengths(p, check);
  check.in_range("/contacts/body_a", rows.contact_a, rows.bodies);
  check.in_range("/contacts/body_b", rows.contact_b, rows.bodies);
}

void check_contacts(const BodyProblem& p, const CheckedRows& rows, Checker& check) {
  const std::size_t n = p.normal.size();
  check_contact_lengths(p, rows, check);
  check.partners("/contacts/body_a", rows.contact_a, rows.contact_b, rows.bodies);
  check.finite("/contacts/point", p.point);
  check.finite("/contacts/point_b", p.point_b);
  check.finite("/contacts/bias", p.contact_bias);
  check.finite_not_negative("/contacts/friction", p.friction);
  check.finite_not_negative("/contacts/compliance", p.normal_compliance, ",0");
  check.finite_not_negative("/contacts/compliance", p.tangent_compliance, ",1");
  check.finite_not_negative("/contacts/rolling_friction", p.rolling_friction);
  check.finite_not_negative("/contacts/spinning_friction", p.spinning_friction);
  check.finite("/contacts/turning_bias", p.turning_bias);

  const auto text = [](const Vec3& a) { return fmt::format("({}, {}, {})", a.x, a.y, a.z); };
  const auto is_unit = [](const Vec3& a) { return std::abs(dot(a, a) - 1.0) <= unit_tolerance; };
  for (std::size_t i = 0; i < n; ++i)
    if (!is_unit(p.normal[i]))
      check.fault("/contacts/normal", i, text(p.normal[i]), "must have length 1");
  if (p.tangent.size() != n) return;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& t = p.tangent[i];
    // where the normal is wrong, nothing can be at right angles to it
    const bool across = !is_unit(p.normal[i]) || std::abs(dot(t, p.normal[i])) <= unit_tolerance;
    if (!is_unit(t) || !across)
      check.fault("/contacts/tangent", i, text(t),
                  "must have length 1 and be at right angles to the normal");
  }
}

void check_joint_lengths(const BodyProblem& p, const CheckedRows& rows, Checker& check) {
  const std::size_t n = p.joint_bias.size();
  check.length("/joints/key", p.joint_key, n);
  check.length("/joints/body_a", rows.joint_a.count, n);
  check.length("/joints/body_b", rows.joint_b.count, n);
  check.length("/joints/block_a", p.joint_block_a, n);
  check.length("/joints/block_b", p.joint_block_b, n);
  check.length("/joints/compliance", p.joint_compliance, n);
  check.length("/joints/lower", p.joint_lower, n);
  check.length("/joints/upper", p.joint_upper, n);
  check.in_range("/joints/body_a", rows.joint_a, rows.bodies);
  check.in_range("/joints/body_b", rows.joint_b, rows.bodies);
}

void check_joints(const BodyProblem& p, const CheckedRows& rows, Checker& check) {
  const std::size_t n = p.joint_bias.size();
  check_joint_lengths(p, rows, check);
  check.partners("/joints/body_a", rows.joint_a, rows.joint_b, rows.bodies);
  check.finite("/joints/block_a", p.joint_block_a);
  check.finite("/joints/block_b", p.joint_block_b);
  check.finite("/joints/bias", p.joint_bias);
  check.finite_not_negative("/joints/compliance", p.joint_compliance);

  if (p.joint_lower.size() != n || p.joint_upper.size() != n) return;
  for (std::size_t i = 0; i < n; ++i) {
    const double lower = p.joint_lower[i], upper = p.joint_upper[i];
    // written so that NaN fails too
    if (!(lower <= upper) || lower == infinity || upper == -infinity)
      check.fault("/joints/lower", i, fmt::format("{} with upper = {}", lower, upper),
                  "must be an interval: lower <= upper, -inf and inf where there is no bound");
  }
}

/// All but the first of equal keys, by index.
std::vector<std::size_t> repeated_here(const std::vector<GlobalId>& keys) {
  std::vector<std::size_t> order(keys.size()), repeated;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (keys[order[k]] == keys[order[k - 1]]) repeated.push_back(order[k]);
  return repeated;
}

/// The same over the slices of all ranks. Every key goes to a rank that its bits name, which sees
/// all that are equal, in the order of the whole. Collective.
std::vector<std::size_t> repeated_among_ranks(const std::vector<GlobalId>& keys,
                                              const Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto judge_of = [&](GlobalId key) {
    return static_cast<std::size_t>(mixed_bits(static_cast<std::uint64_t>(key)) % ranks);
  };
  std::vector<std::vector<GlobalId>> sent(ranks);
  for (const GlobalId key : keys) sent[judge_of(key)].push_back(key);
  std::vector<Bytes> boxes;
  for (const auto& list : sent) boxes.push_back(to_bytes(list));
  std::vector<GlobalId> judged;
  std::vector<std::size_t> first_of_rank;
  for (const Bytes& bytes : comm.all_to_all(boxes)) {
    first_of_rank.push_back(judged.size());
    const std::vector<GlobalId> list = from_bytes<GlobalId>(bytes);
    judged.insert(judged.end(), list.begin(), list.end());
  }

  // the answer: of each rank's list, the numbers of those that are given twice
  std::vector<std::vector<std::size_t>> answers(ranks);
  for (const std::size_t i : repeated_here(judged)) {
    const auto after = std::upper_bound(first_of_rank.begin(), first_of_rank.end(), i);
    const auto rank = static_cast<std::size_t>(after - first_of_rank.begin()) - 1;
    answers[rank].push_back(i - first_of_rank[rank]);
  }
  for (std::size_t r = 0; r < ranks; ++r) boxes[r] = to_bytes(answers[r]);
  const std::vector<Bytes> answered = comm.all_to_all(boxes);
  std::vector<std::vector<bool>> is_repeated(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    is_repeated[r].assign(sent[r].size(), false);
    for (const std::size_t i : from_bytes<std::size_t>(answered[r])) is_repeated[r][i] = true;
  }
  std::vector<std::size_t> repeated, next(ranks, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t judge = judge_of(keys[i]);
    if (is_repeated[judge][next[judge]++]) repeated.push_back(i);
  }
  return repeated;
}

}  // namespace

void check_entries(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                   InputErrors& errors) {
  Checker check(name, errors);
  check.begin(rows.first_body);
  check_bodies(data, check);
  check.begin(rows.first_contact);
  check_contacts(data, rows, check);
  check.begin(rows.first_joint);
  check_joints(data, rows, check);
  if (!(data.time_step >= 0.0) || !std::isfinite(data.time_step))
    check.fault("time_step", fmt::format("{}", data.time_step),
                "must be finite and not negative; 0 where it is unknown");
}

void check_layout(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                  InputErrors& errors) {
  Checker check(name, errors);
  check_body_lengths(data, check);
  check_contact_lengths(data, rows, check);
  check_joint_lengths(data, rows, check);
}

CheckedRows checked_rows(const BodyProblem& whole) {
  CheckedRows rows;
  rows.contact_a = side_of(whole.contact_body_a);
  rows.contact_b = side_of(whole.contact_body_b);
  rows.joint_a = side_of(whole.joint_body_a);
  rows.joint_b = side_of(whole.joint_body_b);
  rows.bodies = whole.body_count();
  return rows;
}

void check_keys(const BodyProblem& data, const CheckedRows& rows, const std::string& name,
                const Communicator& comm, InputErrors& errors) {
  Checker check(name, errors);
  const auto each_once = [&](const char* array, const std::vector<GlobalId>& keys, GlobalId first) {
    check.begin(first);
    for (const std::size_t i :
         comm.size() == 1 ? repeated_here(keys) : repeated_among_ranks(keys, comm))
      check.fault(array, i, fmt::format("{}", keys[i]),
                  "is given twice; every entry needs a key of its own");
  };
  each_once("/bodies/id", data.body_id, rows.first_body);
  each_once("/contacts/key", data.contact_key, rows.first_contact);
  each_once("/joints/key", data.joint_key, rows.first_joint);
}

}  // namespace talus
