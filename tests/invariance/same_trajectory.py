"""The same scene gives the same bits on any number of ranks and threads, whoever owns which body.

usage: same_trajectory.py TALUS SCENE [SCENE ...] [--ranks 1,3] [--threads 1] [--owners metis] [--steps N]
                          [--balance-every N] [--output]

Runs each scene alone on one rank and one thread, then for every choice of ranks, threads and owners. All must end with the
same hash of all bodies and write the same tables, but for the seconds; with --output also without any output and with
frames and snapshots, for each number of ranks: what is written must not change what is computed. SCENE may bring settings:
wrecking.yaml:columns=6:rows=5.
"""
import argparse
import itertools
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runs  # noqa: E402


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


def run(options, case, folder, changes):
    """Hash of the last step, and the tables. `case`: scene, ranks, threads, owners."""
    scene, ranks, threads, owners = case
    path, settings = runs.settings_of(scene)
    words = [path, "--quiet", "--threads", threads, "--output", folder, *settings]
    for change in changes:
        words += ["-s", change]
    if options.steps:
        words += ["--steps", options.steps]
    if ranks != "1":
        words += ["--partition", owners, "--balance-every", options.balance_every]
    done = runs.run(options.talus, ranks, words, timeout=options.timeout)
    return runs.hash_of(done), runs.tables_of(folder)


def faults_of(options, case, place, expected, changes):
    """1 where the run differs from what is expected; tables that it does not write are not compared."""
    started = time.monotonic()
    scene, ranks, threads, owners = case
    folder = place / re.sub("[^a-z0-9]+", "_", f"{ranks}_{threads}_{owners}_{''.join(changes)}")
    end, tables = run(options, case, folder, changes)
    same = end == expected[0] and all(tables[name] == expected[1].get(name) for name in tables)
    what = f"{ranks} ranks of {threads} threads, owners by {owners} {' '.join(changes)}"
    print(f"  {'same' if same else 'DIFFERENT'}: {what} ({time.monotonic() - started:.1f} s)", flush=True)
    if same:
        return 0
    print(f"{scene}: hash {end}, alone {expected[0]}")
    for name in tables:
        if tables[name] != expected[1].get(name):
            print(f"{name}: {runs.first_difference(expected[1].get(name, [[]]), tables[name])}")
    return 1


def compare(options, scene, place):
    expected = run(options, (scene, "1", "1", ""), place / "alone", [])
    print(f"{scene}: {expected[0]}, {', '.join(f'{name} {len(rows) - 1}' for name, rows in expected[1].items())}",
          flush=True)
    all_owners = options.owners.split(",")
    cases = [case for case in itertools.product(options.ranks.split(","), options.threads.split(","), all_owners)
             if case[0] != "1" or (case[1] != "1" and case[2] == all_owners[0])]
    faults = sum(faults_of(options, (scene, *case), place, expected, []) for case in cases)
    if options.output:
        for ranks in options.ranks.split(","):
            for changes in (["output={}"], ["output.paraview.every=0.02", "output.snapshots.every=0.05"]):
                faults += faults_of(options, (scene, ranks, "1", all_owners[0]), place, expected, changes)
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
