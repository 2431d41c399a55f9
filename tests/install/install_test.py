#!/usr/bin/env python3
"""find_package(talus) serves a program that knows nothing of the build.

Installs the build into an empty prefix, builds the ten-line project beside this file against it, for the x86-64 baseline and
for v3 (where this machine can run it), and runs it: an over-aligned type in a public header would show as a crash. Then the
programs of docs/examples, on a problem and a scene that are made here.
"""
import argparse
import os
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "invariance"))
import runs  # noqa: E402

EXAMPLES = ROOT / "docs" / "examples"
SCENE = """talus: 1
variables: {d: 0.01, end: 1.0}
time: {step: 1.0e-3, end: "end"}
gravity: [0, 0, -9.81]
materials: {bead: {density: 1000}}
pairs: [{between: [bead, bead], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: "d"}, spacing: "2*d",
     region: {type: box, min: [0, 0, 0], max: ["8*d", "4*d", "2*d"]}}
"""
V3_FLAGS = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
MACHINE_LEVELS = {"x86-64": set(), "x86-64-v3": V3_FLAGS}


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run(command, check=True, **options)


def cpu_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split(":")[1].split())
    return set()


def check_data_files(prefix):
    """The program finds what is installed beside it, also where the prefix has been moved."""
    moved = prefix.parent / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    for place in (prefix, moved):
        program = place / "bin" / "talus"
        drawn = subprocess.run([str(program), "compare", "--generate", "stack,bodies=2", "--quiet", "--tolerances", "1e-2",
                                "--plot", str(place / "p.png")], capture_output=True, text=True)
        print(drawn.stderr)
        # where there is no matplotlib, the script was found and says so
        assert drawn.returncode == 0 and (place / "p.png").exists() or "python3-matplotlib" in drawn.stderr, place
    shutil.rmtree(moved)


def build(arguments, prefix, level, sources, folder):
    run(arguments.cmake, "-S", str(sources), "-B", str(folder), f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DCMAKE_CXX_FLAGS=-march={level} -Wall -Wextra -Werror",
        "-DCMAKE_BUILD_TYPE=Release", stdout=subprocess.DEVNULL)
    run(arguments.cmake, "--build", str(folder), "--parallel", "2", stdout=subprocess.DEVNULL)


def said(*command):
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **runs.ENVIRONMENT}).stdout


def check_examples(arguments, prefix, work):
    """Each example does what its head says; on ranks with the bits of one."""
    folder, talus = work / "examples", str(prefix / "bin" / "talus")
    build(arguments, prefix, "x86-64", EXAMPLES, folder)
    problem, answer, scene = work / "problem.h5", work / "answer.h5", work / "scene.yaml"
    run(talus, "generate", "packing", "--bodies", "60", "--output", str(problem), "--quiet")
    assert "converged after" in said(str(folder / "1_solve_a_file"), str(problem), str(answer))
    verified = said(talus, "info", str(answer))
    assert "solution" in verified, verified

    scene.write_text(SCENE)
    told = said(str(folder / "2_run_a_scene"), str(scene), "end=0.2")
    found = re.search(r"^t = 0.200 s: (\d+) contacts press with ([\d.e+-]+) N", told, re.M)
    assert found, told
    weight = 8 * 1000.0 * math.pi / 6.0 * 0.01**3 * 9.81  # of eight beads at rest side by side
    assert abs(float(found[2]) - weight) < 0.02 * weight, told
    assert "200 steps, 0 above the tolerance" in told, told

    alone = said(str(folder / "3_on_ranks"), str(scene), "100")
    assert alone.startswith("9 bodies, 100 steps, hash "), alone
    if shutil.which("mpirun"):
        assert said("mpirun", "-n", "3", str(folder / "3_on_ranks"), str(scene), "100") == alone

    loop = said(str(folder / "4_control_loop"), "0.3")
    held = re.search(r"^held at ([\d.]+) rad, ([\d.e+-]+) rad/s; the hinge carries ([\d.]+) N$", loop, re.M)
    assert held, loop
    assert abs(float(held[1]) - 0.3) < 1e-3 and float(held[2]) < 1e-3, loop
    assert abs(float(held[3]) - 0.6 * 0.05**2 * 2700.0 * 9.81) < 0.1, loop  # the weight of the arm

    field = said(str(folder / "5_outer_field"), "300")
    shared = re.search(r"^grains ([\d.]+), water ([\d.]+) of the momentum; ([\d.e+-]+) is missing; hash", field, re.M)
    assert shared, field
    assert float(shared[1]) > 0.01 and float(shared[3]) < 1e-12, field  # rounding of 300 steps
    if shutil.which("mpirun"):
        for ranks, name, *more in (("2", "4_control_loop", "0.3", "0.05"), ("3", "5_outer_field", "20")):
            command = [str(folder / name), *more]
            assert said("mpirun", "-n", ranks, *command) == said(*command)
    check_going_on(str(folder / "6_stop_and_go_on"), work)
    for wrong in ("1_solve_a_file", "2_run_a_scene"):
        done = subprocess.run([str(folder / wrong), str(work / "none")], capture_output=True, text=True)
        assert done.returncode == 2 and "none" in done.stderr, done


def check_going_on(program, work):
    """In pieces, on two ranks and then on three, with the hash of one piece on one rank."""
    half, end = str(work / "half.h5"), str(work / "end.h5")
    ranks = (lambda n: ["mpirun", "-n", n]) if shutil.which("mpirun") else (lambda n: [])
    whole = said(program, "40", end)
    assert re.match(r"step 40, hash [0-9a-f]{16}$", whole), whole
    assert said(*ranks("2"), program, "25", half) != whole
    assert said(*ranks("3"), program, "15", end, half) == whole
    done = subprocess.run([program, "1", end, str(work / "scene.yaml")], capture_output=True, text=True)
    assert done.returncode == 2 and "scene.yaml" in done.stderr, done


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix = work / "prefix"
        run(arguments.cmake, "--install", arguments.build, "--prefix", str(prefix), stdout=subprocess.DEVNULL)
        run(str(prefix / "bin" / "talus"), "--version")
        check_data_files(prefix)
        for level, needed in MACHINE_LEVELS.items():
            if needed <= cpu_flags():
                build(arguments, prefix, level, pathlib.Path(__file__).resolve().parent, work / level)
                run(str(work / level / "consumer"))
            else:
                print(f"not tried: this machine cannot run {level}")
        check_examples(arguments, prefix, work)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default=shutil.which("cmake"))
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--build", required=True, help="folder of a finished build")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main(parsed())
    except subprocess.CalledProcessError as failure:
        sys.exit(f"failed with status {failure.returncode}: {' '.join(failure.cmd)}")
