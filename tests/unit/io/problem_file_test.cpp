// What is true of every file, whatever its layout: is it there, is it whole, which problem does it
// hold.

#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace talus {
namespace {

using test::faults_of;
using test::Folder;
using test::Surgery;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

LocalProblem one_contact() {
  LocalProblem p;
  p.dimension = 2;
  p.W = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  p.q = {-1.0, 0.5};
  p.friction = {0.5};
  return p;
}

TEST(ProblemFile, WhatIsNotThereIsSaid) {
  const Folder folder;

  EXPECT_THAT(faults_of(folder.file("none.h5")),
              ElementsAre(AllOf(HasSubstr("none.h5: no such file"), HasSubstr("check the name"))));
  EXPECT_THAT(faults_of(folder.file("")), ElementsAre(HasSubstr("is a folder")));
  EXPECT_THAT(faults_of("/dev/null"), ElementsAre(HasSubstr("is not an ordinary file")));
}

TEST(ProblemFile, WhatIsNotHdf5IsSaid) {
  const Folder folder;
  std::ofstream(folder.file("scene.yaml")) << "talus: 1\n";
  std::ofstream(folder.file("empty.h5")).flush();

  EXPECT_THAT(faults_of(folder.file("scene.yaml")),
              ElementsAre(AllOf(HasSubstr("scene.yaml"), HasSubstr("is not an HDF5 file"))));
  EXPECT_THAT(faults_of(folder.file("empty.h5")), ElementsAre(HasSubstr("is not an HDF5 file")));
}

TEST(ProblemFile, TruncatedFilesAreSaidToBe) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  std::filesystem::resize_file(folder.file("p.h5"),
                               std::filesystem::file_size(folder.file("p.h5")) / 2);

  EXPECT_THAT(faults_of(folder.file("p.h5")),
              ElementsAre(AllOf(HasSubstr("p.h5: is truncated or damaged"),
                                HasSubstr("truncated file"), HasSubstr("copy it again"))));
}

TEST(ProblemFile, WithoutAProblemSaysWhatItFound) {
  const Folder folder;
  { Surgery(folder.file("empty.h5")); }
  {
    Surgery file(folder.file("other.h5"));
    file.group("/pictures");
    file.group("/notes");
  }

  EXPECT_THAT(faults_of(folder.file("empty.h5")),
              ElementsAre(AllOf(HasSubstr("holds no problem"), HasSubstr("found: nothing"))));
  EXPECT_THAT(faults_of(folder.file("other.h5")), ElementsAre(HasSubstr("found: notes pictures")));
}

TEST(ProblemFile, TwoProblemsAreRefused) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  Surgery(folder.file("p.h5")).group("/fclib_global");

  EXPECT_THAT(faults_of(folder.file("p.h5")),
              ElementsAre(HasSubstr("holds 2 problems, fclib_local and fclib_global")));
}

TEST(ProblemFile, ListsSolutionsAndTheObjectiveToReach) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  {
    Surgery file(folder.file("p.h5"));
    file.group("/solution_ccp");
    file.reals("/solution_ccp/r", {1.0, 0.5});
    file.attribute("/solution_ccp", "objective", -0.625);
    file.group("/guesses");
    file.integers("/guesses/number_of_guesses", {1});
    file.group("/guesses/1");
    file.reals("/guesses/1/r", {0.0, 0.0});
    file.group("/solution_of_nothing");
  }

  const ProblemFile file = read_problem(folder.file("p.h5"));

  EXPECT_THAT(file.solutions, ElementsAre("solution_ccp", "guesses/1"));
  EXPECT_EQ(file.reference_objective, -0.625);
}

TEST(ProblemFile, ReadingPrintsNothingAndBringsBackTheHandlerOfTheHost) {
  const Folder folder;
  const auto count = [](hid_t, void* calls) -> herr_t {
    ++*static_cast<int*>(calls);
    return 0;
  };
  int calls = 0;
  H5E_auto2_t own = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &own, &data);
  H5Eset_auto2(H5E_DEFAULT, count, &calls);

  ::testing::internal::CaptureStderr();
  faults_of(folder.file("none.h5"));
  std::ofstream(folder.file("junk.h5")) << "junk";
  faults_of(folder.file("junk.h5"));
  write_fclib(folder.file("p.h5"), one_contact());
  Surgery(folder.file("p.h5")).remove("/fclib_local/W");
  faults_of(folder.file("p.h5"));

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(calls, 0);
  H5Dopen2(-1, "nothing", H5P_DEFAULT);
  EXPECT_EQ(calls, 1);
  H5Eset_auto2(H5E_DEFAULT, own, data);
}

TEST(ProblemFile, LinksIntoOtherFilesAreNotFollowed) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  write_fclib(folder.file("q.h5"), one_contact());
  Surgery(folder.file("p.h5")).remove("/fclib_local/W");
  const hid_t file = H5Fopen(folder.file("p.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_external(folder.file("q.h5").c_str(), "/fclib_local/W", file, "/fclib_local/W",
                     H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);

  EXPECT_THAT(faults_of(folder.file("p.h5")), ElementsAre(HasSubstr("/fclib_local/W: is missing")));
}

TEST(ProblemFile, CompressedDatasetsAreReadAndAbsurdChunksAreNot) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), one_contact());
  write_fclib(folder.file("q.h5"), one_contact());
  const auto chunked = [](const std::string& path, hsize_t chunk) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t extent = 1, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &extent, &unlimited);
    const double mu = 0.25;
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_deflate(how, 9);
    H5Ldelete(file, "/fclib_local/vectors/mu", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, space,
                                 H5P_DEFAULT, how, H5P_DEFAULT);
    if (chunk < 1000) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &mu);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
  };
  chunked(folder.file("p.h5"), 4);
  chunked(folder.file("q.h5"), 500000000);

  EXPECT_EQ(std::get<LocalProblem>(read_problem(folder.file("p.h5")).data).friction,
            std::vector<double>{0.25});
  EXPECT_THAT(faults_of(folder.file("q.h5")),
              ElementsAre(HasSubstr("vectors/mu: claims 500000000 numbers")));
}

TEST(HoldsProblem, IsTrueOfAnythingThatMeansToBeOne) {
  const Folder folder;
  write_fclib(folder.file("sound.h5"), one_contact());
  write_fclib(folder.file("broken.h5"), one_contact());
  write_solution(folder.file("answer.h5"), {{0.0}, {0.0}, {}, {}});
  std::ofstream(folder.file("text.h5")) << "no HDF5\n";
  Surgery(folder.file("broken.h5")).remove("/fclib_local/W");
  Surgery(folder.file("strange.h5")).text_attribute("/", "talus_problem", "one");

  EXPECT_TRUE(holds_problem(folder.file("sound.h5")));
  EXPECT_TRUE(holds_problem(folder.file("broken.h5"))) << "reading it says what is wrong";
  EXPECT_TRUE(holds_problem(folder.file("strange.h5")));
  EXPECT_FALSE(holds_problem(folder.file("answer.h5")));
  EXPECT_THROW(holds_problem(folder.file("text.h5")), InputError);
}

}  // namespace
}  // namespace talus
