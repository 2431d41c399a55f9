#include "talus/model/material.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace talus {
namespace {

TEST(MaterialTable, FindsByName) {
  MaterialTable table;
  EXPECT_EQ(table.find("steel"), -1);

  EXPECT_EQ(table.add({"steel", 7800.0}), 0);
  EXPECT_EQ(table.add({"glass", 2500.0}), 1);

  EXPECT_EQ(table.count(), 2);
  EXPECT_EQ(table.find("glass"), 1);
  EXPECT_EQ(table.find("gla"), -1);
  EXPECT_EQ(table.materials()[0].density, 7800.0);
}

TEST(MaterialTable, PairsAreTheSameInBothOrdersAndApartFromAllOthers) {
  MaterialTable table;
  constexpr Index count = 5;
  double friction = 0.0;
  for (Index b = 0; b < count; ++b) {
    table.add({"m" + std::to_string(b), 1.0});  // pairs that are there stay when one is added
    for (Index a = 0; a <= b; ++a) {
      EXPECT_FALSE(table.has_pair(a, b));
      table.set_pair(b, a, {.friction = friction += 1.0});
    }
  }
  double expected = 0.0;
  for (Index b = 0; b < count; ++b)
    for (Index a = 0; a <= b; ++a) {
      expected += 1.0;
      EXPECT_EQ(table.pair(a, b).friction, expected);
      EXPECT_EQ(table.pair(b, a).friction, expected);
    }
}

TEST(MaterialTable, APairThatIsNotThereIsABug) {
  MaterialTable table;
  table.add({"steel", 1.0});

  EXPECT_THROW(table.pair(0, 0), std::logic_error);
  EXPECT_THROW(table.has_pair(0, 1), std::logic_error);
}

}  // namespace
}  // namespace talus
