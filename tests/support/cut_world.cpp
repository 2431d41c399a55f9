#include "support/cut_world.hpp"

#include <set>
#include <vector>

namespace talus::support {
namespace {

void append_body(BodySet& to, const BodySet& from, std::size_t b, int owner) {
  StoredBody body = stored(from, static_cast<Index>(b));
  body.owner = owner;
  append_stored(to, body);
}

void append_contact(ContactSet& to, const ContactSet& from, std::size_t c) {
  to.name.push_back(from.name[c]);
  to.point.push_back(from.point[c]);
  to.normal.push_back(from.normal[c]);
  to.gap.push_back(from.gap[c]);
  to.impulse.push_back(from.impulse[c]);
  if (!from.angular_impulse.empty()) to.angular_impulse.push_back(from.angular_impulse[c]);
}

}  // namespace

World cut_world(const World& whole, const std::function<int(GlobalId)>& owner, int rank) {
  World part = whole;
  part.bodies = {};
  part.bodies.rank = rank;
  part.contacts = {};
  part.joints.clear();
  const auto mine = [&](GlobalId id) { return id != world_id && owner(id) == rank; };
  std::set<GlobalId> ghosts;
  const auto needs = [&](GlobalId a, GlobalId b) {
    if (!mine(a) && !mine(b)) return false;
    for (const GlobalId id : {a, b})
      if (id != world_id && !mine(id)) ghosts.insert(id);
    return true;
  };
  for (std::size_t c = 0; c < whole.contacts.name.size(); ++c)
    if (needs(whole.contacts.name[c].a, whole.contacts.name[c].b))
      append_contact(part.contacts, whole.contacts, c);
  for (const Joint& joint : whole.joints)
    if (needs(joint.body_a, joint.body_b)) part.joints.push_back(joint);
  for (std::size_t b = 0; b < whole.bodies.id.size(); ++b)
    if (mine(whole.bodies.id[b])) append_body(part.bodies, whole.bodies, b, rank);
  part.bodies.owned = part.bodies.count();
  for (std::size_t b = 0; b < whole.bodies.id.size(); ++b)
    if (const GlobalId id = whole.bodies.id[b]; ghosts.contains(id))
      append_body(part.bodies, whole.bodies, b, owner(id));
  for (const ContactName& name : part.contacts.name) {
    part.contacts.body_a.push_back(part.bodies.find(name.a));
    part.contacts.body_b.push_back(part.bodies.find(name.b));
  }
  return part;
}

}  // namespace talus::support
