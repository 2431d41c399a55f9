"""A run that is told to stop leaves a checkpoint, says so, and goes on from it as if it had not.

usage: stops_test.py TALUS
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from rolling_beads import begin, expect, run_tests, runs

LATEST = 60.0  # s, by which anything should have happened


def wait_for(process, happened, what):
    end = time.monotonic() + LATEST
    while not happened():
        expect(process.poll() is None, f"{what}: the run has ended before, with {process.returncode}")
        expect(time.monotonic() < end, f"{what}: nothing happens")
        time.sleep(0.001)


def catches(pid, number):
    """Whether the process has a handler of the signal."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def lines_of(path):
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


class Started:
    """A run in the background that is stopped by a signal once it has written so many lines."""

    def __init__(self, beads, name, words, ranks=1):
        self.folder = beads.place / name
        self.process = begin(runs.words_of(beads.talus, ranks, words), text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **runs.ENVIRONMENT})

    def stop(self, number, lines=20):
        if lines > 0:
            wait_for(self.process, lambda: lines_of(self.folder / "log.csv") >= lines, "lines of the log")
        else:
            wait_for(self.process, lambda: catches(self.process.pid, number), "a handler")
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LATEST)
        return self.process.returncode, out, err


def expect_stopped(beads, name, why, code, err):
    """Exit code, words, report and the checkpoint; returns its step."""
    expect(code == 3, f"{name}: exit code {code}: {err}")
    found = beads.checkpoints(name)
    expect(found, f"{name}: there is no checkpoint")
    step = max(found)
    expect(f"stopped after step {step} by {why}; checkpoint {found[step]}" in err, f"{name} says: {err}")
    expect(f"talus run --resume {beads.place / name}" in err, f"{name} says: {err}")
    report = json.loads((beads.place / name / "report.json").read_text(encoding="utf-8"))
    expect(report["status"] == "interrupted", f"{name}: status {report['status']}")
    return step


def test_user_signal(beads):
    for ranks, then in ((1, 1), (2, 1)):
        name = f"usr1_{ranks}"
        code, _, err = Started(beads, name, beads.words(name), ranks).stop(signal.SIGUSR1)
        step = expect_stopped(beads, name, "SIGUSR1", code, err)
        beads.expect_same(name, step + 15, f"stopped by SIGUSR1 on {ranks} ranks", then)


def test_user_signal_before_the_first_step(beads):
    # 8000 beads: what comes before the first step takes longer than to see that the handler is there
    words = beads.words("early", "-s", "d=0.01", "-s", "layers=80")
    code, _, err = Started(beads, "early", words).stop(signal.SIGUSR1, lines=0)
    step = expect_stopped(beads, "early", "SIGUSR1", code, err)
    # the machine may be busy between the handler and the signal
    expect(step <= 5, f"a signal before the first step stops after step {step}")


def test_signals_to_end(beads):
    for number in (signal.SIGTERM, signal.SIGINT):
        name = number.name.lower()
        code, _, err = Started(beads, name, beads.words(name)).stop(number)
        step = expect_stopped(beads, name, "a signal to end", code, err)
        beads.expect_same(name, step + 5, f"stopped by {number.name}")
    # mpirun may kill the ranks before they are done: then there is no checkpoint, or an older one
    code, _, err = Started(beads, "term_2", beads.words("term_2", "-s", "checkpoint.every=0.01"), 2).stop(signal.SIGTERM)
    expect(code != 0, f"ended by SIGTERM, mpirun exits with 0: {err}")
    step = max(beads.checkpoints("term_2"))
    beads.expect_same("term_2", step + 5, "ended by SIGTERM on 2 ranks", 2)


def test_wall_time(beads):
    began = time.monotonic()
    done = beads.run("wall", "--wall-time", "0:02", ranks=2, expected=runs.INTERRUPTED)
    print(f"  --wall-time 0:02 took {time.monotonic() - began:.1f} s with mpirun")
    step = expect_stopped(beads, "wall", "--wall-time", done.returncode, done.stderr)
    # a run that has hardly any time makes a step each time
    for further in (1, 2):
        done = beads.resume("wall", "--wall-time", "0.001", expected=runs.INTERRUPTED)
        at = expect_stopped(beads, "wall", "--wall-time", done.returncode, done.stderr)
        expect(at == step + further, f"the {further}. time with hardly any time ended at step {at}, not {step + further}")
    beads.expect_same("wall", step + 10, "stopped by --wall-time three times")


def test_clock(beads):
    done = Started(beads, "clock", beads.words("clock", "-s", "checkpoint={wall: 0.2, keep: 3}"))
    wait_for(done.process, lambda: len(beads.checkpoints("clock")) == 3, "checkpoints by the clock")
    code, _, err = done.stop(signal.SIGUSR1)
    step = expect_stopped(beads, "clock", "SIGUSR1", code, err)
    expect(len(beads.checkpoints("clock")) == 3, f"keep: 3 leaves {beads.checkpoints('clock')}")
    beads.expect_same("clock", step + 5, "checkpoints by the clock")


def test_two_in_one_folder(beads):
    """The second is refused before it touches anything; the first does not notice."""
    first = Started(beads, "shared", beads.words("shared", "-s", "checkpoint={every: 0.05, keep: 5}"))
    wait_for(first.process, lambda: beads.checkpoints("shared"), "a checkpoint")
    others = [Started(beads, "shared", beads.words("shared", "--overwrite")),
              Started(beads, "shared", ["--resume", beads.place / "shared", "--threads", "1"], ranks=2)]
    for other in others:
        _, err = other.process.communicate(timeout=LATEST)
        expect(other.process.returncode == 2, f"two runs in one folder: {other.process.returncode}")
        expect("another run is writing into it" in err, f"two runs in one folder: {err}")
    code, _, err = first.stop(signal.SIGUSR1)
    step = expect_stopped(beads, "shared", "SIGUSR1", code, err)
    beads.expect_same("shared", step + 5, "disturbed by others")


def test_end(beads):
    """A run that has come to its end leaves one where it was asked to, and else none."""
    beads.run("end", "--steps", 20, "--checkpoint-at-end")
    expect(list(beads.checkpoints("end")) == [20], f"at the end: {beads.checkpoints('end')}")
    beads.run("none", "--steps", 20)
    expect(not (beads.place / "none" / "checkpoints").exists(), "without being asked for, there is a checkpoint")
    done = beads.resume("none", expected=runs.BAD_INPUT)
    expect("has no checkpoints" in done.stderr, done.stderr)


if __name__ == "__main__":
    run_tests(globals(), sys.argv[1])
