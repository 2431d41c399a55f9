// talus export as a user sees it; what it writes, read back.

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"

#include "core/elementary.hpp"
#include "io/lammps_data.hpp"
#include "support/run_program.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace talus {
namespace {

using support::ProgramRun;
using support::SmallScene;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Forty spheres of different sizes that have fallen for a while.
SavedState write_spheres(const Workplace& place, bool with_others) {
  SmallScene small(1e-2, 0.4);
  if (with_others) {
    small.add_floor();
    small.add("crate", Motion::Dynamic, small.box({0.1, 0.1, 0.1}), {3.0, 3.0, 1.0});
  }
  for (int i = 0; i < 40; ++i) {
    const std::size_t b =
        small.add("ball" + std::to_string(i), Motion::Dynamic, small.sphere(0.05 + 0.001 * i),
                  {0.3 * i / 7.0, 0.3 * (i % 7), 1.0});
    small.body(b).angular_velocity = {0.1 * i, 1.0 / 3.0, -0.7};
    small.body(b).velocity = {0.01 * i, 0.0, -1.0 / 7.0};
  }
  Simulation simulation = small.start();
  for (int step = 0; step < 10; ++step) simulation.step();
  const std::string path = place.path("s.h5").string();
  write_state(path, simulation.world());
  return read_state(path);
}

void expect_same(const Vec3& a, const Vec3& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

TEST(ExportCommand, LammpsDataReadsBackToTheSameSpheres) {
  const Workplace place;
  const SavedState state = write_spheres(place, false);

  const ProgramRun run =
      place.run({"export", "s.h5", "--to", "lammps-data", "--output", "spheres.data"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  const LammpsData data = read_lammps_data(place.path("spheres.data").string());
  ASSERT_EQ(data.bodies.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) {
    const NewBody &body = state.bodies[i], &back = data.bodies[i];
    EXPECT_EQ(back.id, body.id + 1);
    EXPECT_EQ(data.type[i], 1);
    expect_same(back.pose.position, body.pose.position);
    expect_same(back.velocity, body.velocity);
    expect_same(back.angular_velocity, body.angular_velocity);
    EXPECT_EQ(back.scale, 2.0 * (0.05 + 0.001 * static_cast<double>(i)));
    EXPECT_NEAR(back.mass, body.mass, 1e-15 * body.mass);
    EXPECT_NEAR(back.inertia.xx, body.inertia.xx, 1e-14 * body.inertia.xx);
    EXPECT_LE(data.box.low.x, body.pose.position.x - 0.5 * back.scale);
    EXPECT_GE(data.box.high.z, body.pose.position.z + 0.5 * back.scale);
  }
}

// Read by position, as LAMMPS's own tools do.
TEST(ExportCommand, ADumpHasTheSpheresUnderItsHeading) {
  const Workplace place;
  const SavedState state = write_spheres(place, true);

  const ProgramRun run =
      place.run({"export", "s.h5", "--to", "lammps-dump", "--output", "d.dump", "--spheres-only"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("2 bodies that are no spheres are left out"));
  std::istringstream file(place.read("d.dump"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 49U);
  EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 5),
              ElementsAre("ITEM: TIMESTEP", "10", "ITEM: NUMBER OF ATOMS", "40",
                          "ITEM: BOX BOUNDS ff ff ff"));
  EXPECT_EQ(lines[8], "ITEM: ATOMS id type radius mass x y z vx vy vz omegax omegay omegaz");
  for (std::size_t i = 0; i < 40; ++i) {
    std::istringstream line(lines[9 + i]);
    std::int64_t id = 0;
    int type = 0;
    double radius = 0.0, mass = 0.0;
    Vec3 x, v, w;
    line >> id >> type >> radius >> mass >> x.x >> x.y >> x.z >> v.x >> v.y >> v.z >> w.x >> w.y >>
        w.z;
    ASSERT_TRUE(line) << lines[9 + i];
    const NewBody& body = state.bodies[i + 2];
    EXPECT_EQ(id, body.id + 1);
    EXPECT_NEAR(mass, 1000.0 * 4.0 / 3.0 * pi * radius * radius * radius, 1e-12 * mass);
    expect_same(x, body.pose.position);
    expect_same(v, body.velocity);
    expect_same(w, body.angular_velocity);
  }
}

// Mass and energy of translation as LAMMPS itself adds them up, of both kinds of file.
TEST(ExportCommand, LammpsReadsBoth) {
  if (std::system("command -v lmp > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no lmp: Debian package lammps";
  const Workplace place;
  const SavedState state = write_spheres(place, false);
  for (const std::string kind : {"data", "dump"})
    EXPECT_EQ(
        place.run({"export", "s.h5", "--to", "lammps-" + kind, "--output", "s." + kind}).exit_code,
        0);
  place.write("in.lmp", R"lammps(units si
atom_style sphere
boundary f f f
read_data s.data
pair_style zero 0.1
pair_coeff * *
compute mass all property/atom mass
compute sum all reduce sum c_mass
thermo_style custom step ke c_sum
run 0 post no
print "from data $(c_sum:%.15g) $(ke:%.15g)" file data.txt
velocity all set 0 0 0
read_dump s.dump 10 x y z vx vy vz box yes
run 0 post no
print "from dump $(c_sum:%.15g) $(ke:%.15g)" file dump.txt
)lammps");
  ASSERT_EQ(std::system(("cd '" + place.path(".").string() +
                         "' && timeout 60 lmp -in in.lmp -log none > lmp.out 2>&1")
                            .c_str()),
            0)
      << place.read("lmp.out");
  double mass = 0.0, energy = 0.0;
  for (const NewBody& body : state.bodies) {
    mass += body.mass;
    energy += 0.5 * body.mass * dot(body.velocity, body.velocity);
  }
  for (const char* name : {"data.txt", "dump.txt"}) {
    std::istringstream line(place.read(name));
    std::string word;
    double its_mass = 0.0, its_energy = 0.0;
    line >> word >> word >> its_mass >> its_energy;
    EXPECT_NEAR(its_mass, mass, 1e-8 * mass) << name;
    EXPECT_NEAR(its_energy, energy, 1e-8 * energy) << name;
  }
}

TEST(ExportCommand, WhatIsNoSphereIsRefusedByNameAndCount) {
  const Workplace place;
  write_spheres(place, true);
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "export");
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(place.files(), ElementsAre("s.h5"));
    return run.err;
  };
  EXPECT_THAT(refused({"s.h5", "--to", "lammps-data", "--output", "o"}),
              HasSubstr("2 bodies are no spheres: box 1, plane 1 (floor, crate); say "
                        "--spheres-only"));
  EXPECT_THAT(refused({}), AllOf(HasSubstr("give a state"), HasSubstr("--to is missing"),
                                 HasSubstr("--output FILE is missing")));
  EXPECT_THAT(refused({"s.h5", "--to", "lammps-dat", "--output", "o"}),
              HasSubstr("--to lammps-dat: did you mean lammps-data?"));
  EXPECT_THAT(refused({"t.h5", "--to", "lammps-data", "--output", "none/o"}),
              AllOf(HasSubstr("t.h5: is not there"), HasSubstr("does not exist")));
}

TEST(ExportCommand, SpheresOfUnknownMassAndNoSpheresAreRefused) {
  SavedState state;
  state.shapes = {Sphere{0.5}};
  state.materials = {"stone"};
  state.groups = {"pebble"};
  EXPECT_THROW(lammps_data_text(state, "s.h5", Others::Refused), InputError);
  NewBody body;
  body.mass = std::numeric_limits<double>::infinity();
  state.bodies.push_back(body);
  try {
    lammps_dump_text(state, "s.h5", Others::Refused);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the mass of 1 bodies is not known: sphere 1 (pebble)"));
  }
}

}  // namespace
}  // namespace talus
