#!/usr/bin/env python3
"""Draws what `talus compare` found; the program itself runs this.

usage: plot_comparison.py --output FILE --format png|svg|pdf < COMPARISON.json
       plot_comparison.py --check

One problem: the error over the work (products with N) and over time, a curve per method. Several problems: their performance
profile, per tolerance, by work and by time. --check exits with 0 where there is matplotlib.
"""
import argparse
import itertools
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # no display is needed

WORK = "products with N"
WORK_WITH_SWEEPS = "products with N (psor: and sweeps)"


def best_so_far(errors):
    return list(itertools.accumulate(errors, min))


def work_label(methods):
    return WORK_WITH_SWEEPS if "psor" in methods else WORK


def draw_curves(plt, comparison):
    """Error over work and over time for one problem, as Figs. 3 to 6 of [Tasora13]."""
    problem = comparison["problems"][0]
    runs = [run for run in problem["runs"] if run["applicable"]]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharey=True, constrained_layout=True)
    for number, run in enumerate(runs):
        color = f"C{number % 10}"
        curve = run["curve"]
        # a value that is not finite is null; it has no place on the axis and does not beat any other
        errors = [float("inf") if error is None else error for error in curve["error"]]
        for axis, across in zip(axes, ("work", "seconds")):
            # before the first product there is no place on a logarithmic axis
            points = [(x, error, best) for x, error, best in zip(curve[across], errors, best_so_far(errors))
                      if x > 0 and error < float("inf")]
            if not points:
                continue
            x, error, best = zip(*points)
            axis.plot(x, error, color=color, linewidth=0.5, alpha=0.45)
            axis.plot(x, best, color=color, linewidth=1.6, label=run["method"])
            if run["within_tolerance"]:
                axis.plot(x[-1:], best[-1:], color=color, marker="o", markersize=4)
    for axis in axes:
        for tolerance in comparison["tolerances"]:
            axis.axhline(tolerance, color="0.5", linewidth=0.8, linestyle="dotted")
        axis.set(xscale="log", yscale="log")
        axis.grid(alpha=0.25)
    axes[0].set(xlabel=work_label([run["method"] for run in runs]), ylabel=f"error ({comparison['measure']})")
    axes[1].set(xlabel=f"seconds ({comparison['threads']} thread{'s' if comparison['threads'] != 1 else ''})")
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(fontsize=8)
    name = pathlib.Path(problem["problem"]).name
    figure.suptitle(f"{name}, law {comparison['law']}: best error so far, thin: every iterate", fontsize=11)
    return figure


def draw_profiles(plt, comparison):
    """Share of problems solved within a factor of the best method for each [DolanMore02]."""
    tolerances = comparison["tolerances"]
    costs = ("work", "seconds")
    figure, axes = plt.subplots(len(tolerances), 2, figsize=(10, 0.9 + 3.4 * len(tolerances)), squeeze=False,
                                sharey=True, constrained_layout=True)
    for profile in comparison["profiles"]:
        axis = axes[tolerances.index(profile["tolerance"])][costs.index(profile["cost"])]
        lines = profile["methods"]
        end = 1.1 * max((line["tau"][-1] for line in lines.values() if line["tau"]), default=10.0)
        for number, (method, line) in enumerate(lines.items()):
            tau, share = [1.0, *line["tau"], end], [0.0, *line["share"]]
            axis.step(tau, [*share, share[-1]], where="post", color=f"C{number % 10}", linewidth=1.5, label=method)
        label = work_label(lines) if profile["cost"] == "work" else "seconds"
        axis.set(xscale="log", xlim=(1.0, end), ylim=(-0.02, 1.02),
                 xlabel=f"{label}, relative to the best method", title=f"to {profile['tolerance']:g}")
        axis.grid(alpha=0.25)
        axis.title.set_fontsize(10)
    for row in axes:
        row[0].set_ylabel("share of problems solved")
    axes[0][0].legend(fontsize=8, loc="lower right")
    problems = comparison["profiles"][0]["problems"]
    figure.suptitle(f"{problems} problems, law {comparison['law']}, {comparison['measure']}", fontsize=11)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output")
    parser.add_argument("--format", default="png")
    arguments = parser.parse_args()
    if arguments.check:
        return  # the import above is the check
    if arguments.output is None:
        parser.error("--output is needed")
    import matplotlib.pyplot as plt  # slow, and not needed for a check

    comparison = json.load(sys.stdin)
    draw = draw_profiles if "profiles" in comparison else draw_curves
    draw(plt, comparison).savefig(arguments.output, format=arguments.format, dpi=110)


main()
