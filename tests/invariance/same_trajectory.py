"""The same scene gives the same bits on any number of ranks and threads, whoever owns which body.

usage: same_trajectory.py TALUS SCENE [SCENE ...] [--ranks 1,3] [--threads 1] [--owners metis] [--steps N]
                          [--balance-every N] [--output] [--set KEY=V ...]

Runs each scene alone on one rank and one thread, then for every choice of ranks, threads and owners. All must end with the
same hash of all bodies and the same log but for the seconds; with --output once more with frames and snapshots for each number of
ranks: what is written must not change what is computed. SCENE may bring settings: wrecking.yaml:columns=6:rows=5.
"""
import argparse
import csv
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_WAIT_POLICY": "passive",
    "GOMP_SPINCOUNT": "0",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("scene", nargs="+")
    parser.add_argument("--ranks", default="1,3")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--owners", default="metis")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--balance-every", type=int, default=20)
    parser.add_argument("--output", action="store_true")
    parser.add_argument("--timeout", type=float, default=600.0)
    return parser.parse_args()


def rows_of_log(folder):
    """Of log.csv, without the seconds, which are the clock's."""
    with open(folder / "log.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    hidden = [k for k, name in enumerate(rows[0]) if name == "seconds"]
    return [[cell for k, cell in enumerate(row) if k not in hidden] for row in rows]


def run(options, scene, ranks, threads, owners, folder):
    """Hash of the last step, rows of the log and what was removed."""
    path, *settings = scene.split(":")
    words = ["mpirun", "-n", str(ranks), options.talus, "run", path, "--quiet", "--threads", str(threads)]
    for setting in settings:
        words += ["-s", setting]
    if options.steps:
        words += ["--steps", str(options.steps)]
    if ranks > 1:
        words += ["--partition", owners, "--balance-every", str(options.balance_every)]
    words += ["--output", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=options.timeout, check=False,
                          env={**os.environ, **ENVIRONMENT})
    found = re.search(r"^hash +([0-9a-f]{16})", done.stdout, re.M)
    # 1: some step stayed above its tolerance, the same for all
    if done.returncode not in (0, 1) or not found:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    removed = (folder / "removed.csv").read_text(encoding="utf-8") if (folder / "removed.csv").exists() else ""
    return found[1], rows_of_log(folder), removed


def first_difference(expected, got):
    for want, have in zip(expected, got):
        if want != have:
            return "\n".join(line if isinstance(line, str) else ",".join(line) for line in (expected[0], want, have))
    return f"{len(expected)} and {len(got)} lines"


def compare(options, scene, place):
    started = time.monotonic()
    hash_alone, log_alone, removed_alone = run(options, scene, 1, 1, "", place / "alone")
    print(f"{scene}: {hash_alone}, {len(log_alone) - 1} lines, {time.monotonic() - started:.1f} s", flush=True)
    faults = 0
    cases = itertools.product(options.ranks.split(","), options.threads.split(","), options.owners.split(","))
    for number, (ranks, threads, owners) in enumerate(cases):
        if ranks == "1" and (threads == "1" or owners != options.owners.split(",")[0]):
            continue
        started = time.monotonic()
        case = f"{scene}, {ranks} ranks of {threads} threads, owners by {owners}"
        end, log, removed = run(options, scene, int(ranks), threads, owners, place / str(number))
        same = end == hash_alone and log == log_alone and removed == removed_alone
        print(f"  {'same' if same else 'DIFFERENT'}: {case}, {time.monotonic() - started:.1f} s", flush=True)
        if not same:
            faults += 1
            print(f"hash {end}, alone {hash_alone}")
            if log != log_alone:
                print(first_difference(log_alone, log))
            if removed != removed_alone:
                print(first_difference(removed_alone.splitlines(), removed.splitlines()))
    if options.output:
        more = f"{scene}:output.paraview.every=0.02:output.snapshots.every=0.05"
        for ranks in options.ranks.split(","):
            end, _, _ = run(options, more, int(ranks), 1, options.owners.split(",")[0], place / f"more{ranks}")
            print(f"  {'same' if end == hash_alone else 'DIFFERENT'}: {scene}, {ranks} ranks with frames and snapshots",
                  flush=True)
            faults += end != hash_alone
    return faults


def main():
    options = arguments()
    faults = 0
    for scene in options.scene:
        with tempfile.TemporaryDirectory(prefix="talus-test-") as place:
            faults += compare(options, scene, pathlib.Path(place))
    if faults:
        sys.exit(f"{faults} runs have other bits")


if __name__ == "__main__":
    main()
