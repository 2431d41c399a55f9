#!/usr/bin/env python3
"""The driver of the published cases: what it computes, against curves that are known; and that it runs on a clone alone.

usage: validate_test.py ROOT TALUS
exit 77 (skipped) without numpy, h5py and matplotlib
"""
import contextlib
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TALUS = pathlib.Path(sys.argv.pop(2)).resolve() if len(sys.argv) > 2 else None
ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
HOME = ROOT / "jobs" / "validate"
sys.path[:0] = [str(ROOT / "jobs"), str(HOME)]
try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import bed
import judge
import published
import soft
import validate


class Judge(unittest.TestCase):
    def setUp(self):
        time = numpy.linspace(0.0, 0.1, 1001)
        # falls at 5 m/s, turns at 0.02 s in -0.08 m and goes up at 2 m/s
        self.ball = {"time": time, "height": numpy.where(time < 0.02, 0.02 - 5.0 * time, -0.08 + 2.0 * (time - 0.02))}

    def test_the_rebound_is_read_from_the_curve(self):
        found = judge.rebound(self.ball)
        self.assertAlmostEqual(found["lowest"], -0.08)
        self.assertAlmostEqual(found["when"], 0.02)
        self.assertAlmostEqual(found["speed"], 2.0)

    def test_a_ball_that_only_falls_has_no_rebound(self):
        self.assertEqual(judge.rebound({"time": self.ball["time"], "height": -self.ball["time"]})["speed"], 0.0)

    def test_depths_differ_by_shares_of_the_bed_and_speeds_by_their_own(self):
        other = self.ball | {"height": self.ball["height"] + 0.001}
        rows = {row[0]: row for row in judge.rows_of_impact(self.ball, other, 0.04)}
        self.assertAlmostEqual(rows["lowest point, m"][3], -0.025)
        self.assertAlmostEqual(rows["speed of rebound, m/s"][3], 0.0)
        self.assertEqual(rows["lowest point, m"][4], published.LOWEST_WITHIN)

    def test_curves_are_compared_as_long_as_both_go(self):
        short = {key: value[:151] for key, value in self.ball.items()}  # still falling at 0.015 s
        for one, other in ((self.ball, short), (short, self.ball)):
            rows = judge.rows_of_impact(one, other, 0.04)
            self.assertEqual(rows[-1][0], "height at 0.015 s, m")
            self.assertEqual([row[3] for row in rows], [0.0, 0.0, None, 0.0])
        self.assertEqual([row[3] for row in judge.rows_of_impact(self.ball, None, 0.04)], 4 * [None])

    def test_counts_are_compared_where_there_are_enough(self):
        time = numpy.arange(5.0)
        other = {"time": time} | {count: numpy.array([9000.0, 500.0, 2000.0, 4000.0, 10.0]) for count in published.COUNTS}
        ours = {"time": time} | {count: numpy.array([1.0, 900.0, 2100.0, 3640.0, 900.0]) for count in published.COUNTS}
        rows = judge.rows_of_drum(ours, other, 1000)
        self.assertEqual(rows[0][0], "large lower, worst at 3 s")  # not at the start, not where there are few
        self.assertAlmostEqual(rows[0][3], -0.09)
        self.assertIn("1 of 2 times", rows[1][0])
        self.assertAlmostEqual(rows[1][3], 0.07)
        self.assertIn("never above 10000", judge.rows_of_drum(ours, other, 10000)[0][0])
        self.assertEqual(judge.rows_of_drum(ours, None, 1000)[0][1:4], (None, 900.0, None))


class Parameters(unittest.TestCase):
    def test_scenes_have_the_friction_and_restitution_that_the_deck_of_the_peer_has(self):
        pattern = r"between: \[(\w+), (\w+)\], friction: ([\d.]+), restitution: ([\d.]+)"
        for scene in ("impact_rigid.yaml", "impact_bed.yaml", "drum.yaml", "drum_bed.yaml"):
            pairs = re.findall(pattern, (HOME / scene).read_text())
            self.assertGreater(len(pairs), 1, scene)
            for a, b, friction, restitution in pairs:
                self.assertEqual(published.pair(a, b), (float(friction), float(restitution)), f"{scene}: {a}, {b}")
        for scene in ("impact_common.yaml", "impact_bed.yaml", "drum.yaml", "drum_bed.yaml"):
            densities = re.findall(r"(\w+): \{density: (\d+)\}", (HOME / scene).read_text())
            self.assertGreater(len(densities), 1, scene)
            for name, density in densities:
                self.assertEqual(published.DENSITY[name], float(density), f"{scene}: {name}")

    def test_dampers_of_elastic_contacts_give_back_what_the_deck_of_the_peer_does(self):
        text = (HOME / "impact.yaml").read_text()
        given = dict(re.findall(r"(soft|grain|ball): ([\d.e-]+)[,}]", text))
        soft = float(given["soft"])
        masses = {name: published.DENSITY[kind] * 4.0 / 3.0 * math.pi * radius**3
                  for name, kind, radius in (("grain", "grain", published.SMALL), ("ball", "steel", published.BALL))}
        for name, mass in masses.items():
            self.assertAlmostEqual(float(given[name]) / mass, 1.0, places=4)
        # one grain on another; one on steel that is much heavier; the ball on a wall
        reduced = {("grain", "grain"): 0.5 * masses["grain"], ("grain", "steel"): masses["grain"],
                   ("steel", "steel"): masses["ball"]}
        pattern = r'between: \[(\w+), (\w+)\], friction: ([\d.]+), compliance: "soft", damping_time: "([^"]+)"'
        pairs = re.findall(pattern, text)
        self.assertEqual(len(pairs), 3)
        for a, b, friction, formula in pairs:
            wanted_friction, restitution = published.pair(a, b)
            self.assertEqual(wanted_friction, float(friction))
            names = {"sqrt": math.sqrt, "soft": soft, "grain": masses["grain"], "ball": masses["ball"]}
            time = eval(formula, {"__builtins__": {}}, names)  # a formula of our own scene
            ratio = 0.5 * time / math.sqrt(reduced[a, b] * soft)  # of critical damping
            self.assertAlmostEqual(math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio**2)), restitution, places=3)

    def test_matrices_of_the_deck_are_symmetric_and_in_the_order_of_types(self):
        lines = soft.laws(["small", "large", "steel"], 2e7)
        self.assertIn("youngsModulus peratomtype 2e+07 1e+07 2.1e+11", lines[0])
        self.assertTrue(lines[2].endswith("3 0.5 0.45 0.4 0.45 0.4 0.4 0.4 0.4 0.6"), lines[2])
        self.assertTrue(lines[3].endswith("3 0.3 0.2 0.2 0.2 0.4 0.2 0.2 0.2 0.5"), lines[3])

    def test_steps_of_the_peer_fall_with_the_root_of_stiffness(self):
        self.assertAlmostEqual(soft.step_of(1e9), 1e-6)
        self.assertAlmostEqual(soft.step_of(1e7), 1e-5)

    def test_what_the_peer_prints_is_read(self):
        text = "read\nStep Time CPU KinEng place[3]\n 0 0 0 1e-3 0.06\n 10 0.5 1 1e-4 -0.02\nLoop time of 1\n 3 4\n"
        curve = soft.curve_of("impact", text)
        self.assertEqual((list(curve["time"]), list(curve["height"])), ([0.0, 0.5], [0.06, -0.02]))


class Faults(unittest.TestCase):
    def test_all_faults_are_told_before_anything_runs(self):
        sys.argv = ["validate.py", "no/talus", "--output", "/", "--case", "silo", "--step", "0", "--tolerance", "x",
                    "--size", "2", "--ranks", "0", "--until", "-1", "--modulus", "1e9"]
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            validate.main()
        self.assertEqual(end.exception.code, 2)
        for word in ("no/talus", "--output /", "silo", "--step 0", "--tolerance x", "--size", "--ranks", "--until", "--modulus"):
            self.assertIn(word, said.getvalue())

    def test_a_step_is_of_one_case(self):
        sys.argv = ["validate.py", sys.executable, "--output", "out", "--step", "1e-3"]
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            validate.main()
        self.assertEqual(end.exception.code, 2)
        self.assertIn("--step: is of one case", said.getvalue())


@unittest.skipIf(TALUS is None, "no talus given")
class Driver(unittest.TestCase):
    def run_driver(self, folder, *options, **more):
        environment = dict(os.environ, **{"TALUS_VALIDATION": str(folder / "no-files"), **more})
        return subprocess.run([sys.executable, "-B", str(HOME / "validate.py"), str(TALUS), "--output", str(folder / "out"),
                               "-s", "solver.method=psor", *options], capture_output=True, text=True, env=environment)

    def test_both_cases_run_without_any_file_from_elsewhere(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            options = ["--size", "0.25", "--until", "0.03", "--settle", "0.02", "--step", "1e-3,5e-4"]
            done = self.run_driver(folder, *options, *(["--liggghts"] if shutil.which("liggghts") else []))
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            for word in ("impact", "drum", "lowest point, m", "small lower", "h 0.001, tolerance 0.00025", "CPU s"):
                self.assertIn(word, done.stdout)
            record = json.loads((folder / "out" / "validation.json").read_text())
            ball, drum = record["cases"]["impact"][1]["curve"], record["cases"]["drum"][1]["curve"]
            self.assertLess(min(ball["height"]), 0.015 - 0.09)  # it has come to the bed, and not through the floor
            self.assertGreater(min(ball["height"]), published.BOTTOM)
            self.assertEqual(len(drum["time"]), 5)
            self.assertGreater(drum["small_lower"][0] + drum["large_lower"][0], 0)
            self.assertEqual((folder / "out" / "validation.png").read_bytes()[1:4], b"PNG")

    def test_the_impact_has_rigid_contacts_where_they_are_asked_for(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            options = ["--case", "impact", "--size", "0.25", "--until", "0.02", "--settle", "0.02", "--step", "5e-4"]
            done = self.run_driver(folder, *options, "--contacts", "rigid", "--law", "poisson")
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            scene = (folder / "out" / "impact-0.0005-0.001" / "run" / "scene.yaml").read_text()
            self.assertIn("restitution: 0.4", scene)
            self.assertIn("poisson", scene)
            self.assertEqual(json.loads((folder / "out" / "validation.json").read_text())["contacts"], "rigid")
            (folder / "other").mkdir()
            done = self.run_driver(folder / "other", *options, "--law", "poisson")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--contacts rigid", done.stderr)

    def test_published_files_are_used_where_they_are(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "dosta2024").mkdir()
            grains = [(0.001, 0.004 * k, 0.0, published.BOTTOM + 0.001) for k in range(-5, 6)]
            (folder / "dosta2024" / published.FILES["impact"][0]).write_text(
                "Radius[m] PosX[m] PosY[m] PosZ[m]\n" + "".join(" ".join(map(repr, g)) + "\n" for g in grains))
            times = [0.001 * k for k in range(4)]
            (folder / "dosta2024" / published.FILES["impact"][1]).write_text(
                "t_s,ball_z_m\n" + "".join(f"{t},{0.06 - 5.0 * t - 4.9 * t * t}\n" for t in times))
            done = self.run_driver(folder, "--case", "impact", "--until", "0.002", "--ranks", "2", TALUS_VALIDATION=str(folder),
                                   OMPI_MCA_mpi_yield_when_idle="1")
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            self.assertNotIn("talus makes a bed", done.stdout)
            (row,) = [line for line in done.stdout.splitlines() if "lowest point" in line]
            self.assertTrue(row.endswith("yes"), row)  # both fall freely: 0.05 m in the first 0.002 s, but for steps

    def test_a_run_that_fails_is_told_with_what_it_said(self):
        with tempfile.TemporaryDirectory() as name:
            done = self.run_driver(pathlib.Path(name), "--size", "0.25", "--case", "impact", "-s", "time.stepp=1")
            self.assertEqual(done.returncode, 1)
            self.assertIn("stepp", done.stderr)


class Beds(unittest.TestCase):
    def test_only_spheres_of_the_wanted_size_go_to_a_data_file(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "all.txt").write_text("Radius X Y Z\n0.001 0 0 0\n0.002 1 0 0\n0.001 2 0 0\n")
            sys.argv = ["bed.py", str(folder / "all.txt"), str(folder / "some.data"), "--radius", "0.001"]
            with contextlib.redirect_stdout(io.StringIO()):
                bed.main()
            self.assertIn("2 atoms", (folder / "some.data").read_text())
            sys.argv[-1] = "0.005"
            with self.assertRaises(SystemExit) as end:
                bed.main()
            self.assertIn("no spheres of radius", str(end.exception.code))
            self.assertTrue(math.isclose(bed.spheres_of(folder / "all.txt")[1][0], 0.002))


if __name__ == "__main__":
    unittest.main()
