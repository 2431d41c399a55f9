#!/usr/bin/env python3
"""The style checks answer to inputs whose faults are known."""
import json
import pathlib
import tempfile
import unittest

import check_kernel_symbols
import check_references
import check_tidy
import check_top_level


class CheckTopLevel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in check_top_level.PLAN:
            (self.root / name).mkdir()

    def test_the_plan_with_dot_files_and_build_is_clean(self):
        (self.root / ".gitignore").touch()
        (self.root / "build").mkdir()

        self.assertFalse(check_top_level.main(self.root))

    def test_an_extra_file_is_found(self):
        (self.root / "notes.txt").touch()

        self.assertTrue(check_top_level.main(self.root))

    def test_a_missing_folder_is_found(self):
        (self.root / "jobs").rmdir()

        self.assertTrue(check_top_level.main(self.root))


class CheckKernelSymbols(unittest.TestCase):
    # Lines as `nm --format=posix` prints them: name, kind, value, size.
    OURS = "_ZN5talus2v34stepEv T 0000000000000000 10\n"

    def faults(self, listing):
        return list(check_kernel_symbols.faults_in(listing, "v3"))

    def test_symbols_of_the_level_and_local_ones_are_clean(self):
        local = "_ZN5talus12_GLOBAL__N_14zeroEv t 0000000000000010 8\n.LC0 r 0000000000000000\n"

        self.assertEqual(self.faults(self.OURS + local), [])

    def test_a_weak_function_is_found(self):
        self.assertEqual(len(self.faults(self.OURS + "_ZSt3maxIdERKT_S2_S2_ W 0000000000000000 20\n")), 1)

    def test_weak_and_unique_data_are_found(self):
        self.assertEqual(len(self.faults("_ZTV1A V 0000000000000000 20\n_ZZ1fvE1x u 0000000000000000 8\n")), 2)

    def test_a_global_function_of_another_namespace_is_found(self):
        self.assertEqual(len(self.faults("_ZN5talus4stepEv T 0000000000000000 10\n")), 1)


class CheckReferences(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/references.md", "| key | work |\n|---|---|\n| AT10 | a paper |\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_a_known_key_is_clean_and_an_unknown_one_is_found(self):
        self.write("src/a.cpp", "// [AT10, eq. 3] and then [Nobody99]\n")

        self.assertEqual(list(check_references.unknown_citations(self.root)),
                         ["src/a.cpp:1: [Nobody99] is not in docs/references.md"])

    def test_a_link_that_leads_nowhere_is_found(self):
        self.write("README.md", "[here](docs/references.md#top) [web](https://example.org/x) [gone](docs/gone.md)\n")

        self.assertEqual(list(check_references.broken_links(self.root)), ["README.md:1: docs/gone.md is not there"])


class SourcesToTidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in {"include/talus/core/types.hpp": "", "include/talus/core/error.hpp": "",
                           "src/core/error.cpp": '#include "talus/core/error.hpp"\n',
                           "src/problem/rows.cpp": '#include "talus/core/types.hpp"\n',
                           "src/solvers/apgd.cpp": '#include "talus/core/error.hpp"\n'}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def chosen(self, *names):
        changed = {self.root / name for name in names}
        return [str(path.relative_to(self.root)) for path in check_tidy.sources_to_check(self.root, changed)]

    def test_a_changed_source_is_looked_at(self):
        self.assertEqual(self.chosen("src/solvers/apgd.cpp"), ["src/solvers/apgd.cpp"])

    def test_a_changed_header_is_looked_at_through_its_own_source(self):
        self.assertEqual(self.chosen("include/talus/core/error.hpp"), ["src/core/error.cpp"])

    def test_a_header_without_a_source_is_looked_at_through_a_user(self):
        self.assertEqual(self.chosen("include/talus/core/types.hpp"), ["src/problem/rows.cpp"])

    def test_a_header_whose_user_changed_too_costs_nothing_more(self):
        self.assertEqual(self.chosen("include/talus/core/error.hpp", "src/solvers/apgd.cpp"),
                         ["src/solvers/apgd.cpp"])

    def test_a_launcher_is_taken_off_the_command(self):
        words = check_tidy.for_clang("/usr/bin/ccache g++ -O2 -c x.cpp").split()

        self.assertEqual(words[0], "g++")
        self.assertEqual(words[-3:], ["-O2", "-c", "x.cpp"])

    def test_files_that_are_compiled_together_have_a_command_each(self):
        build = self.root / "build"
        build.mkdir()
        source = build / "part.cpp"
        source.write_text('#include <cmath>\n#include "talus/core/types.hpp"\n#include "/t/a_test.cpp"\n'
                          '#undef talus\n#include "/t/b_test.cpp"\n')
        entries = [{"directory": "/", "file": name, "command": f"g++ -O1 -c {name}"}
                   for name in (str(source), "/t/alone_test.cpp")]
        (build / "compile_commands.json").write_text(json.dumps(entries))

        commands = check_tidy.compile_commands(build)

        self.assertEqual(sorted(commands), ["/t/a_test.cpp", "/t/alone_test.cpp", "/t/b_test.cpp"])
        self.assertEqual(commands["/t/b_test.cpp"]["command"].split()[-3:], ["-O1", "-c", "/t/b_test.cpp"])


if __name__ == "__main__":
    unittest.main()
