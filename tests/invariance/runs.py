"""Runs of the program and what they leave, for tests that compare runs with each other."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_WAIT_POLICY": "passive",
    "GOMP_SPINCOUNT": "0",
    # mpirun waits so long, twice, after every run that ends with another code than 0: whatever the user has set
    "OMPI_MCA_odls_base_sigkill_timeout": "1",
}
# 1: some step stayed above its tolerance, the same for all
FINISHED, INTERRUPTED, BAD_INPUT, FAILED = (0, 1), (3,), (2,), (4,)
# of run.jsonl, what the clock says and what depends on how bodies are shared out
OF_CLOCK_AND_RANKS = ("seconds", "wall_seconds", "imbalance", "moved", "most_ghosts", "balanced", "searched",
                      "collectives")


def words_of(talus, ranks, words):
    launch = ["mpirun", "-n", str(ranks)] if int(ranks) > 1 else []
    return [*launch, str(talus), "run", *(str(word) for word in words)]


def run(talus, ranks, words, expected=FINISHED, timeout=600.0):
    """The program has ended with one of the codes that are expected, or the test ends."""
    command = words_of(talus, ranks, words)
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False,
                          env={**os.environ, **ENVIRONMENT})
    if done.returncode not in expected:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, not {expected}:\n{done.stdout}{done.stderr}")
    return done


def hash_of(done):
    """Of all bodies after the last step."""
    found = re.search(r"^hash +([0-9a-f]{16})", done.stdout, re.M)
    if not found:
        sys.exit(f"{' '.join(done.args)} says no hash:\n{done.stdout}{done.stderr}")
    return found[1]


def settings_of(scene):
    """The file and the -s words of wrecking.yaml:columns=6:rows=5."""
    path, *settings = scene.split(":")
    return path, [word for setting in settings for word in ("-s", setting)]


def tables_of(folder):
    """Lines of all tables in the folder of a run, without the seconds, which are the clock's."""
    tables = {}
    for path in sorted(folder.rglob("*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        hidden = [k for k, name in enumerate(rows[0]) if name == "seconds"] if rows else []
        tables[str(path.relative_to(folder))] = [[cell for k, cell in enumerate(row) if k not in hidden] for row in rows]
    return tables


def records_of(folder):
    """Of run.jsonl, each line in the order of its keys, without what is of the clock and of ranks."""
    lines = (pathlib.Path(folder) / "run.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [[f"{key}={value}" for key, value in record.items() if key not in OF_CLOCK_AND_RANKS] for record in records]


def first_difference(expected, got):
    """Of the first rows that differ, the first cells that do."""
    for number, (want, have) in enumerate(zip(expected, got)):
        if want != have:
            cells = [f"{a}, not {b}" for a, b in zip(have, want) if a != b] or [f"{len(have)} cells, not {len(want)}"]
            return f"row {number} ({','.join(want[:2])}): {'; '.join(cells[:4])}"
    return f"{len(got)} lines, not {len(expected)}"


def frames_of(folder):
    """Bytes by time and part of all frames that run.pvd lists."""
    path = folder / "paraview" / "run.pvd"
    if not path.exists():
        return {}
    listed = re.findall(r'timestep="([^"]+)" [^/]*part="([0-9]+)" [^/]*file="([^"]+)"', path.read_text(encoding="utf-8"))
    return {f"frame {time} part {part}": (folder / "paraview" / file).read_bytes() for time, part, file in listed}


def files_of(folder):
    """Bytes of all states: they are the same for any number of ranks."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in [folder / "state.h5", *sorted(folder.glob("snapshots/*.h5"))]}


class Left:
    """What a finished run has left, to be compared with what another has."""

    def __init__(self, done, folder):
        folder = pathlib.Path(folder)
        self.hash = hash_of(done)
        self.tables = tables_of(folder)
        self.tables["run.jsonl"] = records_of(folder)
        self.files = {**files_of(folder), **frames_of(folder)}

    def faults(self, other, after=-1.0):
        """In which way another one differs; `after`: it began at this time, s, in a folder of its own."""
        faults = [] if self.hash == other.hash else [f"hash {other.hash}, not {self.hash}"]
        for name, rows in self.tables.items():
            rows, got = late(name, rows, after), other.tables.get(name, [])
            if rows != got and (len(rows) > 1 or got):
                faults.append(f"{name}: {first_difference(rows, got)}")
        faults += [f"{name}, which should not be there" for name in other.tables if name not in self.tables]
        if after < 0.0 and self.files.keys() != other.files.keys():
            faults.append(f"files: {sorted(self.files.keys() ^ other.files.keys())}")
        faults += [f"{name} has other bytes" for name, data in other.files.items() if self.files.get(name, data) != data]
        return faults


def late(name, rows, after):
    """Of a table, the heading and what is of later times. Each table has its own way to say when."""
    if after < 0.0 or not rows:
        return rows
    if name == "run.jsonl":
        return [row for row in rows if float(row[1].removeprefix("time=")) > after]
    if "time" not in rows[0]:
        return rows
    column = rows[0].index("time")
    return [rows[0], *(row for row in rows[1:] if float(row[column]) > after)]
