#!/usr/bin/env python3
"""Draws tables of collect.py: speed-up, efficiency, seconds, and what travels, over ranks x threads.

usage: plot.py TABLE.csv [TABLE.csv ...] --output FIGURE.png [--latency S] [--bandwidth BYTES_PER_S]

Points are medians, bars the spread of the repeats. Dashed lines are the model of docs/performance.md: work of one rank
shared evenly, mirrored rows as measured, every message one latency and its bytes through the bandwidth, a reduction
2 log2(ranks) messages, nothing overlapped. Its two numbers are assumptions and stand in the title. Runs on more ranks
than cores give counts, no times. Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import csv
import math
import pathlib
import sys

BYTES_OF_A_REDUCTION = 216


def read(paths):
    lines = []
    for path in paths:
        with path.open() as file:
            for line in csv.DictReader(file):
                for key, value in line.items():
                    if key not in ("commit", "machine", "study", "method", "law", "hash"):
                        line[key] = float(value)
                lines.append(line)
    return lines


def cores(line):
    return line["ranks"] * line["threads"]


def curve_of(line):
    """What the points of one curve have in common: in a weak study the bodies of a rank, else the bodies."""
    bodies = line["bodies"] / line["ranks"] if line["study"] == "weak" else line["bodies"]
    return line["study"], line["method"], round(bodies)


def label_of(curve):
    study, method, bodies = curve
    return f"{method}, {study}, {bodies:,} bodies" + (" per rank" if study == "weak" else "")


def base_of(lines, line):
    """The run on one core (or the fewest) that a line is compared with."""
    same = [other for other in lines if curve_of(other) == curve_of(line) and not other["counts_only"]]
    return min(same, key=cores, default=None)


def speed_up(lines, line):
    base = base_of(lines, line)
    work = line["contacts"] / base["contacts"] * line["iterations"] / base["iterations"]
    return base["seconds"] / line["seconds"] * work


def model_seconds(base, line, latency, bandwidth):
    """From the work of the base run and the counts of this one."""
    work = base["compute_s"] * base["ranks"] / (1.0 + base["mirrored_share"]) * line["contacts"] / base["contacts"]
    compute = work / line["ranks"] * (1.0 + line["mirrored_share"])
    exchange = line["messages_per_rank"] * latency + line["bytes_per_rank"] / bandwidth
    rounds = 2 * math.ceil(math.log2(line["ranks"])) if line["ranks"] > 1 else 0
    return compute + exchange + line["reductions"] * rounds * (latency + BYTES_OF_A_REDUCTION / bandwidth)


def draw(lines, a):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7.5), constrained_layout=True)
    (speed, efficiency), (seconds, travel) = axes
    for number, curve in enumerate(sorted({curve_of(l) for l in lines})):
        color, label = f"C{number}", label_of(curve)
        chosen = sorted((l for l in lines if curve_of(l) == curve), key=cores)
        timed = [l for l in chosen if not l["counts_only"]]
        if timed:
            x = [cores(l) for l in timed]
            speed.plot(x, [speed_up(lines, l) for l in timed], "o-", color=color, label=label)
            base = base_of(lines, timed[0])
            efficiency.plot(x, [speed_up(lines, l) * cores(base) / cores(l) for l in timed], "o-", color=color,
                            label=label)
            spread = [[l["seconds"] - l["seconds_least"] for l in timed], [l["seconds_most"] - l["seconds"] for l in timed]]
            seconds.errorbar(x, [l["seconds"] for l in timed], spread, fmt="o-", color=color, label=label, capsize=3)
            modelled = [l for l in chosen if l["threads"] == base["threads"]]
            seconds.plot([cores(l) for l in modelled], [model_seconds(base, l, a.latency, a.bandwidth) for l in modelled],
                         "--", color=color, alpha=0.6)
        many = [l for l in chosen if l["ranks"] > 1 and l["exchanges"] > 0]
        if many:
            travel.plot([l["ranks"] for l in many], [1e-3 * l["bytes_per_rank"] / l["exchanges"] for l in many], "s-",
                        color=color, label=label)
    top = max(cores(l) for l in lines if not l["counts_only"])
    speed.plot([1, top], [1, top], ":", color="grey", label="ideal")
    efficiency.axhline(1.0, ls=":", color="grey")
    for axis, title, name in ((speed, "speed-up", "ranks x threads"), (efficiency, "efficiency", "ranks x threads"),
                              (seconds, "seconds (dashed: model)", "ranks x threads"),
                              (travel, "kB per rank and exchange (also on more ranks than cores)", "ranks")):
        axis.set_xscale("log", base=2)
        axis.set_xlabel(name)
        axis.set_title(title, fontsize=10)
        axis.legend(fontsize=6)
        axis.grid(alpha=0.3)
    seconds.set_yscale("log")
    efficiency.set_ylim(0.0, 1.15)
    figure.suptitle(f"{lines[0]['machine']}, commit {lines[0]['commit']}; model: latency {a.latency:g} s, "
                    f"{a.bandwidth:g} bytes/s", fontsize=10)
    figure.savefig(a.output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--latency", type=float, default=1e-6)
    parser.add_argument("--bandwidth", type=float, default=5e9)
    a = parser.parse_args()
    lines = read(a.tables)
    if not any(not line["counts_only"] for line in lines):
        sys.exit("the tables hold counts only: there are no times to draw")
    try:
        draw(lines, a)
    except ImportError:
        sys.exit("matplotlib is missing: install python3-matplotlib")
    print(a.output)


if __name__ == "__main__":
    main()
