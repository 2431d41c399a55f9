#include "talus/io/stl_file.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "unit/geometry/mesh_shapes.hpp"
#include "unit/io/file_surgery.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>

namespace talus {
namespace {

using test::Folder;
using test::Triangles;

std::string as_bytes(const Triangles& triangles, const std::string& header) {
  std::string bytes = header;
  bytes.resize(80, '\0');
  const auto add = [&](const void* what, std::size_t size) {
    bytes.append(static_cast<const char*>(what), size);
  };
  const auto count = static_cast<std::uint32_t>(triangles.size());
  add(&count, 4);
  for (const auto& triangle : triangles) {
    bytes.append(12, '\7');  // the normal, which is not read
    for (const Vec3& v : triangle)
      for (const double x : {v.x, v.y, v.z}) {
        const auto single = static_cast<float>(x);
        add(&single, 4);
      }
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string as_text(const Triangles& triangles) {
  std::string text = "solid a name of words\n";
  for (const auto& triangle : triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const Vec3& v : triangle)
      text += fmt::format("      vertex {:.17e} {:.17e} {:.17e}\n", v.x, v.y, v.z);
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a name of words\n";
}

class StlFile : public testing::Test {
 protected:
  std::string write(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
    return path();
  }
  std::string path() const { return folder_.file("mesh.stl"); }

  /// Messages of reading these bytes, without the path in front.
  std::vector<std::string> faults(const std::string& bytes, double scale = 1.0) const {
    return faults_of(write(bytes), scale);
  }
  static std::vector<std::string> faults_of(const std::string& path, double scale = 1.0) {
    try {
      read_stl(path, scale);
    } catch (const InputError& error) {
      std::vector<std::string> messages = error.messages();
      for (std::string& message : messages) {
        EXPECT_EQ(message.substr(0, path.size() + 1), path + ":");
        message.erase(0, path.size() + 1);
      }
      return messages;
    }
    return {};
  }

  const Folder folder_;
  const Triangles box_ = test::box_triangles({-0.5, 0.25, 1.0}, {0.125, 3.0, 7.5});
};

using Messages = std::vector<std::string>;

void expect_same(const Triangles& found, const Triangles& expected, double scale = 1.0) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i) expect_near(found[t][i], scale * expected[t][i], 0.0);
}

TEST_F(StlFile, BinaryIsReadAsItWasWritten) {
  expect_same(read_stl(write(as_bytes(box_, "made by a test")), 1.0), box_);
}

TEST_F(StlFile, BinaryThatBeginsWithSolidIsBinary) {
  expect_same(read_stl(write(as_bytes(box_, "solid but binary")), 0.5), box_, 0.5);
}

TEST_F(StlFile, TextIsReadAsItWasWritten) {
  expect_same(read_stl(write(as_text(box_)), 1.0), box_);
  const Triangles ball = test::ball_triangles(6);
  expect_same(read_stl(write(as_text(ball)), 1000.0), ball, 1000.0);
}

TEST_F(StlFile, TextHasAnyBlanksAndCaseAndSeveralSolids) {
  const Triangles one{{Vec3{1.0, 2.0, 3.0}, Vec3{4.0, 5.0, 6.0}, Vec3{-7.0, 80.0, 0.9}}};
  const std::string facet =
      "FACET\tNormal 0 0 1 Outer LOOP\r\nVERTEX 1 +2 3e0\r\n vertex 4 5.0 6 vertex -7 8e1\n.9 "
      "endloop EndFacet";
  expect_same(read_stl(write("\n Solid part " + facet + "\nENDSOLID"), 1.0), one);
  expect_same(
      read_stl(write("solid\n" + facet + "\nendsolid x\nsolid y\n" + facet + " endsolid y"), 1.0),
      {one[0], one[0]});
}

TEST_F(StlFile, WhatIsNoFileIsSaidSo) {
  EXPECT_EQ(faults_of(path()), Messages{" no such file; check the name and the folder"});
  std::filesystem::create_directory(path());
  EXPECT_EQ(faults_of(path()), Messages{" is a folder; name a file in it"});
  EXPECT_EQ(faults_of("/dev/null"), Messages{" is not an ordinary file, but a device"});
}

TEST_F(StlFile, WhatIsNoStlIsSaidSo) {
  EXPECT_EQ(faults(""), Messages{" is empty; export the mesh again"});
  EXPECT_EQ(faults("x"),
            Messages{" is neither an ASCII STL file, which begins with \"solid\", nor a binary "
                     "one, whose header alone has 84 bytes; it has 1 byte"});
  EXPECT_EQ(faults("solid nothing\nendsolid nothing\n"),
            Messages{" has no triangles; export the mesh again"});
  EXPECT_EQ(faults(as_bytes({}, "empty")), Messages{" has no triangles; export the mesh again"});
}

TEST_F(StlFile, TruncatedBinaryIsRefused) {
  const std::string bytes = as_bytes(box_, "solid but binary");
  const std::string end = ": the file is truncated or damaged; export the mesh again";
  EXPECT_EQ(faults(bytes.substr(0, 600)),
            Messages{" says that it has 12 triangles, which is 684 bytes, but has 600" + end});
  EXPECT_EQ(faults(bytes + "x"),
            Messages{" says that it has 12 triangles, which is 684 bytes, but has 685" + end});
}

TEST_F(StlFile, BinaryWithNumbersThatAreNoneNamesTheTriangles) {
  Triangles triangles = box_;
  triangles[2][1].y = std::numeric_limits<double>::quiet_NaN();
  triangles[11][2].z = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(faults(as_bytes(triangles, "")),
            (Messages{" triangle 3: coordinate = nan must be finite: export the mesh again",
                      " triangle 12: coordinate = -inf must be finite: export the mesh again"}));
}

TEST_F(StlFile, MoreTrianglesThanAMeshCanHaveAreRefusedBeforeTheyAreRead) {
  const std::uint32_t count = (1U << 24) + 1;
  std::string head(80, ' ');
  head.append(reinterpret_cast<const char*>(&count), 4);
  write(head);
  std::filesystem::resize_file(path(), 84 + std::uintmax_t{50} * count);  // a file with a hole
  EXPECT_EQ(faults_of(path()),
            Messages{" triangles = 16777217 must be at most 16777216: make the mesh coarser"});
}

TEST_F(StlFile, TruncatedTextIsRefusedWhereverItEnds) {
  const std::string text = as_text(box_);
  for (std::size_t length = 6; length + 30 < text.size(); length += 37) {
    const Messages found = faults(text.substr(0, length));
    ASSERT_FALSE(found.empty()) << length;
    EXPECT_NE(found.back().find("ends without endsolid"), std::string::npos) << found.back();
  }
  EXPECT_EQ(faults("solid\nfacet normal 0 0 1\n outer"),
            Messages{"3: ends without endsolid: the file is truncated; export the mesh again"});
}

TEST_F(StlFile, AllFaultsOfATextAreToldWithTheirLines) {
  const std::string good =
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
      "endfacet\n";
  const std::string text = "solid\n" + good +
                           "facet normal 0 0 1\nouter loop\nvertex 0 0,5 0\nvertex 1 0 0\n" + good +
                           "facet normal 0 0 1\nouter loop\nvertex 0 0 inf\nvertex 1 0 0\nvertex 0 "
                           "1 0\nvertex 1 1 0\nendloop\nendfacet\nfoo\001bar\n" +
                           good + "endsolid\nmore\n";
  EXPECT_EQ(
      faults(text),
      (Messages{"11: \"0,5\" must be a number: export the mesh again",
                "22: coordinate = inf must be finite: export the mesh again",
                "25: \"vertex\" must be \"endloop\": the file is damaged; export the mesh again",
                "37: \"more\" must be \"solid\": the file is damaged; export the mesh again"}));
}

TEST_F(StlFile, WordsInMessagesAreShortAndPrintable) {
  EXPECT_EQ(faults("solid\n\001" + std::string(100, 'X') + "\nendsolid"),
            Messages{"2: \"?" + std::string(39, 'x') +
                     "...\" must be \"facet\": the file is damaged; export the mesh again"});
}

TEST_F(StlFile, ScaleMustBePositiveAndNotLeadBeyondAllNumbers) {
  EXPECT_EQ(faults(as_bytes(box_, ""), 0.0), Messages{" scale = 0 must be a number above 0"});
  EXPECT_EQ(faults(as_bytes(box_, ""), std::numeric_limits<double>::infinity()),
            Messages{" scale = inf must be a number above 0"});
  Triangles one{box_[0]};
  one[0] = {Vec3{}, Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 100.0, 0.0}};
  EXPECT_EQ(faults(as_bytes(one, ""), 1e307),
            Messages{" triangle 1: coordinate = inf must be finite: export the mesh again"});
}

TEST_F(StlFile, AMeshFromItIsClosedAgain) {
  const TriangleMesh mesh(read_stl(write(as_bytes(test::ball_triangles(20), "ball")), 1e-3));

  EXPECT_TRUE(mesh.faults().closed());
  EXPECT_FALSE(mesh.faults().inside_out);
}

}  // namespace
}  // namespace talus
