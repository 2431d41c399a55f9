#!/usr/bin/env python3
"""Makes one table of the runs of a study (study.py): a line per method, ranks and threads, medians over the repeats.

usage: collect.py DIR [--output TABLE.csv]

Refuses (exit 1, with names) runs whose answers differ where they must not: a time is worth nothing beside another
error. In strong and threads studies every run of a method must have the same error and, where the report says
any_ranks, the same hash; in weak studies the repeats must, and with a tolerance every run must have met it.
"""
import argparse
import csv
import json
import pathlib
import statistics
import sys

PHASES = {"compute_s": "compute_seconds", "wait_s": "wait_seconds", "reduction_s": "reduction_seconds"}


def load(folder, plan):
    """(run, its report, its machine), and the names of those without a result."""
    found, missing = [], []
    for run in plan["runs"]:
        path = folder / "results" / f"{run['name']}.json"
        if not path.exists() or not path.stat().st_size:
            missing.append(run["name"])
            continue
        machine = path.with_suffix(".machine")
        found.append((run, json.loads(path.read_text()),
                      machine.read_text().strip() if machine.exists() else "unknown"))
    return found, missing


def unequal(plan, found):
    """What forbids a comparison, in words."""
    faults, first = [], {}
    for run, report, _ in found:
        if plan["tolerance"] is not None and not report["within_tolerance"]:
            faults.append(f"{run['name']}: ended at {report['error']:.2e}, above the tolerance {plan['tolerance']:g}")
        same_rows = (run["method"], run["problem"])
        name, error, digest = first.setdefault(same_rows, (run["name"], report["error"], report["solution_hash"]))
        if report["error"] != error and report["reproducible"] == "any_ranks":
            faults.append(f"{run['name']}: error {report['error']:.17g}, but {name} has {error:.17g}")
        elif report["solution_hash"] != digest and report["reproducible"] == "any_ranks":
            faults.append(f"{run['name']}: hash {report['solution_hash']}, but {name} has {digest}")
    return faults


def line_of(plan, group):
    """One line of the table: medians over the repeats of one method on one shape."""
    run, report, machine = group[0]
    seconds = [r["seconds"] for _, r, _ in group]

    def median(value):
        return statistics.median(value(r) for _, r, _ in group)

    def ledger(report, key):
        """Mean over the ranks; alone, all of the time is computing."""
        if "ledger" in report:
            return report["ledger"][key]["mean"]
        return report["seconds"] if key == "compute_seconds" else 0.0

    line = {"commit": plan["commit"], "machine": machine, "study": plan["kind"], "method": run["method"],
            "law": report["law"], "ranks": run["ranks"], "threads": run["threads"], "repeats": len(group),
            "counts_only": int(run["counts_only"]), "bodies": report["bodies"], "contacts": report["contacts"],
            "iterations": report["iterations"], "error": report["error"], "hash": report["solution_hash"],
            "seconds": statistics.median(seconds), "seconds_least": min(seconds), "seconds_most": max(seconds)}
    line |= {name: median(lambda r, k=key: ledger(r, k)) for name, key in PHASES.items()}
    line |= {"messages_per_rank": ledger(report, "messages_per_rank"), "bytes_per_rank": ledger(report, "bytes_per_rank"),
             "reductions": report["reductions"], "exchanges": report["exchanges"],
             "imbalance": report.get("ledger", {}).get("imbalance", 1.0),
             "mirrored_share": report.get("partition", {}).get("mirrored_share", 0.0),
             "most_neighbours": report.get("partition", {}).get("most_neighbours", 0)}
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, help="default DIR/table.csv")
    a = parser.parse_args()
    plan = json.loads((a.folder / "study.json").read_text())
    found, missing = load(a.folder, plan)
    for name in missing:
        print(f"no result yet: {name}", file=sys.stderr)
    if not found:
        sys.exit(f"{a.folder}: no results; start run_all.sh first")
    faults = unequal(plan, found)
    if faults:
        sys.exit("these runs cannot be compared:\n" + "\n".join(faults))
    groups = {}
    for entry in found:
        run = entry[0]
        groups.setdefault((run["method"], run["ranks"], run["threads"]), []).append(entry)
    lines = [line_of(plan, group) for group in groups.values()]
    goal = a.output or a.folder / "table.csv"
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys())
        writer.writeheader()
        writer.writerows(lines)
    print(f"{goal}: {len(lines)} lines from {len(found)} runs")


if __name__ == "__main__":
    main()
