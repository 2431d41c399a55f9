// The end of a file that must not be used damaged: put by any number of ranks, checked by any.

#include "io/hdf5/hdf5.hpp"
#include "mpi/shared_folder.hpp"

#include <gmock/gmock.h>

#include <random>

namespace talus {
namespace {

using io::check_seal;
using io::put_seal;
using test::agreed_message;
using test::bytes_of;
using test::SharedFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t length_of_seal = 24;

class SealOnRanks : public testing::Test {
 protected:
  std::string make(const std::string& name, const std::string& bytes) const {
    folder_.on_rank_0([&] { std::ofstream(folder_.file(name), std::ios::binary) << bytes; });
    return folder_.file(name);
  }
  static std::string content(std::size_t length) {
    std::mt19937 random(static_cast<unsigned>(length));
    std::string bytes(length, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }
  std::string fault(const std::string& path) const {
    return agreed_message(world_, [&] { check_seal(world_, path); });
  }

  const SharedFolder folder_;
  const Communicator& world_ = folder_.world;
};

TEST_F(SealOnRanks, IsThatOfOneRankWhateverTheLength) {
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 1000U, 100003U}) {
    const std::string together = make("together", content(length)),
                      alone = make("alone", content(length));

    put_seal(world_, together, "goal");
    folder_.on_rank_0([&] { put_seal(Communicator::self(), alone, "goal"); });

    EXPECT_TRUE(bytes_of(together) == bytes_of(alone)) << length;
    EXPECT_EQ(bytes_of(alone).size(), length + length_of_seal);
    EXPECT_TRUE(bytes_of(alone).substr(0, length) == content(length));
    EXPECT_THAT(fault(alone), IsEmpty());
    EXPECT_NO_THROW(check_seal(Communicator::self(), together));
    world_.barrier();
  }
}

TEST_F(SealOnRanks, EveryBitCounts) {
  const std::string path = make("sealed", content(250));
  put_seal(world_, path, "goal");
  const std::string whole = bytes_of(path);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (place % 8)));
    EXPECT_THAT(fault(make("damaged", bytes)),
                AllOf(HasSubstr("damaged: "), HasSubstr("earlier one")))
        << place;
  }
}

TEST_F(SealOnRanks, WordsThatChangePlacesOrAreMissingAreFound) {
  const std::string path = make("sealed", content(800));
  put_seal(world_, path, "goal");
  const std::string whole = bytes_of(path);
  std::string swapped = whole;
  std::swap_ranges(swapped.begin() + 80, swapped.begin() + 88, swapped.begin() + 640);
  EXPECT_THAT(fault(make("swapped", swapped)), HasSubstr("is damaged"));
  for (const std::size_t length : {0U, 10U, 24U, 400U, 800U, 823U})
    EXPECT_THAT(fault(make("short", whole.substr(0, length))), HasSubstr("its end is missing"))
        << length;
  EXPECT_THAT(fault(make("long", whole + '\0')), HasSubstr("its end is missing"));
  // a page that never came to the disk
  std::string holes = whole;
  std::fill(holes.begin() + 256, holes.begin() + 512, '\0');
  EXPECT_THAT(fault(make("holes", holes)), HasSubstr("is damaged"));
  EXPECT_THAT(fault(folder_.file("none")), HasSubstr("none: no such file"));
}

}  // namespace
}  // namespace talus
