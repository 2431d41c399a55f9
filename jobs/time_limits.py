#!/usr/bin/env python3
"""How far solves run over their time limit, as a markdown table.

usage: time_limits.py TALUS [--problem packing,bodies=7000] [--limit 0.2] [--runs 20]

Each run makes the problem and solves it with --time-limit; what is counted is the report's `seconds`, which begins with
solve() and ends after the verification, less the limit. The tolerance is 0, so that no run ends before.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

CASES = [("apgd", "associated"), ("pspgfb", "associated"), ("psor", "associated"), ("apgd", "coulomb"), ("auto", "coulomb")]


def overrun(arguments, method, law, threads):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [arguments.talus, "solve", "--generate", arguments.problem, "--method", method, "--law", law,
                   "--tolerance", "0", "--time-limit", str(arguments.limit), "--threads", str(threads), "--quiet",
                   "--report", str(report)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 1:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        return 1e3 * (json.loads(report.read_text())["seconds"] - arguments.limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--problem", default="packing,bodies=7000")
    parser.add_argument("--limit", type=float, default=0.2)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    print("| method, law | threads | median, ms | worst, ms |")
    print("|---|---|---|---|")
    for method, law in CASES:
        for threads in (1, 2):
            runs = [overrun(arguments, method, law, threads) for _ in range(arguments.runs)]
            print(f"| `{method}`, {law} | {threads} | {statistics.median(runs):+.1f} | {max(runs):+.1f} |", flush=True)


if __name__ == "__main__":
    main()
