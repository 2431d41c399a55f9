#include "io/lammps_data.hpp"

#include "talus/core/error.hpp"

#include "core/elementary.hpp"
#include "support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace talus {
namespace {

using testing::ElementsAre;

/// A file that goes when the test ends.
class LammpsFile {
 public:
  explicit LammpsFile(const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("lammps_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".data")) {
    std::ofstream(path_) << text;
  }
  ~LammpsFile() { std::filesystem::remove(path_); }
  LammpsFile(const LammpsFile&) = delete;
  LammpsFile& operator=(const LammpsFile&) = delete;

  LammpsData read() const { return read_lammps_data(path_.string()); }

  /// Messages of what reading throws; "F" stands for the name of the file.
  std::vector<std::string> faults() const {
    std::vector<std::string> messages;
    try {
      read();
    } catch (const InputError& error) {
      messages = error.messages();
    }
    const std::string name = path_.string();
    for (std::string& message : messages)
      if (message.rfind(name, 0) == 0) message.replace(0, name.size(), "F");
    return messages;
  }

 private:
  std::filesystem::path path_;
};

const std::string header =
    "a comment, even 7 atoms\n"
    "\n"
    "2 atoms\n"
    "3 atom types\n"
    "\n"
    "0.0 0.2 xlo xhi\n"
    "-1e-1 +0.3 ylo yhi\n"
    "-0.001 0.286 zlo zhi\n";

TEST(LammpsData, IsReadWhateverTheOrderOfSectionsAndIds) {
  const LammpsFile file(header +
                        "0 bonds\n\n"
                        "Velocities\n\n"
                        "12 1 2 3 4 5 6 # spins\n\n"
                        "Masses\n\n1 1.0\n\n"
                        "Atoms # sphere\n\n"
                        "12 3 0.02 2500 0.1 0.2 0.3 0 -1 2\r\n"
                        "5\t1 0.01 1000 .5 6e-1 -0.7\n"
                        "\nPair Coeffs # gran\n\n1 7\n");

  const LammpsData data = file.read();

  ASSERT_EQ(data.bodies.size(), 2U);
  EXPECT_THAT(data.type, ElementsAre(1, 3));
  const NewBody &first = data.bodies[0], &second = data.bodies[1];
  EXPECT_EQ(first.id, 5);
  EXPECT_EQ(first.scale, 0.01);
  EXPECT_NEAR(first.mass, 1000.0 * pi / 6.0 * 1e-6, 1e-18);
  EXPECT_NEAR(first.inertia.xx, 0.4 * first.mass * 0.005 * 0.005, 1e-20);
  EXPECT_EQ(first.inertia.xx, first.inertia.zz);
  EXPECT_EQ(first.inertia.xy, 0.0);
  EXPECT_EQ(first.pose.position.x, 0.5);
  EXPECT_EQ(first.pose.position.y, 0.6);
  EXPECT_EQ(first.pose.position.z, -0.7);
  EXPECT_EQ(first.velocity.x, 0.0);
  EXPECT_EQ(second.id, 12);
  EXPECT_EQ(second.velocity.y, 2.0);
  EXPECT_EQ(second.angular_velocity.z, 6.0);
  EXPECT_EQ(data.box.low.y, -0.1);
  EXPECT_EQ(data.box.high.y, 0.3);
  EXPECT_EQ(data.box.high.z, 0.286);
}

TEST(LammpsData, OfPeersIsRead) {
  const auto peers = support::source_folder() / ".." / "shared" / "peers";
  if (!std::filesystem::exists(peers / "box8k.data"))
    GTEST_SKIP() << "the data of the peers are not beside the source tree";

  const LammpsData box = read_lammps_data((peers / "box8k.data").string());
  ASSERT_EQ(box.bodies.size(), 8000U);
  EXPECT_EQ(box.bodies[0].pose.position.x, 0.006509457);
  EXPECT_EQ(box.bodies[7999].id, 8000);
  EXPECT_EQ(box.box.high.z, 0.286);

  const LammpsData settled = read_lammps_data((peers / "settled8k.data").string());
  ASSERT_EQ(settled.bodies.size(), 8000U);
  EXPECT_EQ(settled.bodies[1].velocity.x, -1.32703e-05);
}

TEST(LammpsData, OtherStylesAndSectionsAreRefusedByName) {
  EXPECT_THAT(
      LammpsFile(header +
                 "1 bonds\n0 0 0 xy xz yz\n0.1 0 0 xy xz yz\n\n"
                 "Atoms # full\n\nAtom\n\n1 2 3\n\nBonds\n\n1 1 1 2\n\nAtoms  # granular\n\n"
                 "1 1 0.01 2500 0 0 0\n2 1 0.01 2500 0 0 0\n\n")
          .faults(),
      ElementsAre(
          "F:9: \"1 bonds\" must not be in the header: talus reads atoms, atom types and the "
          "bounds of an upright box; leave it out",
          "F:11: \"0.1 0 0 xy xz yz\" must not be in the header: talus reads atoms, atom "
          "types and the bounds of an upright box; leave it out",
          "F:13: atom style = full must be sphere or granular (id type diameter density x y "
          "z): write the data with one of these",
          "F:15: section = Atom must be Atoms or Velocities: did you mean Atoms? talus reads "
          "spheres and their motion; leave it out",
          "F:19: section = Bonds must be Atoms or Velocities: talus reads spheres and their "
          "motion; leave it out",
          "F:23: section = Atoms is here again after line 13: join the two"));
}

TEST(LammpsData, FaultsOfNumbersAreToldAllAtOnce) {
  EXPECT_THAT(
      LammpsFile("x\n2.5 atoms\n3 atom types\n0 0 xlo xhi\n0 nan ylo yhi\n0 1 zlo zhi\n\nAtoms\n\n"
                 "1 1 0 2500 0 0 0\n"
                 "2 9 0.01 -1 0 inf 0\n"
                 "0 0 0.01 2500 0 0 O\n"
                 "3 1 0.01\n"
                 "2 1 0.01 2500 0 0 0 0 0 0.5\n"
                 "\nVelocities\n\n2 0 0 0 0 0\n8 0 0 0 0 0 0\n-1 0 0 0 0 0 0\n")
          .faults(),
      ElementsAre(
          "F:2: number of atoms = 2.5 must be a whole number from 0 to 2147483647",
          "F:4: xlo = 0 must be below xhi = 0", "F:5: yhi = nan must be a finite number",
          "F:10: diameter = 0 must be positive: talus has no points; give spheres a size in m",
          "F:11: density = -1 must be positive: give it in kg/m3",
          "F:11: y = inf must be a finite number",
          "F:12: id = 0 must be a whole number from 1 to 4503599627370496",
          "F:12: type = 0 must be a whole number from 1 to 2147483647",
          "F:12: z = O must be a finite number",
          "F:13: a row of Atoms with columns = 3 must have 7, or 10 with image flags: id type "
          "diameter density x y z",
          "F:14: image flag = 0.5 must be a whole number from -2147483648 to 2147483647",
          "F:18: a row of Velocities with columns = 6 must have 7: id vx vy vz wx wy wz",
          "F:20: id = -1 must be a whole number from 1 to 4503599627370496",
          "F:11: type = 9 must be at most the number of atom types, 3",
          "F:14: id = 2 must be given once: it is in line 11 too",
          "F:19: id = 8 must be one of Atoms: leave the row out"));
}

TEST(LammpsData, WhatIsMissingIsTold) {
  EXPECT_THAT(
      LammpsFile(header + "\nAtoms\n\n1 1 0.01 2500 0 0 0\n").faults(),
      ElementsAre("F: number of atoms = 2 must be that of the rows of Atoms, 1: the file is "
                  "cut short or the header is another's"));
  EXPECT_THAT(LammpsFile("x\n0 1 ylo yhi\nAtoms\n\n1 1 0.01 2500 0 0 0\n").faults(),
              ElementsAre("F: the number of atoms is missing in the header: \"1 atoms\"",
                          "F: the bounds xlo xhi are missing in the header",
                          "F: the bounds zlo zhi are missing in the header"));
  EXPECT_THAT(LammpsFile(header).faults(),
              ElementsAre("F: section Atoms is missing: id type diameter density x y z of each "
                          "sphere"));
  EXPECT_THAT(LammpsFile("").faults(),
              ElementsAre("F: cannot be read: it is empty; give the name of a LAMMPS data file"));
  const auto fault_of = [](const std::string& path) -> std::string {
    try {
      read_lammps_data(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault_of("/no/such.data"),
            "/no/such.data: no such file; check the name and the folder; give the name of a LAMMPS "
            "data file");
  EXPECT_EQ(fault_of("/"),
            "/: is a folder; name a file in it; give the name of a LAMMPS data file");
}

}  // namespace
}  // namespace talus
