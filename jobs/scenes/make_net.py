#!/usr/bin/env python3
"""Writes net.yaml: a hanging net (B1 of Tasora 2013, a network of joints).

Knots are spheres on a grid; from each to the next goes a cord of bars, joined end to end by spherical joints (a bar
has the mass and inertia of a rod; what touches others is the bead in its middle). The four corners hang from the
world. 14 x 15 knots and cords of two bars are 992 bodies and 3531 bilateral rows.
"""
import argparse
import math

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--columns", type=int, default=14, help="knots along x [14]")
parser.add_argument("--rows", type=int, default=15, help="knots along y [15]")
parser.add_argument("--bars", type=int, default=2, help="bars of a cord, an even number [2]")
parser.add_argument("--output", default="net.yaml", help="[net.yaml]")
options = parser.parse_args()
columns, rows, bars = options.columns, options.rows, options.bars
if columns < 2 or rows < 2 or bars < 2 or bars % 2 == 1:
    parser.error("a net needs two columns, two rows and an even number of bars at least")

# Cords zigzag between the knots at the start, or a flat net between its corners could not sag.
knot, bar, slope = 0.02, 0.06, 0.5  # m: radius, length; rad
mass, across, along_it = 0.01, 3e-6, 5e-7  # kg, kg m2: of a slender rod
forth, down = bar * math.cos(slope), bar * math.sin(slope)
pitch = 2 * knot + bars * forth
# YAML anchors: what is used first says it, the others repeat it
said_once = {
    "knot": f"{{type: sphere, radius: {knot}}}",
    "bead": "{type: sphere, radius: 0.01}",
    "xbar": f"[{along_it}, {across}, {across}]",
    "ybar": f"[{across}, {along_it}, {across}]",
    "xdown": f"{{axis: [0, 1, 0], angle: {slope}}}",
    "xup": f"{{axis: [0, 1, 0], angle: {-slope}}}",
    "ydown": f"{{axis: [1, 0, 0], angle: {-slope}}}",
    "yup": f"{{axis: [1, 0, 0], angle: {slope}}}",
}
bodies, joints = [], []


def said(name):
    value = said_once.pop(name, None)
    return f"*{name}" if value is None else f"&{name} {value}"


def point(x, y, z=0.0):
    return "[" + ", ".join(f"{value:.10g}" for value in (x, y, z)) + "]"


def body(name, details):
    bodies.append(f"  - {{name: {name}, motion: dynamic, material: rope, {details}}}")


def join(a, b, at):
    joints.append(f"  - {{name: j{len(joints)}, type: spherical, between: [{a}, {b}], position: {at}}}")


def cord(along, i, j):
    """From knot (i, j) along x (0) or y (1)."""
    last = f"k{i}_{j}"

    def at(way, z):
        return point(i * pitch + (0 if along else way), j * pitch + (way if along else 0), z)

    for k in range(bars):
        name = f"{'xy'[along]}{i}_{j}_{k}"
        way = knot + k * forth
        turn = said("xy"[along] + ("up" if k % 2 else "down"))
        inertia = said("xy"[along] + "bar")
        body(name, f"shape: {said('bead')}, mass: {mass}, inertia: {inertia}, "
                   f"position: {at(way + forth / 2, -down / 2)}, orientation: {turn}")
        join(last, name, at(way, -down if k % 2 else 0))
        last = name
    join(last, f"k{i}_{j + 1}" if along else f"k{i + 1}_{j}", at(knot + bars * forth, 0))


for j in range(rows):
    for i in range(columns):
        body(f"k{i}_{j}", f"shape: {said('knot')}, position: {point(i * pitch, j * pitch)}")
for along in (0, 1):
    for j in range(rows - along):
        for i in range(columns + along - 1):
            cord(along, i, j)
for i, j in ((0, 0), (columns - 1, 0), (0, rows - 1), (columns - 1, rows - 1)):
    joints.append(f"  - {{name: corner{i}_{j}, type: spherical, between: [world, k{i}_{j}], "
                  f"position: {point(i * pitch, j * pitch)}}}")

with open(options.output, "w", encoding="utf-8") as file:
    file.write(f"""\
# B1 of Tasora 2013: a network of joints: a net of {len(bodies)} bodies hangs from its four corners,
# {3 * len(joints)} bilateral rows. Made by jobs/scenes/make_net.py --columns {columns} --rows {rows} --bars {bars}
#   talus run jobs/scenes/net.yaml --output net
#   jobs/scenes/make_net.py --columns 5 --rows 5 --output small.yaml     a small one
talus: 1
title: network of joints (B1)
variables: {{density: 1000}}
time: {{step: 2.0e-3, end: 1.0}}
gravity: [0, 0, -9.81]
materials:
  rope: {{density: "density"}}
pairs:
  - {{between: [rope, rope], friction: 0.5}}
solver: {{tolerance: 1.0e-4, max_iterations: 20000}}
output:
  log: {{every: 0.01}}
""")
    file.write("bodies:\n" + "\n".join(bodies) + "\n")
    file.write("joints:\n" + "\n".join(joints) + "\n")
