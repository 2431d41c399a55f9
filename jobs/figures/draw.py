#!/usr/bin/env python3
"""Draws the figures of docs/figures from what talus_figures prints.

usage: draw.py PROGRAM FIGURE OUTPUT.png     FIGURE: energy

Needs python3-numpy and python3-matplotlib.
"""
import csv
import io
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def table(program, *arguments):
    """What the program prints, as a list of dictionaries."""
    text = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def draw_energy(program, output):
    """Isolines of the energy error in the plane x-w, as Fig. 1 of [Enzenhoefer15]."""
    entries = table(program, "energy")
    # where the error vanishes: the graph that a solution lies on
    solutions = {"normal": ([0, 0, 3], [3, 0, 0]), "friction": ([-1, -1, 1, 1], [3, 0, 0, -3])}
    titles = {"normal": "normal row, 0 ≤ x", "friction": "friction row, −1 ≤ x ≤ 1"}
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, constrained_layout=True)
    for axis, row in zip(axes, solutions):
        part = [e for e in entries if e["row"] == row]
        x = np.unique([float(e["x"]) for e in part])
        w = np.unique([float(e["w"]) for e in part])
        error = np.array([float(e["error"]) for e in part]).reshape(len(x), len(w)).T
        levels = [0.5 * k * k for k in (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.6, 2, 2.4)]
        lines = axis.contour(x, w, error, levels=levels, colors="0.35", linestyles="dashed", linewidths=0.9)
        axis.clabel(lines, fmt="%.2g", fontsize=7)
        axis.plot(*solutions[row], color="tab:blue", linewidth=2.5)
        axis.set(title=titles[row], xlabel="impulse x, N s", xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
        axis.grid(alpha=0.25)
    axes[0].set_ylabel("gap velocity w, m/s")
    figure.suptitle("Energy error δe in J for a = 1/kg (solid: solutions, no error)")
    figure.savefig(output, dpi=110)


FIGURES = {"energy": draw_energy}


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in FIGURES:
        sys.exit(__doc__)
    FIGURES[sys.argv[2]](sys.argv[1], sys.argv[3])


main()
