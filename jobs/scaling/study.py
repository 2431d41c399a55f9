#!/usr/bin/env python3
"""Writes the jobs of a scaling study; nothing runs yet.

usage: study.py weak|strong|threads TALUS --output DIR [--ranks 1,2,4] [--threads 1] [--repeats 5]
                [--bodies N] [--problem packing] [--methods pspgfb,apgd] [--law associated]
                [--iterations N | --tolerance T]
                [--scene FILE [--set KEY=V]... [--steps N] [--methods auto] [--tolerance T]]
                [--cores N] [--launcher slurm --cores-per-node N [--ranks-per-node N] [--minutes M] [--account A]
                [--partition P]]

strong:  the same problem of --bodies on every number of ranks
weak:    --bodies per rank
threads: the same problem on one rank, with every number of --threads

With --scene the runs are simulations (talus run) of that many steps of a scene, with --set as -s of talus. In a weak
study {ranks} in a setting stands for the number of ranks, and what grows is up to the settings:
  study.py weak TALUS --output DIR --scene jobs/scenes/settle.yaml --set 'count=8000*{ranks}' --set 'fill=0.275*{ranks}'

DIR gets study.json (the plan), one script per run, and run_all.sh, which starts those that have no result yet, repeat
after repeat, so that what else the machine does falls on all alike. With --launcher slurm run_all.sh submits them one
after the other, each alone on its nodes; a node gets as many ranks as its cores hold with their threads. Runs on more
ranks x threads than --cores give counts, no times, and are marked so. Then: collect.py.

exit 0  the study is written
     2  it is refused: all that is wrong with it stands on stderr, and nothing is written
"""
import argparse
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys

import scenes

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = """export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none"""
# More ranks than cores: all yield, or a run takes 500 times longer.
CROWDED = "export OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0"


def whole(text, option, faults, most):
    """The number, as in 100000 or 1e5. What is none is a fault, and 2 goes on in its place: all faults come at once."""
    try:
        value = float(text)
        if value.is_integer() and 1 <= value <= most:
            return int(value)
    except ValueError:
        pass
    faults.append(f"{option} {text}: give a whole number from 1 to {most}, such as 4 or 1e3")
    return 2


def wholes(text, option, faults, most):
    before = len(faults)
    values = [whole(word, option, faults, most) for word in text.split(",")]
    return once(values, option, faults) if len(faults) == before else values


def once(words, option, faults):
    """A run that stood there twice would overwrite its own result."""
    for word in sorted({word for word in words if words.count(word) > 1}):
        faults.append(f"{option}: {word} stands there {words.count(word)} times; name it once, --repeats repeats it")
    return words


def fill(a):
    """Turns what was typed into numbers, in place, and returns what is wrong with it."""
    faults = scenes.faults_of_plan(a)
    for option, default in (("problem", "packing"), ("bodies", "30000"), ("law", "associated"), ("iterations", "300"),
                            ("steps", "100"), ("methods", "pspgfb,apgd" if a.scene is None else "auto")):
        if getattr(a, option) is None:
            setattr(a, option, default)
    if a.ranks is not None and a.kind == "threads":
        faults.append("--ranks: leave it out, a threads study is on one rank")
    if a.cores is not None and a.launcher == "slurm":
        faults.append("--cores: leave it out, it is of this machine; SLURM jobs go by --cores-per-node")
    for option in ("cores_per_node", "ranks_per_node", "minutes", "account", "partition"):
        if getattr(a, option) is not None and a.launcher == "mpirun":
            faults.append(f"--{option.replace('_', '-')}: is for --launcher slurm only; add that or leave it out")
    a.ranks = [1] if a.kind == "threads" else wholes("1,2" if a.ranks is None else a.ranks, "--ranks", faults, 10**6)
    a.threads = wholes(a.threads, "--threads", faults, 4096)
    a.bodies = whole(a.bodies, "--bodies", faults, 10**9)
    a.steps = whole(a.steps, "--steps", faults, 10**9)
    a.repeats = whole(a.repeats, "--repeats", faults, 1000)
    a.iterations = whole(a.iterations, "--iterations", faults, 10**9)
    a.cores = whole(os.cpu_count() if a.cores is None else a.cores, "--cores", faults, 10**6)
    a.minutes = whole(30 if a.minutes is None else a.minutes, "--minutes", faults, 10**6)
    if a.tolerance is not None and not (math.isfinite(a.tolerance) and a.tolerance > 0.0):
        faults.append(f"--tolerance {a.tolerance:g}: give an error above 0, such as 1e-3")
    a.methods = once(a.methods.split(","), "--methods", faults)
    if a.launcher == "slurm":
        fill_nodes(a, faults)
    return faults


def fill_nodes(a, faults):
    """The cores of the machine this runs on say nothing about those that the jobs will run on."""
    if a.cores_per_node is None:
        faults.append("--cores-per-node is missing: the cores of one node of those that the jobs run on (sinfo -o %c)")
        return
    a.cores_per_node = whole(a.cores_per_node, "--cores-per-node", faults, 4096)
    if a.ranks_per_node is not None:
        a.ranks_per_node = whole(a.ranks_per_node, "--ranks-per-node", faults, 4096)
    for threads in a.threads if not faults else []:
        if (a.ranks_per_node or 1) * threads > a.cores_per_node:
            faults.append(f"{a.ranks_per_node or 1} ranks per node x {threads} threads are more than the "
                          f"{a.cores_per_node} cores of --cores-per-node; give less of --ranks-per-node or --threads")


def ask(words):
    """(exit code, what it printed, what it complained of) of the program; None where it cannot be started."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=60,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, done.stdout, done.stderr


def refused_by_program(a):
    """What the program itself would refuse: it knows its methods, laws and problems, and how large they may be."""
    program = str(a.talus)
    version = ask([program, "--version"])
    if version is None or version[0] != 0 or not version[1].startswith("talus "):
        return [f"{program}: is not the program talus; build it first (README) and give its path"]
    if a.scene is not None:
        return [f"talus refuses these runs: {fault}" for fault in dict.fromkeys(scenes.refused(a, ask))]
    faults = []
    for method in a.methods:
        trial = ask([program, "solve", "--generate", f"{a.problem},bodies={min(a.bodies, 60)}", "--method", method,
                     "--law", a.law, "--max-iterations", "1", "--threads", "1", "--quiet"])
        if trial is None or trial[0] not in (0, 1):
            faults.append((trial and trial[2].strip()) or f"{program}: fails on a small problem with {method}")
    kind, *settings = a.problem.split(",")
    largest = a.bodies * (max(a.ranks) if a.kind == "weak" else 1)
    words = [word for setting in settings for word in ("--" + setting).split("=", 1)]
    # without --output nothing is made, and all that is wrong with the problem is said
    trial = ask([program, "generate", kind, *words, "--bodies", str(largest)])
    faults += [line for line in (trial[2] if trial and not faults else "").splitlines() if "bodies = " in line]
    return list(dict.fromkeys(f"talus refuses these runs: {fault}" for fault in faults))


def commit_of(folder):
    done = subprocess.run(["git", "-C", str(folder), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def runs_of(a):
    """The plan: repeat after repeat, so that a machine that slows down does so for all."""
    shapes = [(ranks, threads) for ranks in a.ranks for threads in a.threads]
    runs = []
    for repeat in range(1, a.repeats + 1):
        for ranks, per_rank in shapes:
            crowded = ranks * per_rank > a.cores and a.launcher == "mpirun"
            if crowded and repeat > 1:
                continue  # counts are the same each time
            bodies = a.bodies * (ranks if a.kind == "weak" else 1)
            problem = f"{a.problem},bodies={bodies}" if a.scene is None else scenes.problem_of(a, ranks)
            for method in a.methods:
                runs.append({"name": f"{method}_{ranks}x{per_rank}_{repeat}", "method": method, "ranks": ranks,
                             "threads": per_rank, "repeat": repeat, "problem": problem, "counts_only": crowded})
    return runs


def solve_command(a, run):
    end = ["--tolerance", "0", "--max-iterations", str(a.iterations)] if a.tolerance is None else [
        "--tolerance", str(a.tolerance)]
    words = [str(a.talus), "solve", "--generate", run["problem"], "--method", run["method"], "--law", a.law, *end,
             "--threads", str(run["threads"]), "--quiet", "--report", f"results/{run['name']}.json"]
    return " ".join(shlex.quote(word) for word in words)


def script_of(a, run):
    command = solve_command(a, run) if a.scene is None else scenes.command(a, run)
    # the answer of a fixed number of iterations is above any tolerance: exit code 1 is no failure here
    after = "code=$?; [ $code -le 1 ] || exit $code"
    keep = "" if a.scene is None else scenes.after(run)
    machine = f"grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 >results/{run['name']}.machine"
    if a.launcher == "mpirun":
        crowded = [CROWDED] if run["counts_only"] else []
        return "\n".join(["#!/bin/bash", 'cd "$(dirname "$0")/.." || exit 4', ENVIRONMENT, *crowded, machine,
                          f"mpirun -n {run['ranks']} {command} >results/{run['name']}.txt 2>&1", after,
                          *([keep] if keep else []), ""])
    template = (HERE.parent / "slurm" / "solve.sbatch").read_text()
    per_node = min(a.ranks_per_node or a.cores_per_node // run["threads"], run["ranks"])
    nodes = -(-run["ranks"] // per_node)
    extra = "".join(f"#SBATCH --{key}={value}\n" for key, value in (("account", a.account), ("partition", a.partition))
                    if value)
    for key, value in {"NAME": run["name"], "NODES": nodes, "RANKS": run["ranks"], "THREADS": run["threads"],
                       "PER_NODE": per_node, "MINUTES": a.minutes, "EXTRA": extra,
                       "COMMAND": command, "MACHINE": machine, "KEEP": keep}.items():
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["weak", "strong", "threads"])
    parser.add_argument("talus", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", help="default 1,2")
    parser.add_argument("--threads", default="1", help="of each rank")
    parser.add_argument("--bodies", help="default 30000")
    parser.add_argument("--problem", help="as solve --generate takes it, without bodies; default packing")
    parser.add_argument("--scene", type=lambda text: pathlib.Path(text).resolve(), help="simulate this instead")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=V", help="of the scene; may be repeated")
    parser.add_argument("--steps", help="of the scene, default 100")
    parser.add_argument("--methods", help="default pspgfb,apgd; of a scene auto")
    parser.add_argument("--law", help="default associated")
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--iterations", help="default 300")
    end.add_argument("--tolerance", type=float, help="run to this error instead of a number of iterations")
    parser.add_argument("--repeats", default="5")
    parser.add_argument("--cores", help="of this machine; default: those it has")
    parser.add_argument("--launcher", choices=["mpirun", "slurm"], default="mpirun")
    parser.add_argument("--cores-per-node", help="of the nodes that SLURM gives; needed with --launcher slurm")
    parser.add_argument("--ranks-per-node", help="default: cores per node over threads")
    parser.add_argument("--minutes", help="limit of a SLURM job, default 30")
    parser.add_argument("--account")
    parser.add_argument("--partition")
    return parser.parse_args()


def write(a, runs):
    for folder in ("jobs", "results"):
        (a.output / folder).mkdir(parents=True, exist_ok=True)
    for run in runs:
        (a.output / "jobs" / f"{run['name']}.sh").write_text(script_of(a, run))
    (a.output / "run_all.sh").write_text(run_all(a, runs))
    plan = {"kind": a.kind, "commit": commit_of(HERE), "launcher": a.launcher, "law": a.law, "tolerance": a.tolerance,
            "iterations": a.iterations, "cores": a.cores, "runs": runs}
    if a.scene is not None:  # which says law and iterations
        plan |= {"scene": str(a.scene), "steps": a.steps, "settings": a.set, "law": None, "iterations": None}
    (a.output / "study.json").write_text(json.dumps(plan, indent=2) + "\n")


def main():
    a = arguments()
    faults = fill(a)
    faults += refused_by_program(a)
    try:
        if (a.output / "study.json").exists():
            faults.append(f"{a.output}: holds a study already; give another folder, or go on with its run_all.sh")
        if not faults:
            runs = runs_of(a)
            write(a, runs)
    except OSError as error:
        faults.append(f"cannot write {error.filename}: {error.strerror}; give another folder with --output")
    if faults:
        print("\n".join(f"study.py: {fault}" for fault in faults), file=sys.stderr)
        sys.exit(2)
    if "psor" in a.methods and a.tolerance is None and a.kind == "strong" and len(a.ranks) > 1:
        print("note: the error of psor depends on the ranks, so that collect.py will not compare these runs; "
              "with --tolerance it does", file=sys.stderr)
    print(f"{len(runs)} runs in {a.output}: start them with bash {a.output}/run_all.sh, then collect.py {a.output}")


if __name__ == "__main__":
    main()
