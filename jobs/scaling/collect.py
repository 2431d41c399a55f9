#!/usr/bin/env python3
"""Makes one table of the runs of a study (study.py): a line per method, ranks and threads, medians over the repeats.

usage: collect.py DIR [--output TABLE.csv]

A time is worth nothing beside another error. Hence these runs are refused by name, with exit code 1:
- those that did not run as planned: interrupted, on other ranks or threads, by another version of the program;
- with a tolerance, those that ended above it;
- of a method, those of the same problem with another error or other bits. A method whose report says same_ranks (psor)
  has other bits on other ranks: compared to a tolerance its errors may differ below it, else they may not.

Of a scene (study.py --scene) contacts are the mean over the steps, iterations those of all steps, the error that of the
worst step, the hash that of the trajectory; stages are in seconds, mean over the ranks and (_most) of the slowest; then
come seconds per step, imbalance, bodies that have moved from rank to rank, balances and their share of the time, ghosts
of the rank with the most, memory of a rank in bytes.

Efficiency is over the run on the fewest cores, repeat by repeat, because a machine that others use too changes between
repeats: seconds there over cores and seconds here; in weak studies times the contacts and iterations.
"""
import argparse
import csv
import json
import pathlib
import statistics
import sys

import scenes

PHASES = {"compute_s": "compute_seconds", "wait_s": "wait_seconds", "reduction_s": "reduction_seconds"}
NEEDED = ("bodies", "contacts", "law", "error", "within_tolerance", "iterations", "reductions", "exchanges", "seconds",
          "ranks", "threads", "solution_hash", "reproducible", "versions")


def fail(code, text):
    print(text, file=sys.stderr)
    sys.exit(code)


def plan_of(folder):
    try:
        plan = json.loads((folder / "study.json").read_text())
        return plan if plan["runs"] else fail(2, f"{folder}/study.json: plans no runs")
    except OSError as error:
        fail(2, f"{folder}/study.json: {error.strerror}; give the folder that study.py made")
    except (ValueError, KeyError, TypeError):
        fail(2, f"{folder}/study.json: is no plan of study.py")


def report_of(path):
    """None where the file is no report."""
    try:
        report = scenes.as_answer(json.loads(path.read_text()))
        return report if all(key in report for key in NEEDED) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def load(folder, plan):
    """(run, its report, its machine), the names of those without a result, and what is wrong with a result."""
    found, missing, faults = [], [], []
    for run in plan["runs"]:
        path = folder / "results" / f"{run['name']}.json"
        if not path.exists() or not path.stat().st_size:
            missing.append(run["name"])
            continue
        report = report_of(path)
        if report is None:
            faults.append(f"{run['name']}: {path} is no report of talus; delete it and start run_all.sh again")
            continue
        machine = path.with_suffix(".machine")
        found.append((run, report, machine.read_text().strip() if machine.exists() else "unknown"))
    return found, missing, faults


def program_of(report):
    return " ".join(f"{name} {version}" for name, version in report["versions"].items())


def unplanned(plan, run, report):
    """What went otherwise than planned, in words; empty where nothing did."""
    if report["reproducible"] == "no":
        return "was interrupted; delete its report and start run_all.sh again"
    if (report["ranks"], report["threads"]) != (run["ranks"], run["threads"]):
        return (f"ran on {report['ranks']} x {report['threads']} ranks x threads, planned were {run['ranks']} x "
                f"{run['threads']}; is mpirun of the MPI that talus is linked to?")
    if plan["tolerance"] is not None and not report["within_tolerance"]:
        return f"ended at {report['error']:.2e}, above the tolerance {plan['tolerance']:g}"
    return ""


def unequal(plan, found):
    """What forbids a comparison, in words."""
    faults, errors, digests = [], {}, {}
    for run, report, _ in found:
        fault = unplanned(plan, run, report)
        if fault:
            faults.append(f"{run['name']}: {fault}")
            continue
        any_ranks = report["reproducible"] == "any_ranks"
        rows = (run["method"], run["problem"])
        same_bits = rows if any_ranks else (*rows, run["ranks"])
        name, error, program = errors.setdefault(rows, (run["name"], report["error"], program_of(report)))
        twin, digest = digests.setdefault(same_bits, (run["name"], report["solution_hash"]))
        if program_of(report) != program:
            faults.append(f"{run['name']}: made by {program_of(report)}, but {name} by {program}")
        elif report["error"] != error and (any_ranks or plan["tolerance"] is None):
            remedy = "" if any_ranks else f"; {run['method']} differs with the ranks: plan the study with --tolerance"
            faults.append(f"{run['name']}: error {report['error']:.17g}, but {name} has {error:.17g}{remedy}")
        elif report["solution_hash"] != digest:
            faults.append(f"{run['name']}: hash {report['solution_hash']}, but {twin} has {digest}")
    return faults


def work_of(report):
    return (report["contacts"] or report["bodies"]) * max(report["iterations"], 1)  # a net has joints only


def efficiencies(plan, groups, group):
    """One per repeat, as the head of this file says; none for runs that give counts only."""
    run = group[0][0]
    bases = [g for (method, *_), g in groups.items() if method == run["method"] and not g[0][0]["counts_only"]]
    if run["counts_only"] or not bases:
        return []
    base = min(bases, key=lambda g: g[0][0]["ranks"] * g[0][0]["threads"])
    others = {other["repeat"]: (other["ranks"] * other["threads"], report) for other, report, _ in base}
    values = []
    for this, report, _ in group:
        if this["repeat"] in others:
            cores, other = others[this["repeat"]]
            work = 1.0 if plan["kind"] != "weak" else work_of(report) / work_of(other)
            values.append(other["seconds"] * cores / (report["seconds"] * this["ranks"] * this["threads"]) * work)
    return values


def line_of(plan, groups, group, phases):
    """One line of the table: medians over the repeats of one method on one shape."""
    run, report, _ = group[0]
    seconds = [r["seconds"] for _, r, _ in group]

    def median(value):
        return statistics.median(value(r) for _, r, _ in group)

    def ledger(report, key):
        """Mean over the ranks; alone, all of the time is computing."""
        if "ledger" in report:
            return report["ledger"][key]["mean"]
        return report["seconds"] if key == "compute_seconds" else 0.0

    line = {"scripts_commit": plan["commit"], "program": program_of(report),
            "machine": " + ".join(sorted({machine for _, _, machine in group})), "study": plan["kind"],
            "method": run["method"], "law": report["law"], "ranks": run["ranks"], "threads": run["threads"],
            "repeats": len(group), "counts_only": int(run["counts_only"]), "bodies": report["bodies"],
            "contacts": report["contacts"], "iterations": report["iterations"], "error": report["error"],
            "hash": report["solution_hash"], "seconds": statistics.median(seconds), "seconds_least": min(seconds),
            "seconds_most": max(seconds)}
    shares = efficiencies(plan, groups, group)
    for name, choose in (("efficiency", statistics.median), ("efficiency_least", min), ("efficiency_most", max)):
        line[name] = choose(shares) if shares else ""
    line |= {name: median(lambda r, k=key: ledger(r, k)) for name, key in PHASES.items()}
    line |= {f"{name}_s": median(lambda r, n=name: r.get("phases", {}).get(n, 0.0)) for name in phases}
    line |= {"messages_per_rank": ledger(report, "messages_per_rank"),
             "bytes_per_rank": ledger(report, "bytes_per_rank"), "reductions": report["reductions"],
             "exchanges": report["exchanges"],
             "imbalance": report.get("ledger", {}).get("imbalance", 1.0),
             "mirrored_share": report.get("partition", {}).get("mirrored_share", 0.0),
             "most_neighbours": report.get("partition", {}).get("most_neighbours", 0)}
    line |= {name: median(lambda r, n=name: r["run"][n]) for name in report.get("run", {})}
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, help="default DIR/table.csv")
    a = parser.parse_args()
    plan = plan_of(a.folder)
    found, missing, faults = load(a.folder, plan)
    for name in missing:
        print(f"no result yet: {name}", file=sys.stderr)
    faults += unequal(plan, found)
    if faults:
        fail(1, "these runs cannot be compared:\n" + "\n".join(faults))
    if not found:
        fail(1, f"{a.folder}: no results; start run_all.sh first")
    groups = {}
    for entry in found:
        run = entry[0]
        groups.setdefault((run["method"], run["ranks"], run["threads"]), []).append(entry)
    phases = list(dict.fromkeys(name for _, report, _ in found for name in report.get("phases", {})))
    lines = [line_of(plan, groups, group, phases) for group in groups.values()]
    goal = a.output or a.folder / "table.csv"
    try:
        with goal.open("w", newline="") as file:
            writer = csv.DictWriter(file, lines[0].keys())
            writer.writeheader()
            writer.writerows(lines)
    except OSError as error:
        fail(2, f"cannot write {goal}: {error.strerror}; give another file with --output")
    print(f"{goal}: {len(lines)} lines from {len(found)} runs")


if __name__ == "__main__":
    main()
