"""Every call of a kind fails in turn: memory that is refused, and each system call of output, for run, resume, solve
and generate. Always a message and the right exit code, and what was there before is whole.

usage: machine.py TALUS LIBRARY [--calls memory,open,write,fsync,rename,close] [--every 1] [--most 10000]
LIBRARY: tests/faults/machine_faults.cpp
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "faults"))
from machine_test import BAD_INPUT, FAILED, FINISHED, LATEST, SCENE, Place, expect  # noqa: E402

BEADS = """generators:
  - {name: beads, type: lattice, material: stone, shape: {type: sphere, diameter: 0.02}, spacing: 0.021, seed: 1,
     region: {type: box, min: [0.1, 0.1, 0], max: [0.3, 0.3, 0.3]}}
"""
ERRORS = {"memory": ["ENOSPC"], "open": ["EACCES", "EROFS"], "write": ["ENOSPC", "short", "EINTR"],
          "fsync": ["EIO"], "rename": ["EACCES"], "close": ["EIO"]}
FIRST = {"memory": 200}  # before main() nobody can catch what is thrown
HARMLESS = {"short", "EINTR"}  # a program that is right goes on as if nothing had been
COMMANDS = {
    "run": ["run", "many.yaml", "--steps", "3", "--threads", "2", "--output", "out", "--overwrite",
            "--checkpoint-at-end"],
    "resume": ["run", "--resume", "before", "--steps", "4", "--output", "out", "--overwrite"],
    "generate": ["generate", "stack", "--output", "made.h5"],
    "solve": ["solve", "p.h5", "--output", "answer.h5", "--report", "answer.json"],
}


def prepare(place):
    (place.folder / "many.yaml").write_text(SCENE + BEADS)
    for words in (["run", "many.yaml", "--steps", "2", "--output", "before", "--checkpoint-at-end"],
                  ["generate", "stack", "--output", "p.h5"]):
        expect(place.run(*words).returncode == FINISHED, f"{words}: undisturbed")


def calls_of(place, words, call):
    count = place.folder / "count"
    env = place.environment(f"{call}:EIO:1000000000000:0") | {"TALUS_MACHINE_FAULT_COUNT": str(count)}
    subprocess.run([place.talus, *words], cwd=place.folder, env=env, check=True, capture_output=True, timeout=LATEST)
    return int(count.read_text(encoding="utf-8"))


def fault_of(place, words, fault, harmless):
    """What is wrong with how the program takes it; nothing where it is right."""
    try:
        done = place.run(*words, fault=fault)
    except subprocess.TimeoutExpired:
        return "hangs"
    # a file that cannot be opened is found before the work begins
    allowed = (FINISHED,) if harmless else (FINISHED, FAILED, BAD_INPUT)
    if done.returncode not in allowed:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    if done.returncode != FINISHED and "talus: " not in done.stderr:
        return f"no message: {done.stderr[-300:]}"
    left = [path.name for path in place.folder.glob("*.tmp*")]
    return f"leaves {left}" if left else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("talus")
    parser.add_argument("library")
    parser.add_argument("--calls", default=",".join(ERRORS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=10000)
    options = parser.parse_args()
    tried, faults = 0, []
    with Place(str(pathlib.Path(options.talus).resolve()), str(pathlib.Path(options.library).resolve())) as place:
        prepare(place)
        for verb, words in COMMANDS.items():
            for call in options.calls.split(","):
                for number in range(FIRST.get(call, 1), min(options.most, calls_of(place, words, call)) + 1, options.every):
                    for error in ERRORS[call]:
                        tried += 1
                        what = fault_of(place, words, f"{call}:{error}:{number}:{number}", error in HARMLESS)
                        if what:
                            faults.append(f"{verb}: {call} number {number}, {error}: {what}")
                            print(faults[-1], flush=True)
    print(f"{tried} tried, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
