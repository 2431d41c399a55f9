"""Many cheap steps cost no more memory and no more open files at their end than after the first ones.

usage: endurance.py TALUS [--steps 20000] [--ranks 1,2] [--growth 0.5]

A shaken box of beads with monitors, log, checkpoints, frames and snapshots. While it runs, memory (RSS) and open
descriptors of each rank are read from the system; after the last step they may have grown by --growth MB and by no
descriptor since the first look after 200 steps.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "invariance"))
import runs  # noqa: E402

FIRST = 200  # steps, after which all that is written has been written at least twice
LOOK = 0.004  # s between two looks
COMPARED = 10  # looks at the beginning, and at the end
LATEST = 3600  # s
PAGE = os.sysconf("SC_PAGE_SIZE") / 1e6  # MB
SCENE = """talus: 1
time: {step: 1.0e-3, end: 1000}
gravity: [0, 0, -9.81]
domain: {min: [-1, -1, -1], max: [1, 1, 2], outside: remove}
materials: {stone: {density: 2500}}
pairs: [{between: [stone, stone], friction: 0.4, restitution: 0.3}]
bodies:
  - {name: floor, motion: kinematic, material: stone, shape: {type: plane, normal: [0, 0, 1]},
     movement: {vibration: {amplitude: [0, 0, 0.002], frequency: 10}}}
  - {name: west, motion: fixed, material: stone, shape: {type: plane, normal: [1, 0, 0]}, position: [-0.1, 0, 0]}
  - {name: east, motion: fixed, material: stone, shape: {type: plane, normal: [-1, 0, 0]}, position: [0.1, 0, 0]}
  - {name: south, motion: fixed, material: stone, shape: {type: plane, normal: [0, 1, 0]}, position: [0, -0.1, 0]}
  - {name: north, motion: fixed, material: stone, shape: {type: plane, normal: [0, -1, 0]}, position: [0, 0.1, 0]}
  - {name: bob, material: stone, shape: {type: sphere, radius: 0.02}, position: [0.05, 0.05, 0.25]}
joints:
  - {name: axle, type: revolute, between: [world, bob], position: [0, 0.05, 0.25], axis: [0, 1, 0]}
generators:
  - {name: beads, type: lattice, material: stone, shape: {type: sphere, diameter: 0.04}, spacing: 0.05, count: 9,
     region: {type: box, min: [-0.09, -0.09, 0], max: [0.09, 0.09, 0.1]}}
monitors:
  - {name: energy, type: energy, every: 0.02}
  - {name: touching, type: coordination, every: 0.02}
  - {name: axle, type: reaction, of: axle, every: 0.02}
  - {name: bob, type: track, of: bob, every: 0.02}
output: {log: {every: 0.02}, paraview: {every: 0.09}, snapshots: {every: 0.08}}
checkpoint: {every: 0.05, keep: 2}
"""


def descendants(process):
    """Ids of all processes that have come from this one, and its own."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
            except OSError:
                continue
            children.setdefault(int(parent), []).append(int(entry))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def ranks_of(process, talus):
    """Of the processes that have come from it, those that compute."""
    ranks = []
    for one in descendants(process):
        try:
            if os.path.realpath(f"/proc/{one}/exe") == talus:
                ranks.append(one)
        except OSError:
            continue
    return ranks


def step_of(log):
    """Of the last whole line."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.path.getsize(log) - 1000))
            lines = file.read().decode().split("\n")
    except OSError:
        return 0
    return int(lines[-2].split(",")[0]) if len(lines) > 2 and lines[-2][:1].isdigit() else 0


def look(ranks):
    """Memory in MB and open descriptors of each; nothing where one of them is gone."""
    try:
        return [(int(pathlib.Path(f"/proc/{rank}/statm").read_text(encoding="utf-8").split()[1]) * PAGE,
                 len(os.listdir(f"/proc/{rank}/fd"))) for rank in ranks]
    except (OSError, IndexError):
        return None


def watched(options, ranks, place):
    """What was seen between the first steps and the last: (step, [(memory, descriptors) of each rank])."""
    folder = place / f"on_{ranks}"
    words = [place / "scene.yaml", "--output", folder, "--steps", options.steps, "--quiet", "--no-report",
             "--threads", 1]
    command = runs.words_of(options.talus, ranks, words)
    seen, found, began = [], [], time.monotonic()
    with open(place / "said", "w+", encoding="utf-8") as said, \
            subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, **runs.ENVIRONMENT}) as run:
        while run.poll() is None:
            if time.monotonic() - began > LATEST:
                run.kill()
                sys.exit(f"{ranks} ranks: {options.steps} steps take longer than {LATEST} s")
            step = step_of(folder / "log.csv")
            if len(found) < ranks:
                found = ranks_of(run.pid, options.talus)
            numbers = look(found) if FIRST <= step < options.steps and len(found) == ranks else None
            if numbers:
                seen.append((step, numbers))
            time.sleep(LOOK)
        if run.returncode not in runs.FINISHED:
            said.seek(0)
            sys.exit(f"{ranks} ranks: exit code {run.returncode}: {said.read()[-2000:]}")
    return seen


def faults_of(options, ranks, place):
    began, seen = time.monotonic(), watched(options, ranks, place)
    if len(seen) < 3 * COMPARED:
        return [f"{ranks} ranks: the run was too short: {len(seen)} looks at it, {3 * COMPARED} are needed"]
    (first_step, first), (last_step, last) = seen[0], seen[-1]
    faults = []
    for rank, (before, after) in enumerate(zip(first, last)):
        # a file that is being written when it is looked at is open for a moment
        files = min(numbers[rank][1] for _, numbers in seen[-COMPARED:]), max(numbers[rank][1] for _, numbers in seen[:COMPARED])
        print(f"rank {rank} of {ranks}: {before[0]:.2f} MB and {files[1]} files after step {first_step}, "
              f"{after[0]:.2f} MB and {files[0]} after step {last_step} ({time.monotonic() - began:.1f} s)", flush=True)
        if after[0] > before[0] + options.growth:
            faults.append(f"rank {rank} of {ranks}: {after[0] - before[0]:.2f} MB more, at most {options.growth}")
        if files[0] > files[1]:
            faults.append(f"rank {rank} of {ranks}: {files[0] - files[1]} more open files")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--growth", type=float, default=0.5)
    options = parser.parse_args()
    options.talus = os.path.realpath(options.talus)
    faults = []
    with tempfile.TemporaryDirectory(prefix="talus-test-") as folder:
        place = pathlib.Path(folder)
        (place / "scene.yaml").write_text(SCENE)
        for ranks in map(int, options.ranks.split(",")):
            faults += faults_of(options, ranks, place)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
