// Our own layout, written: docs/file_formats.md.

#include "io/hdf5/layouts.hpp"
#include "io/output_file.hpp"
#include "io/problem_slice.hpp"

#include <array>

namespace talus {
namespace {

using io::SharedOutput;

// The numbers of an item in the order of the file's columns.

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

std::vector<double> pairs(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> numbers;
  numbers.reserve(2 * a.size());
  for (std::size_t i = 0; i < a.size(); ++i) numbers.insert(numbers.end(), {a[i], b[i]});
  return numbers;
}

/// What a rank writes: its rows, and how many there are in the whole. `Bodies` is a vector of
/// places or of indices.
template <class Bodies>
struct NativeRows {
  const BodyProblem& data;
  const Bodies &contact_a, &contact_b, &joint_a, &joint_b;
  GlobalId bodies = 0, contacts = 0, joints = 0;
  bool two_points = false, rolling = false, turned = false;  ///< of any rank's contacts
};

template <class Bodies>
std::vector<std::int64_t> wide(const Bodies& bodies) {
  return {bodies.begin(), bodies.end()};
}

template <class Bodies>
void write_contacts(const NativeRows<Bodies>& rows, SharedOutput& file) {
  const BodyProblem& p = rows.data;
  const SharedOutput::Items list{rows.contacts}, vectors{rows.contacts, 3, true};
  file.group("/contacts");
  file.write("/contacts/key", p.contact_key, list);
  file.write("/contacts/body_a", wide(rows.contact_a), list);
  file.write("/contacts/body_b", wide(rows.contact_b), list);
  file.write("/contacts/normal", flat(p.normal), vectors);
  file.write("/contacts/tangent", flat(p.tangent), vectors);
  file.write("/contacts/point", flat(p.point), vectors);
  if (rows.two_points) file.write("/contacts/point_b", flat(p.point_b), vectors);
  file.write("/contacts/friction", p.friction, list);
  file.write("/contacts/bias", flat(p.contact_bias), vectors);
  file.write("/contacts/compliance", pairs(p.normal_compliance, p.tangent_compliance),
             {rows.contacts, 2, true});
  if (!rows.rolling) return;
  file.write("/contacts/rolling_friction", p.rolling_friction, list);
  file.write("/contacts/spinning_friction", p.spinning_friction, list);
  if (rows.turned) file.write("/contacts/turning_bias", flat(p.turning_bias), vectors);
}

template <class Bodies>
void write_joints(const NativeRows<Bodies>& rows, SharedOutput& file) {
  const BodyProblem& p = rows.data;
  const SharedOutput::Items list{rows.joints}, blocks{rows.joints, 6, true};
  file.group("/joints");
  file.write("/joints/key", p.joint_key, list);
  file.write("/joints/body_a", wide(rows.joint_a), list);
  file.write("/joints/body_b", wide(rows.joint_b), list);
  file.write("/joints/block_a", flat(p.joint_block_a), blocks);
  file.write("/joints/block_b", flat(p.joint_block_b), blocks);
  file.write("/joints/bias", p.joint_bias, list);
  file.write("/joints/compliance", p.joint_compliance, list);
  file.write("/joints/lower", p.joint_lower, list);
  file.write("/joints/upper", p.joint_upper, list);
}

template <class Bodies>
void write_native_rows(const std::string& path, const NativeRows<Bodies>& rows,
                       const Communicator& comm) {
  const BodyProblem& p = rows.data;
  io::write_together(comm, path, io::OutputFile::Start::Empty, [&](SharedOutput& file) {
    file.attribute("/", "talus_problem", io::native_version);
    file.attribute("/", "time_step", p.time_step);
    file.attribute("/", "title", p.title);
    file.group("/bodies");
    file.write("/bodies/id", p.body_id, {rows.bodies});
    file.write("/bodies/centre", flat(p.centre), {rows.bodies, 3, true});
    file.write("/bodies/inverse_mass", p.inverse_mass, {rows.bodies});
    file.write("/bodies/inverse_inertia", flat(p.inverse_inertia), {rows.bodies, 6, true});
    file.write("/bodies/momentum", flat(p.momentum), {rows.bodies, 6, true});
    write_contacts(rows, file);
    write_joints(rows, file);
  });
}

}  // namespace

void write_native(const std::string& path, const BodyProblem& p) {
  validate(p, path);
  write_native_rows(path,
                    NativeRows<std::vector<Index>>{
                        p, p.contact_body_a, p.contact_body_b, p.joint_body_a, p.joint_body_b,
                        p.body_count(), p.contact_count(), p.joint_row_count(), !p.point_b.empty(),
                        p.has_rolling(), !p.turning_bias.empty()},
                    Communicator::self());
}

void write_native(const std::string& path, const BodySlice& slice, const Communicator& comm) {
  const Phase phase("writing the problem");
  validate(slice, path, comm);
  const BodyProblem& p = slice.data;
  std::array<double, 3> any{p.point_b.empty() ? 0.0 : 1.0, p.has_rolling() ? 1.0 : 0.0,
                            p.turning_bias.empty() ? 0.0 : 1.0};
  comm.largest(any);  // a slice without contacts cannot know
  write_native_rows(
      path,
      NativeRows<std::vector<GlobalId>>{
          p, slice.contact_a, slice.contact_b, slice.joint_a, slice.joint_b, slice.total_bodies,
          slice.total_contacts, slice.total_joint_rows, any[0] > 0.0, any[1] > 0.0, any[2] > 0.0},
      comm);
}

}  // namespace talus
