#!/usr/bin/env python3
"""Reports of `talus solve` as one table. usage: table.py [--markdown] REPORT.json..."""
import argparse
import json
import pathlib

# heading, where in the report, format
COLUMNS = [
    ("method", "method", ""),
    ("status", "status", ""),
    ("iterations", "iterations", "d"),
    ("products", "work", "d"),
    ("natural / at 0", "errors.natural_relative", ".1e"),
    ("natural", "errors.natural", ".1e"),
    ("energy, J", "errors.energy", ".1e"),
    ("Fischer-B., J", "errors.fischer_burmeister", ".1e"),
    ("e1", "errors.siconos", ".1e"),
    ("e2", "errors.siconos_invariant", ".1e"),
    ("bilateral, m/s", "errors.bilateral", ".1e"),
    ("objective, J", "objective", ".9g"),
    ("seconds", "seconds", ".2f"),
]


def cell(report, path, form):
    value = report
    for key in path.split("."):
        value = value[key]
    return "-" if value is None else format(value, form)  # JSON has no NaN: the report writes null


def aligned(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        # the first two columns are words, the others numbers
        yield [text.ljust(width) if k < 2 else text.rjust(width)
               for k, (text, width) in enumerate(zip(row, widths))]


def table(reports, markdown):
    rows = list(aligned([[heading for heading, _, _ in COLUMNS]] +
                        [[cell(report, path, form) for _, path, form in COLUMNS] for report in reports]))
    if not markdown:
        return "\n".join("  ".join(row).rstrip() for row in rows)
    rule = ["---" if k < 2 else "---:" for k in range(len(COLUMNS))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    print(table([json.loads(path.read_text(encoding="utf-8")) for path in arguments.reports], arguments.markdown))


if __name__ == "__main__":
    main()
