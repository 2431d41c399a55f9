#!/usr/bin/env python3
"""Writes drum.stl: a closed shell around a hollow cylinder along y.

usage: make_drum.py [--radius R] [--length L] [--wall W] [--sides N] [--output drum.stl]

The solid is what lies between an inner cylinder of radius R and length L (metres, default 0.1 and 0.1) and an outer one that
is thicker by W all around (default 0.01). N (default 64) sides each. ASCII STL, normals out of the solid.
"""
import argparse
import math


def ring(radius, y, sides):
    return [(radius * math.cos(2 * math.pi * k / sides), y, radius * math.sin(2 * math.pi * k / sides))
            for k in range(sides)]


def cylinder(radius, half, sides, outwards):
    """Triangles of a closed cylinder about y; normals away from its axis, or towards it."""
    low, high = ring(radius, -half, sides), ring(radius, half, sides)
    triangles = []
    for k in range(sides):
        j = (k + 1) % sides
        triangles += [(low[k], high[k], high[j]), (low[k], high[j], low[j])]
        triangles += [((0.0, half, 0.0), high[j], high[k]), ((0.0, -half, 0.0), low[k], low[j])]
    return triangles if outwards else [(a, c, b) for a, b, c in triangles]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--radius", type=float, default=0.1)
    parser.add_argument("--length", type=float, default=0.1)
    parser.add_argument("--wall", type=float, default=0.01)
    parser.add_argument("--sides", type=int, default=64)
    parser.add_argument("--output", default="drum.stl")
    a = parser.parse_args()
    triangles = cylinder(a.radius + a.wall, 0.5 * a.length + a.wall, a.sides, True)
    triangles += cylinder(a.radius, 0.5 * a.length, a.sides, False)
    with open(a.output, "w", encoding="ascii") as file:
        file.write("solid drum\n")
        for triangle in triangles:
            file.write("facet normal 0 0 0\n outer loop\n")
            for x, y, z in triangle:
                file.write(f"  vertex {x:.9g} {y:.9g} {z:.9g}\n")
            file.write(" endloop\nendfacet\n")
        file.write("endsolid drum\n")


if __name__ == "__main__":
    main()
