#!/usr/bin/env python3
"""Opens what a run leaves in ParaView itself, if it is installed (Debian's package paraview).

Usage: paraview_test.py TALUS. Runs a scene on one rank and on three, then itself again inside pvpython, which reads all
frames without a plug-in: times are the simulated ones, bodies and contacts those of the run, arrays have their names.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SCENE = """
talus: 1
time: {step: 0.01, end: 0.3}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: wall, motion: kinematic, material: stone, shape: {type: box, size: [0.1, 0.4, 0.4]}, position: [-0.5, 0, 0.2],
     movement: {velocity: [0.1, 0, 0]}}
  - {name: bob, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.05}, position: [0.3, -0.5, 0.6]}
joints:
  - {name: rope, type: distance, between: [bob, world], position: [0.3, -0.5, 0.6], second_position: [0, -0.5, 0.6]}
generators:
  - {name: beads, type: lattice, material: stone, shape: {type: sphere, diameter: 0.08}, spacing: 0.09,
     region: {type: box, min: [-0.2, -0.2, 0.05], max: [0.2, 0.2, 0.3]}}
output: {paraview: {every: 0.1, contacts: [force, state, gap]}}
"""
FRAMES = [0.0, 0.1, 0.2, 0.3]


def look(folder):
    """Inside pvpython."""
    from paraview import simple  # pylint: disable=import-error

    found = {}
    for part in ("run", "bodies", "contacts", "surfaces", "joints"):
        source = simple.OpenDataFile(f"{folder}/paraview/{part}.pvd")
        times = list(source.TimestepValues)
        frames = []
        for time in times:
            source.UpdatePipeline(time)
            info = source.GetDataInformation()
            frames.append({"points": info.GetNumberOfPoints(), "cells": info.GetNumberOfCells()})
        arrays = [source.PointData[k].Name for k in range(len(source.PointData))]
        arrays += [source.CellData[k].Name for k in range(len(source.CellData))]
        found[part] = {"times": times, "frames": frames, "arrays": sorted(arrays)}
    print("FOUND " + json.dumps(found))


def run(talus, folder, ranks):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                   "OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_WAIT_POLICY": "passive"}
    (folder / "s.yaml").write_text(SCENE)
    subprocess.run(["mpirun", "-n", str(ranks), talus, "run", str(folder / "s.yaml"), "--output", str(folder / "out"),
                    "--quiet", "--no-report", "--threads", "1"], check=True, env=environment, stdout=subprocess.DEVNULL)
    return json.loads((folder / "out" / "report.json").read_text())


def check(report, found):
    for part, seen in found.items():
        assert len(seen["times"]) == len(FRAMES), (part, seen["times"])
        assert all(abs(a - b) < 1e-9 for a, b in zip(seen["times"], FRAMES)), (part, seen["times"])
    dynamic = report["bodies"] - 1  # a plane has no end, and is no body of a frame
    for frame in found["bodies"]["frames"]:
        assert frame["points"] == dynamic, (frame, dynamic)
    assert found["contacts"]["frames"][-1]["cells"] > 20, found["contacts"]
    assert found["joints"]["frames"][-1]["cells"] >= 1, found["joints"]
    for name in ("velocity", "quaternion", "id", "rank", "size"):
        assert name in found["bodies"]["arrays"], (name, found["bodies"]["arrays"])
    for name in ("state", "gap"):
        assert name in found["contacts"]["arrays"], (name, found["contacts"]["arrays"])


def main():
    if shutil.which("pvpython") is None:
        print("skipped: ParaView is not installed (Debian's package paraview)")
        sys.exit(SKIPPED)
    for ranks in (1, 3):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            report = run(sys.argv[1], folder, ranks)
            done = subprocess.run(["pvpython", "--force-offscreen-rendering", __file__, "--look", str(folder / "out")],
                                  capture_output=True, text=True, timeout=300, check=False)
            lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
            assert done.returncode == 0 and lines, f"pvpython ended with {done.returncode}:\n{done.stdout}{done.stderr}"
            complaints = [line for line in done.stderr.splitlines() if "ERR" in line or "Warn" in line]
            assert not complaints, complaints
            check(report, json.loads(lines[0].removeprefix("FOUND ")))
            print(f"{ranks} ranks: ParaView reads all frames")


if __name__ == "__main__":
    if sys.argv[1] == "--look":
        look(sys.argv[2])
    else:
        main()
