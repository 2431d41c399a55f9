#!/usr/bin/env python3
"""Writes the jobs of a scaling study; nothing runs yet.

usage: study.py weak|strong|threads TALUS --output DIR [--ranks 1,2,4] [--threads 1] [--bodies N] [--problem packing]
                [--methods pspgfb,apgd] [--law associated] [--iterations N | --tolerance T] [--repeats 5]
                [--cores N] [--launcher mpirun|slurm] [--ranks-per-node N] [--minutes M] [--account A] [--partition P]

strong:  the same problem of --bodies on every number of ranks
weak:    --bodies per rank
threads: the same problem on one rank, with every number of --threads

DIR gets study.json (the plan), one script per run, and run_all.sh, which starts those that have no result yet, repeat
after repeat, so that what else the machine does falls on all alike. With --launcher slurm run_all.sh submits them one
after the other. Runs on more ranks x threads than --cores give counts, no times, and are marked so. Then: collect.py.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = """export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none"""
# More ranks than cores: all yield, or a run takes 500 times longer.
CROWDED = "export OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0"


def numbers(text):
    return [int(word) for word in text.split(",")]


def commit_of(folder):
    done = subprocess.run(["git", "-C", str(folder), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def runs_of(a):
    """The plan: repeat after repeat, so that a machine that slows down does so for all."""
    threads = numbers(a.threads)
    shapes = [(1, t) for t in threads] if a.kind == "threads" else [(r, t) for r in numbers(a.ranks) for t in threads]
    runs = []
    for repeat in range(1, a.repeats + 1):
        for ranks, per_rank in shapes:
            crowded = ranks * per_rank > a.cores and a.launcher == "mpirun"
            if crowded and repeat > 1:
                continue  # counts are the same each time
            bodies = a.bodies * (ranks if a.kind == "weak" else 1)
            for method in a.methods.split(","):
                runs.append({"name": f"{method}_{ranks}x{per_rank}_{repeat}", "method": method, "ranks": ranks,
                             "threads": per_rank, "repeat": repeat, "problem": f"{a.problem},bodies={bodies}",
                             "counts_only": crowded})
    return runs


def solve_command(a, run):
    end = ["--tolerance", "0", "--max-iterations", str(a.iterations)] if a.tolerance is None else [
        "--tolerance", str(a.tolerance)]
    words = [str(a.talus), "solve", "--generate", run["problem"], "--method", run["method"], "--law", a.law, *end,
             "--threads", str(run["threads"]), "--quiet", "--report", f"results/{run['name']}.json"]
    return " ".join(shlex.quote(word) for word in words)


def script_of(a, run):
    command = solve_command(a, run)
    # the answer of a fixed number of iterations is above any tolerance: exit code 1 is no failure here
    after = "code=$?; [ $code -le 1 ] || exit $code"
    machine = f"grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 >results/{run['name']}.machine"
    if a.launcher == "mpirun":
        crowded = [CROWDED] if run["counts_only"] else []
        return "\n".join(["#!/bin/bash", 'cd "$(dirname "$0")/.." || exit 4', ENVIRONMENT, *crowded, machine,
                          f"mpirun -n {run['ranks']} {command} >results/{run['name']}.txt 2>&1", after, ""])
    template = (HERE.parent / "slurm" / "solve.sbatch").read_text()
    nodes = -(-run["ranks"] // a.ranks_per_node)
    extra = "".join(f"#SBATCH --{key}={value}\n" for key, value in (("account", a.account), ("partition", a.partition))
                    if value)
    for key, value in {"NAME": run["name"], "NODES": nodes, "RANKS": run["ranks"], "THREADS": run["threads"],
                       "PER_NODE": min(a.ranks_per_node, run["ranks"]), "MINUTES": a.minutes, "EXTRA": extra,
                       "COMMAND": command, "MACHINE": machine}.items():
        template = template.replace(f"@{key}@", str(value))
    return template


def run_all(a, runs):
    lines = ["#!/bin/bash", "# Starts every run that has no result yet.", 'cd "$(dirname "$0")" || exit 4', "failed=0"]
    for number, run in enumerate(runs, 1):
        start = f"bash jobs/{run['name']}.sh" if a.launcher == "mpirun" else (
            f"sbatch --dependency=singleton --job-name=talus-study jobs/{run['name']}.sh")
        lines.append(f"[ -s results/{run['name']}.json ] || {{ echo '{number}/{len(runs)}: {run['name']}'; "
                     f"{start} || {{ echo 'failed: see results/{run['name']}.txt' >&2; failed=1; }}; }}")
    return "\n".join([*lines, "exit $failed", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["weak", "strong", "threads"])
    parser.add_argument("talus", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--bodies", type=int, default=30000)
    parser.add_argument("--problem", default="packing")
    parser.add_argument("--methods", default="pspgfb,apgd")
    parser.add_argument("--law", default="associated")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--tolerance", type=float, help="run to this error instead of a number of iterations")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--launcher", choices=["mpirun", "slurm"], default="mpirun")
    parser.add_argument("--ranks-per-node", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=int, default=30, help="limit of a SLURM job")
    parser.add_argument("--account", default="")
    parser.add_argument("--partition", default="")
    a = parser.parse_args()
    if not a.talus.is_file():
        sys.exit(f"{a.talus}: no such program; build it first (README)")
    if (a.output / "study.json").exists():
        sys.exit(f"{a.output}: holds a study already; give another folder, or go on with its run_all.sh")
    runs = runs_of(a)
    for folder in ("jobs", "results"):
        (a.output / folder).mkdir(parents=True, exist_ok=True)
    for run in runs:
        (a.output / "jobs" / f"{run['name']}.sh").write_text(script_of(a, run))
    (a.output / "run_all.sh").write_text(run_all(a, runs))
    plan = {"kind": a.kind, "commit": commit_of(HERE), "launcher": a.launcher, "law": a.law, "tolerance": a.tolerance,
            "iterations": a.iterations, "cores": a.cores, "runs": runs}
    (a.output / "study.json").write_text(json.dumps(plan, indent=2) + "\n")
    print(f"{len(runs)} runs in {a.output}: start them with bash {a.output}/run_all.sh, then collect.py {a.output}")


if __name__ == "__main__":
    main()
