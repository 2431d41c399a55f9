"""Which files the style checks look at, and the exit status by which CTest knows a skipped check."""
import pathlib
import sys

SKIPPED = 77
FOLDERS = ("include", "src", "partition", "tests", "jobs")


def cpp_files(root, suffixes=(".hpp", ".cpp")):
    return [path for folder in FOLDERS for path in sorted((pathlib.Path(root) / folder).rglob("*"))
            if path.suffix in suffixes]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
