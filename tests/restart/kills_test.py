"""A run that is killed again and again while it writes checkpoints ends with the bits of one that never was.

usage: kills_test.py TALUS [--kills 10] [--seed 1]

One run goes on in one folder from kill to kill (SIGKILL), on one rank or two by chance, with a checkpoint after every step.
A kill comes at a random moment after the file of a new checkpoint has appeared, or now and then at one soon after the
start. After each, no checkpoint that was whole may
be lost, and the next run must go on from the newest; at the end hash and tables must be those of a run that was left alone.
"""
import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time

from rolling_beads import Beads, expect, runs

LATEST = 60.0  # s, by which anything should have happened


def ranks_of(process, ranks):
    """Of mpirun, the ids of the ranks; a program alone is its own."""
    if ranks == 1:
        return [process.pid]
    try:
        text = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
    except FileNotFoundError:
        return []
    return [int(word) for word in text.split()]


class Victim:
    """The run that is killed, and what it says."""

    def __init__(self, beads, words, ranks):
        self.beads, self.ranks = beads, ranks
        self.folder = beads.place / "killed" / "checkpoints"
        self.heard = open(beads.place / "heard", "w+", encoding="utf-8")
        self.process = subprocess.Popen(runs.words_of(beads.talus, ranks, words), stdout=subprocess.DEVNULL,
                                        stderr=self.heard, env={**os.environ, **runs.ENVIRONMENT})

    def kill(self, chance, longest):
        """In the middle of a write, as far as can be seen. Returns the newest checkpoint that was whole before."""
        wanted = max(self.beads.checkpoints("killed"), default=0) + chance.randint(1, 3)
        end = time.monotonic() + LATEST
        while max(self.beads.checkpoints("killed"), default=0) < wanted or not self.unfinished():
            expect(self.process.poll() is None, f"the run has ended by itself: {self.said()}")
            expect(time.monotonic() < end, f"no new checkpoints: {self.said()}")
        time.sleep(chance.uniform(0.0, longest))
        whole = max(self.beads.checkpoints("killed"))
        os.kill(chance.choice(ranks_of(self.process, self.ranks)), signal.SIGKILL)
        self.process.wait(timeout=LATEST)
        return whole

    def kill_early(self, chance):
        """Before or while it begins to go on. Ranks would live on for a while after mpirun: for one alone."""
        time.sleep(chance.uniform(0.0, 0.2))
        self.process.kill()
        self.process.wait(timeout=LATEST)

    def unfinished(self):
        try:
            return [name for name in os.listdir(self.folder) if ".tmp-" in name]
        except FileNotFoundError:
            return []

    def said(self):
        # without moving the place at which the program writes, which shares it
        return os.pread(self.heard.fileno(), 1 << 20, 0).decode()


def expect_right_start(victim, whole, cut):
    """What the run that follows a kill says of where it goes on, and that it has tidied up."""
    said = victim.said()
    found = re.search(r"goes on from \S*checkpoint_0*([0-9]+)[.]h5", said)
    expect(found, f"it does not say from where it goes on: {said}")
    expect(int(found[1]) >= whole, f"it goes on from step {found[1]}, though step {whole} was whole: {said}")
    expect("is taken instead" not in said, f"a checkpoint that stands under its name is not whole: {said}")
    left = set(cut) & set(os.listdir(victim.folder))
    expect(not left, f"half written files stay: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="talus-test-") as place:
        beads = Beads(options.talus, place)
        words = beads.words("killed", "-s", "checkpoint={every: 0.001, keep: 1}")
        whole, cut, in_writes = 0, [], 0
        for kill in range(options.kills):
            early = kill % 6 == 5
            victim = Victim(beads, words, 1 if early else chance.choice((1, 2)))
            if early:
                victim.kill_early(chance)
                whole, cut = max(beads.checkpoints("killed")), victim.unfinished()
                continue
            now = victim.kill(chance, longest=0.012)
            if kill > 0:
                expect_right_start(victim, whole, cut)
            whole, cut = now, victim.unfinished()
            in_writes += bool(cut)
            words = ["--resume", place + "/killed", "--threads", "1"]
        print(f"{options.kills} kills, {in_writes} of them left a file half written; the run came to step {whole}")
        expect(in_writes * 5 >= options.kills, "too few kills were in a write")
        beads.expect_same("killed", whole + 3, f"after {options.kills} kills")


if __name__ == "__main__":
    main()
