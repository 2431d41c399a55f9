// What only their owners know of joints and contacts of bodies that are everywhere.

#include "talus/model/row_homes.hpp"
#include "talus/partition/world_share.hpp"

#include "share_bits.hpp"

#include <vector>

namespace talus {
namespace {

/// What a joint remembers, as bits that are added up: those of its owner and zeros.
class JointBits {
 public:
  JointBits(World& world, const std::vector<std::uint8_t>& wide)
      : world_(world), homes_(world.bodies, wide) {}

  /// visit(joint, a, b) with the indices of its bodies, -1 where they are not here.
  template <class Visit>
  void each(const Visit& visit) {
    const auto index = [&](GlobalId id) {
      return id == world_id ? no_body : world_.bodies.find(id);
    };
    for (Joint& joint : world_.joints) visit(joint, index(joint.body_a), index(joint.body_b));
  }
  void put(const Joint& joint, Index a, Index b, std::vector<std::int64_t>& bits) const {
    // who has not the partner cannot own the row
    const bool whole = (a >= 0 || joint.body_a == world_id) && (b >= 0 || joint.body_b == world_id);
    const bool mine = whole && homes_.owned(a, b);
    const Vec3 &f = joint.reaction_force, &m = joint.reaction_torque;
    for (const double number : {joint.angle, f.x, f.y, f.z, m.x, m.y, m.z})
      bits.push_back(mine ? bits_of(number) : 0);
    for (const double impulse : joint.impulse) bits.push_back(mine ? bits_of(impulse) : 0);
  }
  static void take(Joint& joint, const std::int64_t*& from) {
    const auto next = [&] { return from_bits(*from++); };
    joint.angle = next();
    for (Vec3* v : {&joint.reaction_force, &joint.reaction_torque})
      for (double* x : {&v->x, &v->y, &v->z}) *x = next();
    for (double& impulse : joint.impulse) impulse = next();
  }

 private:
  World& world_;
  RowHomes homes_;
};

}  // namespace

void WorldShare::gather_joints(World& world, const std::vector<std::uint8_t>& wide) {
  if (comm_.size() == 1 || world.joints.empty()) return;
  std::vector<std::uint8_t> marks = wide;
  marks.resize(world.bodies.id.size(), 0);
  JointBits joints(world, marks);
  std::vector<std::int64_t> bits;
  joints.each([&](const Joint& joint, Index a, Index b) { joints.put(joint, a, b, bits); });
  comm_.sum(bits);
  const std::int64_t* next = bits.data();
  joints.each([&](Joint& joint, Index, Index) { JointBits::take(joint, next); });
}

void WorldShare::share_rows_of_everywhere(World& world, const std::vector<std::uint8_t>& wide) {
  BodySet& bodies = world.bodies;
  if (comm_.size() == 1 || everywhere_that_moves(bodies).empty()) return;
  const RowHomes homes(bodies, wide);
  const auto moves_everywhere = [&](Index body) {
    return body >= 0 && !bodies.is_local(body) && bodies.motion[body] == Motion::Dynamic;
  };
  JointBits joints(world, wide);
  const auto each_joint = [&](const auto& visit) {
    joints.each([&](Joint& joint, Index a, Index b) {
      if (moves_everywhere(a) || moves_everywhere(b)) visit(joint, a, b);
    });
  };
  ContactSet& contacts = world.contacts;
  const auto each_contact = [&](const auto& visit) {
    for (std::size_t c = 0; c < contacts.gap.size(); ++c)
      if (!bodies.is_local(contacts.body_a[c]) && !bodies.is_local(contacts.body_b[c])) visit(c);
  };
  // bodies that are everywhere, and their joints and contacts with each other, are the same here
  // and there: so is the number of them
  std::vector<std::int64_t> bits;
  each_joint([&](const Joint& joint, Index a, Index b) { joints.put(joint, a, b, bits); });
  each_contact([&](std::size_t c) {
    const bool mine = homes.owned(contacts.body_a[c], contacts.body_b[c]);
    const Vec3& p = contacts.impulse[c];
    const Vec3 l = rolling ? contacts.angular_impulse[c] : Vec3{};
    for (const double number : {p.x, p.y, p.z, l.x, l.y, l.z})
      bits.push_back(mine ? bits_of(number) : 0);
  });
  if (bits.empty()) return;
  comm_.sum(bits);
  const std::int64_t* next = bits.data();
  each_joint([&](Joint& joint, Index, Index) { JointBits::take(joint, next); });
  each_contact([&](std::size_t c) {
    Vec3& p = contacts.impulse[c];
    Vec3 l;
    for (double* x : {&p.x, &p.y, &p.z, &l.x, &l.y, &l.z}) *x = from_bits(*next++);
    if (rolling) contacts.angular_impulse[c] = l;
  });
}

}  // namespace talus
