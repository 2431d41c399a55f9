#!/usr/bin/env python3
"""The layering check answers to small trees whose faults are known."""
import pathlib
import tempfile
import unittest

import check_layering


class CheckLayering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def faults(self):
        return check_layering.check(self.root)

    def test_includes_that_point_down_are_clean(self):
        self.write("include/talus/solvers/apgd.hpp", '#include "talus/metrics/measures.hpp"\n#include <vector>\n')
        self.write("src/solvers/apgd.cpp", '#include "solvers/vectors.hpp"\n#include "cones/cone_lanes.hpp"\n')
        self.write("include/talus/talus.hpp", '#include "talus/solvers/apgd.hpp"\n')
        self.write("src/app/main.cpp", "#include <mpi.h>\n")

        self.assertEqual(self.faults(), [])

    def test_what_is_allowed_and_not_used_is_found(self):
        for room, allowed in check_layering.MAY_INCLUDE.items():
            lines = [f'#include "{other}/x.hpp"\n' for other in allowed.split() if (room, other) != ("cones", "core")]
            self.write(f"src/{room}/x.cpp", "".join(lines))

        self.assertEqual([fault.split(": ")[1] for fault in check_layering.unused_permissions(self.root)],
                         ["cones may include core, which no file of it does"])

    def test_public_include_of_a_higher_room_is_found(self):
        self.write("include/talus/solvers/apgd.hpp", '#pragma once\n#include "talus/io/fclib_file.hpp"\n')

        self.assertEqual(self.faults(), ["include/talus/solvers/apgd.hpp:2: solvers may not include io"])

    def test_private_include_of_a_higher_room_is_found(self):
        self.write("src/cones/projection.cpp", '  #  include "problem/body_rows.hpp"\n')

        self.assertEqual(self.faults(), ["src/cones/projection.cpp:1: cones may not include problem"])

    def test_files_of_the_partition_folder_are_of_its_room(self):
        self.write("partition/metis_graph.cpp", '#include "talus/solvers/solve.hpp"\n#include <mpi.h>\n')

        self.assertEqual(self.faults(), ["partition/metis_graph.cpp:1: partition may not include solvers"])

    def test_files_may_not_read_generated_problems_into_io(self):
        self.write("src/io/native_file.cpp", '#include "talus/generate/wall.hpp"\n')

        self.assertEqual(self.faults(), ["src/io/native_file.cpp:1: io may not include generate"])

    def test_relative_paths_do_not_get_around_the_table(self):
        self.write("src/cones/projection.cpp", '#include "../problem/body_rows.hpp"\n')

        self.assertEqual(len(self.faults()), 1)
        self.assertIn("write the room", self.faults()[0])

    def test_the_header_for_users_is_not_a_way_around_either(self):
        self.write("src/cones/projection.cpp", '#include "talus/talus.hpp"\n')

        self.assertEqual(len(self.faults()), 1)

    def test_a_room_that_is_not_in_the_table_is_found(self):
        self.write("src/utilities/helpers.cpp", "")

        self.assertEqual(len(self.faults()), 1)
        self.assertIn("no room is called utilities", self.faults()[0])

    def test_mpi_outside_its_rooms_is_found(self):
        self.write("src/solvers/apgd.cpp", "#include <mpi.h>\n")
        self.write("src/app/solve/solve_command.cpp", '#include "mpi.h"\n')
        self.write("src/parallel/communicator.cpp", "#include <mpi.h>\n")

        faults = self.faults()

        self.assertEqual(len(faults), 2)
        self.assertTrue(all("may not include <mpi.h>" in fault for fault in faults))

    def test_threads_that_do_not_set_their_arithmetic_are_found(self):
        self.write("src/solvers/apgd.cpp", "  const StandardArithmetic arithmetic;\n"
                   "#pragma omp parallel for default(none) \\\n    firstprivate(arithmetic) shared(x, caught)\n"
                   "// nothing in it throws\n"
                   "#pragma omp parallel if (many) default(none) \\\n    shared(x)\n")

        faults = self.faults()

        self.assertEqual(len(faults), 1)
        self.assertIn("src/solvers/apgd.cpp:5: threads may have another rounding mode", faults[0])

    def test_a_region_that_an_exception_may_leave_is_found(self):
        self.write("src/solvers/apgd.cpp", "  const StandardArithmetic arithmetic;\n"
                   "#pragma omp parallel for default(none) \\\n    firstprivate(arithmetic) shared(x)\n")

        faults = self.faults()

        self.assertEqual(len(faults), 1)
        self.assertIn("src/solvers/apgd.cpp:2: an exception that leaves the region", faults[0])

    def test_a_stream_that_may_end_the_program_is_found(self):
        self.write("src/solvers/apgd.cpp", 'fmt::print(stderr, "done");\n')

        self.assertIn("src/solvers/apgd.cpp:1: a stream may end the program here", self.faults()[0])

    def test_a_file_that_is_opened_without_a_look_is_found(self):
        self.write("src/solvers/apgd.cpp", 'std::ifstream file("/proc/cpuinfo");\n'
                   "std::ifstream good = readable_stream(path);\nstd::ifstream bad(path);\n"
                   'std::ifstream(path) >> x;\nFILE* f = fopen(path, "rb");\nint d = ::open(path, O_RDONLY);\n')

        faults = self.faults()

        self.assertEqual(len(faults), 4)
        for line, fault in enumerate(faults, 3):
            self.assertIn(f"src/solvers/apgd.cpp:{line}: this may wait at a pipe", fault)

    def test_a_json_value_without_a_kind_is_found(self):
        self.write("src/solvers/apgd.cpp", "Json good = Json::object();\nJson bad;\n")

        self.assertIn("src/solvers/apgd.cpp:2: a value without a kind", self.faults()[0])

    def test_one_file_of_io_may_know_mpi_but_not_two(self):
        self.write("src/io/hdf5_file.cpp", "#include <mpi.h>\n")
        self.assertEqual(self.faults(), [])

        self.write("src/io/report_file.cpp", "#include <mpi.h>\n")
        self.assertEqual(len(self.faults()), 1)

    def test_a_long_file_needs_a_reason(self):
        self.write("src/io/fclib_file.cpp", "int x;\n" * 600)
        self.assertEqual(self.faults(), [])

        self.write("src/io/fclib_file.cpp", "int x;\n" * 601)
        self.assertEqual(len(self.faults()), 1)
        self.assertIn("601 lines", self.faults()[0])

        self.write("src/io/fclib_file.cpp", "// long file:\n" + "int x;\n" * 600)
        self.assertEqual(len(self.faults()), 1)

        self.write("src/io/fclib_file.cpp", "// long file: one table of names\n" + "int x;\n" * 600)
        self.assertEqual(self.faults(), [])


if __name__ == "__main__":
    unittest.main()
