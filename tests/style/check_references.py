#!/usr/bin/env python3
"""Every citation, such as [AT10, eq. 3], has its key in docs/references.md, and every link in a document leads to a file.

usage: check_references.py ROOT
"""
import pathlib
import re
import sys

CITATION = re.compile(r"\[([A-Z][A-Za-z]*\d{2})(?:,[^\]\[]*)?\](?!\()")
KEY = re.compile(r"^\| (\w+) \|", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")  # without a colon: not on the web
FOLDERS = ("include", "src", "partition", "tests", "docs")
SUFFIXES = {".hpp", ".cpp", ".md"}


def broken_links(root):
    for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for target in LINK.findall(line):
                if not (path.parent / target).exists():
                    yield f"{path.relative_to(root)}:{number}: {target} is not there"


def unknown_citations(root):
    known = set(KEY.findall((root / "docs" / "references.md").read_text(encoding="utf-8")))
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for key in CITATION.findall(line):
                if key not in known:
                    yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.md"


def main(root):
    faults = [*unknown_citations(root), *broken_links(root)]
    print("\n".join(faults) or "references: clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
