"""The SLURM job that goes on from job to job: what it does when it is told that its time is up, or to end.

usage: jobs_test.py TALUS

SLURM is played by the variables it sets and by a scontrol that writes down what it is asked for.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

from rolling_beads import begin, expect, run_tests, runs

JOB = pathlib.Path(__file__).resolve().parent.parent.parent / "jobs" / "slurm" / "run.sbatch"
SIGNAL_BEFORE_LIMIT = 120.0  # s, as the job asks of SLURM
LATEST = 60.0
SCONTROL = """#!/bin/bash
case $1 in
  show) echo "   RunTime=00:00:10 TimeLimit=1-00:00:00 TimeMin=N/A" ;;
  *) echo "$*" >>"$ASKED" ;;
esac
"""


def started(beads, asked):
    """The job, as soon as its run has written lines."""
    tools = beads.place / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "scontrol").write_text(SCONTROL, encoding="ascii")
    (tools / "scontrol").chmod(0o755)
    environment = {**os.environ, **runs.ENVIRONMENT, "PATH": f"{tools}:{os.environ['PATH']}", "ASKED": str(asked),
                   "TALUS": str(beads.talus), "SLURM_SUBMIT_DIR": str(beads.place), "SLURM_JOB_ID": "7",
                   "SLURM_NTASKS": "2", "SLURM_NTASKS_PER_NODE": "2"}
    lines = beads.place / "run" / "log.csv"
    before = lines.stat().st_size if lines.exists() else 0
    job = begin(["bash", JOB, "beads.yaml", "run"], env=environment, text=True, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE)
    end = time.monotonic() + LATEST
    while not lines.exists() or lines.stat().st_size <= before + 1000:
        if job.poll() is not None:
            sys.exit(f"FAILED: the job has ended by itself, with {job.returncode}: {job.communicate()[1]}")
        expect(time.monotonic() < end, "the run of the job writes nothing")
        time.sleep(0.01)
    return job


def test_time_is_up(beads):
    """Stops in time, asks for the next job, which goes on; the bits are those of a run that was never stopped."""
    asked = beads.place / "asked"
    for number in (1, 2):
        job = started(beads, asked)
        job.send_signal(signal.SIGUSR1)
        _, err = job.communicate(timeout=LATEST)
        expect(job.returncode == 3, f"job {number} ends with {job.returncode}: {err}")
        expect(asked.read_text(encoding="ascii") == "requeue 7\n" * number, f"job {number} asks for {asked.read_text()}")
    expect("goes on from" in err, f"the second job begins anew: {err}")
    beads.expect_same("run", max(beads.checkpoints("run")) + 5, "two jobs")


def test_limit(beads):
    """SLURM's SIGTERM at the limit, after its own signal, is no wish to cancel."""
    asked = beads.place / "asked"
    job = started(beads, asked)
    job.send_signal(signal.SIGUSR1)
    time.sleep(0.05)
    job.send_signal(signal.SIGTERM)
    _, err = job.communicate(timeout=LATEST)
    expect(job.returncode == 3, f"the job ends with {job.returncode}: {err}")
    expect(asked.exists(), "a job that was stopped in time asks for no further one")


def test_cancelled(beads):
    """Leaves a checkpoint too, but no further job."""
    asked = beads.place / "asked"
    job = started(beads, asked)
    job.send_signal(signal.SIGTERM)
    _, err = job.communicate(timeout=LATEST)
    expect(job.returncode == 3, f"a cancelled job ends with {job.returncode}: {err}")
    expect(not asked.exists(), "a cancelled job asks for another one")
    beads.expect_same("run", max(beads.checkpoints("run")) + 5, "cancelled")


def test_waits_of_mpirun_fit_before_the_limit(_):
    """mpirun waits twice for what the job sets, after the checkpoint, and before the job can ask for the next one."""
    text = JOB.read_text(encoding="utf-8")
    expect(f"--signal=B:USR1@{SIGNAL_BEFORE_LIMIT:.0f}\n" in text, "SLURM's signal comes at another time")
    waits = 2.0 * float(text.partition("odls_base_sigkill_timeout:-")[2].partition("}")[0])
    expect(waits <= 0.5 * SIGNAL_BEFORE_LIMIT, f"mpirun waits {waits} s of {SIGNAL_BEFORE_LIMIT} s")


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) < 2:
        print("two ranks are bound to a core each: there is one")
        sys.exit(77)
    run_tests(globals(), sys.argv[1])
