#!/usr/bin/env python3
"""Draws what `talus plot` found in the folder of a run; the program itself runs this.

usage: plot_run.py --output FOLDER < CHARTS.json
       plot_run.py --check

One PNG for each chart, FOLDER/NAME.png; the folder is made. --check exits with 0 where there is matplotlib.
"""
import argparse
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # no display is needed

NOTHING = float("nan")


def draw(plt, chart):
    figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    for curve in chart["curves"]:
        y = [NOTHING if value is None or (chart["logarithmic"] and value <= 0) else value for value in curve["y"]]
        x = [NOTHING if value is None else value for value in curve["x"]]
        axes.plot(x, y, linewidth=1.3, marker="." if len(x) < 40 else None, label=curve["label"])
    for mark in chart["marks"]:
        axes.axhline(mark["y"], color="0.4", linewidth=0.9, linestyle="dashed", label=mark["label"])
    if chart["logarithmic"]:
        axes.set_yscale("log")
    axes.set(xlabel=chart["x_label"], ylabel=chart["y_label"], title=chart["title"])
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.check:
        return  # the import above is the check
    if arguments.output is None:
        parser.error("--output is needed")
    import matplotlib.pyplot as plt  # slow, and not needed for a check

    arguments.output.mkdir(parents=True)
    for chart in json.load(sys.stdin)["charts"]:
        figure = draw(plt, chart)
        figure.savefig(arguments.output / f"{chart['name']}.png", dpi=110)
        plt.close(figure)


main()
