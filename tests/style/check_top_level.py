#!/usr/bin/env python3
"""The top of the tree holds exactly what the house plan names; dot-files and build/ are free."""
import pathlib
import sys

PLAN = {
    "src", "include", "partition", "tests", "jobs", "docs",
    "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "CHANGELOG.md",
}


def main(root):
    found = {path.name for path in root.iterdir() if not path.name.startswith(".") and path.name != "build"}
    faults = [f"{name}: not in the plan of the house" for name in sorted(found - PLAN)]
    faults += [f"{name}: missing" for name in sorted(PLAN - found)]
    print("\n".join(faults) or "top level: clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
