// The same input gives the same file, byte for byte, whenever it is written.

#include "talus/io/problem_file.hpp"

#include "unit/io/fclib_problems.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace talus {
namespace {

using test::Folder;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Objects of the file that know when they were made. A test that wrote twice within the same
/// second would not notice them.
int objects_with_a_time(const std::string& path) {
  const auto count = [](hid_t, const char*, const H5O_info_t* info, void* found) -> herr_t {
    if (info->atime != 0 || info->mtime != 0 || info->ctime != 0 || info->btime != 0)
      ++*static_cast<int*>(found);
    return 0;
  };
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  int found = 0;
  EXPECT_GE(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, count, &found), 0);
  H5Fclose(file);
  return found;
}

BodyProblem bodies() {
  BodyProblem p;
  p.add_body({0, 0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {0, 0, -0.1, 0, 0, 0});
  p.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {});
  p.rolling_friction = {0.1};
  p.spinning_friction = {0.0};
  p.time_step = 0.01;
  p.title = "one";
  return p;
}

void expect_same_bytes(const std::function<void(const std::string&)>& write) {
  const Folder folder;

  write(folder.file("a.h5"));
  write(folder.file("b.h5"));

  EXPECT_EQ(bytes_of(folder.file("a.h5")), bytes_of(folder.file("b.h5")));
  EXPECT_EQ(objects_with_a_time(folder.file("a.h5")), 0);
}

TEST(SameBytes, OfNativeProblems) {
  expect_same_bytes([](const std::string& path) { write_native(path, bodies()); });
}

TEST(SameBytes, OfFclibProblems) {
  expect_same_bytes([](const std::string& path) { write_fclib(path, bodies()); });
  expect_same_bytes([](const std::string& path) { write_fclib(path, test::local_problem()); });
  expect_same_bytes([](const std::string& path) { write_fclib(path, test::global_problem()); });
}

TEST(SameBytes, OfSolutionsAloneAndBesideTheirProblem) {
  const Solution answer{{0.1, 0.2}, {1.0 / 3.0, 0.0}, {7.0}, {1, 2, 3, 4, 5, 6}};
  const std::vector<Attribute> attributes{{"error", 1e-9}, {"law", "coulomb"}};

  expect_same_bytes([&](const std::string& path) { write_solution(path, answer, attributes); });
  expect_same_bytes([&](const std::string& path) {
    write_native(path, bodies());
    write_solution(path, answer, attributes);
    write_solution(path, answer, attributes);
  });
}

}  // namespace
}  // namespace talus
