#!/usr/bin/env python3
"""What the scripts in jobs/ compute, against cases that are known.

usage: jobs_test.py ROOT
exit 77 (skipped) without numpy, scipy, h5py and matplotlib
"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "jobs"), str(ROOT / "jobs" / "compare")]
try:
    import h5py
    import matplotlib  # noqa: F401
    import numpy
    import scipy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import compare
import packing
import plot_scene
import run_state


class Packing(unittest.TestCase):
    def setUp(self):
        place = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(10)]), axis=-1).reshape(-1, 3) + 0.5
        self.cubic = packing.describe(0.01 * place, 0.01, 0.1)

    def test_a_cubic_lattice_has_its_known_solid_fraction(self):
        # inside cells of the lattice, whose borders halve spheres evenly: sampled to 1 in 1000
        self.assertAlmostEqual(self.cubic["solid_fraction_of_bulk"], numpy.pi / 6.0, delta=2e-3)

    def test_a_cubic_lattice_has_six_contacts_inside_and_fewer_at_its_faces(self):
        self.assertEqual(self.cubic["contacts_per_particle_of_bulk"], 6.0)
        self.assertEqual(self.cubic["contacts"], 3 * 9 * 10 * 10)
        self.assertLess(self.cubic["largest_overlap"], 1e-12)

    def test_overlaps_are_shares_of_the_diameter(self):
        near = packing.describe(numpy.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0097]]), 0.01, 0.1)
        self.assertAlmostEqual(near["largest_overlap"], 0.03)


class Compare(unittest.TestCase):
    def test_steps_of_soft_codes_are_those_that_their_users_take(self):
        self.assertAlmostEqual(compare.soft_step(5e6), 1e-4)
        self.assertAlmostEqual(compare.soft_step(1e8), 2.5e-5)

    def test_the_start_fits_into_the_box_without_overlap(self):
        start = compare.lattice(1000, 0.1)
        self.assertTrue(((start[:, :2] > 0.005) & (start[:, :2] < 0.095)).all() and (start[:, 2] > 0.005).all())
        self.assertEqual(packing.describe(start, 0.01, 0.1)["largest_overlap"], 0.0)

    def test_phases_are_read_from_what_either_code_prints(self):
        liggghts = "Loop time of 1\nPair  time (%) = 0.5 (50)\nOutpt time (%) = 1e-3 (0.1)\nHistogram: 1 0\n"
        lammps = "Section |  min\nPair    | 0.6 | 0.5 | 0.7 |   0.0 | 61.0\nOutput  | 1 | 1e-3 | 1 | 0.0 | 0.1\n"
        for text in (liggghts, lammps):
            self.assertEqual(compare.phases_of_soft(text), {"pair": 0.5, "output": 1e-3})

    def test_all_faults_are_told_before_anything_runs(self):
        sys.argv = ["compare.py", "no/talus", "--output", "/", "--codes", "chrono", "--moduli", "x", "--spheres", "0"]
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            compare.main()
        self.assertEqual(end.exception.code, 2)
        for word in ("no/talus", "--output /", "chrono", "--moduli", "--spheres"):
            self.assertIn(word, said.getvalue())


class Picture(unittest.TestCase):
    def test_the_hull_of_a_turned_box_is_its_outline(self):
        quarter = numpy.array([numpy.cos(numpy.pi / 8), 0.0, numpy.sin(numpy.pi / 8), 0.0])  # 45 degrees about y
        box = (run_state.BOX, numpy.array([1.0, 1.0, 1.0]), numpy.zeros(3), quarter, 0.0)
        corners = numpy.array(plot_scene.outline(box, 0, 2))
        self.assertAlmostEqual(corners[:, 0].max(), 2**0.5)
        self.assertAlmostEqual(corners[:, 1].min(), -(2**0.5))

    def test_turns_follow_each_other(self):
        p, q = (numpy.array([0.6, 0.8, 0.0, 0.0]), numpy.array([0.8, 0.0, 0.6, 0.0]))
        v = numpy.array([0.3, -0.2, 0.9])
        numpy.testing.assert_allclose(run_state.turn(run_state.product(p, q), v),
                                      run_state.turn(p, run_state.turn(q, v)), atol=1e-15)

    def test_parts_of_compounds_are_where_their_body_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state.h5"
            with h5py.File(path, "w") as file:
                file.attrs["time"] = 2.0
                one = numpy.array([[1.0, 0.0, 0.0, 0.0]])
                for name, value in {"shapes/kind": [run_state.COMPOUND], "shapes/size": [[0.0] * 3], "parts/shape": [0],
                                    "parts/kind": [run_state.SPHERE], "parts/size": [[0.5, 0.0, 0.0]],
                                    "parts/position": [[1.0, 0.0, 0.0]], "parts/orientation": one, "bodies/motion": [0],
                                    "bodies/shape": [0], "bodies/scale": [2.0], "bodies/position": [[0.0, 0.0, 3.0]],
                                    "bodies/orientation": one, "bodies/velocity": [[0.0, 3.0, 4.0]]}.items():
                    file[name] = value
            (solid,) = plot_scene.solids(run_state.read_state(path))
        self.assertEqual((solid[0], solid[1][0], list(solid[2]), solid[4]), (run_state.SPHERE, 1.0, [2.0, 0.0, 3.0], 5.0))


if __name__ == "__main__":
    unittest.main()
