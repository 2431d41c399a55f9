"""Two nodes that only TCP connects give the bits of one rank: of a problem, and of a simulation whose bodies move from
node to node.

usage: box_test.py BOX_SCRIPT TALUS SCENE

exit 77: no right to make network namespaces here
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROBLEM = ["solve", "--generate", "wall,bodies=60", "--threads", "1", "--quiet"]
# spheres that fall into a box and lose a wall; all are distributed anew every 20 steps
STEPS = ["--steps", "120", "--balance-every", "20", "--threads", "1", "--quiet", "--overwrite", "-s", "count=200",
         "-s", "d=0.03", "-s", "fill=0.3", "-s", "open=0.08"]


def done(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode > 1:  # 1: a step above its tolerance, which has its bits too
        sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout


def hash_of_answer(command):
    found = re.search(r"^hash +([0-9a-f]{16})", done([*command, *PROBLEM]), re.M)
    return found[1] if found else sys.exit(f"{' '.join(command)}: no hash")


def report_of_run(command, scene, folder):
    done([*command, "run", scene, "--output", str(folder), *STEPS])
    return json.loads((folder / "report.json").read_text())


def compare(box, talus, scene, folder):
    answer = hash_of_answer([talus])
    trajectory = report_of_run([talus], scene, folder)["trajectory_hash"]
    for ranks in (2, 3, 4):
        there = [box, "run", str(ranks), talus]
        found = hash_of_answer(there)
        report = report_of_run(there, scene, folder)
        print(f"{ranks} ranks on two nodes: answer {found}, trajectory {report['trajectory_hash']}, "
              f"{report['migration']['bodies']} bodies moved")
        if found != answer:
            sys.exit(f"one rank has the answer {answer}")
        if report["trajectory_hash"] != trajectory:
            sys.exit(f"one rank has the trajectory {trajectory}")
        if report["ranks"] != ranks or report["migration"]["bodies"] == 0:
            sys.exit("no body has moved from rank to rank: this tests nothing")


def main():
    box, talus, scene = sys.argv[1:]
    # not every kernel can delay packets; the bits are the same either way
    for words in (["up", "0.2ms"], ["up"]):
        made = subprocess.run([box, *words], capture_output=True, text=True, check=False)
        if made.returncode == 0:
            break
    else:
        print(f"skipped: {made.stderr.strip()}")
        sys.exit(77)
    try:
        with tempfile.TemporaryDirectory() as folder:
            compare(box, talus, scene, pathlib.Path(folder))
    finally:
        subprocess.run([box, "down"], check=False)


if __name__ == "__main__":
    main()
