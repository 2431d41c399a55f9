#!/usr/bin/env python3
"""Runs a scene of all kinds and reads what it leaves with readers that know nothing of talus.

Usage: output_test.py TALUS. The numbers of the last frame must be those of state.h5, bit for bit (h5py).
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import vtk_files  # noqa: E402

SKIPPED = 77
try:
    import h5py
except ImportError:
    print("skipped: python3-h5py is not installed")
    sys.exit(SKIPPED)

SCENE = """
talus: 1
time: {step: 0.01, end: 0.3}
gravity: [0, 0, -9.81]
domain: {min: [-1, -1, -0.2], max: [1, 1, 1], outside: remove}
materials: {stone: {density: 1000}, ice: {density: 900}}
pairs:
  - {between: [stone, stone], friction: 0.5, rolling_radius: 0.001}
  - {between: [stone, ice], friction: 0}
  - {between: [ice, ice], friction: 0}
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: table, motion: kinematic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.02]},
     position: [-0.6, 0, 0.2], movement: {velocity: [0, 0.1, 0]}}
  - {name: low, motion: dynamic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}
  - {name: high, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.05}, position: [0, 0, 0.25]}
  - {name: cube, motion: dynamic, material: ice, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0, 0.5, 0.05],
     velocity: [0.5, 0, 0]}
  - name: clump
    motion: dynamic
    material: stone
    shape:
      type: compound
      parts:
        - {shape: {type: sphere, radius: 0.05}}
        - {shape: {type: box, size: [0.1, 0.05, 0.05]}, position: [0.05, 0, 0]}
    position: [0.5, 0, 0.1]
  - {name: bob, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.05}, position: [0.3, -0.5, 0.6]}
joints:
  - {name: rope, type: distance, between: [bob, world], position: [0.3, -0.5, 0.6], second_position: [0, -0.5, 0.6]}
solver: {tolerance: 1.0e-6}
monitors:
  - {name: floor, type: load, of: floor, every: 0.1}
  - {name: all, type: energy, every: 0.1}
output: {log: {every: 0.1}, paraview: {every: 0.1, bodies: [quaternion, velocity, angular_velocity, size, shape, motion, group, material, rank, mass],
  contacts: [force, torque, state, gap, point, normal, bodies]}, snapshots: {every: 0.1}}
"""
STEP, GRAVITY = 0.01, 9.81


def expect(good, message):
    if not good:
        print(f"FAILED: {message}")
        sys.exit(1)


def run(talus, folder, *more):
    scene = folder / "s.yaml"
    scene.write_text(SCENE)
    out = folder / f"out{len(list(folder.iterdir()))}"
    done = subprocess.run([talus, "run", str(scene), "--output", str(out), "--quiet", *more], check=False,
                          capture_output=True, text=True)
    expect(done.returncode == 0, f"talus run ends with {done.returncode}: {done.stderr}")
    return out


def check_times(frames):
    times = sorted({at for at, _, _ in frames})
    expect(times == [0.0, 0.1, 0.2, 0.3], f"times are {times}")
    for at, name, path in frames:
        read = vtk_files.read_any(path)
        expect(read["time"] == (None if name == "walls" else at), f"{path}: {read['time']} is not {at}")
    names = [name for at, name, _ in frames if at == 0.1]
    expect(names == ["bodies", "contacts", "walls", "surfaces", "joints"], f"parts are {names}")
    expect(len({path for _, name, path in frames if name == "walls"}) == 1, "walls were written again")


def check_bodies(read, state):
    bodies = state["bodies"]
    rows = {i: row for row, i in enumerate(bodies["id"][:])}
    data = read["point_data"]
    expect(len(data["id"]) == len(rows) - 1, "all but the plane")
    expect(list(data["id"]) == sorted(data["id"]), "in the order of ids")
    for i, body in enumerate(data["id"]):
        row = rows[body]
        expect(read["points"][i] == tuple(bodies["position"][row]), f"position of {body}")
        expect(data["quaternion"][i] == tuple(bodies["orientation"][row]), f"quaternion of {body}")
        expect(data["velocity"][i] == tuple(bodies["velocity"][row]), f"velocity of {body}")
        expect(data["angular_velocity"][i] == tuple(bodies["angular_velocity"][row]), f"spin of {body}")
        expect(data["material"][i] == bodies["material"][row], f"material of {body}")
        expect(data["group"][i] == bodies["group"][row], f"group of {body}")
        expect(data["motion"][i] == bodies["motion"][row], f"motion of {body}")
        expect(data["shape"][i] == state["shapes"]["kind"][bodies["shape"][row]], f"shape of {body}")
        if data["motion"][i] == 0:
            expect(data["mass"][i] == bodies["mass"][row], f"mass of {body}")
    sizes = dict(zip(data["id"], data["size"]))
    expect([sizes[3], sizes[4], sizes[6]] == [0.1, 0.1, 0.1], f"sizes are {sizes}")
    expect(set(data["rank"]) == {0}, "rank")
    expect([tuple(v) for v in read["vertices"]] == [(p,) for p in range(len(rows) - 1)], "a vertex per body")


def check_contacts(read, state):
    data = read["cell_data"]
    bodies = state["bodies"]
    mass = dict(zip(bodies["id"][:], bodies["mass"][:]))
    place = {i: tuple(bodies["position"][row]) for row, i in enumerate(bodies["id"][:])}
    up, states = {}, {}
    for c, (first, second) in enumerate(read["lines"]):
        a, b = data["body_a"][c], data["body_b"][c]
        force = [n + t for n, t in zip(data["normal_force"][c], data["tangential_force"][c])]
        up[(a, b)] = up.get((a, b), 0.0) + force[2]
        states.setdefault((a, b), set()).add(data["state"][c])
        expect(read["points"][second] == place[b], f"the line of {a}, {b} does not end at {b}")
        if a == 2:
            expect(read["points"][first] == place[a], f"the line of {a}, {b} does not begin at {a}")
    # what rests: each floor or table carries what is on it
    for pair, weight in {(2, 3): mass[3], (0, 2): mass[2] + mass[3], (0, 4): mass[4]}.items():
        expect(abs(up[pair] - weight * GRAVITY) < 1e-3 * weight * GRAVITY, f"{pair}: {up[pair]} N carry {weight} kg")
    expect(states[(0, 4)] <= {0, 2}, f"ice slides: {states[(0, 4)]}")
    expect(1 in states[(2, 3)], f"the ball sticks: {states[(2, 3)]}")


def check_surfaces(walls, surfaces, joints, state):
    expect(set(walls["cell_data"]["id"]) == {0}, "the plane is the only wall")
    low, high = (tuple(pick(p[k] for p in walls["points"]) for k in range(3)) for pick in (min, max))
    expect(all(abs(x - y) < 1e-6 for x, y in zip(low + high, (-1, -1, 0, 1, 1, 0))), f"plane {low} to {high}")
    counts = {}
    for body in surfaces["cell_data"]["id"]:
        counts[body] = counts.get(body, 0) + 1
    expect(counts == {1: 6, 2: 6, 4: 6, 5: 80 + 6}, f"polygons by body: {counts}")
    table = [surfaces["points"][p] for cell, body in zip(surfaces["polygons"], surfaces["cell_data"]["id"])
             if body == 1 for p in cell]
    middle = [(min(p[k] for p in table) + max(p[k] for p in table)) / 2 for k in range(3)]
    expect(all(abs(m - p) < 1e-12 for m, p in zip(middle, state["bodies"]["position"][1])), "the table is elsewhere")
    speeds = {v for v, body in zip(surfaces["point_data"]["velocity"], surfaces["points"]) if abs(body[0] + 0.6) < 0.11}
    expect(all(abs(v[1] - 0.1) < 1e-12 for v in speeds), f"the table moves with {speeds}")
    expect(joints["cell_data"]["body_a"] == (6,) and len(joints["lines"][0]) == 4, "one joint")
    expect(joints["points"][2] == (0.0, -0.5, 0.6), f"the rope hangs from {joints['points'][2]}")
    expect(joints["points"][0] == tuple(state["bodies"]["position"][6]), "it begins at the bob")


def check_snapshots(out, frames):
    for at, part, path in frames:
        if part != "bodies" or at == 0.0:
            continue
        step = round(at / STEP)
        with h5py.File(out / "snapshots" / f"state_{step:09}.h5") as state:
            expect(state.attrs["time"] == at and state.attrs["step"] == step, f"{step}: {dict(state.attrs)}")
            check_bodies(vtk_files.read_any(path), state)
            read = vtk_files.read_any(str(path).replace("bodies", "contacts"))
            for name, values in read["cell_data"].items():
                there = [tuple(v) if hasattr(v, "__len__") else v for v in state["contacts"][name][:]]
                expect(list(values) == there, f"contacts of step {step}: {name}")


def check_records(out, state):
    records = [json.loads(line) for line in (out / "run.jsonl").read_text().splitlines()]
    expect([record["step"] for record in records] == [10, 20, 30], "records")
    mass, speed = state["bodies"]["mass"][:], state["bodies"]["velocity"][:]
    moving = state["bodies"]["motion"][:] == 0
    flying = 0.5 * sum(mass[moving] * (speed[moving] ** 2).sum(axis=1))
    table = (out / "monitors" / "all.csv").read_text().splitlines()
    names, last = table[0].split(","), [float(x) for x in table[-1].split(",")]
    row = dict(zip(names, last))
    expect(abs(row["translation"] - flying) <= 1e-12 * flying, f"{row} is not {flying}")
    kinetic = records[-1]["energy"]["kinetic"]
    expect(abs(row["translation"] + row["rotation"] - kinetic) <= 1e-12 * kinetic, "monitor and record")
    floor = (out / "monitors" / "floor.csv").read_text().splitlines()
    row = dict(zip(floor[0].split(","), (float(x) for x in floor[-1].split(","))))
    weight = -GRAVITY * sum(mass[2:6])
    expect(abs(row["fz"] - weight) < 1e-3 * -weight, f"the floor carries {row['fz']} N of {weight}")


def check_killed(talus, folder):
    """Whatever a killed run names is there and whole."""
    scene = folder / "s.yaml"
    for wait in (0.0, 0.02, 0.05, 0.11):
        out = folder / f"killed{wait}"
        with subprocess.Popen([talus, "run", str(scene), "--output", str(out), "--quiet", "-s",
                               "output.paraview.every=0.01", "--steps", "1000000000"], stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL) as process:
            listing = out / "paraview" / "run.pvd"
            for _ in range(1000):
                if listing.exists() and len(vtk_files.read_pvd(listing)) > 50:
                    break
                time.sleep(0.01)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        frames = vtk_files.read_pvd(listing)
        expect(len(frames) > 50 and len(frames) % 5 == 0, f"{len(frames)} files are named")
        for path in {path for _, _, path in frames[-50:]}:
            vtk_files.read_any(path)


def main(talus):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = run(talus, folder)
        frames = vtk_files.read_pvd(out / "paraview" / "run.pvd")
        check_times(frames)
        last = {part: vtk_files.read_any(path) for at, part, path in frames if at == 0.3}
        with h5py.File(out / "state.h5") as state:
            check_bodies(last["bodies"], state)
            check_contacts(last["contacts"], state)
            check_surfaces(last["walls"], last["surfaces"], last["joints"], state)
            check_records(out, state)
        check_snapshots(out, frames)
        check_killed(talus, folder)
        without = run(talus, folder, "-s", "output={log: {every: 1000}}", "-s", "monitors=[]")
        hashes = [json.loads((o / "report.json").read_text())["trajectory_hash"] for o in (out, without)]
        expect(hashes[0] == hashes[1], f"output changed the run: {hashes}")
    print("passed")


if __name__ == "__main__":
    main(sys.argv[1])
