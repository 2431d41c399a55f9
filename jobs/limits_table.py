#!/usr/bin/env python3
"""Where first-order methods get slow: iterations over size, height and mass ratio, as a markdown table.

usage: limits_table.py TALUS [--methods apgd,pspgfb,psor] [--law associated] [--tolerance 1e-6] [--work 6e9]

Each problem is made and solved by TALUS, cold, on one thread, one run after the other. An entry is the number of
iterations, or, where the limit came first, a dash with the error that was reached. The limit is one of work, not of
time, so that the table is the same on every machine: contacts times iterations (a sweep of psor counts for eight), and
at most 200,000 iterations.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

FAMILIES = [
    ("packing, spheres", [("1,000", "packing,bodies=1000"), ("8,000", "packing,bodies=8000"),
                          ("64,000", "packing,bodies=64000")]),
    ("stack, plates", [(str(n), f"stack,bodies={n}") for n in (10, 20, 50, 100)]),
    ("stack of 50, alternating mass ratio", [(str(r), f"stack,bodies=50,mass_ratio={r}") for r in (1, 10, 100, 1000)]),
    ("stack of 50, heavy plate on top", [(str(r), f"stack,bodies=50,mass_ratio={r},order=top") for r in (10, 100, 1000)]),
    ("wall, bricks and a ball", [(str(n), f"wall,bodies={n}") for n in (101, 401, 1601)]),
]


MOST_ITERATIONS = 200_000
COST = {"psor": 8}  # of an iteration, in those of the others


def contacts_of(arguments, problem):
    """How many contacts a problem has: asked of a solve that ends at once."""
    return solved(arguments, "apgd", problem, 1)["contacts"]


def solved(arguments, method, problem, iterations):
    """The report of one solve."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [arguments.talus, "solve", "--generate", problem, "--method", method, "--law", arguments.law,
                   "--tolerance", str(arguments.tolerance), "--max-iterations", str(iterations), "--threads", "1", "--quiet",
                   "--report", str(report)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        return json.loads(report.read_text())


def entry(report):
    if report["within_tolerance"]:
        return f"{report['iterations']:,}"
    return f"– ({report['error']:.0e})"


def exponent(sizes, reports):
    """Slope of iterations over size, first to last; None where an end is missing."""
    first, last = reports[0], reports[-1]
    if not (first["within_tolerance"] and last["within_tolerance"]):
        return None
    ratio = float(sizes[-1].replace(",", "")) / float(sizes[0].replace(",", ""))
    return math.log(last["iterations"] / first["iterations"]) / math.log(ratio)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--methods", default="apgd,pspgfb,psor")
    parser.add_argument("--law", default="associated")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--work", type=float, default=6e9)
    arguments = parser.parse_args()
    methods = arguments.methods.split(",")
    for title, members in FAMILIES:
        sizes = [size for size, _ in members]
        print(f"\n| {title} | " + " | ".join(sizes) + " | exponent |")
        print("|---" * (len(sizes) + 2) + "|")
        for method in methods:
            reports = []
            for size, problem in members:
                print(f"{method}: {problem}", file=sys.stderr, flush=True)
                most = arguments.work / (COST.get(method, 1) * contacts_of(arguments, problem))
                reports.append(solved(arguments, method, problem, min(MOST_ITERATIONS, int(most))))
            slope = exponent(sizes, reports)
            print(f"| `{method}` | " + " | ".join(map(entry, reports)) +
                  f" | {'–' if slope is None else format(slope, '.2f')} |", flush=True)


if __name__ == "__main__":
    main()
