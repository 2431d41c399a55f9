#!/usr/bin/env python3
"""find_package(talus) serves a program that knows nothing of the build.

Installs the build into an empty prefix, builds the ten-line project beside this file against it, for the x86-64 baseline and
for v3 (where this machine can run it), and runs it: an over-aligned type in a public header would show as a crash.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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


def build_and_run(arguments, prefix, level, folder):
    run(arguments.cmake, "-S", str(pathlib.Path(__file__).resolve().parent), "-B", str(folder),
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
        f"-DCMAKE_CXX_FLAGS=-march={level} -Wall -Wextra -Werror", "-DCMAKE_BUILD_TYPE=Release",
        stdout=subprocess.DEVNULL)
    run(arguments.cmake, "--build", str(folder), stdout=subprocess.DEVNULL)
    run(str(folder / "consumer"))


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix = work / "prefix"
        run(arguments.cmake, "--install", arguments.build, "--prefix", str(prefix), stdout=subprocess.DEVNULL)
        run(str(prefix / "bin" / "talus"), "--version")
        check_data_files(prefix)
        for level, needed in MACHINE_LEVELS.items():
            if needed <= cpu_flags():
                build_and_run(arguments, prefix, level, work / level)
            else:
                print(f"not tried: this machine cannot run {level}")


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
