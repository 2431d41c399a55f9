#!/usr/bin/env python3
"""jobs/setup.sh on machines that lack things, played by stand-ins for dpkg-query, apt-get, id and sudo.

usage: setup_test.py ROOT
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()


class SetupScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = pathlib.Path(folder.name)
        self.calls = self.tools / "calls"
        for tool in ("dirname", "env", "cat"):
            (self.tools / tool).symlink_to(f"/usr/bin/{tool}")
        # "present" is installed, "removed" left its configuration behind, all others are unknown
        self.tool("dpkg-query", 'case ${@: -1} in present) echo -n installed;; removed) echo -n config-files;; '
                                '*) echo "no packages found" >&2; exit 1;; esac')
        self.tool("apt-get", f'echo "apt-get $*" >>{self.calls}')
        self.become(1000)

    def tool(self, name, body):
        path = self.tools / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def become(self, user):
        self.tool("id", f"echo {user}")

    def require(self, *packages):
        script = f'set -euo pipefail; source "{ROOT}/jobs/setup.sh"; require_packages "$@"; echo went on'
        return subprocess.run(["/bin/bash", "-c", script, "setup", *packages], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, env={"PATH": str(self.tools)})

    def installed(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_nothing_missing_needs_neither_root_nor_network(self):
        done = self.require("present")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("went on", done.stdout)
        self.assertEqual(self.installed(), [])

    def test_root_installs_what_is_missing_and_only_that(self):
        self.become(0)

        done = self.require("present", "absent", "removed")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("installing absent removed", done.stdout)
        self.assertEqual(self.installed(),
                         ["apt-get update -qq", "apt-get install -y --no-install-recommends absent removed"])

    def test_a_user_with_sudo_installs_through_it(self):
        self.tool("sudo", f'[ "$1" = -n ] && exit 0; echo -n "sudo " >>{self.calls}; exec "$@"')

        done = self.require("absent")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installed()[-1], "sudo apt-get install -y --no-install-recommends absent")

    def test_a_user_without_rights_is_told_the_command(self):
        done = self.require("present", "absent")

        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends absent\n", done.stderr)
        self.assertEqual(self.installed(), [])
        self.assertNotIn("went on", done.stdout)

    def test_sudo_that_would_ask_for_a_password_is_not_asked_off_the_terminal(self):
        self.tool("sudo", "exit 1")

        self.assertEqual(self.require("absent").returncode, 2)

    def test_a_failed_installation_is_told_with_the_command(self):
        self.become(0)
        self.tool("apt-get", "exit 100")

        done = self.require("absent")

        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get install -y --no-install-recommends absent\n", done.stderr)

    def test_a_system_without_dpkg_is_left_to_its_owner(self):
        os.remove(self.tools / "dpkg-query")

        done = self.require("absent")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not a Debian system", done.stdout)


if __name__ == "__main__":
    unittest.main()
