#!/usr/bin/env python3
"""Every public header compiles alone, with the standard library only and a user's warnings, and talus.hpp has them all.

usage: check_headers.py ROOT COMPILER
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

USER_FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"]


def fault_alone(compiler, include, name):
    """What the compiler says of a source that includes nothing but this header, twice."""
    source = f'#include "{name}"\n' * 2
    done = subprocess.run([compiler, *USER_FLAGS, "-fsyntax-only", f"-I{include}", "-x", "c++", "-"], input=source,
                          capture_output=True, text=True, check=False)
    return done.stderr


def left_out(include, names):
    text = (include / "talus" / "talus.hpp").read_text(encoding="utf-8")
    return [f"include/talus/talus.hpp: does not include {name}" for name in names
            if name != "talus/talus.hpp" and f'#include "{name}"' not in text]


def main(root, compiler):
    include = root / "include"
    names = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.hpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [text for text in pool.map(lambda name: fault_alone(compiler, include, name), names) if text]
    faults += left_out(include, names)
    print("\n".join(faults) or f"headers: {len(names)} clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
