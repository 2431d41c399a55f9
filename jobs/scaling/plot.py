#!/usr/bin/env python3
"""Draws tables of collect.py: speed-up, efficiency, seconds, and what travels, over ranks x threads.

usage: plot.py TABLE.csv [TABLE.csv ...] --output FIGURE.png [--latency S] [--bandwidth BYTES_PER_S]

One curve per method of each table. Points are medians, bars the spread of the repeats. Dashed lines are the model of
docs/ranks.md: work of one rank shared evenly, mirrored rows as measured, every message one latency and its bytes
through the bandwidth, a reduction 2 log2(ranks) messages, nothing overlapped. Its two numbers are assumptions and stand
in the title. Runs on more ranks than cores give counts, no times. Needs matplotlib (Debian: python3-matplotlib); where
this Python has none, /usr/bin/python3 is tried.

exit 0  the figure is written
     2  it is not: stderr says why
"""
import argparse
import csv
import math
import os
import pathlib
import sys

BYTES_OF_A_REDUCTION = 216
DEBIAN_PYTHON = "/usr/bin/python3"
WORDS = ("commit", "scripts_commit", "program", "machine", "study", "method", "law", "hash")
NEEDED = ("machine", "study", "method", "ranks", "threads", "counts_only", "bodies", "contacts", "iterations",
          "seconds", "seconds_least", "seconds_most", "compute_s", "messages_per_rank", "bytes_per_rank", "reductions",
          "exchanges", "mirrored_share")


def fail(text):
    print(f"plot.py: {text}", file=sys.stderr)
    sys.exit(2)


def read(paths):
    lines = []
    for number, path in enumerate(paths):
        try:
            with path.open(newline="") as file:
                lines += [line_of(line, number) for line in csv.DictReader(file)]
        except OSError as error:
            fail(f"{path}: {error.strerror}; give tables of collect.py")
        except (ValueError, TypeError, csv.Error) as error:
            fail(f"{path}: is no table of collect.py ({error})")
    return lines


def line_of(line, number):
    """Efficiencies of runs that give counts only are empty."""
    missing = [name for name in NEEDED if name not in line]
    if missing:
        raise ValueError(f"it has no column {missing[0]}")
    numbers = {name: float(value) if value else math.nan for name, value in line.items() if name not in WORDS}
    for name in NEEDED:
        if not math.isfinite(numbers.get(name, 0.0)):
            raise ValueError(f"it has no number for {name}")
    for name in ("ranks", "threads", "bodies", "seconds"):
        if not numbers[name] > 0.0:
            raise ValueError(f"{name} is not above 0")
    return {**line, **numbers, "table": number}


def cores(line):
    return line["ranks"] * line["threads"]


def curve_of(line):
    """What the points of one curve have in common: in a weak study the bodies of a rank, else the bodies."""
    bodies = line["bodies"] / line["ranks"] if line["study"] == "weak" else line["bodies"]
    return line["table"], line["study"], line["method"], round(bodies)


def size_of(line):
    return line["contacts"] or line["bodies"]  # a net has joints only


def label_of(chosen):
    """Contacts and iterations too: seconds of other work are another matter."""
    first = chosen[0]
    per_rank = first["study"] == "weak"
    size = size_of(first) / (first["ranks"] if per_rank else 1)
    unit = "contacts" if first["contacts"] else "bodies"
    least, most = (int(choose(line["iterations"] for line in chosen)) for choose in (min, max))
    return (f"{first['method']}, {first['study']}, {size:,.0f} {unit}" + (" per rank" if per_rank else "")
            + f", {least:,}" + (f" to {most:,}" if most > least else "") + " iterations")


def base_of(lines, line):
    """The run on one core (or the fewest) that a line is compared with."""
    same = [other for other in lines if curve_of(other) == curve_of(line) and not other["counts_only"]]
    return min(same, key=cores, default=None)


def model_seconds(base, line, latency, bandwidth):
    """From the work of the base run and the counts of this one."""
    work = base["compute_s"] * base["ranks"] / (1.0 + base["mirrored_share"]) * size_of(line) / size_of(base)
    compute = work / line["ranks"] * (1.0 + line["mirrored_share"])
    exchange = line["messages_per_rank"] * latency + line["bytes_per_rank"] / bandwidth
    rounds = 2 * math.ceil(math.log2(line["ranks"])) if line["ranks"] > 1 else 0
    return compute + exchange + line["reductions"] * rounds * (latency + BYTES_OF_A_REDUCTION / bandwidth)


def efficiency_of(lines, line):
    """(value, least, most): of pairs of the same repeat where the table has them, else of the medians.

    Only in weak studies do the runs have other work to do; else an iteration more is a loss.
    """
    if "efficiency" in line:
        return line["efficiency"], line["efficiency_least"], line["efficiency_most"]
    base = base_of(lines, line)
    work = 1.0 if line["study"] != "weak" else size_of(line) / size_of(base) * (
        max(line["iterations"], 1) / max(base["iterations"], 1))
    value = base["seconds"] * cores(base) / (line["seconds"] * cores(line)) * work
    return value, value, value


def bars(values):
    """Of (value, least, most) triples, as errorbar takes them."""
    return [v for v, _, _ in values], [[v - least for v, least, _ in values], [most - v for v, _, most in values]]


def pyplot_of_this_or_debians_python():
    try:
        import matplotlib
    except ImportError:
        if sys.executable != DEBIAN_PYTHON and os.access(DEBIAN_PYTHON, os.X_OK):
            os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
        fail("matplotlib is missing: install python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def draw(lines, a):
    pyplot = pyplot_of_this_or_debians_python()
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7.5), constrained_layout=True)
    (speed, efficiency), (seconds, travel) = axes
    for number, curve in enumerate(sorted({curve_of(l) for l in lines})):
        color = f"C{number}"
        chosen = sorted((l for l in lines if curve_of(l) == curve), key=cores)
        label = label_of(chosen)
        timed = [l for l in chosen if not l["counts_only"]]
        if timed:
            x, style = [cores(l) for l in timed], {"fmt": "o-", "color": color, "label": label, "capsize": 3}
            base = base_of(lines, timed[0])
            speed.plot(x, [efficiency_of(lines, l)[0] * cores(l) / cores(base) for l in timed], "o-", color=color,
                       label=label)
            efficiency.errorbar(x, *bars([efficiency_of(lines, l) for l in timed]), **style)
            seconds.errorbar(x, *bars([(l["seconds"], l["seconds_least"], l["seconds_most"]) for l in timed]), **style)
            modelled = [l for l in chosen if l["threads"] == base["threads"]]
            seconds.plot([cores(l) for l in modelled],
                         [model_seconds(base, l, a.latency, a.bandwidth) for l in modelled], "--", color=color,
                         alpha=0.6)
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
    efficiency.set_ylim(bottom=0.0)
    first = lines[0]
    figure.suptitle(f"{first['machine']}; {first.get('program', 'unknown program')}\n"
                    f"scripts of {first.get('scripts_commit') or first.get('commit')}; model: latency {a.latency:g} s, "
                    f"{a.bandwidth:g} bytes/s", fontsize=9)
    try:
        figure.savefig(a.output, dpi=110)
    except ValueError as error:  # a suffix that matplotlib does not know; it lists those it does
        fail(f"--output {a.output}: {error}")
    except OSError as error:
        fail(f"cannot write {a.output}: {error.strerror}; give another file with --output")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--latency", type=float, default=1e-6)
    parser.add_argument("--bandwidth", type=float, default=5e9)
    a = parser.parse_args()
    if not (a.latency >= 0.0 and a.bandwidth > 0.0):
        fail("--latency must be at least 0 s, --bandwidth above 0 bytes/s")
    if not a.output.suffix:
        fail(f"--output {a.output}: give it a suffix, such as .png, .svg or .pdf")
    lines = read(a.tables)
    if not any(not line["counts_only"] for line in lines):
        fail("the tables hold no times to draw; counts only, or nothing")
    draw(lines, a)
    print(a.output)


if __name__ == "__main__":
    main()
