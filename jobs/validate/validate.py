#!/usr/bin/env python3
"""Runs the two published cases of Dosta et al. 2024 with talus, and says how far it is from the reference.

usage: validate.py TALUS --output DIR [--case impact,drum] [--step H,H] [--tolerance 1e-3,5e-4] [--until T]
                   [--contacts elastic|rigid] [--law newton|poisson] [--ranks N] [--liggghts] [--modulus E] [--own]
                   [--settle T] [--size S] [-s key=value ...]

impact: a steel ball falls into 25,000 grains (0.1 s). drum: 38,000 grains of two sizes in a drum that turns (5 s). The
start states and references are files that do not belong to this project: $TALUS_VALIDATION/dosta2024, else
../shared/validation/dosta2024. Where they are not (or with --own) talus makes a bed by the same recipe: grains on a
lattice fall and come to rest; there is no reference then but that of --liggghts, which runs the same deck with
LIGGGHTS (Debian package liggghts) at Young's modulus E of the small grains, Pa (default: 1e9 impact, 2e7 drum).

Every step goes with every tolerance: a run each; the rows of the table that compare two runs say how far an answer
moves. --until: end of the cases, s. --contacts: of the impact; the ball comes back from elastic ones alone
[elastic]. --law: of restitution, of rigid contacts. --ranks: of talus, by mpirun; LIGGGHTS has one. --size S: a
box, ball and drum of S times the lengths with grains of full size, for trials; it has a bed of its own. -s goes to
every talus run (solver.method=psor), that of a bed too; variables of one scene want --case. So does --step: what is
short for the impact is a million steps of the drum.

DIR gets all runs and their output, validation.json and validation.png; a table is printed.

exit 0  everything ran; the table says what is within its limits
     1  a run failed; its output is in DIR
     2  usage, or a program is missing (Debian packages liggghts, python3-h5py, python3-numpy, python3-matplotlib)
"""
import argparse
import dataclasses
import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import bed  # noqa: E402
import published  # noqa: E402

MODULI = {"impact": 1e9, "drum": 2e7}  # Pa, of the references


@dataclasses.dataclass
class Run:
    """One run of a code on a case."""
    name: str
    curve: dict
    cpu_seconds: float
    facts: dict


def start(command, folder):
    """Exit code and CPU seconds of a command and of all that it starts. Its output goes to files in the folder."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    with open(folder / "stdout.txt", "w") as out, open(folder / "stderr.txt", "w") as err:
        child = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def failed(name, folder):
    words = (folder / "stderr.txt").read_text().strip() or (folder / "stdout.txt").read_text().strip()
    print(f"validate.py: {name} failed (all it said is in {folder}): {words[-500:]}", file=sys.stderr)
    sys.exit(1)


def talus_run(plan, folder, scene, settings):
    """Exit code 1 is a run whose verdict does not hold; the table says how many steps ended above the tolerance."""
    command = [*(["mpirun", "-n", plan.ranks] if plan.ranks > 1 else []), plan.talus, "run", scene, "--output", "run",
               "--threads", "1", "--quiet"]
    for setting in settings:
        command += ["-s", setting]
    status, seconds = start(command, folder)
    if status not in (0, 1) or not (folder / "run" / "report.json").is_file():
        failed(f"talus run {scene}", folder)
    return seconds


def count_of(plan, kind):
    """At less than full size walls take more room from lattices than their share."""
    count = published.GRAINS[kind]
    return count if plan.size == 1.0 else max(1, int(0.7 * count * plan.size**3))


def make_drum(plan, path):
    if plan.size == 1.0 and published.file_of("drum", 0) is not None and not plan.own:
        shutil.copyfile(published.folder() / "drum.stl", path)
        return
    subprocess.run([sys.executable, str(HERE.parent / "scenes" / "make_drum.py"), "--radius", repr(published.DRUM * plan.size),
                    "--length", repr(published.WIDTH * plan.size), "--wall", repr(published.WALL), "--sides",
                    str(published.SIDES), "--output", str(path)], check=True)


def own_bed(plan, case):
    """Spheres (radius, x, y, z) that talus lets settle; the CPU time is none of the comparison's."""
    import run_state

    folder = plan.folder / f"{case}-bed"
    folder.mkdir()
    shutil.copy(HERE / f"{case}_bed.yaml", folder)
    settings = [f"size={plan.size!r}", f"count={count_of(plan, 'grain')}"]
    if case == "drum":
        make_drum(plan, folder / "drum.stl")
        settings = [f"radius={published.DRUM * plan.size!r}", f"width={published.WIDTH * plan.size!r}",
                    f"small={count_of(plan, 'small')}", f"large={count_of(plan, 'large')}"]
    print(f"{case}: talus makes a bed", flush=True)
    talus_run(plan, folder, f"{case}_bed.yaml", [*settings, f"time.end={plan.settle!r}", *plan.settings])
    return run_state.spheres(folder / "run" / "state.h5")


def start_state(plan, case):
    path = published.file_of(case, 0)
    if path is None or plan.own or plan.size != 1.0:
        return own_bed(plan, case)
    return bed.spheres_of(path)


def prepare(plan, case, spheres, folder):
    """What the scene of the case needs beside it."""
    folder.mkdir()
    shutil.copy(HERE / f"{scene_of(plan, case)}.yaml", folder)
    if case == "impact":
        shutil.copy(HERE / "impact_common.yaml", folder)
        (folder / "bed.data").write_text(bed.data_of(spheres, published.DENSITY["grain"]))
        return
    make_drum(plan, folder / "drum.stl")
    for kind, radius in (("small", published.SMALL), ("large", published.LARGE)):
        of_kind = [s for s in spheres if math.isclose(s[0], radius, rel_tol=1e-6)]
        (folder / f"{kind}.data").write_text(bed.data_of(of_kind, published.DENSITY[kind]))


def curve_of(case, folder, spheres):
    """Time and height of the ball, or time and counts; monitors of contacts have no line of the start."""
    import numpy

    if case == "impact":
        table = published.table_of(folder / "monitors" / "ball.csv")
        return {"time": table["time"], "height": table["z"]}
    tables = {count: published.table_of(folder / "monitors" / f"{count}.csv") for count in published.COUNTS}
    curve = {"time": numpy.concatenate([[0.0], tables["small_lower"]["time"]])}
    for count, table in tables.items():
        radius = published.SMALL if count.startswith("small") else published.LARGE
        sign = -1.0 if count.endswith("lower") else 1.0
        first = sum(1 for s in spheres if math.isclose(s[0], radius, rel_tol=1e-6) and sign * s[1] > 0 and sign * s[3] > 0)
        curve[count] = numpy.concatenate([[first], table["bodies"]])
    return curve


def scene_of(plan, case):
    return "impact_rigid" if case == "impact" and plan.contacts == "rigid" else case


def ours(plan, case, spheres, step, tolerance):
    name = f"h {step:g}, tolerance {tolerance:g}"
    folder = plan.folder / f"{case}-{step:g}-{tolerance:g}"
    prepare(plan, case, spheres, folder)
    settings = [f"h={step!r}", f"tolerance={tolerance!r}", f"time.end={plan.end_of(case)!r}",
                f"time.restitution_law={plan.law}"]
    settings += [f"size={plan.size!r}"] if case == "impact" else [f"radius={published.DRUM * plan.size!r}"]
    if case == "drum" and plan.end_of(case) < 1.0:
        settings += [f"monitors.{k}.every={plan.end_of(case) / 4!r}" for k in range(4)]
    print(f"{case}: talus, {name}", flush=True)
    seconds = talus_run(plan, folder, f"{scene_of(plan, case)}.yaml", settings + plan.settings)
    report = json.loads((folder / "run" / "report.json").read_text())
    facts = {"step": step, "tolerance": tolerance, "steps": report["steps_of_this_run"], "method": report["method"],
             "unconverged_steps": report["error"]["unconverged_steps"], "iterations": report["iterations"]["mean"],
             "overlap": report["overlap"]["largest_share_of_size"], "trajectory_hash": report["trajectory_hash"]}
    return Run(name, curve_of(case, folder / "run", spheres), seconds, facts)


def theirs(plan, case, spheres):
    import soft

    modulus = plan.modulus or MODULI[case]
    folder = plan.folder / f"{case}-liggghts"
    folder.mkdir()
    data, deck = getattr(soft, case)(spheres, plan.size, plan.end_of(case), modulus)
    (folder / "start.data").write_text(data)
    (folder / "deck.liggghts").write_text(deck)
    if case == "drum":
        make_drum(plan, folder / "drum.stl")
    print(f"{case}: LIGGGHTS, E = {modulus:g} Pa, steps of {soft.step_of(modulus):g} s", flush=True)
    status, seconds = start(["liggghts", "-in", "deck.liggghts"], folder)
    if status != 0:
        failed("liggghts", folder)
    facts = {"modulus": modulus, "step": soft.step_of(modulus)}
    return Run(f"LIGGGHTS, E {modulus:g}", soft.curve_of(case, (folder / "stdout.txt").read_text()), seconds, facts)


def validate(plan, case):
    """Rows of the table, and the curves."""
    import judge

    spheres = start_state(plan, case)
    published_bed = plan.size == 1.0 and not plan.own and published.file_of(case, 0) is not None
    reference = published.reference_of(case) if published_bed else None
    steps = plan.steps or [published.STEP[scene_of(plan, case)]]
    tolerances = plan.tolerances or [published.TOLERANCE[case]]
    runs = [ours(plan, case, spheres, *pair) for pair in itertools.product(steps, tolerances)]
    soft_run = theirs(plan, case, spheres) if plan.liggghts else None
    height = max(s[3] + s[0] for s in spheres) - published.BOTTOM
    others = ([("reference", reference)] if reference is not None else []) + (
        [(soft_run.name, soft_run.curve)] if soft_run is not None else [])

    def compared(curve, other):
        if case == "impact":
            return judge.rows_of_impact(curve, other, height)
        return judge.rows_of_drum(curve, other, published.COUNTED * plan.size**3)

    rows = []
    for run in runs:
        for name, other in others or [("-", None)]:
            rows += [(case, run.name, name, *row) for row in compared(run.curve, other)]
        rows.append((case, run.name, "-", f"CPU s (of {run.facts['steps']} steps {run.facts['unconverged_steps']} above "
                     "tolerance)", None if soft_run is None else soft_run.cpu_seconds, run.cpu_seconds, None, None))
    for run in runs[1:]:
        limit = published.STEPS_WITHIN if case == "impact" else None
        rows += [(case, run.name, runs[0].name, *row[:4], None if row[4] is None else limit)
                 for row in compared(run.curve, runs[0].curve)]
    curves = [(name if name != "reference" else "reference, LIGGGHTS", curve) for name, curve in others]
    return rows, curves + [(run.name, run.curve) for run in runs], runs + ([soft_run] if soft_run else [])


def cell(value, form="#.4g"):
    return "-" if value is None else format(value, form)


def table(rows):
    lines = [("case", "talus", "compared with", "quantity", "reference", "talus", "difference", "allowed", "")]
    for case, run, name, quantity, there, here, difference, allowed in rows:
        verdict = "" if allowed is None or difference is None else "yes" if abs(difference) <= allowed else "NO"
        lines.append((case, run, name, quantity, cell(there), cell(here), cell(difference and 100 * difference, "+.1f") + (
            "" if difference is None else " %"), cell(allowed and 100 * allowed, "g") + ("" if allowed is None else " %"),
            verdict))
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines)


def numbers(text, option, faults):
    try:
        values = [float(word) for word in text.split(",")]
        if all(value > 0.0 and math.isfinite(value) for value in values):
            return values
    except ValueError:
        pass
    faults.append(f"{option} {text}: give numbers above 0, such as 5e-4,2.5e-4")
    return []


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, dest="folder", metavar="DIR")
    parser.add_argument("--case", default="impact,drum", metavar="A,B")
    parser.add_argument("--step", metavar="H,H", help="s [impact 1e-5, of rigid contacts 1e-4; drum 5e-4]")
    parser.add_argument("--tolerance", metavar="T,T", help="m/s [impact 1e-3, drum 2.5e-4]")
    parser.add_argument("--until", type=float, metavar="T", help="s")
    parser.add_argument("--settle", type=float, default=0.3, metavar="T", help="how long an own bed falls and settles, s")
    parser.add_argument("--contacts", choices=["elastic", "rigid"], default="elastic", help="of the impact [elastic]")
    parser.add_argument("--law", choices=["newton", "poisson"], default="newton")
    parser.add_argument("--ranks", type=int, default=1, metavar="N")
    parser.add_argument("--liggghts", action="store_true")
    parser.add_argument("--modulus", type=float, metavar="E", help="Pa")
    parser.add_argument("--own", action="store_true", help="a bed of its own, though the published one is there")
    parser.add_argument("--size", type=float, default=1.0, metavar="S")
    parser.add_argument("-s", "--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    return parser.parse_args()


def checked(plan):
    """Everything that is wrong, before anything runs."""
    faults = []
    if not os.access(plan.talus, os.X_OK) or plan.talus.is_dir():
        faults.append(f"{plan.talus}: is no program; give the path of talus")
    if plan.folder.exists():
        faults.append(f"--output {plan.folder}: is there already; give another name")
    plan.cases = list(dict.fromkeys(plan.case.split(",")))
    faults += [f"--case {case}: known are impact and drum" for case in plan.cases if case not in published.FILES]
    if plan.law == "poisson" and plan.contacts == "elastic" and "impact" in plan.cases:
        faults.append("--law poisson: elastic contacts have no law of restitution; add --contacts rigid")
    plan.steps = numbers(plan.step, "--step", faults) if plan.step else []
    if plan.steps and len(plan.cases) > 1 and plan.until is None:
        faults.append("--step: is of one case; add --case impact or --case drum, or --until")
    plan.tolerances = numbers(plan.tolerance, "--tolerance", faults) if plan.tolerance else []
    for option in ("until", "settle", "modulus"):
        value = getattr(plan, option)
        if value is not None and not (value > 0.0 and math.isfinite(value)):
            faults.append(f"--{option} {value:g}: must be above 0")
    if plan.modulus is not None and not plan.liggghts:
        faults.append("--modulus: is for --liggghts; add that or leave it out")
    if not 0.2 <= plan.size <= 1.0:
        faults.append(f"--size {plan.size:g}: must lie in [0.2, 1]: grains keep their size")
    if plan.ranks < 1:
        faults.append(f"--ranks {plan.ranks}: must be 1 or more")
    if plan.liggghts and shutil.which("liggghts") is None:
        faults.append("liggghts is missing: apt-get install liggghts, or leave out --liggghts")
    try:
        import h5py, matplotlib, numpy  # noqa: F401,E401
    except ImportError as error:
        faults.append(f"{error}: apt-get install python3-h5py python3-matplotlib python3-numpy, and use Debian's python3")
    if faults:
        print("\n".join(f"validate.py: {fault}" for fault in faults), file=sys.stderr)
        sys.exit(2)
    plan.talus, plan.folder = plan.talus.resolve(), plan.folder.resolve()
    plan.end_of = lambda case: published.END[case] if plan.until is None else min(plan.until, published.END[case])
    return plan


def main():
    plan = checked(arguments())
    import pictures

    plan.folder.mkdir(parents=True)
    rows, curves, record = [], {}, {}
    for case in plan.cases:
        rows_of_case, curves[case], runs = validate(plan, case)
        rows += rows_of_case
        record[case] = [{"name": run.name, "cpu_seconds": run.cpu_seconds, **run.facts,
                         "curve": {key: list(map(float, value)) for key, value in run.curve.items()}} for run in runs]
    settings = {"settings": plan.settings, "contacts": plan.contacts, "law": plan.law, "size": plan.size}
    (plan.folder / "validation.json").write_text(json.dumps({**settings, "cases": record}, indent=1) + "\n")
    pictures.draw(plan.folder / "validation.png", curves)
    print()
    print(table(rows))


if __name__ == "__main__":
    main()
