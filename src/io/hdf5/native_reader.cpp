// Our own layout: what scales, and what frozen time steps are saved as (docs/file_formats.md).

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/hdf5/layouts.hpp"
#include "problem/body_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace talus::io {
namespace {

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
  file.fault(place, fmt::format("the layout has nothing of that name: {}known are {}",
                                did_you_mean(name, known), fmt::join(known, ", ")));
}

/// Which of how many slices is read.
struct Share {
  int rank = 0, ranks = 1;
};

/// Reads a share of the datasets of one group. What is faulty or left out becomes neutral, so that
/// the faults of the rest are still found and none is made.
class GroupReader {
 public:
  GroupReader(InputFile& file, std::string group, const Share& share)
      : file_(file), group_(std::move(group)), share_(share) {}

  /// The dataset that says how many entries there are. `known()` is false afterwards where it does
  /// not: then there is nothing to compare the others with.
  template <class Item>
  std::vector<Item> counting(const std::string& name) {
    total_ = file_.row_count(path_of(name), columns_of<Item>());
    if (!total_) return {};
    range_ = slice_range(*total_, share_.rank, share_.ranks);
    return required<Item>(name);
  }
  bool known() const { return total_.has_value(); }
  GlobalId total() const { return total_.value_or(0); }
  std::size_t count() const { return static_cast<std::size_t>(range_.count()); }

  template <class Item>
  std::vector<Item> required(const std::string& name) {
    return read<Item>(name).value_or(std::vector<Item>(count()));
  }

  template <class Item>
  std::vector<Item> optional(const std::string& name, std::vector<Item> otherwise) {
    return has(name) ? read<Item>(name).value_or(std::move(otherwise)) : std::move(otherwise);
  }

  bool has(const std::string& name) { return file_.has(path_of(name)); }

  std::vector<GlobalId> keys(const std::string& name) {
    std::vector<GlobalId> keys(count());
    for (std::size_t i = 0; i < count(); ++i) keys[i] = range_.first + static_cast<GlobalId>(i);
    return has(name) ? integers(name).value_or(keys) : keys;
  }

  /// Both bodies by their indices in /bodies. One that cannot be read becomes one that its partner
  /// can stand beside.
  void partners(std::vector<GlobalId>& a, std::vector<GlobalId>& b) {
    const auto of_a = integers("body_a"), of_b = integers("body_b");
    a = of_a.value_or(beside(of_b));
    b = of_b.value_or(beside(a));
  }

  /// To be called last: every name that the layout has was asked for by then. One rank says it for
  /// all.
  void refuse_unknown_names() {
    if (share_.rank != 0) return;
    for (const std::string& name : file_.children(group_))
      if (std::find(names_.begin(), names_.end(), name) == names_.end())
        refuse_unknown(file_, group_ + "/" + name, name, names_);
  }

 private:
  using Integers = std::optional<std::vector<std::int64_t>>;

  template <class Item>
  static constexpr std::size_t columns_of() {
    if constexpr (std::is_same_v<Item, double>)
      return 0;
    else
      return sizeof(Item) / sizeof(double);
  }

  std::string path_of(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    return group_ + "/" + name;
  }

  /// Whether the dataset can be read, and beside the others of its group.
  bool fits(const std::string& dataset, std::size_t columns, bool integral) {
    const std::optional<GlobalId> rows = file_.row_count(dataset, columns, integral);
    if (!rows || !known() || *rows == total()) return rows && known();
    file_.errors().add(fmt::format("{}: {} has {} entries: must have {}, one for each in its group",
                                   file_.path(), dataset, *rows, total()));
    return false;
  }

  template <class Item>
  std::optional<std::vector<Item>> read(const std::string& name) {
    constexpr std::size_t columns = columns_of<Item>();
    const std::string dataset = path_of(name);
    if (!fits(dataset, columns, false)) return {};
    const auto numbers =
        columns == 0 ? file_.reals(dataset, range_) : file_.table(dataset, columns, range_);
    if (!numbers) return {};
    std::vector<Item> items(count());
    for (std::size_t i = 0; i < items.size(); ++i)
      take(items[i], numbers->data() + std::max<std::size_t>(1, columns) * i);
    return items;
  }

  Integers integers(const std::string& name) {
    const std::string dataset = path_of(name);
    return fits(dataset, 0, true) ? file_.integers(dataset, range_) : Integers();
  }

  std::vector<GlobalId> beside(const Integers& partners) const {
    std::vector<GlobalId> bodies(count(), no_body);
    for (std::size_t i = 0; partners && i < bodies.size(); ++i)
      if ((*partners)[i] == no_body) bodies[i] = 0;
    return bodies;
  }

  InputFile& file_;
  std::string group_;
  Share share_;
  std::optional<GlobalId> total_;
  SliceRange range_;
  std::vector<std::string> names_;  ///< that were asked for
};

/// A first tangent of any direction is no fault of its own where the normal is one.
Vec3 tangent_for(const Vec3& normal) {
  const Vec3 tangent = tangent_of(normal);
  return std::isfinite(dot(tangent, tangent)) ? tangent : Vec3{1.0, 0.0, 0.0};
}

/// A rank numbers its own bodies and rows with 32 bits.
void require_rank_size(InputFile& file, const char* group, std::size_t count) {
  constexpr std::size_t most = std::numeric_limits<Index>::max() / 6;
  if (count > most)
    file.fault(group, fmt::format("has {} entries for a rank; one can hold {}, use more ranks",
                                  count, most));
}

// The three groups. False when not even the number of entries is known: then nothing can be
// compared with it.

bool read_bodies(InputFile& file, const Share& share, BodySlice& slice) {
  if (!file.has("/bodies")) {
    file.fault("/bodies", "is missing");
    return false;
  }
  GroupReader group(file, "/bodies", share);
  BodyProblem& p = slice.data;
  p.centre = group.counting<Vec3>("centre");
  p.body_id = group.keys("id");
  p.inverse_mass = group.required<double>("inverse_mass");
  p.inverse_inertia = group.required<Sym3>("inverse_inertia");
  p.momentum = group.required<Vec6>("momentum");
  group.refuse_unknown_names();
  slice.total_bodies = group.total();
  require_rank_size(file, "/bodies", group.count());
  return group.known();
}

bool read_contacts(InputFile& file, const Share& share, BodySlice& slice) {
  GroupReader group(file, "/contacts", share);
  BodyProblem& p = slice.data;
  p.normal = group.counting<Vec3>("normal");
  const std::size_t n = group.count();
  p.contact_key = group.keys("key");
  group.partners(slice.contact_a, slice.contact_b);
  p.contact_body_a.assign(n, no_body);
  p.contact_body_b.assign(n, no_body);
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
  const bool rolls = group.has("rolling_friction"), spins = group.has("spinning_friction");
  if (rolls || spins) {
    const std::vector<double> none(n, 0.0);
    p.rolling_friction = group.optional<double>("rolling_friction", none);
    p.spinning_friction = group.optional<double>("spinning_friction", none);
  }
  p.turning_bias = group.optional<Vec3>("turning_bias", {});
  group.refuse_unknown_names();
  slice.total_contacts = group.total();
  require_rank_size(file, "/contacts", n);
  return group.known();
}

bool read_joints(InputFile& file, const Share& share, BodySlice& slice) {
  GroupReader group(file, "/joints", share);
  BodyProblem& p = slice.data;
  p.joint_bias = group.counting<double>("bias");
  const std::size_t n = group.count();
  p.joint_key = group.keys("key");
  group.partners(slice.joint_a, slice.joint_b);
  p.joint_body_a.assign(n, no_body);
  p.joint_body_b.assign(n, no_body);
  p.joint_block_a = group.required<Vec6>("block_a");
  p.joint_block_b = group.required<Vec6>("block_b");
  p.joint_compliance = group.optional<double>("compliance", std::vector<double>(n, 0.0));
  p.joint_lower = group.optional<double>("lower", std::vector<double>(n, -infinity));
  p.joint_upper = group.optional<double>("upper", std::vector<double>(n, infinity));
  group.refuse_unknown_names();
  slice.total_joint_rows = group.total();
  require_rank_size(file, "/joints", n);
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

std::vector<Index> narrowed(const std::vector<GlobalId>& bodies) {
  std::vector<Index> narrow;
  narrow.reserve(bodies.size());
  for (const GlobalId body : bodies) narrow.push_back(static_cast<Index>(body));
  return narrow;
}

}  // namespace

std::optional<BodySlice> read_native_slice(InputFile& file, int rank, int ranks) {
  const std::int64_t version = file.integer_attribute("/", "talus_problem").value_or(0);
  if (version != native_version) {
    file.fault(fmt::format("/@talus_problem = {}", version),
               fmt::format("this program reads version {} of the layout", native_version));
    return {};
  }
  const Share share{rank, ranks};
  BodySlice slice;
  slice.data.time_step = file.real_attribute("/", "time_step").value_or(0.0);
  slice.data.title = file.text_attribute("/", "title");
  bool counted = read_bodies(file, share, slice);
  if (file.has("/contacts")) counted &= read_contacts(file, share, slice);
  if (file.has("/joints")) counted &= read_joints(file, share, slice);
  if (rank == 0) refuse_unknown_groups(file);
  if (!counted) return {};
  return slice;
}

std::optional<BodyProblem> read_native(InputFile& file) {
  std::optional<BodySlice> whole = read_native_slice(file, 0, 1);
  if (!whole) return {};
  check(*whole, file.path(), Communicator::self(), file.errors());
  whole->data.contact_body_a = narrowed(whole->contact_a);
  whole->data.contact_body_b = narrowed(whole->contact_b);
  whole->data.joint_body_a = narrowed(whole->joint_a);
  whole->data.joint_body_b = narrowed(whole->joint_b);
  return std::move(whole->data);
}

}  // namespace talus::io
