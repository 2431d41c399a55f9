"""What the machine does to a run, and what is said then: streams, disks, folders, pipes, memory.

usage: machine_test.py TALUS LIBRARY     LIBRARY: tests/faults/machine_faults.cpp
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "invariance"))
from runs import ENVIRONMENT  # noqa: E402

SCENE = """
talus: 1
time: {step: 0.002, end: 0.2}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.4}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: ball, material: stone, shape: {type: sphere, radius: 0.05}, position: [0, 0, 0.2]}
output: {log: {every: 0.01}}
monitors: [{name: e, type: energy, every: 0.01}]
checkpoint: {every: 0.05}
"""
BEADS = """generators:
  - {name: beads, type: lattice, material: stone, shape: {type: sphere, diameter: 0.02}, spacing: 0.021, seed: 1,
     region: {type: box, min: [0.1, 0.1, 0], max: [0.3, 0.3, 0.3]}}
"""
FINISHED, BAD_INPUT, FAILED = 0, 2, 4
FIRST_ALLOCATION = 200  # before main() nobody can catch what is thrown
LATEST = 60.0  # s


def expect(good, message):
    if not good:
        sys.exit(f"FAILED: {message}")


class Place:
    """A folder with a scene of one ball and one of many; gone afterwards, with what was started in it."""

    def __init__(self, talus, library):
        self.talus, self.library, self.started = talus, library, []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="talus-machine-"))
        (self.folder / "s.yaml").write_text(SCENE)
        (self.folder / "many.yaml").write_text(SCENE + BEADS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, fault=None, when=None):
        env = {**os.environ, **ENVIRONMENT}
        if fault is not None:
            env |= {"LD_PRELOAD": self.library, "TALUS_MACHINE_FAULT": fault}
        if when is not None:
            env["TALUS_MACHINE_FAULT_WHEN"] = str(when)
        return env

    def run(self, *words, fault=None, when=None, **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.run([self.talus, *map(str, words)], cwd=self.folder, text=True, check=False, timeout=LATEST,
                              env=self.environment(fault, when), **streams)

    def run_on(self, ranks, *words, fault=None, **streams):
        """As run(), on so many ranks; each has the library of faults, and mpirun has not."""
        launch = ["mpirun", "-n", str(ranks)]
        if fault is not None:
            launch += ["-x", f"LD_PRELOAD={self.library}", "-x", f"TALUS_MACHINE_FAULT={fault}"]
        streams = {"stdin": subprocess.DEVNULL, **streams}
        return subprocess.run([*launch, self.talus, *map(str, words)], cwd=self.folder, text=True, check=False,
                              timeout=LATEST, env=self.environment(), capture_output=True, **streams)

    def start(self, *words, fault=None, when=None):
        self.started.append(subprocess.Popen([self.talus, *map(str, words)], cwd=self.folder, text=True,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             env=self.environment(fault, when)))
        return self.started[-1]

    def calls(self, words, call):
        """How many calls of this kind there are where none fails."""
        count = self.folder / "count"
        env = self.environment(f"{call}:EIO:1000000000000:0") | {"TALUS_MACHINE_FAULT_COUNT": str(count)}
        subprocess.run([self.talus, *words], cwd=self.folder, env=env, check=True, capture_output=True, timeout=LATEST)
        return int(count.read_text(encoding="utf-8"))

    def wait_for(self, pattern):
        """Of checkpoints it need not be the first: newer ones take its place."""
        end = time.monotonic() + LATEST
        while not list(self.folder.glob(pattern)):
            expect(time.monotonic() < end, f"{pattern} never came")
            time.sleep(0.005)

    def report(self, folder):
        return json.loads((self.folder / folder / "report.json").read_text(encoding="utf-8"))


def hash_of(place, folder):
    return place.report(folder)["trajectory_hash"]


def test_no_stream_ends_a_run(place):
    expect(place.run("run", "s.yaml", "--output", "alone").returncode == FINISHED, "a run that nobody disturbs")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = place.run("run", "s.yaml", "--output", "full", "--verbose", stderr=full)
    expect(done.returncode == FINISHED, f"stderr is full: {done.returncode}")
    expect(hash_of(place, "full") == hash_of(place, "alone"), "stderr is full: another trajectory")
    done = subprocess.run(["sh", "-c", f"'{place.talus}' run s.yaml --output closed --verbose >/dev/null 2>&-"],
                          cwd=place.folder, check=False, timeout=LATEST)
    expect(done.returncode == FINISHED, f"stderr is closed: {done.returncode}")
    expect(hash_of(place, "closed") == hash_of(place, "alone"), "stderr is closed: another trajectory")
    for name in ("log.csv", "run.jsonl", "scene.yaml"):
        text = (place.folder / "closed" / name).read_text(encoding="utf-8")
        expect("note:" not in text and "ranks  " not in text, f"{name} has what was said: {text[:80]}")
    read, write = os.pipe()
    os.close(read)
    done = place.run("run", "s.yaml", "--output", "pipe", "--verbose", stderr=write)
    os.close(write)
    expect(done.returncode == FINISHED, f"nobody reads stderr: {done.returncode}")
    expect(hash_of(place, "pipe") == hash_of(place, "alone"), "nobody reads stderr: another trajectory")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = place.run("run", "s.yaml", "--output", "out", stdout=full)
    expect(done.returncode == FAILED and "stdout is full or closed" in done.stderr, f"stdout is full: {done.stderr}")
    expect((place.folder / "out" / "report.html").exists(), "stdout is full: no report")
    for words in (("check", "--schema"), ("--version",)):  # more and less than a buffer holds
        read, write = os.pipe()
        os.close(read)
        done = place.run(*words, stdout=write)
        os.close(write)
        expect(done.returncode == FAILED and done.stderr == "", f"nobody reads stdout: {words}: {done.stderr}")


def shorten(path, lines):
    kept = path.read_text(encoding="utf-8").split("\n")[:lines]
    path.write_text("\n".join(kept) + "\n")


def test_missing_records_are_told(place):
    place.run("run", "s.yaml", "--output", "good", "--until", "0.1")
    whole = place.run("run", "--resume", "good", "--output", "elsewhere")
    expect("are missing" not in whole.stderr, f"into another folder: {whole.stderr}")
    shutil.copytree(place.folder / "good", place.folder / "bad")
    whole = place.run("run", "--resume", "good", "--until", "0.2")
    expect(whole.returncode == FINISHED and "are missing" not in whole.stderr, f"nothing is missing: {whole.stderr}")
    shorten(place.folder / "bad" / "log.csv", 4)
    shorten(place.folder / "bad" / "run.jsonl", 5)
    (place.folder / "bad" / "monitors" / "e.csv").unlink()
    done = place.run("run", "--resume", "bad", "--until", "0.2")
    expect(done.returncode == FINISHED, done.stderr)
    for name in ("log.csv", "run.jsonl", "monitors/e.csv"):
        expect(f"bad/{name}: " in done.stderr and "are missing" in done.stderr, f"{name}: {done.stderr}")


def test_a_record_is_on_the_disk_before_the_checkpoint(place):
    done = place.run("run", "s.yaml", "--output", "r", fault="fsync:EIO:1:0:log.csv")
    expect("log.csv: could not be brought to the disk" in done.stderr, f"never synced: {done.stderr}")
    expect(not list((place.folder / "r").glob("checkpoints/*")), "a checkpoint counts on lines that are on no disk")


def test_a_folder_that_is_removed(place):
    run = place.start("run", "s.yaml", "--output", "r", "--until", "1000", "-s", "time.end=1000")
    place.wait_for("r/checkpoints")
    os.rename(place.folder / "r", place.folder / "gone")
    _, err = run.communicate(timeout=LATEST)
    expect(run.returncode == FAILED, f"exit code {run.returncode}: {err}")
    expect("is not there any more" in err, err)


def test_a_folder_that_becomes_read_only(place):
    marker = place.folder / "read_only"
    for call in ("open", "rename"):
        run = place.start("run", "s.yaml", "--output", call, "-s", "time.end=30", fault=f"{call}:EROFS:1:0:{call}/",
                          when=marker)
        place.wait_for(f"{call}/checkpoints/checkpoint_*.h5")
        marker.write_text("")
        out, err = run.communicate(timeout=LATEST)
        marker.unlink()
        expect(run.returncode == FAILED, f"{call}: exit code {run.returncode}: {err}")
        expect("Read-only file system" in err, f"{call}: {err}")
        expect("the last good checkpoint is" in err, f"{call} names no checkpoint: {err}")
        expect("verdict" in out, f"{call}: no summary: {out}")
        named = err.split("the last good checkpoint is ")[1].split(":")[0].split("\n")[0]
        expect((place.folder / named).exists(), f"{call}: {named} is not there")
        step = int(pathlib.Path(named).stem.split("_")[1])
        again = place.run("run", "--resume", call, "--steps", step + 30)
        expect(again.returncode == FINISHED, f"{call}: cannot go on: {again.stderr}")


def test_the_last_line_that_no_disk_takes(place):
    """Of run.jsonl at the end of the run, after all steps: what can be written is, and what it was is told."""
    for ranks in (1, 2):
        folder, fault = f"last{ranks}", "write:ENOSPC:1:0:run.jsonl"
        words = ["run", "s.yaml", "--output", folder, "-s", "output.log.every=10"]
        done = place.run(*words, fault=fault) if ranks == 1 else place.run_on(ranks, *words, fault=fault)
        expect(done.returncode == FAILED, f"{ranks} ranks: exit code {done.returncode}: {done.stderr}")
        expect("run.jsonl: cannot be written: No space left on device" in done.stderr, f"{ranks} ranks: {done.stderr}")
        expect("the last good checkpoint is" in done.stderr, f"{ranks} ranks: {done.stderr}")
        expect((place.folder / folder / "state.h5").exists(), f"{ranks} ranks: no state")
        expect(place.report(folder)["status"] == "failed", f"{ranks} ranks: the report says nothing")


def test_a_full_disk_is_called_so(place):
    done = place.run("generate", "stack", "--output", "p.h5")
    expect(done.returncode == FINISHED, done.stderr)
    before = (place.folder / "p.h5").read_bytes()
    for fault in ("write:ENOSPC:1:0:p.h5.tmp", "write:ENOSPC:2:0:p.h5.tmp"):
        done = place.run("solve", "p.h5", "--output", "p.h5", fault=fault)
        expect(done.returncode == FAILED, f"{fault}: exit code {done.returncode}: {done.stderr}")
        expect("No space left on device" in done.stderr, f"{fault}: {done.stderr}")
        expect((place.folder / "p.h5").read_bytes() == before, f"{fault}: the old file is another")
    expect(not list(place.folder.glob("*.tmp*")), "something is left beside it")


def test_pipes_in_the_folder_of_a_run(place):
    place.run("run", "s.yaml", "--output", "good", "--until", "0.1")
    for name in ("log.csv", "run.jsonl", "monitors/e.csv", "checkpoints/checkpoint_000000050.h5"):
        shutil.rmtree(place.folder / "bad", ignore_errors=True)
        shutil.copytree(place.folder / "good", place.folder / "bad")
        (place.folder / "bad" / name).unlink()
        os.mkfifo(place.folder / "bad" / name)
        done = place.run("run", "--resume", "bad", "--until", "0.2")
        expect(done.returncode == BAD_INPUT, f"{name}: exit code {done.returncode}: {done.stderr}")
        expect(f"{name}: is not an ordinary file, but a pipe" in done.stderr, f"{name}: {done.stderr}")
    os.mkfifo(place.folder / "scene")
    for name in ("scene", "/dev/zero", "a" * 5000):
        done = place.run("check", name)
        expect(done.returncode == BAD_INPUT, f"{name[:20]}: exit code {done.returncode}: {done.stderr}")
    with open(place.folder / "s.yaml", encoding="utf-8") as file, \
            subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        done = place.run("run", "/dev/stdin", "--output", "piped", stdin=cat.stdout)
    expect(done.returncode == FINISHED, f"a scene through a pipe: {done.stderr}")
    with open(place.folder / "s.yaml", encoding="utf-8") as file, \
            subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        done = place.run_on(2, "run", "/dev/stdin", "--output", "piped2", stdin=cat.stdout)
    expect(done.returncode == FINISHED, f"a scene through a pipe to two ranks: {done.stderr}")
    expect(hash_of(place, "piped2") == hash_of(place, "piped"), "through a pipe to two ranks: another trajectory")
    place.run("generate", "stack", "--output", "p.h5")
    mesh = SCENE.replace("shape: {type: sphere, radius: 0.05}", "shape: {type: mesh, file: scene}")
    (place.folder / "mesh.yaml").write_text(mesh)
    for ranks, words in ((2, ("solve", "p.h5", "--partition", "file:scene")), (1, ("check", "mesh.yaml"))):
        done = place.run_on(ranks, *words)
        expect(done.returncode == BAD_INPUT, f"{words}: exit code {done.returncode}: {done.stderr}")
        expect("scene: is not an ordinary file, but a pipe" in done.stderr, f"{words}: {done.stderr}")


def test_formulas_that_are_not_finite(place):
    stream = """generators:
  - {name: rain, type: stream, material: stone, shape: {type: sphere, diameter: 0.02}, mass_rate: "sqrt(0.1 - t)",
     region: {type: box, min: [-0.1, -0.1, 0.5], max: [0.1, 0.1, 0.5]}, velocity: [0, 0, -1]}
"""
    (place.folder / "stream.yaml").write_text(SCENE + stream)
    done = place.run("run", "stream.yaml", "--output", "stream")
    expect(done.returncode == FAILED, f"a stream: exit code {done.returncode}: {done.stderr}")
    expect("mass_rate = sqrt(0.1 - t) is" in done.stderr and "the last good checkpoint" in done.stderr, done.stderr)
    motor = """joints:
  - {name: axle, type: revolute, between: [ball, world], position: [0, 0, 0.2], axis: [1, 0, 0],
     motor: {type: speed, value: "sqrt(0.1 - t)", limit: 1}}
"""
    (place.folder / "motor.yaml").write_text(SCENE + motor)
    done = place.run("run", "motor.yaml", "--output", "motor")
    expect(done.returncode == FAILED, f"a motor: exit code {done.returncode}: {done.stderr}")
    expect("motor.yaml:" in done.stderr and "= sqrt(0.1 - t) is" in done.stderr, done.stderr)
    wall = """
  - {name: wall, motion: kinematic, material: stone, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [1, 0, 0.1],
     movement: {velocity: ["sqrt(0.1 - t)", 0, 0]}}
output:"""
    (place.folder / "wall.yaml").write_text(SCENE.replace("\noutput:", wall))
    (place.folder / "gravity.yaml").write_text(SCENE.replace("-9.81", '"-sqrt(0.1 - t)"'))
    (place.folder / "when.yaml").write_text(
        SCENE + 'events: [{when: "0*sqrt(0.1 - t)", type: gravity, value: [0, 0, -1]}]\n')
    (place.folder / "added.yaml").write_text(SCENE + """events:
  - {at: 0.15, type: add, bodies: [{name: late, motion: kinematic, material: stone, position: [1, 0, 0.1],
     shape: {type: box, size: [0.1, 0.1, 0.1]}, movement: {displacement: ["sqrt(0.1 - t)", 0, 0]}}]}
""")
    for name in ("when", "added"):
        done = place.run("run", f"{name}.yaml", "--output", name)
        expect(done.returncode == FAILED, f"{name}: exit code {done.returncode}: {done.stderr}")
        expect("sqrt(0.1 - t) is" in done.stderr and "the last good checkpoint" in done.stderr, f"{name}: {done.stderr}")
        expect((place.folder / name / "state.h5").exists(), f"{name}: no state")
    for name in ("stream", "motor", "wall", "gravity", "when", "added"):
        done = place.run_on(2, "run", f"{name}.yaml", "--output", f"{name}2")
        said = [line for line in done.stderr.splitlines() if "sqrt(0.1 - t) is" in line]
        expect(done.returncode == FAILED, f"{name} on 2 ranks: exit code {done.returncode}: {done.stderr}")
        expect(len(said) == 1 and "the last good checkpoint" in done.stderr, f"{name} on 2 ranks: {done.stderr}")
        expect(place.report(f"{name}2")["status"] == "failed", f"{name} on 2 ranks: no report")
        expect((place.folder / f"{name}2" / "state.h5").exists(), f"{name} on 2 ranks: no state")


def test_memory_that_is_refused(place):
    """Some of many places; tests/campaign/machine.py goes through all of them."""
    words = ["run", "many.yaml", "--steps", "3", "--threads", "2"]
    allocations = place.calls([*words, "--output", "whole"], "memory")
    # the last ones are those of report.html: values of JSON ask for memory in their destructors, too
    for number in [*range(FIRST_ALLOCATION, allocations, max(1, allocations // 40)),
                   *range(allocations - 200, allocations, 10)]:
        name = f"r{number}"
        done = place.run(*words, "--output", name, fault=f"memory:ENOSPC:{number}:{number}")
        expect(done.returncode in (FINISHED, FAILED), f"{number}: exit code {done.returncode}: {done.stderr}")
        expect(done.returncode == FINISHED or "out of memory" in done.stderr, f"{number}: {done.stderr}")
    # files of HDF5 are closed by a library that no exception may pass through
    words = ["info", "whole/state.h5"]
    for number in range(FIRST_ALLOCATION, place.calls(words, "memory"), 37):
        done = place.run(*words, fault=f"memory:ENOSPC:{number}:{number}")
        expect(done.returncode in (FINISHED, BAD_INPUT, FAILED), f"info: {number}: {done.returncode}: {done.stderr}")


def test_what_limits_of_memory_do_not_hold_is_not_begun(place):
    cloud = """generators:
  - {name: beads, type: lattice, material: stone, shape: {type: sphere, diameter: 0.002}, spacing: SPACING,
     region: {type: box, min: [0, 0, 0], max: [1, 1, 1]}}
"""
    for spacing, words in (("0.0021", "this program may have 6 GB"), ("[0, 0, 0]", "spacing = 0 must be")):
        (place.folder / "many.yaml").write_text(SCENE + cloud.replace("SPACING", spacing))
        done = subprocess.run(["sh", "-c", f"ulimit -v {6 * 10**9 // 1024}; '{place.talus}' check many.yaml"],
                              cwd=place.folder, check=False, timeout=LATEST, capture_output=True, text=True)
        expect(done.returncode == BAD_INPUT and words in done.stderr, f"{spacing}: {done.returncode}: {done.stderr}")


def main(talus, library):
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            print(name, flush=True)
            with Place(talus, library) as place:
                test(place)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve()))
