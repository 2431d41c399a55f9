#!/usr/bin/env python3
"""Start state of a benchmark as a LAMMPS data file, which the scenes of jobs/validate import.

usage: bed.py PARTICLES BED.data [--density 2500] [--radius R]

PARTICLES: a header line, then radius and centre of a sphere on each line, m (Dosta et al. 2024). With --radius only
spheres of that size: those of one material.
"""
import argparse
import math
import pathlib
import sys


def spheres_of(path):
    spheres = []
    for number, line in enumerate(path.read_text().splitlines()[1:], start=2):
        if not line.strip():
            continue
        try:
            radius, x, y, z = (float(word) for word in line.split())
        except ValueError:
            sys.exit(f"{path}:{number}: must be four numbers: radius, x, y, z in m; is '{line.strip()}'")
        spheres.append((radius, x, y, z))
    if not spheres:
        sys.exit(f"{path}: has no spheres")
    return spheres


def data_of(spheres, density):
    reach = [(min(s[k] - s[0] for s in spheres), max(s[k] + s[0] for s in spheres)) for k in (1, 2, 3)]
    lines = ["spheres at rest", "", f"{len(spheres)} atoms", "1 atom types", ""]
    lines += [f"{low!r} {high!r} {axis}lo {axis}hi" for axis, (low, high) in zip("xyz", reach)]
    lines += ["", "Atoms # sphere", ""]
    lines += [f"{i} 1 {2 * r!r} {density!r} {x!r} {y!r} {z!r}" for i, (r, x, y, z) in enumerate(spheres, start=1)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("particles", type=pathlib.Path)
    parser.add_argument("bed", type=pathlib.Path)
    parser.add_argument("--density", type=float, default=2500.0, help="kg/m3")
    parser.add_argument("--radius", type=float, help="m")
    given = parser.parse_args()
    if not given.particles.is_file():
        sys.exit(f"{given.particles}: no such file")
    spheres = [s for s in spheres_of(given.particles) if given.radius is None or math.isclose(s[0], given.radius)]
    if not spheres:
        sys.exit(f"{given.particles}: has no spheres of radius {given.radius} m")
    given.bed.write_text(data_of(spheres, given.density))
    print(f"{given.bed}: {len(spheres)} spheres")


if __name__ == "__main__":
    main()
