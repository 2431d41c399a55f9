#!/usr/bin/env python3
"""Every C++ file is as clang-format leaves it. usage: check_format.py ROOT"""
import shutil
import subprocess
import sys

from sources import cpp_files, skip


def main(root):
    formatter = shutil.which("clang-format")
    if formatter is None:
        skip("clang-format is not installed")
    done = subprocess.run([formatter, "--dry-run", "-Werror", *map(str, cpp_files(root))],
                          capture_output=True, text=True, check=False)
    print(done.stderr or "format: clean")
    if done.returncode != 0:
        print("repair with: clang-format -i FILE...")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
