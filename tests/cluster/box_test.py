"""Two nodes that only TCP connects give the bits of one rank.

usage: box_test.py BOX_SCRIPT TALUS
"""
import re
import subprocess
import sys

PROBLEM = ["solve", "--generate", "wall,bodies=60", "--threads", "1", "--quiet"]


def hash_of(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r"^hash +([0-9a-f]{16})", done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return found[1]


def main():
    box, talus = sys.argv[1:]
    # not every kernel can delay packets; the bits are the same either way
    for words in (["up", "0.2ms"], ["up"]):
        made = subprocess.run([box, *words], capture_output=True, text=True, check=False)
        if made.returncode == 0:
            break
    else:
        print(f"skipped: {made.stderr.strip()}")
        sys.exit(77)
    try:
        alone = hash_of([talus, *PROBLEM])
        for ranks in (2, 3, 4):
            there = hash_of([box, "run", str(ranks), talus, *PROBLEM])
            print(f"{ranks} ranks on two nodes: {there}")
            if there != alone:
                sys.exit(f"one rank has {alone}")
    finally:
        subprocess.run([box, "down"], check=False)


if __name__ == "__main__":
    main()
