"""A scene for tests of stops, kills and damage: beads that roll in a box as long as a test lets them."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "invariance"))
import runs  # noqa: E402

SCENE = """
talus: 1
title: beads that roll in a box
variables: {d: 0.02, layers: 6}
time: {step: 0.001, end: 1000}
gravity: ["sin(3*t)", "cos(2*t)", -9.81]
domain: {min: [-0.02, -0.02, -0.02], max: [0.14, 0.14, 1], outside: stop}
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3, restitution: 0.2}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: back, motion: fixed, material: bead, shape: {type: plane, normal: [1, 0, 0]}}
  - {name: front, motion: fixed, material: bead, shape: {type: plane, normal: [-1, 0, 0]}, position: [0.12, 0, 0]}
  - {name: left, motion: fixed, material: bead, shape: {type: plane, normal: [0, 1, 0]}}
  - {name: right, motion: fixed, material: bead, shape: {type: plane, normal: [0, -1, 0]}, position: [0, 0.12, 0]}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: "d"}, spacing: "1.1*d", seed: 1,
     region: {type: box, min: [0, 0, 0], max: [0.12, 0.12, "1.12*d*layers"]}, jitter: "0.04*d"}
monitors:
  - {name: floor, type: load, of: floor, every: 0.007}
  - {name: down, type: flow, at: [0, 0, 0.05], normal: [0, 0, -1], every: 0.011}
output: {log: {every: 0.001, columns: [step, time, bodies, contacts, iterations, kinetic]}}
"""


def expect(good, message):
    if not good:
        sys.exit(f"FAILED: {message}")


BEGUN = []  # all that goes on beside the test


def begin(command, **options):
    """A process, with all that it starts, which ends with the test at the latest."""
    BEGUN.append(subprocess.Popen(command, start_new_session=True, **options))
    return BEGUN[-1]


def end_all():
    """Ranks end when mpirun has gone."""
    while BEGUN:
        process = BEGUN.pop()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run_tests(tests, talus, *more):
    """All that are called test_..., each in a folder of its own."""
    for name, test in list(tests.items()):
        if name.startswith("test_"):
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="talus-test-") as place:
                try:
                    test(Beads(talus, place), *more)
                finally:
                    end_all()
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


class Beads:
    """Runs of the scene in a folder."""

    def __init__(self, talus, place):
        self.talus, self.place = talus, pathlib.Path(place)
        self.alone = {}
        self.scene = self.place / "beads.yaml"
        self.scene.write_text(SCENE, encoding="utf-8")

    def words(self, name, *more):
        return [self.scene, "--output", self.place / name, "--threads", "1", *more]

    def run(self, name, *more, ranks=1, expected=runs.FINISHED):
        return runs.run(self.talus, ranks, self.words(name, *more), expected)

    def resume(self, name, *more, ranks=1, expected=runs.FINISHED):
        return runs.run(self.talus, ranks, ["--resume", self.place / name, "--threads", "1", *more], expected)

    def left_alone(self, step):
        """What a run leaves that comes to this step in one go."""
        if step not in self.alone:
            name = f"alone_{step}"
            self.alone[step] = runs.Left(self.run(name, "--steps", step), self.place / name)
        return self.alone[step]

    def checkpoints(self, name):
        """Paths by step."""
        found = sorted((self.place / name / "checkpoints").glob("checkpoint_*.h5"))
        return {int(path.stem.split("_")[1]): path for path in found}

    def expect_same(self, name, step, what, ranks=1):
        """Going on to the step ends as without a stop."""
        found = self.left_alone(step).faults(runs.Left(self.resume(name, "--steps", step, ranks=ranks),
                                                       self.place / name))
        expect(not found, f"{what}, gone on with to step {step}: {found}")
