"""A run that goes on from a checkpoint, on any number of ranks, ends with the bits of one that was never stopped.

usage: restart.py TALUS SCENE [SCENE ...] [--pairs 1:3,3:2 | --ranks 1,2,3,8] [--at 60] [--steps 120]

Runs each scene alone on one rank, with all kinds of monitors, frames and snapshots. Then for each pair P:Q it is stopped
after step `at` on P ranks and goes on in the same folder on Q ranks, twice: stopped before the first time that bodies are
distributed anew, and after some. All must end with the same hash and leave the same tables, records, states and frames.
SCENE may bring settings: wrecking.yaml:columns=6:rows=5.
"""
import argparse
import itertools
import pathlib
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runs  # noqa: E402

# All kinds with a memory, and all that look at contacts. {body} stands for one of the scene.
MONITORS = """
include: ["{scene}"]
monitors:
  - {{name: watch_energy, type: energy, every: 0.01}}
  - {{name: watch_stress, type: stress, every: 0.007, region: {{type: box, min: [-1, -1, -1], max: [1, 1, 1]}}}}
  - {{name: watch_fabric, type: fabric, every: 0.01}}
  - {{name: watch_coordination, type: coordination, every: 0.01}}
  - {{name: watch_forces, type: forces, every: 0.01, bins: 4, to: 3}}
  - {{name: watch_down, type: flow, every: 0.013, at: [0, 0, 0.08], normal: [0, 0, -1]}}
  - {{name: watch_along, type: flow, every: 0.013, at: [0.05, 0, 0], normal: [1, 0, 0]}}
  - {{name: watch_load, type: load, of: {body}, every: 0.017, at: [0, 0, 0]}}
  - {{name: watch_height, type: quantiles, axis: z, values: [0.1, 0.9], every: 0.01}}
output:
  paraview: {{every: 0.03, bodies: [velocity, angular_velocity, quaternion, size, group], contacts: [force, state, torque]}}
  snapshots: {{every: 0.04}}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("scene", nargs="+")
    parser.add_argument("--pairs")
    parser.add_argument("--ranks", default="1,2,3,8")
    parser.add_argument("--at", type=int, default=60)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--when", default="before,after", help="bodies are distributed anew")
    parser.add_argument("--timeout", type=float, default=600.0)
    return parser.parse_args()


def watched(scene, place):
    """The scene with monitors in a file of its own, and its settings."""
    path, settings = runs.settings_of(scene)
    path = pathlib.Path(path).resolve()
    body = re.search(r"^ +- *(?:\{ *)?name: (\w+)", path.read_text(encoding="utf-8").partition("bodies:")[2], re.M)[1]
    text = MONITORS.format(scene=path, body=body)
    (place / "watched.yaml").write_text("talus: 1\n" + text, encoding="utf-8")
    # the step at which it stops is none of those that are told
    return [place / "watched.yaml", *settings, "-s", "output.log.every=0.007"]


def stopped(options, scene, place, ranks, balance_every):
    """Folder of a run that was stopped, with checkpoints on the way."""
    folder = place / f"stopped_{ranks}_{balance_every}"
    words = [*scene, "--output", folder, "--steps", options.at, "--checkpoint-at-end", "-s", "checkpoint.every=0.02",
             "--quiet", "--threads", "1", "--balance-every", balance_every]
    runs.run(options.talus, ranks, words, timeout=options.timeout)
    return folder


def compare(options, scene, place):
    words = watched(scene, place)
    done = runs.run(options.talus, 1, [*words, "--output", place / "alone", "--steps", options.steps, "--quiet",
                                       "--threads", "1"], timeout=options.timeout)
    alone = runs.Left(done, place / "alone")
    print(f"{scene}: {alone.hash}, {', '.join(f'{name} {len(rows)}' for name, rows in alone.tables.items())}, "
          f"{len(alone.files)} files", flush=True)
    ranks = options.ranks.split(",")
    pairs = [pair.split(":") for pair in options.pairs.split(",")] if options.pairs else list(itertools.product(ranks, ranks))
    rhythms = {"before": options.at + (options.steps - options.at) // 3, "after": options.at // 3}
    faults = 0
    for (first, then), when in itertools.product(pairs, options.when.split(",")):
        began = time.monotonic()
        every = rhythms[when]
        folder = place / f"stopped_{first}_{every}"
        if not folder.exists():
            stopped(options, words, place, first, every)
        copy = place / f"on_{first}_{then}_{every}"
        shutil.copytree(folder, copy)
        done = runs.run(options.talus, then, ["--resume", copy, "--steps", options.steps, "--quiet", "--threads", "1",
                                              "--balance-every", every], timeout=options.timeout)
        found = alone.faults(runs.Left(done, copy))
        print(f"  {'DIFFERENT' if found else 'same'}: {first} to {then} ranks, {when} a balance "
              f"({time.monotonic() - began:.1f} s)", flush=True)
        print("\n".join(found), end="\n" if found else "")
        faults += bool(found)
        shutil.rmtree(copy)
    return faults


def main():
    options = arguments()
    faults = 0
    for scene in options.scene:
        with tempfile.TemporaryDirectory(prefix="talus-test-") as place:
            faults += compare(options, scene, pathlib.Path(place))
    if faults:
        sys.exit(f"{faults} runs that went on have other bits")


if __name__ == "__main__":
    main()
