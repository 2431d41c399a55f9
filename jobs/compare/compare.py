#!/usr/bin/env python3
"""Settles the same spheres with talus and with soft-sphere codes, one after the other on one core, and says what each costs.

usage: compare.py TALUS --output DIR [--spheres N] [--width W] [--until T] [--codes liggghts,lammps]
                  [--moduli 5e6,1e8] [--core C] [-s key=value ...]

Spheres of 1 cm and 2500 kg/m3 start on a lattice with jitter over an open box of W x W m (default: 20 spheres wide for
8000, else in proportion) and fall for T s; friction and restitution 0.5. talus takes steps of h = 1 ms (-s h=5e-4),
each solved to 0.01 g h in the mean over all contacts (natural_velocity: jobs/compare/settle.yaml states it, so that
ratios do not move with the default; -s goes to talus run); the soft codes steps of at most 18.5 % of the Rayleigh time
of each modulus (Pa). Every run: one thread, bound to core C (default 0). What the packings are like is measured alike
for all, from positions. DIR gets the start, all runs and their output, and comparison.json; a table is printed. For
figures the machine must be idle.

exit 0  everything ran
     1  a run failed; its output is in DIR
     2  usage, or a program is missing (Debian packages liggghts, lammps, python3-h5py, python3-numpy, python3-scipy)
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
DIAMETER, DENSITY, POISSON = 0.01, 2500.0, 0.3  # m, kg/m3
SPACING, JITTER = 1.1 * DIAMETER, 0.04 * DIAMETER
PROGRAMS = {"liggghts": "liggghts", "lammps": "lmp"}  # and the Debian packages have the names of the codes
RAYLEIGH_SHARE = 0.185


def lattice(count, width):
    """Layers of spheres from the floor upwards, each moved a little at random."""
    import numpy

    row = int(width / SPACING + 1e-9)
    border = 0.5 * (width - row * SPACING)
    number = numpy.arange(count)
    place = numpy.stack([number % row, number // row % row, number // row**2], axis=1) + 0.5
    random = numpy.random.default_rng(7)
    return place * SPACING + [border, border, 0.0] + random.uniform(-JITTER, JITTER, (count, 3))


def write_start(path, centres, width):
    top = centres[:, 2].max() + 2.0 * DIAMETER
    head = [f"{len(centres)} spheres on a lattice with jitter", "", f"{len(centres)} atoms", "1 atom types", "",
            f"0.0 {width:.9g} xlo xhi", f"0.0 {width:.9g} ylo yhi", f"{-0.1 * DIAMETER:.9g} {top:.9g} zlo zhi", "",
            "Atoms", ""]
    rows = [f"{i} 1 {DIAMETER:g} {DENSITY:g} {x:.9f} {y:.9f} {z:.9f}" for i, (x, y, z) in enumerate(centres, 1)]
    path.write_text("\n".join(head + rows) + "\n")
    return top


def soft_step(modulus):
    """The largest of 1, 2, 2.5, 5 times a power of ten that is no more than the allowed part of the Rayleigh time."""
    shear = modulus / (2.0 * (1.0 + POISSON))
    rayleigh = math.pi * 0.5 * DIAMETER * math.sqrt(DENSITY / shear) / (0.1631 * POISSON + 0.8766)
    limit = RAYLEIGH_SHARE * rayleigh
    power = 10.0 ** math.floor(math.log10(limit))
    return max(digit * power for digit in (1.0, 2.0, 2.5, 5.0) if digit * power <= limit * (1.0 + 1e-12))


def run(command, folder, core):
    """CPU seconds of the command, on one core and one thread. Its output goes to files in the folder."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with open(folder / "stdout.txt", "w") as out, open(folder / "stderr.txt", "w") as err:
        child = subprocess.Popen(["taskset", "-c", str(core), *command], cwd=folder, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def failed(name, folder):
    words = (folder / "stderr.txt").read_text().strip() or (folder / "stdout.txt").read_text().strip()
    print(f"compare.py: {name} failed (all it said is in {folder}): {words[-500:]}", file=sys.stderr)
    sys.exit(1)


def phases_of_soft(text):
    """Seconds by phase, as both codes print them at the end of a run: 'Pair  time (%) = 1.2 (80)', or a table."""
    found = re.findall(r"^(Pair|Neigh|Modify|Comm|Outpt|Output|Other)\s+(?:time \(%\) = ([\d.e+-]+)|\|[^|]*\| *([\d.e+-]+))",
                       text, re.M)
    return {name.lower().replace("outpt", "output"): float(old or new) for name, old, new in found}


def read_dump(path):
    import numpy

    text = path.read_text()
    columns, rows = text.split("ITEM: ATOMS ")[-1].split("\n", 1)
    place = columns.split().index("x")
    return numpy.array([row.split()[place:place + 3] for row in rows.strip().split("\n")], dtype=float)


def soft(code, modulus, case, top):
    folder = case.folder / f"{code}-{modulus:g}"
    folder.mkdir()
    step = soft_step(modulus)
    steps = round(case.until / step)
    values = {"start": case.folder / "start.data", "width": case.width, "modulus": modulus, "dt": step, "steps": steps,
              "report": max(1, steps // 20), "end": folder / "end.dump"}
    command = [PROGRAMS[code], "-in", str(HERE / f"settle.{code}")]
    for name, value in values.items():
        command += ["-var", name, f"{value:.9g}" if isinstance(value, float) else str(value)]
    print(f"{code}, E = {modulus:g} Pa: {steps} steps of {step:g} s", flush=True)
    status, seconds = run(command, folder, case.core)
    if status != 0 or not (folder / "end.dump").exists():
        failed(code, folder)
    phases = phases_of_soft((folder / "stdout.txt").read_text())
    return {"code": code, "modulus": modulus, "step": step, "steps": steps, "cpu_seconds": seconds,
            "ms_per_step": {name: 1e3 * value / steps for name, value in phases.items()}}, read_dump(folder / "end.dump")


def ours(case, top):
    import run_state

    folder = case.folder / "talus"
    folder.mkdir()
    shutil.copy(HERE / "settle.yaml", folder)
    shutil.copy(case.folder / "start.data", folder)
    command = [str(case.talus), "run", "settle.yaml", "--output", "run", "--until", f"{case.until:.9g}", "--quiet",
               "-s", f"width={case.width:.9g}", "-s", f"top={top + 10 * DIAMETER:.9g}"]
    for setting in case.settings:
        command += ["-s", setting]
    print("talus: steps of 1 ms unless -s says otherwise", flush=True)
    status, seconds = run(command, folder, case.core)
    if status not in (0, 1):  # 1: its verdict does not hold; the table says how many steps ended above the tolerance
        failed("talus", folder)
    report = json.loads((folder / "run" / "report.json").read_text())
    steps = report["steps_of_this_run"]
    phases = {name: 1e3 * value / steps for name, value in report["seconds"].items() if name != "total"}
    result = {"code": "talus", "modulus": None, "step": report["time_step"], "steps": steps, "cpu_seconds": seconds,
              "ms_per_step": phases, "iterations": report["iterations"], "error": report["error"],
              "tolerance": report["tolerance"], "law": report["law"], "method": report["method"],
              "largest_overlap_of_run": report["overlap"]["largest_share_of_size"],
              "trajectory_hash": report["trajectory_hash"]}
    return result, run_state.sphere_centres(folder / "run" / "state.h5")


def cell(value, form):
    return "-" if value is None else format(value, form)


def table(results):
    head = ["code", "E, Pa", "step, s", "CPU s", "per s", "z_cm, m", "contacts", "in bulk", "solid", "overlap, %",
            "largest, %"]
    rows = [head]
    for r in results:
        p = r["packing"]
        rows.append([r["code"], cell(r["modulus"], "g"), f"{r['step']:g}", f"{r['cpu_seconds']:.2f}",
                     f"{r['cpu_seconds_per_second']:.2f}", f"{p['z_cm']:.5f}", f"{p['contacts_per_particle']:.3f}",
                     cell(p["contacts_per_particle_of_bulk"], ".3f"), cell(p["solid_fraction_of_bulk"], ".4f"),
                     f"{100 * p['mean_overlap']:.3f}", f"{100 * p['largest_overlap']:.2f}"])
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join("  ".join(word.rjust(width) for word, width in zip(row, widths)) for row in rows)


def summary(results):
    lines = [table(results), ""]
    for r in results:
        parts = ", ".join(f"{name} {value:.4g}" for name, value in r["ms_per_step"].items())
        lines.append(f"{r['code']}{'' if r['modulus'] is None else format(r['modulus'], ' g')}: ms per step: {parts}")
    us = results[0]
    lines.append(f"talus: law {us['law']}, iterations mean {us['iterations']['mean']:.1f}, most "
                 f"{us['iterations']['most']}; error mean {us['error']['mean']:.2e}, worst {us['error']['worst']:.2e} m/s, "
                 f"tolerance {us['tolerance']:.2e} m/s, {us['error']['unconverged_steps']} steps above it")
    for r in results[1:]:
        lines.append(f"CPU time, talus over {r['code']} at E = {r['modulus']:g} Pa: {r['ratio_of_talus']:.3f}")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, dest="folder", metavar="DIR")
    parser.add_argument("--spheres", type=int, default=8000, metavar="N")
    parser.add_argument("--width", type=float, metavar="W")
    parser.add_argument("--until", type=float, default=1.0, metavar="T")
    parser.add_argument("--codes", default="liggghts", metavar="A,B")
    parser.add_argument("--moduli", default="5e6,1e8", metavar="E,F")
    parser.add_argument("--core", type=int, default=0, metavar="C")
    parser.add_argument("-s", "--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    return parser.parse_args()


def checked(case):
    """Everything that is wrong, before anything runs."""
    faults = []
    if not os.access(case.talus, os.X_OK):
        faults.append(f"{case.talus}: is no program; give the path of talus")
    if case.folder.exists():
        faults.append(f"--output {case.folder}: is there already; give another name")
    case.codes = [code for code in case.codes.split(",") if code]
    for code in case.codes:
        if code not in PROGRAMS:
            faults.append(f"--codes {code}: known are {', '.join(PROGRAMS)}")
        elif shutil.which(PROGRAMS[code]) is None:
            faults.append(f"{PROGRAMS[code]} is missing: apt-get install {code}")
    try:
        case.moduli = [float(word) for word in case.moduli.split(",")]
        if not all(modulus > 0.0 and math.isfinite(modulus) for modulus in case.moduli):
            raise ValueError
    except ValueError:
        faults.append("--moduli: give numbers of Pa, such as 5e6,1e8")
    if case.spheres < 1 or not case.until > 0.0:
        faults.append("--spheres and --until must be above 0")
    elif case.width is None:
        case.width = 20.0 * DIAMETER * round((case.spheres / 8000.0) ** (1.0 / 3.0) * 20.0) / 20.0
    if case.width is not None and case.width < SPACING:
        faults.append(f"--width {case.width:g} m: is less than a sphere needs, {SPACING:g} m")
    try:
        import h5py, numpy, scipy  # noqa: F401,E401
    except ImportError as error:
        faults.append(f"{error}: apt-get install python3-h5py python3-numpy python3-scipy, and use Debian's python3")
    if faults:
        print("\n".join(f"compare.py: {fault}" for fault in faults), file=sys.stderr)
        sys.exit(2)
    case.talus, case.folder = case.talus.resolve(), case.folder.resolve()
    return case


def main():
    case = checked(arguments())
    import packing

    case.folder.mkdir(parents=True)
    centres = lattice(case.spheres, case.width)
    top = write_start(case.folder / "start.data", centres, case.width)
    print(f"{case.spheres} spheres over {case.width:g} x {case.width:g} m, {case.until:g} s", flush=True)
    runs = [ours(case, top)]
    runs += [soft(code, modulus, case, top) for code in case.codes for modulus in case.moduli]
    results = []
    for result, end in runs:
        result["cpu_seconds_per_second"] = result["cpu_seconds"] / case.until
        result["packing"] = packing.describe(end, DIAMETER, case.width)
        result["ratio_of_talus"] = runs[0][0]["cpu_seconds"] / result["cpu_seconds"]
        results.append(result)
    record = {"spheres": case.spheres, "width": case.width, "until": case.until, "settings": case.settings,
              "results": results}
    (case.folder / "comparison.json").write_text(json.dumps(record, indent=2) + "\n")
    print()
    print(summary(results))


if __name__ == "__main__":
    main()
