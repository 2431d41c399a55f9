// Values as bytes and back.

#include "core/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

namespace talus {
namespace {

using ::testing::HasSubstr;

enum class Colour : std::uint8_t { Red, Green };
TALUS_LAST(Colour, Green)

struct Leaf {
  std::string name;
  double value = 0.0;
  std::optional<std::vector<int>> numbers;
  bool operator==(const Leaf&) const = default;
};
TALUS_FIELDS(Leaf, name, value, numbers)

struct Tree {
  Colour colour = Colour::Red;
  bool on = false;
  std::array<std::int8_t, 3> image{};
  std::vector<Leaf> leaves;
  std::map<std::string, std::pair<std::int64_t, Leaf>> table;
  std::vector<std::byte> bytes;
  bool operator==(const Tree&) const = default;
};
TALUS_FIELDS(Tree, colour, on, image, leaves, table, bytes)

Tree some_tree() {
  Tree tree;
  tree.colour = Colour::Green;
  tree.on = true;
  tree.image = {-128, 0, 127};
  tree.leaves = {
      {std::string("a\0b", 3), 0.1, std::vector<int>{1, -2}}, {"", -1e308, std::nullopt}, {}};
  tree.leaves[2].numbers.emplace();
  tree.table["one"] = {std::numeric_limits<std::int64_t>::min(), tree.leaves[0]};
  tree.table[""] = {7, {}};
  tree.bytes = {std::byte{0}, std::byte{255}};
  return tree;
}

std::string fault_of(const std::vector<std::byte>& bytes) {
  try {
    unpacked<Tree>(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Archive, GivesBackWhatWasPacked) {
  const Tree tree = some_tree();

  EXPECT_EQ(unpacked<Tree>(packed(tree)), tree);
  EXPECT_EQ(unpacked<Tree>(packed(Tree{})), Tree{});
  EXPECT_NE(packed(Tree{}), packed(tree));
}

TEST(Archive, KeepsEveryBitOfANumber) {
  using Limits = std::numeric_limits<double>;
  const double odd_nan = std::bit_cast<double>(0x7ff8dead00000001U);
  for (const double number : {0.0, -0.0, 0.1, Limits::infinity(), -Limits::infinity(), odd_nan,
                              Limits::denorm_min(), Limits::max()})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(unpacked<double>(packed(number))),
              std::bit_cast<std::uint64_t>(number));
}

TEST(Archive, WhatStoodThereBeforeIsGone) {
  const std::vector<std::byte> bytes = packed(Tree{});
  Tree tree = some_tree();
  Unpacker unpacker(bytes);

  unpacker(tree);

  EXPECT_EQ(tree, Tree{});
  EXPECT_TRUE(unpacker.is_at_end());
}

TEST(Archive, EveryOtherLengthIsAFault) {
  const std::vector<std::byte> whole = packed(some_tree());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THAT(fault_of(part), HasSubstr("damaged")) << length;
  }
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_THAT(fault_of(longer), HasSubstr("more bytes than it should"));
}

TEST(Archive, WordsBeyondTheLastAreAFault) {
  for (const int number : {2, 7, 255}) {
    std::vector<std::byte> bytes = packed(some_tree());
    bytes[0] = static_cast<std::byte>(number);
    EXPECT_THAT(fault_of(bytes), HasSubstr("a kind that is not known")) << number;
  }
}

TEST(Archive, CountsBeyondTheEndAskForNoMemory) {
  for (const std::uint64_t count : {std::uint64_t{9}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::vector<std::byte> bytes = packed(count);
    bytes.resize(16);
    EXPECT_THROW(unpacked<std::string>(bytes), InputError) << count;
    EXPECT_THROW(unpacked<std::vector<double>>(bytes), InputError) << count;
    EXPECT_THROW((unpacked<std::map<std::string, double>>(bytes)), InputError) << count;
  }
}

TEST(Archive, DamageIsAFaultOrAnotherValueButNeverACrash) {
  std::mt19937_64 random(3);
  std::vector<std::byte> whole = packed(some_tree());
  // but for the first boolean, whose bytes are 0 and 1: files are sealed, and damage does not come
  // here
  constexpr std::size_t of_on = 1;
  for (int attempt = 0; attempt < 3000; ++attempt) {
    std::vector<std::byte> bytes = whole;
    const std::size_t place = random() % bytes.size();
    if (place == of_on) continue;
    bytes[place] = static_cast<std::byte>(
        (std::to_integer<unsigned>(bytes[place]) + 16 + random() % 200) & 0xff);
    fault_of(bytes);
  }
}

}  // namespace
}  // namespace talus
