#!/usr/bin/env python3
"""Draws runs of a scene: bodies seen from the side, coloured by speed, and how the last run went over time.

usage: plot_scene.py DIR [DIR ...] --output PICTURE [--view xz|yz|xy]

Each DIR is a folder of talus run: its state.h5 becomes a view, in the order given; energy, iterations and errors come
from log.csv of the last one (output.log of the scene). PICTURE ends in .png, .svg or .pdf.

exit 0  the picture is there
     2  usage, a file is missing, or Python packages are (Debian: python3-h5py python3-numpy python3-matplotlib)
"""
import argparse
import csv
import itertools
import json
import pathlib
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import numpy
    from matplotlib import collections, pyplot

    import run_state
except ImportError as missing:
    print(f"plot_scene.py: {missing}: no picture is made. apt-get install python3-h5py python3-numpy python3-matplotlib, "
          "and use Debian's python3", file=sys.stderr)
    sys.exit(2)

AXES = {"xz": (0, 2, 1), "yz": (1, 2, 0), "xy": (0, 1, 2)}  # right, up, and the axis along which one looks
CORNERS = numpy.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def hull(points):
    """Of points in the plane, counter-clockwise."""
    points = sorted(map(tuple, points))

    def half(ordered):
        chain = []
        for p in ordered:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(reversed(points))


def solids(state):
    """(kind, size, position, orientation, speed) of every sphere and box, also of those in compounds."""
    for b, shape in enumerate(state.shape):
        kind, scale, speed = state.kind[shape], state.scale[b], numpy.linalg.norm(state.velocity[b])
        if kind in (run_state.SPHERE, run_state.BOX):
            yield kind, scale * state.size[shape], state.position[b], state.orientation[b], speed
        for part, size, position, orientation in state.parts.get(int(shape), []):
            yield (part, scale * size, state.position[b] + run_state.turn(state.orientation[b], scale * position),
                   run_state.product(state.orientation[b], orientation), speed)


def outline(solid, right, up):
    kind, size, position, orientation, _ = solid
    if kind == run_state.SPHERE:
        angle = numpy.linspace(0.0, 2.0 * numpy.pi, 25)
        return position[[right, up]] + size[0] * numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)
    return hull((position + run_state.turn(orientation, CORNERS * size))[:, [right, up]])


def draw_planes(axes, state, right, up):
    """Those that are seen from the side: a line, from where it enters the picture to where it leaves."""
    for b, shape in enumerate(state.shape):
        if state.kind[shape] != run_state.PLANE:
            continue
        normal = run_state.turn(state.orientation[b], state.size[shape])[[right, up]]
        if numpy.linalg.norm(normal) > 0.5:
            point = state.position[b][[right, up]]
            axes.axline(point, point + [normal[1], -normal[0]], color="0.3", linewidth=1.2, zorder=0)


def seen(states, view):
    """Solids of each state from back to front, their outlines, and the corners of what they fill."""
    right, up, depth = AXES[view]
    lists = [sorted(solids(state), key=lambda solid: -solid[2][depth] if depth == 1 else solid[2][depth])
             for state in states]
    outlines = [[outline(solid, right, up) for solid in solid_list] for solid_list in lists]
    everything = numpy.concatenate([numpy.concatenate(list(map(numpy.asarray, one))) for one in outlines if one])
    low, high = everything.min(axis=0), everything.max(axis=0)
    border = 0.03 * (high - low).max()
    return lists, outlines, low - border, high + border


def draw_views(rows, states, view, lists, outlines, low, high):
    right, up, _ = AXES[view]
    fastest = max((solid[4] for solid_list in lists for solid in solid_list), default=0.0) or 1.0
    for axes, state, solid_list, shapes in zip(rows, states, lists, outlines):
        drawn = collections.PolyCollection(shapes, array=numpy.array([solid[4] for solid in solid_list]), cmap="viridis",
                                           edgecolors="k", linewidths=0.15, clim=(0.0, fastest))
        axes.add_collection(drawn)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal",
                 xlabel=f"{view[0]}, m", ylabel=f"{view[1]}, m", title=f"t = {state.time:g} s")
        draw_planes(axes, state, right, up)
    rows[0].figure.colorbar(drawn, ax=list(rows), label="speed, m/s", fraction=0.03, pad=0.01)


def draw_log(rows, folder):
    with open(folder / "log.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    report = json.loads((folder / "report.json").read_text())

    if not lines:
        return

    def column(name):
        return [float(line[name]) for line in lines]

    time = column("time")
    energy = "kinetic" in lines[0]
    rows[0].plot(time, column("kinetic" if energy else "overlap"),
                 label="kinetic energy" if energy else "largest overlap, share of size")
    rows[0].set(ylabel="J" if energy else "")
    rows[1].plot(time, column("iterations"), ".", markersize=2, label="iterations of the step")
    rows[2].semilogy(time, [error or numpy.nan for error in column("error")], ".", markersize=2, label="error of the step")
    rows[2].axhline(report["tolerance"], color="0.3", linewidth=0.8, label="tolerance")
    rows[2].set(ylabel="m/s")
    for axes in rows:
        axes.set(xlabel="t, s")
        axes.legend(loc="best", fontsize="small")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--output", required=True, metavar="PICTURE")
    parser.add_argument("--view", choices=AXES, default="xz")
    given = parser.parse_args()
    wanted = [folder / "state.h5" for folder in given.folders]
    wanted += [given.folders[-1] / name for name in ("log.csv", "report.json")]
    for path in wanted:
        if not path.exists():
            print(f"plot_scene.py: {path} is not there", file=sys.stderr)
            sys.exit(2)
    states = [run_state.read_state(path) for path in wanted[:len(given.folders)]]
    lists, outlines, low, high = seen(states, given.view)
    height = len(states) * (0.8 + min(5.0, 7.4 * (high[1] - low[1]) / (high[0] - low[0])))  # inches
    figure = pyplot.figure(figsize=(9, height + 2.4), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[height, 2.4])
    draw_views(above.subplots(len(states), 1, squeeze=False)[:, 0], states, given.view, lists, outlines, low, high)
    draw_log(below.subplots(1, 3), given.folders[-1])
    figure.savefig(given.output, dpi=130)


if __name__ == "__main__":
    main()
