#!/usr/bin/env python3
"""No code compiled for a newer x86-64 level may be shared with the rest of the program.

Inline functions and templates become weak symbols, of which the linker keeps one, from any object file: one that was compiled
with AVX would end the program on older machines. So kernel objects define no weak symbols, and what they export
lives in the namespace of their level. usage: check_kernel_symbols.py NM LEVEL OBJECT...
"""
import subprocess
import sys

DEFINED_FOR_ALL = set("TDBRSCGA")  # upper case: global symbols that are defined here
SHARED = set("WVu")                # weak and unique: the linker keeps one of many


def faults_in(listing, level):
    for line in listing.splitlines():
        words = line.split()
        if len(words) < 2 or line.endswith(":"):
            continue
        name, kind = words[0], words[1]
        if kind in SHARED:
            yield f"{name} ({kind}): the linker may use this copy for the whole program"
        elif kind in DEFINED_FOR_ALL and f"{len(level)}{level}" not in name:
            yield f"{name} ({kind}): not in namespace {level}"


def main(nm, level, objects):
    faults = []
    for path in objects:
        listing = subprocess.run([nm, "--format=posix", "--defined-only", path], capture_output=True, text=True,
                                 check=True).stdout
        faults += [f"{path}: {fault}" for fault in faults_in(listing, level)]
    print("\n".join(faults) or f"kernel symbols: {len(objects)} objects of level {level} clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
