#!/usr/bin/env python3
"""All problem files of a folder x all methods, as a page of tables (docs/fclib_table.md).

usage: fclib_table.py TALUS FOLDER [--laws coulomb,associated] [--methods a,b,...] [--time-limit S] [--max-iterations N]
                      [--results DIR] [--output PAGE.md] [--redo]

Runs `TALUS compare` on every file and law, one after the other, and keeps each answer in DIR/LAW/NAME.json: a run that
was interrupted goes on where it stopped; --redo begins anew. Then writes the page. Needs python3-h5py.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import h5py

TOLERANCES = (1e-3, 1e-6)


def compare(arguments, path, law, goal):
    """One file, every method, to the least tolerance. False where the program refused the file."""
    command = ["nice", arguments.talus, "compare", str(path), "--law", law, "--quiet", "--threads", "1",
               "--tolerances", ",".join(f"{t:g}" for t in TOLERANCES), "--time-limit", str(arguments.time_limit),
               "--max-iterations", str(arguments.max_iterations), "--output", str(goal)]
    if arguments.methods:
        command += ["--methods", arguments.methods]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    if done.returncode == 2:
        print(done.stderr.strip(), file=sys.stderr)
    return done.returncode < 2


def facts_of(path):
    """What a file says of itself: dimension, and which method of Siconos its stored answer came from."""
    with h5py.File(path) as file:
        group = next((name for name in file if name.startswith("fclib_")), None)
        dimension = int(file[group]["spacedim"][0]) if group else 3
        attributes = dict(file["solution"].attrs) if "solution" in file else {}
    origin = attributes.get("origin", b"-")
    errors = [float(attributes[key]) for key in ("error_e1", "error_e2", "error_siconos", "error_siconos_local")
              if key in attributes]
    return {"dimension": dimension, "rolling": bool(group and "rolling" in group),
            "origin": origin.decode() if isinstance(origin, bytes) else str(origin),
            "stored_error": max(errors) if errors else None}


def results_of(arguments, law):
    """(file, its facts, its comparison or None where it was refused), by name."""
    folder = arguments.results / law
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(p for p in arguments.folder.rglob("*") if p.suffix in (".h5", ".hdf5"))
    for number, path in enumerate(files, 1):
        goal = folder / (str(path.relative_to(arguments.folder)).replace("/", "__") + ".json")
        if arguments.redo or not goal.exists():
            print(f"{law} {number}/{len(files)}: {path.name}", file=sys.stderr, flush=True)
            goal.unlink(missing_ok=True)
            if not compare(arguments, path, law, goal):
                yield path, facts_of(path), None
                continue
        yield path, facts_of(path), json.loads(goal.read_text(encoding="utf-8"))["problems"][0]


def worst(run):
    """max(e1, e2) of an answer; infinite where there is none."""
    errors = [run["errors"][key] for key in ("siconos", "siconos_invariant")]
    return float("inf") if None in errors else max(errors)


def runs_of(problem):
    return {run["method"]: run for run in problem["runs"] if run["applicable"]}


def cell(run):
    if run is None:
        return "n/a"
    if run["within_tolerance"]:
        return f"{run['met'][-1]['work']:,}"
    return f"({'–' if run['error'] is None else format(run['error'], '.0e')})"


def objective_error(run, problem):
    """Relative to the stored objective; None where there is none."""
    known = problem["known_answer"]
    difference = run.get("objective_difference")
    if known is None or difference is None or known["objective"] is None:
        return None
    return abs(difference) / max(abs(known["objective"]), sys.float_info.min)


def table(heading, rows):
    rule = ["---"] + ["---:"] * (len(heading) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heading, rule, *rows]) + "\n"


def file_table(results, methods):
    rows = []
    for path, facts, problem in results:
        name = f"`{path.stem}`"
        if problem is None:
            rows.append([name] + ["refused"] + ["-"] * (len(methods) + 3))
            continue
        runs = runs_of(problem)
        best = min(runs.values(), key=worst, default=None)
        rows.append([name, f"{problem['contacts']}", *(cell(runs.get(method)) for method in methods),
                     "-" if best is None else f"{worst(best):.0e} {best['method']}", facts["origin"],
                     "-" if facts["stored_error"] is None else f"{facts['stored_error']:.0e}"])
    return table(["file", "contacts", *methods, "max(e1, e2), best", "stored by", "its error"], rows)


def count(values, limit):
    return sum(1 for value in values if value is not None and value <= limit)


def summary(results, methods, law):
    """How many files each method, and the best for each file, brought below the tolerances."""
    kinds = {"3-D": lambda f: f["dimension"] == 3 and not f["rolling"], "2-D": lambda f: f["dimension"] == 2 and not f["rolling"],
             "rolling": lambda f: f["rolling"]}
    rows = []
    for kind, chosen in kinds.items():
        mine = [(problem, runs_of(problem) if problem else {}) for _, facts, problem in results if chosen(facts)]
        if not mine:
            continue
        for method in [*methods, "best of all"]:
            taken = [(p, [r for name, r in runs.items() if method in (name, "best of all")]) for p, runs in mine]
            taken = [(p, runs) for p, runs in taken if runs]
            errors = [min(worst(run) for run in runs) for _, runs in taken]
            row = [f"{kind}, {method}", f"{len(mine)}", f"{len(taken)}", *(f"{count(errors, t)}" for t in TOLERANCES)]
            if law == "associated":
                nearest = [min((e for e in (objective_error(run, p) for run in runs) if e is not None), default=None)
                           for p, runs in taken]
                row.append(f"{count(nearest, 1e-6)} of {sum(1 for e in nearest if e is not None)}")
            rows.append(row)
    heading = ["files, method", "files", "taken", *(f"max(e1, e2) ≤ {t:g}" for t in TOLERANCES)]
    return table(heading + (["objective to 1e-6 relative"] if law == "associated" else []), rows)


def page(arguments):
    parts = ["# All files of the collection, all methods\n",
             "Made by `python3 jobs/fclib_table.py build/release/talus problems/fclib --output docs/fclib_table.md`; every solve "
             f"from zero, one thread, to {TOLERANCES[-1]:g} of `natural_relative`, at most {arguments.time_limit:g} s and "
             f"{arguments.max_iterations:,} iterations.\n",
             "Columns of methods: products with N (and sweeps of `psor`) to that tolerance; in brackets the error where the "
             "limit came first; n/a: the method does not take the problem. *max(e1, e2)*: the better of Siconos's measure and "
             "its unit-invariant form that any method reached ([measures.md](measures.md)). *stored by*: which solver of "
             "Siconos (with the tolerance it was asked for, \"ssn polish\": Newton steps afterwards) the answer in the file "
             "came from, after many were tried, and its error. Siconos's NSGS alone solves 21 of the 26 harder problems of "
             "the collection; which 26 is not recorded in the files.\n"]
    for law in arguments.laws.split(","):
        results = list(results_of(arguments, law))
        methods = []
        for _, _, problem in results:
            if problem:
                methods += [m for m in runs_of(problem) if m not in methods]
        parts += [f"## Law `{law}`\n", summary(results, methods, law), file_table(results, methods)]
    return "\n".join(parts)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--laws", default="coulomb,associated")
    parser.add_argument("--methods", default="")
    parser.add_argument("--time-limit", type=float, default=20.0, help="s per solve")
    parser.add_argument("--max-iterations", type=int, default=100000)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("build/fclib_table"))
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--redo", action="store_true")
    return parser.parse_args()


def main():
    arguments = parsed()
    text = page(arguments)
    if arguments.output:
        beside = arguments.output.with_name(arguments.output.name + ".tmp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(arguments.output)
    else:
        print(text)


if __name__ == "__main__":
    main()
