#include "support/same_slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace talus::support {
namespace {

template <class Item>
void expect_same_bits(const char* name, const std::vector<Item>& found,
                      const std::vector<Item>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  using Bits = std::array<std::uint64_t, (sizeof(Item) + 7) / 8>;
  const auto bits = [](const Item& item) {
    Bits words{};
    std::memcpy(words.data(), &item, sizeof item);
    return words;
  };
  const auto same = [&](const Item& a, const Item& b) { return bits(a) == bits(b); };
  const auto first = std::mismatch(found.begin(), found.end(), expected.begin(), same).first;
  EXPECT_TRUE(first == found.end()) << name << "[" << first - found.begin() << "]";
}

}  // namespace

void expect_same_slices(const BodySlice& found, const BodySlice& expected) {
  const BodyProblem &a = found.data, &b = expected.data;
  expect_same_bits("body_id", a.body_id, b.body_id);
  expect_same_bits("centre", a.centre, b.centre);
  expect_same_bits("inverse_mass", a.inverse_mass, b.inverse_mass);
  expect_same_bits("inverse_inertia", a.inverse_inertia, b.inverse_inertia);
  expect_same_bits("momentum", a.momentum, b.momentum);
  expect_same_bits("contact_key", a.contact_key, b.contact_key);
  expect_same_bits("contact_body_a", a.contact_body_a, b.contact_body_a);
  expect_same_bits("contact_body_b", a.contact_body_b, b.contact_body_b);
  expect_same_bits("normal", a.normal, b.normal);
  expect_same_bits("tangent", a.tangent, b.tangent);
  expect_same_bits("point", a.point, b.point);
  expect_same_bits("point_b", a.point_b, b.point_b);
  expect_same_bits("friction", a.friction, b.friction);
  expect_same_bits("contact_bias", a.contact_bias, b.contact_bias);
  expect_same_bits("normal_compliance", a.normal_compliance, b.normal_compliance);
  expect_same_bits("tangent_compliance", a.tangent_compliance, b.tangent_compliance);
  expect_same_bits("rolling_friction", a.rolling_friction, b.rolling_friction);
  expect_same_bits("spinning_friction", a.spinning_friction, b.spinning_friction);
  expect_same_bits("joint_key", a.joint_key, b.joint_key);
  expect_same_bits("joint_body_a", a.joint_body_a, b.joint_body_a);
  expect_same_bits("joint_body_b", a.joint_body_b, b.joint_body_b);
  expect_same_bits("joint_block_a", a.joint_block_a, b.joint_block_a);
  expect_same_bits("joint_block_b", a.joint_block_b, b.joint_block_b);
  expect_same_bits("joint_bias", a.joint_bias, b.joint_bias);
  expect_same_bits("joint_compliance", a.joint_compliance, b.joint_compliance);
  expect_same_bits("joint_lower", a.joint_lower, b.joint_lower);
  expect_same_bits("joint_upper", a.joint_upper, b.joint_upper);
  expect_same_bits("contact_a", found.contact_a, expected.contact_a);
  expect_same_bits("contact_b", found.contact_b, expected.contact_b);
  expect_same_bits("joint_a", found.joint_a, expected.joint_a);
  expect_same_bits("joint_b", found.joint_b, expected.joint_b);
  EXPECT_EQ(a.time_step, b.time_step);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(found.total_bodies, expected.total_bodies);
  EXPECT_EQ(found.total_contacts, expected.total_contacts);
  EXPECT_EQ(found.total_joint_rows, expected.total_joint_rows);
}

BodySlice plain_slice_of(const BodyProblem& whole, int rank, int ranks) {
  BodySlice slice;
  BodyProblem& p = slice.data;
  p.time_step = whole.time_step;
  p.title = whole.title;
  slice.total_bodies = whole.body_count();
  slice.total_contacts = whole.contact_count();
  slice.total_joint_rows = whole.joint_row_count();
  // every slice but the last few is of the same length, rounded up
  const auto is_mine = [&](std::size_t i, std::size_t total) {
    const std::size_t each =
        (total + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
    return i / each == static_cast<std::size_t>(rank);
  };
  for (std::size_t i = 0; i < whole.centre.size(); ++i) {
    if (!is_mine(i, whole.centre.size())) continue;
    p.add_body(whole.centre[i], whole.inverse_mass[i], whole.inverse_inertia[i], whole.momentum[i]);
    p.body_id.back() = whole.body_id[i];
  }
  for (std::size_t i = 0; i < whole.normal.size(); ++i) {
    if (!is_mine(i, whole.normal.size())) continue;
    p.add_contact(no_body, no_body, whole.normal[i], whole.point[i], whole.friction[i],
                  whole.contact_bias[i]);
    p.contact_key.back() = whole.contact_key[i];
    p.tangent.back() = whole.tangent[i];
    if (!whole.point_b.empty()) {
      p.point_b.resize(p.normal.size());
      p.point_b.back() = whole.point_b[i];
    }
    p.normal_compliance.back() = whole.normal_compliance[i];
    p.tangent_compliance.back() = whole.tangent_compliance[i];
    if (whole.has_rolling()) {
      p.rolling_friction.resize(p.normal.size());
      p.spinning_friction.resize(p.normal.size());
      p.rolling_friction.back() = whole.rolling_friction[i];
      p.spinning_friction.back() = whole.spinning_friction[i];
    }
    slice.contact_a.push_back(whole.contact_body_a[i]);
    slice.contact_b.push_back(whole.contact_body_b[i]);
  }
  for (std::size_t i = 0; i < whole.joint_bias.size(); ++i) {
    if (!is_mine(i, whole.joint_bias.size())) continue;
    p.add_joint_row(no_body, no_body, whole.joint_block_a[i], whole.joint_block_b[i],
                    whole.joint_bias[i]);
    p.joint_key.back() = whole.joint_key[i];
    p.joint_compliance.back() = whole.joint_compliance[i];
    p.joint_lower.back() = whole.joint_lower[i];
    p.joint_upper.back() = whole.joint_upper[i];
    slice.joint_a.push_back(whole.joint_body_a[i]);
    slice.joint_b.push_back(whole.joint_body_b[i]);
  }
  return slice;
}

}  // namespace talus::support
