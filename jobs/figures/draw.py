#!/usr/bin/env python3
"""Draws the figures of docs/figures from what our programs compute.

usage: draw.py energy   build/release/talus_figures OUTPUT.png
       draw.py measures build/release/talus B3.h5   OUTPUT.png
       draw.py descent  build/release/talus B4.h5   OUTPUT.png

Needs python3-numpy and python3-matplotlib.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def draw_energy(program, output):
    """Isolines of the energy error in the plane x-w, as Fig. 1 of [Enzenhoefer15]."""
    text = subprocess.run([program, "energy"], check=True, capture_output=True, text=True).stdout
    entries = list(csv.DictReader(io.StringIO(text)))
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


def history(program, problem, *options):
    """Columns of `talus solve --history`, law associated; an answer above tolerance (exit 1) is expected."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "history.csv"
        command = [program, "solve", problem, "--law", "associated", "--quiet", "--history", str(path), *options]
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} failed")
        rows = list(csv.DictReader(path.open()))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def stored_objective(problem):
    """f* of the best known answer of the associated law."""
    import h5py  # Debian: python3-h5py

    with h5py.File(problem) as file:
        return float(file["solution_ccp"].attrs["objective"])


def draw_measures(program, problem, output):
    """Every measure over one solve, relative to its value at x = 0; energies as roots, so that all fall alike."""
    h = history(program, problem, "--method", "apgd", "--tolerance", "1e-4")
    f_star = stored_objective(problem)
    figure, axis = plt.subplots(figsize=(8, 5), constrained_layout=True)
    # natural, its forms and the root of the energy nearly coincide: wide lines below, narrow ones above
    widths = {"natural": 5, "natural_velocity": 3, "natural_tau": 1.2, "siconos": 1, "siconos_invariant": 1}
    for name, width in widths.items():
        axis.plot(h["iteration"], h[name] / h[name][0], linewidth=width, label=name)
    energies = {"energy": h["energy"], "fischer_burmeister": h["fischer_burmeister"],
                "objective − f*": np.maximum(h["objective"] - f_star, 0)}
    for (name, values), color in zip(energies.items(), ("black", "tab:pink", "tab:gray")):
        root = np.sqrt(values / values[0])
        axis.plot(h["iteration"], root, color=color, linewidth=0.8, linestyle="dashed", label=f"√ {name}")
    axis.set(xlabel="iteration", ylabel="relative to the value at x = 0", yscale="log",
             title=f"All measures of one solve of {pathlib.Path(problem).stem}: apgd, law associated")
    axis.grid(alpha=0.25)
    axis.legend(fontsize=8, ncol=2)
    figure.savefig(output, dpi=110)


def draw_descent(program, problem, output):
    """The non-monotone descent of pspgfb with and without preconditioner, as Fig. 1 of [Tasora13]."""
    f_star = stored_objective(problem)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), constrained_layout=True)
    for label, precondition, color in (("with P", "true", "tab:blue"), ("without", "false", "tab:orange")):
        h = history(program, problem, "--method", "pspgfb", "--pspgfb.precondition", precondition,
                    "--tolerance", "1e-12", "--max-iterations", "300")
        axes[0].plot(h["iteration"], h["objective"] - f_star, linewidth=0.9, color=color, label=label)
        axes[1].plot(h["iteration"], h["natural_relative"], linewidth=0.4, alpha=0.7, color=color, label=label)
        best = np.minimum.accumulate(h["natural_relative"])
        axes[1].plot(h["iteration"], best, linewidth=1.6, color=color, label=f"{label}, best so far (fallback)")
    axes[0].set(ylabel="objective − f*, J")
    axes[1].set(ylabel="residual (natural_relative)")
    for axis in axes:
        axis.set(xlabel="iteration", yscale="log")
        axis.grid(alpha=0.25)
        axis.legend(fontsize=8)
    figure.suptitle(f"pspgfb on {pathlib.Path(problem).stem}: non-monotone descent")
    figure.savefig(output, dpi=110)


FIGURES = {"energy": (draw_energy, 2), "measures": (draw_measures, 3), "descent": (draw_descent, 3)}


def main():
    figure, *arguments = sys.argv[1:] or [""]
    draw, count = FIGURES.get(figure, (None, -1))
    if len(arguments) != count:
        sys.exit(__doc__)
    draw(*arguments)


main()
