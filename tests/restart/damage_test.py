"""Checkpoints that are damaged or could not be written: refused by name, the last good one is named or taken.

usage: damage_test.py TALUS [--flips 40] [--seed 1]
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys

from rolling_beads import expect, run_tests, runs

FEW = ["-s", "layers=1", "-s", "output.log.every=1"]


def prepared(beads):
    """A run of 30 steps that has left checkpoints of steps 10, 20 and 30."""
    beads.run("good", "--steps", 30, *FEW, "-s", "checkpoint={every: 0.01, keep: 3}")
    found = beads.checkpoints("good")
    expect(sorted(found) == [10, 20, 30], f"checkpoints of {sorted(found)}")
    return found


def states_at(beads, step):
    """The bytes of the state after this step, by a run that was left alone."""
    beads.run(f"alone_{step}", "--steps", step, *FEW)
    return (beads.place / f"alone_{step}" / "state.h5").read_bytes()


def expect_refused(beads, file, last_good, what, ranks=1):
    done = runs.run(beads.talus, ranks, ["--resume", file, "--steps", 31], expected=runs.BAD_INPUT)
    expect(str(file) in done.stderr, f"{what}: {file} is not named: {done.stderr}")
    expect(str(last_good) in done.stderr, f"{what}: {last_good} is not named: {done.stderr}")


def expect_earlier_taken(beads, file, expected, what, ranks=1):
    """DIR goes on from step 20 to 31, and says why not from 30."""
    copy = beads.place / "copy"
    shutil.copytree(beads.place / "good", copy)
    done = runs.run(beads.talus, ranks, ["--resume", copy, "--steps", 31])
    expect(re.search(rf"{file.name}: [^\n]*checkpoint_000000020[.]h5 is taken instead", done.stderr),
           f"{what}: does not say what it takes instead: {done.stderr}")
    expect((copy / "state.h5").read_bytes() == expected, f"{what}: another state at the end")
    left = sorted(path.name for path in (copy / "checkpoints").iterdir())
    expect("checkpoint_000000030.h5" not in left or
           (copy / "checkpoints" / "checkpoint_000000030.h5").read_bytes() != file.read_bytes(),
           f"{what}: the damaged one stays: {left}")
    shutil.rmtree(copy)


def test_flipped_bytes(beads, options):
    files, chance = prepared(beads), random.Random(options.seed)
    newest, good = files[30], files[30].read_bytes()
    expected = states_at(beads, 31)
    places = {0, 8, 100, len(good) - 1, len(good) - 9, len(good) - 17, len(good) - 24, len(good) - 25}
    places |= set(chance.sample(range(len(good)), options.flips))
    for number, place in enumerate(sorted(places)):
        bad = bytearray(good)
        bad[place] ^= 1 << chance.randrange(8)
        newest.write_bytes(bad)
        expect_refused(beads, newest, files[20], f"a bit of byte {place}", 2 if number % 20 == 3 else 1)
        if number % 8 == 0:
            expect_earlier_taken(beads, newest, expected, f"a bit of byte {place}", 2 if number % 16 == 0 else 1)


def test_truncated(beads, options):
    files, chance = prepared(beads), random.Random(options.seed + 1)
    newest, good = files[30], files[30].read_bytes()
    expected = states_at(beads, 31)
    for length in sorted({0, 1, 23, 24, 25, len(good) // 2, len(good) - 24, len(good) - 1, *chance.sample(range(len(good)), 8)}):
        newest.write_bytes(good[:length])
        expect_refused(beads, newest, files[20], f"the first {length} bytes")
    expect_earlier_taken(beads, newest, expected, "without its last byte")
    newest.write_bytes(good + b"\0")
    expect_refused(beads, newest, files[20], "a byte more")
    newest.write_bytes(good[:1000] + bytes(4096) + good[5096:])
    expect_refused(beads, newest, files[20], "a page of zeros")
    newest.write_bytes(files[10].read_bytes()[:-24] + good[-24:])
    expect_refused(beads, newest, files[20], "the end of another")


def test_other_files(beads, _):
    files = prepared(beads)
    expect_refused(beads, beads.place / "good" / "state.h5", "is no whole checkpoint", "a state")
    expect_refused(beads, beads.scene, "is no whole checkpoint", "a text")
    expect_refused(beads, beads.place / "none.h5", "none.h5", "nothing")
    # a good one by another name, in no folder of a run, is as good
    shutil.copy(files[20], beads.place / "mine.h5")
    done = runs.run(beads.talus, 1, ["--resume", beads.place / "mine.h5"], expected=runs.BAD_INPUT)
    expect("--output DIR is missing" in done.stderr, done.stderr)
    runs.run(beads.talus, 1, ["--resume", beads.place / "mine.h5", "--output", beads.place / "new", "--steps", 31])
    expect((beads.place / "new" / "state.h5").read_bytes() == states_at(beads, 31), "from a copy: another state")
    # all bad
    for file in files.values():
        file.write_bytes(file.read_bytes()[:-1])
    done = beads.resume("good", expected=runs.BAD_INPUT)
    expect(all(file.name in done.stderr for file in files.values()), f"all are bad: {done.stderr}")


def limited(beads, ranks, limit, *words):
    """A run whose files may not be longer, as on a disk that is full in the middle of a write. mpirun itself may."""
    launch = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    command = [*launch, "prlimit", f"--fsize={limit}", beads.talus, "run", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, **runs.ENVIRONMENT})


def expect_untouched(folder, before, what):
    now = {path.name: path.read_bytes() for path in (folder / "checkpoints").iterdir()}
    expect(now == before, f"{what}: of the checkpoints {sorted(before)} there are now {sorted(now)}, or with other bytes")


def test_disk_full_in_a_write(beads, options):
    files, chance = prepared(beads), random.Random(options.seed + 2)
    folder = beads.place / "good"
    size = files[30].stat().st_size
    of_state = (folder / "state.h5").stat().st_size + 4096  # while it is made, it is longer
    before = {path.name: path.read_bytes() for path in files.values()}
    scene = (folder / "scene.yaml").stat().st_size
    expect(of_state < size and scene < of_state, "the sizes do not fit the test")
    expected = states_at(beads, 45)
    limits = {size - 1, size - 23, size - 24, size - 25, of_state, *chance.sample(range(of_state, size), 6)}
    for number, limit in enumerate(sorted(limits)):
        for ranks in (1, 2) if number % 4 == 0 else (1,):
            what = f"files of {limit} of {size} bytes on {ranks} ranks"
            copy = beads.place / "copy"
            shutil.copytree(folder, copy)
            # one by the rhythm: it is told, and the run goes on
            done = limited(beads, ranks, limit, "--resume", copy, "--steps", 45)
            expect(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr}")
            expect(re.search(r"warning: (rank [0-9]+: )?\S*checkpoint_000000040[.]h5: .*; the last good checkpoint is "
                             r"\S*checkpoint_000000030[.]h5", done.stderr), f"{what}: {done.stderr}")
            expect_untouched(copy, before, what)
            expect((copy / "state.h5").read_bytes() == expected, f"{what}: another state at the end")
            # one at a stop: it fails
            done = limited(beads, ranks, limit, "--resume", copy, "--steps", 45, "--wall-time", "0.001")
            expect(done.returncode == 4, f"{what}, at a stop: exit code {done.returncode}: {done.stderr}")
            expect("the last good checkpoint is" in done.stderr and "checkpoint_000000030.h5" in done.stderr,
                   f"{what}, at a stop: {done.stderr}")
            expect_untouched(copy, before, what)
            shutil.rmtree(copy)


FULL = """
mount -t tmpfs -o size=2m none "$1" && cp -r "$2" "$1/run" && dd if=/dev/zero of="$1/ballast" bs=1024 2>/dev/null
dd if=/dev/null of="$1/ballast" bs=1024 seek="$(( $(stat -c %s "$1/ballast") / 1024 - $4 ))" 2>/dev/null
"$3" run --resume "$1/run" --steps 45 --threads 1; echo "code $?"
cp -r "$1/run" "$2.after"
"""


def test_disk_that_is_full(beads, _):
    """Space for half a checkpoint more, on a file system of its own that nobody else sees."""
    files = prepared(beads)
    before = {path.name: path.read_bytes() for path in files.values()}
    disk = beads.place / "disk"
    disk.mkdir()
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(disk)], capture_output=True,
                      check=False).returncode != 0:
        print("  skipped: no file system can be mounted here")
        return
    half = files[30].stat().st_size // 2048
    done = subprocess.run(["unshare", "-rm", "sh", "-c", FULL, "sh", disk, beads.place / "good", beads.talus, str(half)],
                          capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, **runs.ENVIRONMENT})
    after = beads.place / "good.after"
    expect("No space left" in done.stderr and "the last good checkpoint is" in done.stderr,
           f"a full disk: {done.stdout}{done.stderr}")
    expect_untouched(after, before, "a full disk")
    beads.resume("good.after", "--steps", 45)
    expect((after / "state.h5").read_bytes() == states_at(beads, 45), "after a full disk: another state")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    run_tests(globals(), options.talus, options)


if __name__ == "__main__":
    sys.exit(main())
