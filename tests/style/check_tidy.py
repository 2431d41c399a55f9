#!/usr/bin/env python3
"""clang-tidy on what changed, or on everything. usage: check_tidy.py ROOT BUILD [--all]

What changed: against the point where this branch left main, or, on main itself, against the last commit; uncommitted and
new files too. A changed header is looked at through one source that includes it.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from sources import cpp_files, skip

OLDEST_CLANG = 14


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def base_of_changes(root):
    """The commit to compare with; None where the history does not reach that far."""
    head = git(root, "rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git(root, "merge-base", "HEAD", branch)
        if base and base != head:
            return base[0]
    parent = git(root, "rev-parse", "--verify", "--quiet", "HEAD~1")
    return parent[0] if parent else None


def changed_files(root):
    base = base_of_changes(root)
    if base is None:
        skip("no git history to compare with")
    changed = git(root, "diff", "--name-only", "--diff-filter=d", base) or []
    new = git(root, "ls-files", "--others", "--exclude-standard") or []
    return {root / name for name in changed + new}


def sources_to_check(root, changed):
    """Changed sources, and for each changed header its own source or else the first one that includes it."""
    sources = cpp_files(root, (".cpp",))
    chosen = {path for path in sources if path in changed}
    for header in cpp_files(root, (".hpp",)):
        if header not in changed:
            continue
        name = re.escape(header.name)
        users = [path for path in sources if re.search(rf'#\s*include\s*"[^"]*\b{name}"', path.read_text())]
        own = [path for path in users if path.stem == header.stem]
        if not chosen.intersection(users):
            chosen.update((own or users)[:1])
    return sorted(chosen)


def for_clang(command):
    """A g++ command as clang-tidy understands it: no compiler launcher, omp.h, which only g++ brings, without -Werror,
    which would turn warnings that clang has and g++ has not into errors: .clang-tidy says what is an error here. And of
    one file, whatever it is compiled with: shadowed names are looked for."""
    words = [word for word in shlex.split(command) if word != "-Werror"]
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    headers = subprocess.run([words[0], "-print-file-name=include"], capture_output=True, text=True, check=True)
    return shlex.join([words[0], "-Wshadow", "-idirafter", headers.stdout.strip(), *words[1:]])


def files_of(entry, build):
    """What a command compiles: its source or, of a generated one, the files that it puts together (tests/together.cmake)."""
    source = pathlib.Path(entry["file"])
    if build not in source.parents:
        return [entry["file"]]
    return re.findall(r'^#include "(/.*\.cpp)"$', source.read_text(), re.MULTILINE)


def compile_commands(build):
    """One command per source: a kernel is compiled for three levels, but reads the same."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for name in files_of(entry, build):
            if name not in commands:
                command = for_clang(entry["command"].replace(entry["file"], name))
                commands[name] = {**entry, "file": name, "command": command}
    return commands


def tidy(path, commands_folder):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", commands_folder, str(path)],
                          capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def main(root, build, everything):
    if shutil.which("clang-tidy") is None:
        skip("clang-tidy is not installed")
    version = re.search(r"version (\d+)", subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True,
                                                         check=True).stdout)
    if int(version[1]) < OLDEST_CLANG:
        skip(f"clang-tidy {version[1]} is older than {OLDEST_CLANG}")
    commands = compile_commands(build)
    paths = cpp_files(root, (".cpp",)) if everything else sources_to_check(root, changed_files(root))
    # Kernel files are g++'s own: vector shuffles that clang does not have, and lambdas that it counts twice.
    paths = [path for path in paths if str(path) in commands and not path.name.endswith("_kernels.cpp")]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(list(commands.values())))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [text for text in pool.map(lambda path: tidy(path, folder), paths) if text]
    print("\n".join(faults) or f"tidy: {len(paths)} sources clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), "--all" in sys.argv))
