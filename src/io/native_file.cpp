// Our own layout: what scales, and what frozen time steps are saved as (docs/file_formats.md).

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/layouts.hpp"
#include "io/output_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace io {
namespace {

constexpr std::int64_t layout_version = 1;

/// The numbers of `Item` in the order of the file's columns.
std::vector<double> flat(const std::vector<Vec3>& items) {
  std::vector<double> numbers;
  numbers.reserve(3 * items.size());
  for (const Vec3& a : items) numbers.insert(numbers.end(), {a.x, a.y, a.z});
  return numbers;
}

std::vector<double> flat(const std::vector<Vec6>& items) {
  std::vector<double> numbers;
  numbers.reserve(6 * items.size());
  for (const Vec6& a : items) numbers.insert(numbers.end(), a.begin(), a.end());
  return numbers;
}

std::vector<double> flat(const std::vector<Sym3>& items) {
  std::vector<double> numbers;
  numbers.reserve(6 * items.size());
  for (const Sym3& a : items) numbers.insert(numbers.end(), {a.xx, a.xy, a.xz, a.yy, a.yz, a.zz});
  return numbers;
}

void take(Vec3& a, const double* from) {
  a = {from[0], from[1], from[2]};
}
void take(Vec6& a, const double* from) {
  std::copy_n(from, 6, a.begin());
}
void take(Sym3& a, const double* from) {
  a = {from[0], from[1], from[2], from[3], from[4], from[5]};
}
void take(double& a, const double* from) {
  a = *from;
}

using Pair = std::array<double, 2>;
void take(Pair& a, const double* from) {
  a = {from[0], from[1]};
}

void refuse_unknown(InputFile& file, const std::string& place, const std::string& name,
                    const std::vector<std::string>& known) {
  file.fault(place,
             fmt::format("the layout has nothing of that name; did you mean {}? Known are {}",
                         nearest_name(name, known), fmt::join(known, ", ")));
}

/// Reads the datasets of one group. What is faulty or left out becomes neutral, so that the faults
/// of the rest are still found and none is made; lengths are for validate() to compare.
class GroupReader {
 public:
  GroupReader(InputFile& file, std::string group) : file_(file), group_(std::move(group)) {}

  /// The dataset that says how many entries there are. `known()` is false afterwards where it does
  /// not: then there is nothing to compare the others with.
  template <class Item>
  std::vector<Item> counting(const std::string& name) {
    const auto items = read<Item>(name);
    known_ = items.has_value();
    count_ = known_ ? items->size() : 0;
    return items.value_or(std::vector<Item>());
  }
  bool known() const { return known_; }

  template <class Item>
  std::vector<Item> required(const std::string& name) {
    return read<Item>(name).value_or(std::vector<Item>(count_));
  }

  template <class Item>
  std::vector<Item> optional(const std::string& name, std::vector<Item> otherwise) {
    return has(name) ? read<Item>(name).value_or(std::move(otherwise)) : std::move(otherwise);
  }

  bool has(const std::string& name) { return file_.has(path_of(name)); }

  std::vector<GlobalId> keys(const std::string& name) {
    std::vector<GlobalId> keys(count_);
    for (std::size_t i = 0; i < count_; ++i) keys[i] = static_cast<GlobalId>(i);
    if (!has(name)) return keys;
    return file_.integers(path_of(name)).value_or(keys);
  }

  /// Both bodies by their indices in /bodies; validate() checks the range that fits. One that no
  /// Index can hold, or that cannot be read, becomes one that its partner can stand beside.
  void partners(std::vector<Index>& a, std::vector<Index>& b) {
    const auto wide_a = file_.integers(path_of("body_a")),
               wide_b = file_.integers(path_of("body_b"));
    a = narrowed("body_a", wide_a, wide_b);
    b = narrowed("body_b", wide_b, std::vector<std::int64_t>(a.begin(), a.end()));
  }

  /// To be called last: every name that the layout has was asked for by then.
  void refuse_unknown_names() {
    for (const std::string& name : file_.children(group_))
      if (std::find(names_.begin(), names_.end(), name) == names_.end())
        refuse_unknown(file_, group_ + "/" + name, name, names_);
  }

 private:
  using Wide = std::optional<std::vector<std::int64_t>>;

  std::string path_of(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    return group_ + "/" + name;
  }

  template <class Item, std::size_t columns = sizeof(Item) / sizeof(double)>
  std::optional<std::vector<Item>> read(const std::string& name) {
    const std::string dataset = path_of(name);
    const auto numbers = columns == 1 ? file_.reals(dataset) : file_.table(dataset, columns);
    if (!numbers) return {};
    std::vector<Item> items(numbers->size() / columns);
    for (std::size_t i = 0; i < items.size(); ++i) take(items[i], numbers->data() + columns * i);
    return items;
  }

  std::vector<Index> narrowed(const std::string& name, const Wide& wide, const Wide& partner) {
    const auto beside = [&](std::size_t i) {
      return partner && i < partner->size() && (*partner)[i] == no_body ? Index{0} : no_body;
    };
    std::vector<Index> bodies(wide ? wide->size() : count_);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const std::int64_t value = wide ? (*wide)[i] : beside(i);
      bodies[i] = static_cast<Index>(value);
      if (bodies[i] == value) continue;
      file_.fault(path_of(name), i, value, "no such body; must be its index, or -1");
      bodies[i] = beside(i);
    }
    return bodies;
  }

  InputFile& file_;
  std::string group_;
  std::size_t count_ = 0;
  bool known_ = false;
  std::vector<std::string> names_;  ///< that were asked for
};

/// A first tangent of any direction is no fault of its own where the normal is one.
Vec3 tangent_for(const Vec3& normal) {
  const Vec3 tangent = tangent_of(normal);
  return std::isfinite(dot(tangent, tangent)) ? tangent : Vec3{1.0, 0.0, 0.0};
}

// The three groups. False when not even the number of entries is known: then nothing can be
// compared with it.

bool read_bodies(InputFile& file, BodyProblem& p) {
  if (!file.has("/bodies")) {
    file.fault("/bodies", "is missing");
    return false;
  }
  GroupReader group(file, "/bodies");
  p.centre = group.counting<Vec3>("centre");
  p.body_id = group.keys("id");
  p.inverse_mass = group.required<double>("inverse_mass");
  p.inverse_inertia = group.required<Sym3>("inverse_inertia");
  p.momentum = group.required<Vec6>("momentum");
  group.refuse_unknown_names();
  return group.known();
}

bool read_native_contacts(InputFile& file, BodyProblem& p) {
  GroupReader group(file, "/contacts");
  p.normal = group.counting<Vec3>("normal");
  const std::size_t n = p.normal.size();
  p.contact_key = group.keys("key");
  group.partners(p.contact_body_a, p.contact_body_b);
  for (const Vec3& normal : p.normal) p.tangent.push_back(tangent_for(normal));
  p.tangent = group.optional<Vec3>("tangent", std::move(p.tangent));
  p.point = group.required<Vec3>("point");
  p.point_b = group.optional<Vec3>("point_b", {});
  p.friction = group.required<double>("friction");
  p.contact_bias = group.required<Vec3>("bias");
  for (const Pair& e : group.optional<Pair>("compliance", std::vector<Pair>(n))) {
    p.normal_compliance.push_back(e[0]);
    p.tangent_compliance.push_back(e[1]);
  }
  // `|`: both names are asked for
  if (group.has("rolling_friction") | group.has("spinning_friction")) {
    const std::vector<double> none(n, 0.0);
    p.rolling_friction = group.optional<double>("rolling_friction", none);
    p.spinning_friction = group.optional<double>("spinning_friction", none);
  }
  group.refuse_unknown_names();
  return group.known();
}

bool read_native_joints(InputFile& file, BodyProblem& p) {
  GroupReader group(file, "/joints");
  p.joint_bias = group.counting<double>("bias");
  const std::size_t n = p.joint_bias.size();
  p.joint_key = group.keys("key");
  group.partners(p.joint_body_a, p.joint_body_b);
  p.joint_block_a = group.required<Vec6>("block_a");
  p.joint_block_b = group.required<Vec6>("block_b");
  p.joint_compliance = group.optional<double>("compliance", std::vector<double>(n, 0.0));
  p.joint_lower = group.optional<double>("lower", std::vector<double>(n, -infinity));
  p.joint_upper = group.optional<double>("upper", std::vector<double>(n, infinity));
  group.refuse_unknown_names();
  return group.known();
}

/// A group of contacts that is spelt wrong would be a problem without contacts.
void refuse_unknown_groups(InputFile& file) {
  const std::vector<std::string> known{"bodies",   "contacts", "joints",
                                       "solution", "guesses",  "notes"};
  for (const std::string& name : file.children("/"))
    if (std::find(known.begin(), known.end(), name) == known.end() &&
        name.rfind("solution_", 0) != 0)
      refuse_unknown(file, "/" + name, name, known);
}

/// A rank numbers its own bodies and rows with 32 bits.
void require_rank_size(InputFile& file, const char* group, std::size_t count) {
  constexpr std::size_t most = std::numeric_limits<Index>::max() / 6;
  if (count > most)
    file.fault(group,
               fmt::format("has {} entries; one rank can hold {}, use more ranks", count, most));
}

}  // namespace

std::optional<BodyProblem> read_native(InputFile& file) {
  const std::int64_t version = file.integer_attribute("/", "talus_problem").value_or(0);
  if (version != layout_version) {
    file.fault(fmt::format("/@talus_problem = {}", version),
               fmt::format("this program reads version {} of the layout", layout_version));
    return {};
  }
  BodyProblem problem;
  problem.time_step = file.real_attribute("/", "time_step").value_or(0.0);
  problem.title = file.text_attribute("/", "title");
  bool counted = read_bodies(file, problem);
  if (file.has("/contacts")) counted &= read_native_contacts(file, problem);
  if (file.has("/joints")) counted &= read_native_joints(file, problem);
  refuse_unknown_groups(file);
  require_rank_size(file, "/bodies", problem.centre.size());
  require_rank_size(file, "/contacts", problem.normal.size());
  require_rank_size(file, "/joints", problem.joint_bias.size());
  if (!counted) return {};
  try {
    validate(problem, file.path());
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) file.errors().add(message);
  }
  return problem;
}

}  // namespace io

void write_native(const std::string& path, const BodyProblem& p) {
  validate(p, path);
  const auto wide = [](const std::vector<Index>& bodies) {
    return std::vector<std::int64_t>(bodies.begin(), bodies.end());
  };
  std::vector<double> compliance;
  for (std::size_t i = 0; i < p.normal.size(); ++i)
    compliance.insert(compliance.end(), {p.normal_compliance[i], p.tangent_compliance[i]});

  io::OutputFile file(path);
  file.attribute("/", "talus_problem", io::layout_version);
  file.attribute("/", "time_step", p.time_step);
  file.attribute("/", "title", p.title);
  file.group("/bodies");
  file.write("/bodies/id", p.body_id);
  file.write("/bodies/centre", io::flat(p.centre), 3);
  file.write("/bodies/inverse_mass", p.inverse_mass);
  file.write("/bodies/inverse_inertia", io::flat(p.inverse_inertia), 6);
  file.write("/bodies/momentum", io::flat(p.momentum), 6);
  file.group("/contacts");
  file.write("/contacts/key", p.contact_key);
  file.write("/contacts/body_a", wide(p.contact_body_a));
  file.write("/contacts/body_b", wide(p.contact_body_b));
  file.write("/contacts/normal", io::flat(p.normal), 3);
  file.write("/contacts/tangent", io::flat(p.tangent), 3);
  file.write("/contacts/point", io::flat(p.point), 3);
  if (!p.point_b.empty()) file.write("/contacts/point_b", io::flat(p.point_b), 3);
  file.write("/contacts/friction", p.friction);
  file.write("/contacts/bias", io::flat(p.contact_bias), 3);
  file.write("/contacts/compliance", compliance, 2);
  if (p.has_rolling()) {
    file.write("/contacts/rolling_friction", p.rolling_friction);
    file.write("/contacts/spinning_friction", p.spinning_friction);
  }
  file.group("/joints");
  file.write("/joints/key", p.joint_key);
  file.write("/joints/body_a", wide(p.joint_body_a));
  file.write("/joints/body_b", wide(p.joint_body_b));
  file.write("/joints/block_a", io::flat(p.joint_block_a), 6);
  file.write("/joints/block_b", io::flat(p.joint_block_b), 6);
  file.write("/joints/bias", p.joint_bias);
  file.write("/joints/compliance", p.joint_compliance);
  file.write("/joints/lower", p.joint_lower);
  file.write("/joints/upper", p.joint_upper);
  file.commit();
}

}  // namespace talus
