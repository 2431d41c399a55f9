// Problem files that the ranks read in slices, against the whole that one rank reads.

#include "io/problem_slice.hpp"
#include "mpi/shared_folder.hpp"
#include "support/random_bodies.hpp"
#include "support/same_slices.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace talus {
namespace {

using test::agreed_message;
using test::SharedFolder;
using test::Surgery;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

BodyProblem some_bodies(Index bodies = 40) {
  support::RandomBodies options;
  options.bodies = bodies;
  options.contacts = 3 * bodies;
  options.joints = bodies;
  options.compliance = true;
  BodyProblem problem = support::random_bodies(options);
  problem.time_step = 0.005;
  problem.title = "some bodies";
  return problem;
}

void expect_slices_of(const BodyProblem& whole) {
  const SharedFolder folder;
  const std::string path = folder.file("p.h5");
  folder.on_rank_0([&] { write_native(path, whole); });

  const SlicedProblem read = read_problem_slice(path, folder.world);

  EXPECT_EQ(read.file.format, "native");
  EXPECT_EQ(read.file.path, path);
  ASSERT_TRUE(read.bodies);
  support::expect_same_slices(
      *read.bodies, support::plain_slice_of(whole, folder.world.rank(), folder.world.size()));
}

TEST(ReadSlices, OfANativeFileAreThoseOfTheWhole) {
  expect_slices_of(some_bodies());
}

TEST(ReadSlices, HaveTwoPointsAndRollingFrictionWhereTheFileHas) {
  support::RandomBodies options;
  options.two_points = options.rolling = true;
  expect_slices_of(support::random_bodies(options));
}

TEST(ReadSlices, AreEmptyOnRanksThatGetNothing) {
  BodyProblem two;
  two.add_body({0.0, 0.0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {});
  two.add_body({0.0, 0.0, 1.5}, 1.0, {2, 0, 0, 2, 0, 2}, {});
  two.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}, 0.5, {});
  two.rolling_friction = two.spinning_friction = {0.1};
  expect_slices_of(two);
  expect_slices_of(BodyProblem{});
}

TEST(ReadSlices, WhatMayBeLeftOutIsNeutralInEverySlice) {
  const SharedFolder folder;
  const std::string path = folder.file("p.h5");
  const BodyProblem whole = some_bodies();
  folder.on_rank_0([&] {
    write_native(path, whole);
    Surgery file(path);
    for (const char* name : {"/bodies/id", "/contacts/key", "/contacts/tangent",
                             "/contacts/compliance", "/joints/lower"})
      file.remove(name);
  });

  const SlicedProblem read = read_problem_slice(path, folder.world);

  const auto alone = std::get<BodyProblem>(read_problem(path).data);
  support::expect_same_slices(
      *read.bodies, support::plain_slice_of(alone, folder.world.rank(), folder.world.size()));
}

/// The same table again, in compressed chunks of three rows.
void compress(const std::string& path, const char* dataset) {
  const std::vector<double> values = Surgery(path).all(dataset);
  Surgery(path).remove(dataset);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t extent[2] = {values.size() / 3, 3}, chunk[2] = {3, 3};
  const hid_t space = H5Screate_simple(2, extent, nullptr), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(how, 2, chunk);
  H5Pset_deflate(how, 6);
  const hid_t set =
      H5Dcreate2(file, dataset, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  H5Fclose(file);
}

TEST(ReadSlices, OfCompressedDatasetsBeginAnywhereInAChunk) {
  const SharedFolder folder;
  const std::string path = folder.file("p.h5");
  const BodyProblem whole = some_bodies();
  folder.on_rank_0([&] {
    write_native(path, whole);
    compress(path, "/bodies/centre");
    compress(path, "/contacts/point");
  });

  const SlicedProblem read = read_problem_slice(path, folder.world);

  support::expect_same_slices(
      *read.bodies, support::plain_slice_of(whole, folder.world.rank(), folder.world.size()));
}

TEST(ReadSlices, OfFclibBodiesAreCutFromTheWhole) {
  const SharedFolder folder;
  BodyProblem whole = some_bodies();
  whole.normal_compliance.assign(whole.normal.size(), 0.0);  // FCLib has none
  whole.tangent_compliance = whole.normal_compliance;
  whole.joint_compliance.assign(whole.joint_bias.size(), 0.0);
  whole.joint_lower.assign(whole.joint_bias.size(), -std::numeric_limits<double>::infinity());
  whole.joint_upper.assign(whole.joint_bias.size(), std::numeric_limits<double>::infinity());
  const std::string path = folder.file("p.h5");
  folder.on_rank_0([&] { write_fclib(path, whole); });

  const SlicedProblem read = read_problem_slice(path, folder.world);

  EXPECT_EQ(read.file.format, "fclib_global");
  ASSERT_TRUE(read.bodies);
  const auto alone = std::get<BodyProblem>(read_problem(path).data);
  support::expect_same_slices(
      *read.bodies, support::plain_slice_of(alone, folder.world.rank(), folder.world.size()));
}

TEST(ReadSlices, MatricesAreWholeOnEveryRank) {
  const SharedFolder folder;
  LocalProblem local;
  local.dimension = 2;
  local.W = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  local.q = {-1.0, 0.5};
  local.friction = {0.5};
  folder.on_rank_0([&] { write_fclib(folder.file("p.h5"), local); });

  const SlicedProblem read = read_problem_slice(folder.file("p.h5"), folder.world);

  EXPECT_FALSE(read.bodies);
  EXPECT_EQ(std::get<LocalProblem>(read.file.data).q, local.q);
}

// ---- faults ------------------------------------------------------------------------------------

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct SliceFault {
  const char* situation;
  void (*spoil)(Surgery& file);
  const char* message;
};

class ReadSlicesFault : public testing::TestWithParam<SliceFault> {};

TEST_P(ReadSlicesFault, IsThrownAlikeByAllRanksAndAsOneRankSaysIt) {
  const SharedFolder folder;
  const std::string path = folder.file("p.h5");
  folder.on_rank_0([&] {
    write_native(path, some_bodies());
    Surgery file(path);
    GetParam().spoil(file);
  });

  const std::string message =
      agreed_message(folder.world, [&] { read_problem_slice(path, folder.world); });

  EXPECT_THAT(message, HasSubstr("p.h5: " + std::string(GetParam().message)));
  std::string alone;
  try {
    read_problem(path);
  } catch (const InputError& error) {
    alone = error.what();
  }
  EXPECT_EQ(sorted_lines(message), sorted_lines(alone));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ReadSlicesFault,
    testing::Values(
        SliceFault{"nan_in_the_last_share", [](auto& f) { f.change("/bodies/centre", 119, nan); },
                   "/bodies/centre[39,2] = nan"},
        SliceFault{"one_key_in_two_shares",
                   [](auto& f) {
                     f.change("/contacts/key", 119, 8e5);
                     f.change("/contacts/key", 0, 8e5);
                   },
                   "/contacts/key[119] = 800000: is given twice"},
        SliceFault{"ids_all_alike",
                   [](auto& f) {
                     f.wide_integers("/bodies/id", std::vector<std::int64_t>(40, 7));
                     f.change("/bodies/id", 3, 1.0);
                     for (std::size_t i = 22; i < 40; ++i)
                       f.change("/bodies/id", i, 100.0 + static_cast<double>(i));
                   },
                   "/bodies/id[21] = 7: is given twice"},
        SliceFault{"body_of_no_rank", [](auto& f) { f.change("/contacts/body_b", 100, 40.0); },
                   "/contacts/body_b[100] = 40: no such body"},
        SliceFault{"body_below_the_world", [](auto& f) { f.change("/joints/body_a", 39, -7.0); },
                   "/joints/body_a[39] = -7: no such body"},
        SliceFault{"friction", [](auto& f) { f.change("/contacts/friction", 60, -0.5); },
                   "/contacts/friction[60] = -0.5"},
        SliceFault{"normal", [](auto& f) { f.change("/contacts/normal", 359, 2.0); },
                   "/contacts/normal[119]"},
        SliceFault{"time_step", [](auto& f) { f.attribute("/", "time_step", -1.0); },
                   "time_step = -1"},
        SliceFault{"version", [](auto& f) { f.attribute("/", "talus_problem", 2); },
                   "/@talus_problem = 2"},
        SliceFault{"missing", [](auto& f) { f.remove("/bodies/momentum"); },
                   "/bodies/momentum: is missing"},
        SliceFault{"missing_count", [](auto& f) { f.remove("/joints/bias"); },
                   "/joints/bias: is missing"},
        SliceFault{"length",
                   [](auto& f) {
                     f.reals("/contacts/friction", {0.5, 0.5, 0.5});
                   },
                   "/contacts/friction has 3 entries: must have 120"},
        SliceFault{"scalar_for_a_list", [](auto& f) { f.text("/contacts/friction", "rough"); },
                   "/contacts/friction: holds text"},
        SliceFault{"unknown_name", [](auto& f) { f.reals("/contacts/fricton", {1.0}); },
                   "/contacts/fricton: the layout has nothing of that name"},
        SliceFault{"on_every_rank_and_in_the_structure",
                   [](auto& f) {
                     f.remove("/contacts/point");
                     f.change("/bodies/momentum", 0, nan);
                     f.change("/bodies/momentum", 239, nan);
                     f.change("/joints/bias", 20, nan);
                   },
                   "/bodies/momentum[39,5] = nan"}),
    [](const auto& instance) { return std::string(instance.param.situation); });

TEST(ReadSlicesFaults, AreCountedOverAllRanksWhereTheyAreTooMany) {
  const SharedFolder folder;
  const std::string path = folder.file("p.h5");
  folder.on_rank_0([&] {
    write_native(path, some_bodies());
    Surgery(path).reals("/bodies/inverse_mass", std::vector<double>(40, nan));
  });

  const std::string message =
      agreed_message(folder.world, [&] { read_problem_slice(path, folder.world); });

  EXPECT_THAT(message, HasSubstr("/bodies/inverse_mass[0] = nan"));
  EXPECT_THAT(message, HasSubstr("/bodies/inverse_mass[19] = nan"));
  EXPECT_THAT(message, testing::EndsWith("and 20 more"));
}

TEST(ReadSlicesFaults, OfFilesThatAreNoneAreSaidOnce) {
  const SharedFolder folder;
  const std::string whole = folder.file("whole.h5"), half = folder.file("half.h5");
  folder.on_rank_0([&] {
    write_native(whole, some_bodies());
    std::ofstream(half, std::ios::binary) << test::bytes_of(whole).substr(0, 9000);
    std::ofstream(folder.file("text.h5")) << "ten years of work";
  });
  const auto read = [&](const std::string& name) {
    return agreed_message(folder.world,
                          [&] { read_problem_slice(folder.file(name), folder.world); });
  };

  EXPECT_THAT(read("half.h5"), HasSubstr("half.h5: is truncated or damaged"));
  EXPECT_THAT(read("text.h5"), HasSubstr("text.h5: is not an HDF5 file"));
  EXPECT_EQ(read("none.h5"),
            folder.file("none.h5") + ": no such file; check the name and the folder");
}

TEST(ReadSlicesFaults, OfOneRankAreThrownByAll) {
  const SharedFolder folder;
  folder.on_rank_0([&] { write_native(folder.file("p.h5"), some_bodies()); });
  const auto here = std::filesystem::current_path();
  const bool elsewhere = folder.world.rank() == folder.world.size() - 1;
  std::filesystem::current_path(elsewhere ? "/" : folder.path());

  const std::string message =
      agreed_message(folder.world, [&] { read_problem_slice("p.h5", folder.world); });

  std::filesystem::current_path(here);
  EXPECT_EQ(message, "p.h5: no such file; check the name and the folder");
}

}  // namespace
}  // namespace talus
