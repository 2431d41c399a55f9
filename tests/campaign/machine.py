"""Every call of a kind fails in turn: memory that is refused, and each system call of output, for run, resume, export,
info, solve and generate; or the program is killed in it. Always a message and the right exit code, and what was there
before is whole; what a killed run leaves can be gone on with.

usage: machine.py TALUS LIBRARY [--calls memory,open,write,fsync,rename,close,kill] [--every 1] [--most N] [--ranks 1]
kill: SIGKILL in each call of output of all kinds. On several ranks each of them counts for itself.
LIBRARY: tests/faults/machine_faults.cpp
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "faults"))
from machine_test import BAD_INPUT, FAILED, FINISHED, FIRST_ALLOCATION, Place, expect  # noqa: E402

ERRORS = {"memory": ["ENOSPC"], "open": ["EACCES", "EROFS"], "write": ["ENOSPC", "short", "EINTR"],
          "fsync": ["EIO"], "rename": ["EACCES"], "close": ["EIO"]}
OUTPUT = [call for call in ERRORS if call != "memory"]
HARMLESS = {"short", "EINTR"}  # a program that is right goes on as if nothing had been
REASONS = {"ENOSPC": "No space left on device", "EACCES": "Permission denied", "EROFS": "Read-only file system",
           "EIO": "Input/output error"}
PICTURES = ["-s", "output.paraview.every=0.002", "-s", "output.snapshots.every=0.002"]
COMMANDS = {
    "run": ["run", "many.yaml", "--steps", "3", "--threads", "2", "--output", "out", "--overwrite",
            "--checkpoint-at-end", *PICTURES],
    "resume": ["run", "--resume", "before", "--steps", "4", "--output", "out", "--overwrite"],
    "export": ["export", "before", "--to", "fclib", "--output", "frozen.h5"],
    "info": ["info", "before/state.h5"],
    "generate": ["generate", "stack", "--output", "made.h5"],
    "solve": ["solve", "p.h5", "--output", "answer.h5", "--report", "answer.json"],
}
BEFORE = (["run", "many.yaml", "--steps", "2", "--output", "before", "--checkpoint-at-end", *PICTURES],
          ["generate", "stack", "--output", "p.h5"], COMMANDS["generate"], COMMANDS["solve"], COMMANDS["export"])


class Found:
    """What stands in the folder before a fault, and must stand there after it."""

    def __init__(self, folder):
        self.folder = folder
        names = [path for path in (folder / "before").rglob("*") if path.is_file()]
        names += [folder / name for name in ("many.yaml", "p.h5", "made.h5", "frozen.h5", "answer.h5", "answer.json")]
        self.bytes = {path: path.read_bytes() for path in names}

    def faults(self):
        """Answers are the same bits whenever they are made; a report has its times, and is whole or not."""
        for path, before in self.bytes.items():
            name = path.relative_to(self.folder)
            if not path.exists():
                yield f"{name} is gone"
            elif path.read_bytes() != before and path.suffix != ".json":
                yield f"{name} is another"
            elif path.suffix == ".json":
                try:
                    json.loads(path.read_text(encoding="utf-8"))
                except ValueError:
                    yield f"{name} is not whole"

    def left_beside(self):
        return [str(path.relative_to(self.folder)) for path in self.folder.rglob("*.tmp*")]

    def put_back(self):
        for path, before in self.bytes.items():
            if not path.exists() or path.read_bytes() != before:
                path.write_bytes(before)
        for path in self.folder.rglob("*.tmp*"):
            path.unlink()


def launch(place, ranks, words, fault=None):
    return place.run(*words, fault=fault) if ranks == 1 else place.run_on(ranks, *words, fault=fault)


def faults_after_kill(place, words):
    """A run goes on from the last checkpoint, where there is one; what is there is read."""
    if "out" not in words or not list((place.folder / "out").glob("checkpoints/*.h5")):
        return
    done = place.run("run", "--resume", "out", "--steps", 5)
    if done.returncode != FINISHED:
        yield f"cannot be gone on with: exit code {done.returncode}: {done.stderr[-300:]}"
    elif list((place.folder / "out").rglob("*.tmp*")):
        yield "what the killed run has left half written stays"


def faults_of(place, found, ranks, words, fault, error):
    """What is wrong with how the program takes it."""
    shutil.rmtree(place.folder / "out", ignore_errors=True)
    try:
        done = launch(place, ranks, words, fault)
    except subprocess.TimeoutExpired:
        yield "hangs"
        return
    yield from found.faults()
    if error == "kill":
        yield from faults_after_kill(place, words)
        return
    if left := found.left_beside():
        yield f"leaves {left}"
    # a file that cannot be opened is found before the work begins
    allowed = (FINISHED,) if error in HARMLESS else (FINISHED, FAILED, BAD_INPUT)
    if done.returncode not in allowed:
        yield f"exit code {done.returncode}: {done.stderr[-300:]}"
    elif done.returncode != FINISHED and "talus: " not in done.stderr:
        yield f"no message: {done.stderr[-300:]}"
    elif done.returncode == FINISHED and error in REASONS and "memory" not in fault and REASONS[error] not in done.stderr:
        yield f"goes on and does not say why: {done.stderr[-300:]}"


def calls_of(names):
    """(call, errors) of each."""
    for name in names.split(","):
        if name == "kill":
            yield from ((call, ["kill"]) for call in OUTPUT)
        else:
            yield name, ERRORS[name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("talus")
    parser.add_argument("library")
    parser.add_argument("--calls", default=",".join([*ERRORS, "kill"]))
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=None, help="of each kind and command")
    options = parser.parse_args()
    tried, wrong = 0, 0
    with Place(os.path.realpath(options.talus), os.path.realpath(options.library)) as place:
        for words in BEFORE:
            expect(place.run(*words).returncode == FINISHED, f"{words}: undisturbed")
        found = Found(place.folder)
        for verb, words in COMMANDS.items():
            for call, errors in calls_of(options.calls):
                first, count = FIRST_ALLOCATION if call == "memory" else 1, place.calls(words, call)
                numbers = range(first, count + 1, options.every)[:options.most]
                print(f"{verb}: {len(numbers)} of {count} calls of {call}: {', '.join(errors)}", flush=True)
                for number in numbers:
                    for error in errors:
                        tried += 1
                        fault_of_call = f"{call}:{error}:{number}:{number}"
                        for fault in faults_of(place, found, options.ranks, words, fault_of_call, error):
                            wrong += 1
                            print(f"{verb}: {call} number {number}, {error}: {fault}", flush=True)
                        found.put_back()
    print(f"{tried} tried, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
