"""Every call of a kind fails in turn: memory that is refused, and each system call of output, for run, resume, solve
and generate. Always a message and the right exit code, and what was there before is whole.

usage: machine.py TALUS LIBRARY [--calls memory,open,write,fsync,rename,close] [--every 1] [--most N]
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
        left = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*.tmp*")]
        if left:
            yield f"leaves {left}"

    def put_back(self):
        for path, before in self.bytes.items():
            if not path.exists() or path.read_bytes() != before:
                path.write_bytes(before)
        for path in self.folder.rglob("*.tmp*"):
            path.unlink()


def faults_of(place, found, words, fault, error):
    """What is wrong with how the program takes it."""
    shutil.rmtree(place.folder / "out", ignore_errors=True)
    try:
        done = place.run(*words, fault=fault)
    except subprocess.TimeoutExpired:
        yield "hangs"
        return
    yield from found.faults()
    # a file that cannot be opened is found before the work begins
    allowed = (FINISHED,) if error in HARMLESS else (FINISHED, FAILED, BAD_INPUT)
    if done.returncode not in allowed:
        yield f"exit code {done.returncode}: {done.stderr[-300:]}"
    elif done.returncode != FINISHED and "talus: " not in done.stderr:
        yield f"no message: {done.stderr[-300:]}"
    elif done.returncode == FINISHED and error in REASONS and "memory" not in fault and REASONS[error] not in done.stderr:
        yield f"goes on and does not say why: {done.stderr[-300:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("talus")
    parser.add_argument("library")
    parser.add_argument("--calls", default=",".join(ERRORS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=None, help="of each kind and command")
    options = parser.parse_args()
    tried, wrong = 0, 0
    with Place(os.path.realpath(options.talus), os.path.realpath(options.library)) as place:
        for words in BEFORE:
            expect(place.run(*words).returncode == FINISHED, f"{words}: undisturbed")
        found = Found(place.folder)
        for verb, words in COMMANDS.items():
            for call in options.calls.split(","):
                first, count = FIRST_ALLOCATION if call == "memory" else 1, place.calls(words, call)
                numbers = range(first, count + 1, options.every)[:options.most]
                print(f"{verb}: {len(numbers)} of {count} calls of {call}", flush=True)
                for number in numbers:
                    for error in ERRORS[call]:
                        tried += 1
                        for fault in faults_of(place, found, words, f"{call}:{error}:{number}:{number}", error):
                            wrong += 1
                            print(f"{verb}: {call} number {number}, {error}: {fault}", flush=True)
                        found.put_back()
    print(f"{tried} tried, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
