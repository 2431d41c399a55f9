#include "records.hpp"

namespace talus {

BodyRecord body_record(const BodyProblem& data, std::size_t i) {
  BodyRecord r;
  r.id = data.body_id[i];
  r.centre = data.centre[i];
  r.inverse_mass = data.inverse_mass[i];
  r.inverse_inertia = data.inverse_inertia[i];
  r.momentum = data.momentum[i];
  return r;
}

ContactRecord contact_record(const BodyProblem& data, std::size_t i) {
  ContactRecord r;
  r.key = data.contact_key[i];
  r.normal = data.normal[i];
  r.tangent = data.tangent[i];
  r.point = data.point[i];
  r.point_b = data.point_on_b(static_cast<Index>(i));
  r.bias = data.contact_bias[i];
  r.friction = data.friction[i];
  if (data.has_rolling()) {
    r.rolling = data.rolling_friction[i];
    r.spinning = data.spinning_friction[i];
    if (!data.turning_bias.empty()) r.turn = data.turning_bias[i];
  }
  r.normal_compliance = data.normal_compliance[i];
  r.tangent_compliance = data.tangent_compliance[i];
  return r;
}

JointRecord joint_record(const BodyProblem& data, std::size_t i) {
  JointRecord r;
  r.key = data.joint_key[i];
  r.block_a = data.joint_block_a[i];
  r.block_b = data.joint_block_b[i];
  r.bias = data.joint_bias[i];
  r.compliance = data.joint_compliance[i];
  r.lower = data.joint_lower[i];
  r.upper = data.joint_upper[i];
  return r;
}

void append(BodyProblem& data, const BodyRecord& body) {
  data.body_id.push_back(body.id);
  data.centre.push_back(body.centre);
  data.inverse_mass.push_back(body.inverse_mass);
  data.inverse_inertia.push_back(body.inverse_inertia);
  data.momentum.push_back(body.momentum);
}

void append(BodyProblem& data, const ContactRecord& contact, const RowKinds& kinds, Index a,
            Index b) {
  data.contact_key.push_back(contact.key);
  data.contact_body_a.push_back(a);
  data.contact_body_b.push_back(b);
  data.normal.push_back(contact.normal);
  data.tangent.push_back(contact.tangent);
  data.point.push_back(contact.point);
  if (kinds.two_points) data.point_b.push_back(contact.point_b);
  data.friction.push_back(contact.friction);
  data.contact_bias.push_back(contact.bias);
  data.normal_compliance.push_back(contact.normal_compliance);
  data.tangent_compliance.push_back(contact.tangent_compliance);
  if (!kinds.rolling) return;
  data.rolling_friction.push_back(contact.rolling);
  data.spinning_friction.push_back(contact.spinning);
  if (kinds.turned) data.turning_bias.push_back(contact.turn);
}

void append(BodyProblem& data, const JointRecord& joint, Index a, Index b) {
  data.joint_key.push_back(joint.key);
  data.joint_body_a.push_back(a);
  data.joint_body_b.push_back(b);
  data.joint_block_a.push_back(joint.block_a);
  data.joint_block_b.push_back(joint.block_b);
  data.joint_bias.push_back(joint.bias);
  data.joint_compliance.push_back(joint.compliance);
  data.joint_lower.push_back(joint.lower);
  data.joint_upper.push_back(joint.upper);
}

}  // namespace talus
