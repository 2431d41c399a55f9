"""Random small scenes end with the same bits on any ranks, threads and owners, and when they are stopped and go on.

usage: hashes.py TALUS [--scenes 5] [--seed 0] [--steps 60] [--seconds S] [--keep DIR] [--reduce FILE]

Each scene (campaign/scenes.py, by its seed) runs alone on one rank and one thread; then with threads; on random ranks,
threads and owners; and stopped at a random step and gone on with on other ranks. Exit codes, hashes and tables must be
equal. A verdict on energy, overlap or joints that does not hold, of a scene whose steps have converged, must be one on
the length of its steps: with a quarter of it at most half of the fault may be left. Else the scene is at fault, too.
A scene that differs is made smaller while it still does (--reduce does only that), and kept. Those in campaign/found
have differed before: they run first.
"""
import argparse
import collections
import json
import pathlib
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "invariance"))
import runs  # noqa: E402
import scenes  # noqa: E402

LATEST = 300  # s
FINISHED = (0, 1)
BAD_INPUT, FAILED = 2, 4
JUDGED = ("energy", "overlap", "joints")  # verdicts
SHORTER = 4  # times, a step whose verdict does not hold


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--scenes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no scene after so many")
    parser.add_argument("--keep", default=".")
    parser.add_argument("--reduce", help="a scene that was kept")
    return parser.parse_args()


def launch(talus, ranks, words):
    """The finished process; one that does not end is as one that ends with -1."""
    command = runs.words_of(talus, ranks, words)
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=LATEST, check=False,
                              env={**os.environ, **runs.ENVIRONMENT})
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"has not ended within {LATEST} s")


class Case:
    """A scene in a folder, and in which ways it is run: by its seed, whatever has been left out of it."""

    def __init__(self, options, scene, seed, place):
        self.talus, self.steps, self.place = options.talus, options.steps, place
        self.chance = random.Random(seed + 1)
        self.path = place / "scene.json"
        self.path.write_text(json.dumps(scene))
        (place / scenes.CUBE).write_text(scenes.cube_stl())
        self.alone = None

    def words(self, folder, threads):
        return [self.path, "--quiet", "--no-report", "--overwrite", "--output", self.place / folder,
                "--threads", threads]

    def shared(self, ranks):
        if ranks == 1:
            return []
        owners = self.chance.choice(["metis", "hilbert", f"random:{self.chance.randrange(100)}"])
        return ["--partition", owners, "--balance-every", self.chance.choice([2, 5, 17])]

    def run_alone(self):
        self.alone = launch(self.talus, 1, [*self.words("alone", 1), "--steps", self.steps])
        return self.alone

    def verdict(self, folder):
        return json.loads((self.place / folder / "report.json").read_text(encoding="utf-8"))["verdict"]["checks"]

    def with_shorter_steps(self):
        """The verdicts then; None where the run fails."""
        time = json.loads(self.path.read_text(encoding="utf-8"))["time"]
        key = "longest" if time["step"] == "auto" else "step"
        done = launch(self.talus, 1, [*self.words("shorter", 1), "--steps", SHORTER * self.steps,
                                      "-s", f"time.{key}={time[key] / SHORTER}"])
        return self.verdict("shorter") if done.returncode in FINISHED else None

    def fault(self, done, folder, what):
        """How it differs from the run alone; empty where it does not."""
        if done.returncode != self.alone.returncode:
            return f"{what}: exit code {done.returncode}, alone {self.alone.returncode}: {done.stderr[-600:]}"
        if "has a bug" in done.stderr:
            return f"{what}: {done.stderr[-600:]}"
        if done.returncode not in FINISHED:
            return ""
        faults = runs.Left(self.alone, self.place / "alone").faults(runs.Left(done, self.place / folder))
        return f"{what}: {'; '.join(faults)}" if faults else ""

    def with_threads(self):
        threads = self.chance.choice([2, 3, 4])
        done = launch(self.talus, 1, [*self.words("threads", threads), "--steps", self.steps])
        return self.fault(done, "threads", f"{threads} threads")

    def with_ranks(self):
        ranks = self.chance.choice([2, 2, 3, 4, 5, 8])
        threads = self.chance.choice([1, 1, 2, 4]) if ranks < 4 else 1
        words = self.shared(ranks)
        done = launch(self.talus, ranks, [*self.words("ranks", threads), "--steps", self.steps, *words])
        return self.fault(done, "ranks", f"{ranks} ranks of {threads} threads {' '.join(map(str, words))}")

    def stopped(self):
        first, then = self.chance.choice([1, 2, 3]), self.chance.choice([1, 2, 4])
        at = self.chance.randrange(1, self.steps)
        words = [*self.words("stopped", 1), "--steps", at, "--checkpoint-at-end", *self.shared(first)]
        done = launch(self.talus, first, words)
        what = f"stopped after step {at} on {first} ranks, gone on with on {then}"
        if done.returncode in FINISHED:
            done = launch(self.talus, then, ["--resume", self.place / "stopped", "--quiet", "--no-report", "--steps",
                                             self.steps, "--threads", 1, *self.shared(then)])
        return self.fault(done, "stopped", what)

    def faults(self):
        return [fault for fault in (self.with_threads(), self.with_ranks(), self.stopped()) if fault]


def faults_of(options, scene, seed, see=lambda *_: None):
    """None where the scene is refused. `see` is shown the case when it has run alone."""
    with tempfile.TemporaryDirectory(prefix="talus-campaign-") as place:
        case = Case(options, scene, seed, pathlib.Path(place))
        done = case.run_alone()
        see(seed, case)
        if done.returncode == BAD_INPUT:
            return None
        if done.returncode not in (*FINISHED, FAILED) or "has a bug" in done.stderr:
            return [f"alone: exit code {done.returncode}: {done.stderr[-600:]}"]
        return case.faults()


def smaller_ones(tree, whole):
    """The scene without each of its parts in turn, the largest first."""
    if isinstance(tree, dict):
        for key in list(tree):
            value = tree.pop(key)
            yield whole
            tree[key] = value
            yield from smaller_ones(value, whole)
    if isinstance(tree, list):
        for at in reversed(range(len(tree))):
            value = tree.pop(at)
            yield whole
            tree.insert(at, value)
            yield from smaller_ones(value, whole)


def reduced(options, scene, seed):
    """Without what it differs without."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in smaller_ones(scene, scene):
            copy = json.loads(json.dumps(candidate))
            if faults_of(options, copy, seed):
                scene, is_smaller = copy, True
                print(f"  {len(json.dumps(scene))} bytes", flush=True)
                break
    return scene


def keep(path, seed, scene, steps):
    path.write_text(json.dumps({"seed": seed, "steps": steps, "scene": scene}) + "\n")


def tell(options, seed, scene, faults):
    print(f"seed {seed}:", *faults, sep="\n  ", flush=True)
    path = pathlib.Path(options.keep) / f"scene_{seed}.json"
    keep(path, seed, scene, options.steps)
    small = path.with_suffix(".small.json")
    keep(small, seed, reduced(options, json.loads(json.dumps(scene)), seed), options.steps)
    print(f"  kept as {path}, reduced as {small}", flush=True)


def found_before(options):
    """Faults of scenes that have differed once."""
    count = 0
    for path in sorted((pathlib.Path(__file__).parent / "found").glob("*.json")):
        one = json.loads(path.read_text(encoding="utf-8"))
        options.steps = one["steps"]
        faults = faults_of(options, one["scene"], one["seed"])
        if faults is None or faults:
            count += 1
            print(f"{path.name}:", *(faults or ["is refused"]), sep="\n  ", flush=True)
    return count


def share(verdict, check):
    return verdict[check]["share_of_limit"] if check in verdict else 0.0


class Counts:
    def __init__(self):
        self.codes, self.broken = collections.Counter(), collections.Counter()
        self.scenes = self.different = self.unexplained = 0

    def see(self, seed, case):
        done = case.alone
        self.codes[done.returncode] += 1
        if done.returncode == BAD_INPUT:
            print(f"seed {seed}: is refused: {done.stderr.splitlines()[:1]}", flush=True)
        if done.returncode not in FINISHED:
            return
        verdict = case.verdict("alone")
        converged = share(verdict, "convergence") <= 1.0
        self.broken["convergence"] += not converged
        broken = [check for check in JUDGED if converged and share(verdict, check) > 1.0]
        shorter = case.with_shorter_steps() if broken else None
        for check in broken:
            self.broken[check] += 1
            if shorter and (share(shorter, check) <= 1.0 or share(shorter, check) <= 0.5 * share(verdict, check)):
                continue
            self.unexplained += 1
            left = f"{share(shorter, check):.2g}" if shorter else "no run"
            print(f"seed {seed}: {check}: {verdict[check]['text']}; {share(verdict, check):.2g} times the limit, with a "
                  f"quarter of the step {left}", flush=True)


def one_scene(options, seed, counts):
    scene = scenes.made(seed)
    faults = faults_of(options, scene, seed, counts.see)
    counts.scenes += faults is not None
    if faults:
        counts.different += 1
        tell(options, seed, scene, faults)


def main():
    options = arguments()
    options.talus = str(pathlib.Path(options.talus).resolve())
    if options.reduce:
        one = json.loads(pathlib.Path(options.reduce).read_text(encoding="utf-8"))
        options.steps = one["steps"]
        print(json.dumps(reduced(options, one["scene"], one["seed"])))
        return 0
    began, counts, steps = time.monotonic(), Counts(), options.steps
    counts.different = found_before(options)
    options.steps = steps
    for seed in range(options.seed, options.seed + options.scenes):
        if time.monotonic() - began > options.seconds:
            break
        one_scene(options, seed, counts)
    codes = ", ".join(f"{number} with {code}" for code, number in sorted(counts.codes.items()))
    broken = ", ".join(f"{check} {number}" for check, number in counts.broken.items()) or "none"
    print(f"{counts.scenes} scenes, {counts.different} differ; alone they ended {codes}; verdicts that do not hold: "
          f"{broken}, {counts.unexplained} of them not by the length of the steps; {time.monotonic() - began:.0f} s")
    # scenes that are refused test nothing
    few = counts.scenes < 0.8 * sum(counts.codes.values())
    return 1 if counts.different or counts.unexplained or few else 0


if __name__ == "__main__":
    sys.exit(main())
