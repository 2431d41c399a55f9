#!/usr/bin/env python3
"""Hashes of trajectories and of answers, against those that the list beside this script has: what a change of design must
leave as it is.

usage: hashes.py TALUS [--compiler CXX] [--write] [--list FILE] [--only WORD]

--write makes the list anew (a change that means to change answers); else what differs is told, and the exit code is 1.
Bits belong to a compiler and to the mathematical functions of the C library, which look at the machine: the first line of
the list names them. Elsewhere the script ends with 77 (skipped).
"""
import argparse
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import runs  # noqa: E402

SCENES = HERE.parents[1] / "jobs" / "scenes"
# scene with its settings, steps
TRAJECTORIES = [
    *[(f"{HERE.name}/{name}.yaml", steps) for name, steps in (
        ("automatic", 80), ("ball", 120), ("chain", 120), ("events", 130), ("few", 150), ("hits", 40), ("linkages", 120),
        ("outlet", 150), ("periodic", 130), ("plates", 40), ("sizes", 100), ("springs", 150), ("sticky", 120),
        ("widens", 130))],
    ("scenes/column.yaml", 60), ("scenes/dam.yaml:count=300", 60), ("scenes/drum.yaml:count=300", 60),
    ("scenes/fourbar.yaml", 100), ("scenes/net.yaml", 10), ("scenes/settle.yaml:count=300:width=0.07", 80),
    ("scenes/settle.yaml:count=150:width=0.06:mu=1.5:e=0.5:time.restitution_law=poisson", 80),
    ("scenes/settle.yaml:count=150:width=0.06:solver.method=psor", 60),
    ("scenes/settle.yaml:count=150:width=0.06:solver.law=associated", 60),
    ("scenes/settle.yaml:count=150:width=0.06:solver.law=box:time.scheme=spook", 60),
    ("scenes/shaker.yaml", 20), ("scenes/silo.yaml", 10), ("scenes/spheres.yaml", 5), ("scenes/stack.yaml", 40),
    ("scenes/wrecking.yaml:columns=4:rows=4", 80)]
PROBLEMS = [("stack", "bodies=12 mass-ratio=100"), ("wall", "bodies=30"), ("packing", "bodies=300"), ("chain", "bodies=20"),
            ("net", "bodies=64"), ("packing", "bodies=60 rolling-friction=1e-4 spinning-friction=1e-4")]
METHODS = ["auto", "apgd", "pspgfb", "psor", "jacobi"]


def bits_belong_to(compiler):
    """What else than the sources makes the bits: kernels are the same at each level of vectors, but the C library has
    mathematical functions with and without fused multiplication."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    flags = re.search(r"^flags.*$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    fused = " fma" if flags and " fma " in flags[0] + " " else ""
    version = done.stdout.splitlines()[0].split(" ", 1)[1]  # c++ and g++ are the same
    return f"# {version}, {' '.join(platform.libc_ver())}, {platform.machine()}{fused}"


def path_of(scene):
    room, rest = scene.split("/", 1)
    return str((SCENES if room == "scenes" else HERE) / rest)


def trajectory(talus, scene, steps, folder):
    path, settings = runs.settings_of(path_of(scene))
    done = runs.run(talus, 1, [path, "--output", folder / "run", "--overwrite", "--steps", steps, "--threads", 1, "--quiet",
                               *settings], timeout=300.0)
    return runs.hash_of(done)


def answer(talus, method, problem, folder):
    done = subprocess.run([str(talus), "solve", str(problem), "--method", method, "--max-iterations", "3000", "--threads", "1",
                           "--quiet", "--tolerance", "1e-5"], capture_output=True, text=True, check=False, cwd=folder)
    return runs.hash_of(done) if done.returncode in runs.FINISHED else f"exit {done.returncode}"


def found(talus, only):
    """(what, hash), one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for scene, steps in TRAJECTORIES:
            if only in scene:
                yield f"{scene} --steps {steps}", trajectory(talus, scene, steps, folder)
        for kind, settings in PROBLEMS:
            if not any(only in f"{kind} {method}" for method in METHODS):
                continue
            words = [word for setting in settings.split() for word in ("--" + setting.split("=")[0], setting.split("=")[1])]
            file = folder / "problem.h5"
            subprocess.run([str(talus), "generate", kind, *words, "--output", str(file), "--quiet"], check=True,
                           capture_output=True)
            for method in METHODS:
                if only in f"{kind} {method}":
                    yield f"{kind} {settings}: {method}", answer(talus, method, file, folder)
            file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus", type=pathlib.Path)
    parser.add_argument("--compiler", default="c++", help="the one that made TALUS [c++]")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--list", type=pathlib.Path, default=HERE / "hashes.txt", dest="file")
    parser.add_argument("--only", default="", help="what has this word in it")
    plan = parser.parse_args()
    if plan.write and plan.only:
        parser.error("--write makes the whole list: leave out --only")
    here = bits_belong_to(plan.compiler)
    if plan.write:
        plan.file.write_text("\n".join([here, *(f"{value}  {what}" for what, value in found(plan.talus.resolve(), ""))]) + "\n")
        return 0
    first, *lines = plan.file.read_text().splitlines()
    if first != here:
        print(f"skipped: the list is of {first[2:]}; this is {here[2:]}")
        return 77
    listed = dict(reversed(line.split("  ", 1)) for line in lines)
    differ = 0
    for what, value in found(plan.talus.resolve(), plan.only):
        before = listed.pop(what, "not listed")
        if before != value:
            differ += 1
            print(f"{what}: is {value}, was {before}")
    if listed and not plan.only:
        print("no longer made:", *listed, sep="\n  ")
        return 1
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
