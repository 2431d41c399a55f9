#!/usr/bin/env python3
"""Fails when a room includes one it may not, when MPI leaks out of its rooms, when threads may compute in a mode of
their own, or when a file outgrows one idea.

The table below IS the architecture (drawn in docs/architecture.md): to change the architecture, change the table in a
reviewed commit. Run as ctest 'layering'.
"""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": "",
    "parallel": "core",
    "geometry": "core",
    "picture": "core geometry",
    "cones": "core",
    "model": "core geometry",
    "problem": "core parallel cones",
    "generate": "core geometry model problem",
    "metrics": "core parallel cones problem",
    "solvers": "core parallel cones problem metrics",
    "assembly": "core parallel cones model problem",
    "partition": "core parallel geometry model problem",
    "stepping": "core cones model problem assembly",
    "io": "core parallel geometry cones model problem metrics solvers partition stepping",
    "simulation": "core parallel geometry model problem generate metrics solvers assembly partition stepping",
    "app": "core parallel picture cones model problem generate solvers stepping partition io simulation",
}
MPI_ROOMS = {"parallel", "partition"}
MPI_FILES = {"src/app/main.cpp"}
MPI_FILES_OF_IO = 1  # the one that opens HDF5 files on several ranks
LONGEST_FILE = 600
LONG_FILE_REASON = re.compile(r"(//|#) long file: \S")

SOURCE_FOLDERS = ("include/talus", "src", "partition")
MEASURED_FOLDERS = ("include", "src", "partition", "tests", "jobs")
MEASURED_SUFFIXES = {".hpp", ".cpp", ".py", ".sh"}


def room_of(path, root):
    """The room of a source file; None for include/talus/talus.hpp and its like."""
    parts = path.relative_to(root).parts
    if parts[0] == "partition":
        return "partition"
    depth = 2 if parts[0] == "include" else 1
    return parts[depth] if len(parts) > depth + 1 else None


def includes(path):
    """(line number, what stands between the quotes or brackets) of every include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*(?:"([^"]*)"|<([^>]*)>)', line)
        if found:
            yield number, found[1] or found[2]


def room_included(name):
    """The room that an include names, public ("talus/room/x.hpp") or private ("room/x.hpp"); None for others."""
    parts = name.split("/")
    if parts[0] == "talus" and len(parts) >= 3:
        return parts[1]
    return parts[0] if len(parts) >= 2 and parts[0] in MAY_INCLUDE else None


def check_includes(root, path):
    room = room_of(path, root)
    if room is None:
        return
    here = path.relative_to(root)
    if room not in MAY_INCLUDE:
        yield f"{here}: no room is called {room}; add it to MAY_INCLUDE in tests/layering/check_layering.py"
        return
    allowed = set(MAY_INCLUDE[room].split()) | {room}
    for number, name in includes(path):
        if name.startswith("../") or "/../" in name:
            yield f'{here}:{number}: write the room, as in "problem/x.hpp", not {name}'
        included = room_included(name)
        if included is not None and included not in allowed:
            yield f"{here}:{number}: {room} may not include {included}"
        if name == "talus/talus.hpp":
            yield f"{here}:{number}: talus.hpp is for users; include the header that is meant"


def unused_permissions(root):
    """What the table allows and nobody does: it would be done one day without a thought."""
    used = {room: {room} for room in MAY_INCLUDE}
    for folder in SOURCE_FOLDERS:
        for path in (root / folder).rglob("*.[hc]pp"):
            used.setdefault(room_of(path, root), set()).update(room_included(name) for _, name in includes(path))
    for room, allowed in MAY_INCLUDE.items():
        for other in sorted(set(allowed.split()) - used[room]):
            yield f"tests/layering/check_layering.py: {room} may include {other}, which no file of it does: take it away"


def check_mpi(root, paths):
    of_io = []
    for path in paths:
        room = room_of(path, root)
        here = path.relative_to(root).as_posix()
        for number, name in includes(path):
            if name != "mpi.h" or room in MPI_ROOMS or here in MPI_FILES:
                continue
            if room == "io":
                of_io.append(f"{here}:{number}")
            else:
                yield f"{here}:{number}: {room} may not include <mpi.h>; it speaks to a Communicator"
    if len(of_io) > MPI_FILES_OF_IO:
        yield f"{', '.join(of_io)}: only {MPI_FILES_OF_IO} file of io may include <mpi.h>"


def check_threads(root, path):
    """Every thread of a team has the mode of the processor that the bits rest on (core/arithmetic.hpp)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not re.match(r"\s*#\s*pragma\s+omp\s+parallel\b", line):
            continue
        last = next(k for k in range(number, len(lines) + 1) if not lines[k - 1].endswith("\\"))
        if "firstprivate(arithmetic)" not in " ".join(lines[number - 1:last]):
            yield (f"{path.relative_to(root)}:{number}: threads may have another rounding mode: write 'const "
                   "StandardArithmetic arithmetic;' before, and firstprivate(arithmetic) here")
        says_why = lines[number - 2].strip() == "// nothing in it throws"
        if not says_why and not re.search(r"shared\([^)]*\bcaught\b", " ".join(lines[number - 1:last])):
            yield (f"{path.relative_to(root)}:{number}: an exception that leaves the region ends the program: run what "
                   "may throw through 'Caught caught;' (core/caught.hpp) and share it, or write "
                   "'// nothing in it throws' before")


def check_streams(root, path):
    """fmt::print throws where a stream does not take it; say() (app/streams.hpp) does not."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if "fmt::print(" in line or "std::cerr" in line or "std::cout" in line:
            yield f"{path.relative_to(root)}:{number}: a stream may end the program here: use say() (app/streams.hpp)"


def check_reading(root, path):
    """What a user names may be a pipe or a device; core/regular_file.hpp tells. The system's own files are none."""
    if path.stem == "regular_file":
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        is_of_system = re.search(r'[({]"/(proc|sys)/|// of the system', line)
        if re.search(r"std::i?fstream\s*\w*\s*[({]|\bfopen\(.*\"r|::open\([^)]*O_RDONLY", line) and not is_of_system:
            yield (f"{path.relative_to(root)}:{number}: this may wait at a pipe for ever: use readable_stream() "
                   "(core/regular_file.hpp)")


def check_json(root, path):
    """A null that becomes an object where no memory is left is a crash (nlohmann-json 3.11.2)."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.search(r"\b(Json|ordered_json|json) \w+(\{\})?;", line) and "null" not in line:
            yield f"{path.relative_to(root)}:{number}: a value without a kind: say Json::object() or Json::array()"


def check_length(root, path):
    lines = path.read_text(encoding="utf-8").splitlines()
    excused = any(LONG_FILE_REASON.search(line) for line in lines[:10])
    if len(lines) > LONGEST_FILE and not excused:
        yield (f"{path.relative_to(root)}: {len(lines)} lines, {LONGEST_FILE} are allowed: split it, or say why not on "
               "one of its first lines, '// long file: <reason>'")


def check(root):
    """Every fault below `root`, as a list of lines."""
    sources = [path for folder in SOURCE_FOLDERS for path in sorted((root / folder).rglob("*.[hc]pp"))]
    measured = [path for folder in MEASURED_FOLDERS for path in sorted((root / folder).rglob("*"))
                if path.suffix in MEASURED_SUFFIXES]
    faults = [fault for path in sources for fault in check_includes(root, path)]
    faults += check_mpi(root, sources)
    faults += [fault for path in sources for fault in check_threads(root, path)]
    faults += [fault for path in sources for fault in (*check_streams(root, path), *check_reading(root, path),
                                                    *check_json(root, path))]
    faults += [fault for path in measured for fault in check_length(root, path)]
    return faults


def main(root):
    faults = check(root) + list(unused_permissions(root))
    print("\n".join(faults) or "layering: clean")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
