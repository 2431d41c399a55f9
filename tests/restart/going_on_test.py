"""What a run needs to go on is in its checkpoint, and where it goes on can be chosen.

usage: going_on_test.py TALUS [--steps 290] [--all]

A scene with a bit of everything is stopped here and there; before it goes on, all files that it was made from are gone. --all:
at more steps, and with other schemes, solvers and shapes.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time

from rolling_beads import expect, runs

HERE = pathlib.Path(__file__).parent
PEBBLES = """
talus: 1
time: {step: 0.001, end: 0.01}
gravity: [0, 0, -9.81]
materials: {stone: {density: 2000}}
pairs: [{between: [stone, stone], friction: 0.3}]
bodies:
  - {name: brick, motion: dynamic, material: stone, shape: {type: box, size: [0.04, 0.03, 0.02]}, position: [0.05, 0, 0.4]}
  - {name: ball, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.02}, position: [-0.05, 0, 0.4]}
  - name: clump
    motion: dynamic
    material: stone
    shape: {type: compound, parts: [{shape: {type: sphere, radius: 0.02}, position: [0.02, 0, 0]},
                                    {shape: {type: sphere, radius: 0.015}, position: [-0.01, 0.01, 0]}]}
    position: [0, 0.1, 0.4]
    angular_velocity: [1, 5, 2]
"""


def box_stl(edge):
    corners = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2),
               (1, 3, 7), (1, 7, 5)]  # by bits x, y, z
    lines = ["solid box"]
    for triangle in corners:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += [f"  vertex {edge * (c & 1)} {edge * (c >> 1 & 1)} {edge * (c >> 2 & 1)}" for c in triangle]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid box"]) + "\n"


class Kinds:
    """Runs of the scene of many kinds."""

    def __init__(self, options, place, settings=()):
        self.options, self.place = options, pathlib.Path(place)
        self.reference = None
        # a file that is named on the command line is looked for from where one stands
        self.settings = [setting.replace("SOURCES", str(self.place / "sources")) for setting in settings]

    def write_sources(self):
        sources = self.place / "sources"
        sources.mkdir()
        (sources / "box.stl").write_text(box_stl(100), encoding="ascii")
        (sources / "few.yaml").write_text(PEBBLES, encoding="ascii")
        shutil.copy(HERE / "many_kinds.yaml", sources)
        runs.run(self.options.talus, 1, [sources / "few.yaml", "--output", sources / "out"])
        shutil.move(sources / "out" / "state.h5", sources / "pebbles.h5")
        return sources / "many_kinds.yaml"

    def start(self, name, steps, *more, ranks=1):
        scene = self.write_sources()
        runs.run(self.options.talus, ranks, [scene, "--output", self.place / name, "--steps", steps, "--threads", "1",
                                             *self.settings, *more])
        shutil.rmtree(self.place / "sources")
        return self.place / name

    def go_on(self, where, steps, *more, ranks=1):
        return runs.run(self.options.talus, ranks, ["--resume", where, "--steps", steps, "--threads", "1", *more])

    def alone(self):
        """What it leaves in one go, without any checkpoint."""
        if self.reference is None:
            scene = self.write_sources()
            folder = self.place / "alone"
            done = runs.run(self.options.talus, 1, [scene, "--output", folder, "--steps", self.options.steps, "--threads",
                                                    "1", *self.settings, "-s", "checkpoint={}"])
            shutil.rmtree(self.place / "sources")
            expect(not (folder / "checkpoints").exists(), "checkpoints that nobody has asked for")
            self.reference = runs.Left(done, folder)
            self.totals = totals_of(folder)
        return self.reference

    def expect_same(self, done, folder, what, after=-1.0):
        found = self.alone().faults(runs.Left(done, folder), after)
        expect(not found, f"{what}: {found}")
        totals = totals_of(folder)
        expect(totals == self.totals, f"{what}: report.json has other totals: {totals}, not {self.totals}")
        print(f"  same: {what}", flush=True)


def totals_of(folder):
    """Of the whole simulation, as report.json has them."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    keys = ("steps", "iterations", "products", "error", "overlap", "bodies", "generators", "inserted", "removed", "contacts")
    return {key: report[key] for key in keys if key in report}


def expect_frames(folder, step):
    """Of steps up to this one, and all files that are listed and no others."""
    paraview = folder / "paraview"
    listed = {file for text in (path.read_text(encoding="utf-8") for path in paraview.glob("*.pvd"))
              for file in re.findall(r'file="([^"]+)"', text)}
    stems = {file.partition(".")[0] for file in listed}
    there = {"_".join(path.stem.split("_")[:2]) for path in paraview.glob("*vtp")}
    expect(stems == there and all((paraview / file).exists() for file in listed), f"frames: {sorted(stems ^ there)}")
    latest = max(int(stem.split("_")[1]) for stem in stems)
    expect(latest == step - step % 30, f"the last frame is of step {latest}")


def test_frames_of_each_rank(kinds):
    """What other ranks than the first write goes into the same folder."""
    own = ["-s", "output.paraview.ranks_per_file=1"]
    folder = kinds.start("pieces", 100, "--checkpoint-at-end", *own, ranks=3)
    kinds.go_on(folder, 160, ranks=2)
    expect_frames(folder, 160)
    expect((folder / "paraview" / "bodies_000000150_0001.vtp").exists(), "there is no piece of the second rank")
    kinds.go_on(folder / "checkpoints" / "checkpoint_000000080.h5", 85, ranks=2)
    expect_frames(folder, 85)


def test_from_one_number_of_ranks_to_another(kinds):
    """A few steps before something happens, and right after."""
    steps = kinds.options.steps
    for at, first, then in ((39, 1, 2), (41, 2, 1), (85, 3, 2), (125, 1, 1), (175, 2, 3), (220, 3, 1)):
        folder = kinds.start(f"from_{at}", at, "--checkpoint-at-end", ranks=first)
        done = kinds.go_on(folder, steps, ranks=then)
        kinds.expect_same(done, folder, f"from step {at}, {first} to {then} ranks")


def test_chain(kinds):
    folder = kinds.start("chain", 30, "--checkpoint-at-end")
    for number, step in enumerate((31, 70, 70, 133, 200)):
        kinds.go_on(folder, step, "--checkpoint-at-end", ranks=(number * 2) % 3 + 1)
    kinds.expect_same(kinds.go_on(folder, kinds.options.steps, ranks=2), folder, "five stops one after the other")


def test_older_one_and_other_folders(kinds):
    steps = kinds.options.steps
    folder = kinds.start("older", steps, ranks=2)
    found = sorted((folder / "checkpoints").glob("*.h5"))
    expect(len(found) == steps // 20, f"{len(found)} checkpoints of {steps} steps")
    before = {path: path.read_bytes() for path in found}
    # into another folder: the first is left as it is
    new = kinds.place / "elsewhere"
    done = kinds.go_on(found[5], steps, "--output", new, ranks=2)
    kinds.expect_same(done, new, "from an older one into another folder", after=0.12)
    expect({path: path.read_bytes() for path in found} == before, "a run in another folder has changed the first")
    # into the same one: what is newer is no more part of the run
    kinds.go_on(found[5], 125, ranks=1)
    left = sorted(path.name for path in (folder / "checkpoints").iterdir())
    expect(left == [path.name for path in found[:6]], f"newer ones stay: {left}")
    for name in ("log.csv", "monitors/pivot.csv"):
        rows = runs.tables_of(folder)[name]
        expect(float(rows[-1][rows[0].index("time")]) <= 0.125, f"{name} has newer lines")
    expect(all(int(path.stem.split("_")[1]) <= 125 for path in folder.glob("snapshots/*.h5")), "newer snapshots stay")
    expect_frames(folder, 125)
    done = kinds.go_on(folder, steps, "--output", folder, ranks=3)
    kinds.expect_same(done, folder, "from an older one in the same folder, twice")
    shutil.move(folder, kinds.place / "moved")
    done = kinds.go_on(kinds.place / "moved", steps)
    kinds.expect_same(done, kinds.place / "moved", "the folder has moved")


def test_another_end_and_another_solver(kinds):
    """What may change is what is said to."""
    folder = kinds.start("longer", 380, "--checkpoint-at-end")
    done = runs.run(kinds.options.talus, 2, ["--resume", folder, "--until", "0.45", "--threads", "1"])
    longer = runs.Left(done, folder)
    other = kinds.start("longest", 450)
    expect(json.loads((other / "report.json").read_text())["steps"] == 450, "not 450 steps")
    # time.end of the scene decides how often there is a record: it is the same in both
    found = longer.faults(runs.Left(done, folder))
    reference = runs.tables_of(other)
    expect(not found and reference == runs.tables_of(folder), "beyond the end of the scene it ends otherwise")
    expect((other / "state.h5").read_bytes() == (folder / "state.h5").read_bytes(), "beyond the end: another state")
    found = sorted((folder / "checkpoints").glob("*.h5"))
    new = kinds.place / "stricter"
    strict = ["-s", "solver.tolerance=1e-6", "-s", "solver.max_iterations=5000"]
    one = runs.hash_of(kinds.go_on(found[-1], 460, "--output", new, *strict, ranks=2))
    report = json.loads((new / "report.json").read_text(encoding="utf-8"))
    expect(report["tolerance"] == 1e-6 if "tolerance" in report else True, "the tolerance is another")
    two = runs.hash_of(kinds.go_on(found[-1], 460, "--output", kinds.place / "stricter2", *strict))
    plain = runs.hash_of(kinds.go_on(found[-1], 460, "--output", kinds.place / "plain"))
    expect(one == two != plain, f"with another tolerance: {one}, {two}; without: {plain}")
    done = runs.run(kinds.options.talus, 1, ["--resume", folder, "-s", "gravity=[0, 0, 1]"], expected=runs.BAD_INPUT)
    expect("only solver.* can be changed" in done.stderr, done.stderr)
    print("  same: beyond the end, and with another solver", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--steps", type=int, default=290)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    spook = ["-s", "time.scheme=spook", "-s", "pairs.stone-mud.compliance=1e-4", "-s", "joints.pivot.compliance=1e-6"]
    associated = ["-s", "solver.method=pspgfb", "-s", "solver.law=associated"]
    crate = ["-s", "bodies.crate.shape={type: mesh, file: SOURCES/box.stl, scale: 0.001}"]
    for body in ("bodies.mixer", "events.0.bodies.paddle"):
        crate += ["-s", f"{body}.shape={{type: box, size: [0.1, 0.1, 0.1]}}"]
    once = [test_chain, test_older_one_and_other_folders, test_another_end_and_another_solver, test_frames_of_each_rank]
    passes = [((), once)]
    if options.all:
        passes = [((), [*once, test_from_one_number_of_ranks_to_another]), (associated, [test_chain]), (crate, [test_chain]),
                  (spook, [test_from_one_number_of_ranks_to_another])]
    for settings, tests in passes:
        print(" ".join(settings) or "as it is")
        for test in tests:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="talus-test-") as place:
                test(Kinds(options, place, settings))
            print(f"{test.__name__}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
