# SPDX-License-Identifier: Apache-2.0
"""A device to which a command leads: a shell in namespaces of its own, as `docker exec -i` starts it in a container."""

import json
import os
import signal
import sqlite3
import subprocess
import unittest

from ssh_program import DeviceTest

IS_ROOT = os.geteuid() == 0
NAMESPACES = ["--mount", "--pid"] if IS_ROOT else ["--user", "--mount", "--pid"]
ENTER = ["--mount", "--pid"] if IS_ROOT else ["--user", "--preserve-credentials", "--mount", "--pid"]
UNSHARE = ["unshare", *([] if IS_ROOT else ["--map-root-user"]), *NAMESPACES, "--fork", "--kill-child", "--mount-proc"]


def why_not():
    """Returns why no such shell can be started here; None if one can."""
    try:
        tried = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "box", "/mnt"], capture_output=True, text=True, timeout=1500)
    except FileNotFoundError:
        return "unshare is not installed"
    return f"neither root nor user namespaces: {tried.stderr.strip()}" if tried.returncode else None


@unittest.skipIf(why_not(), why_not())
class Command(DeviceTest):
    def setUp(self):
        super().setUp()
        self.inside = self.folder / "inside"  # a file system that nobody outside sees
        self.inside.mkdir()
        begin = 'mount -t tmpfs -o mode=0700 box "$0" && echo ready && exec sleep infinity'
        self.box = subprocess.Popen([*UNSHARE, "sh", "-c", begin, self.inside], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.box.wait)
        self.addCleanup(self.box.kill)
        self.addCleanup(self.box.stdout.close)
        self.assertEqual(self.box.stdout.readline(), "ready\n")
        self.init, = self.children_of(self.box.pid)
        self.shell = ["nsenter", "--target", str(self.init), *ENTER, "sh"]

    def use_box(self, compile_ms=0):
        self.use(f"  - box: {{command: {json.dumps(self.shell)}, folder: {self.inside}/ngb}}\n", compile_ms)

    def within(self, script):
        """Returns what a script says in the box."""
        return subprocess.run(self.shell, input=script, capture_output=True, text=True, timeout=1500).stdout

    def recorded(self):
        try:
            return self.query(self.results, "SELECT count(*) FROM process WHERE is_complete")[0][0]
        except sqlite3.OperationalError:
            return 0  # not begun

    def assert_whole(self, output):
        self.assertIn("torn down: 1 of 1 verified", output)
        self.assertEqual(self.query(self.results, "SELECT count(*), count(DISTINCT cell_key || ' ' || process_index) "
                                                  "FROM process WHERE is_complete"), [(12, 12)])
        self.assertEqual(self.within(f"ls -A {self.inside}"), "")
        left = self.within("for each in /proc/[0-9]*; do readlink $each/exe; done")
        self.assertNotIn("ngb", left)

    def test_a_study_is_measured_in_the_box_and_is_taken_away_again(self):
        self.use_box()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole(done.stdout)
        self.assertEqual(list(self.inside.iterdir()), [])  # nothing came past the command

    def test_a_study_goes_on_when_its_connection_is_cut(self):
        self.use_box(compile_ms=300)
        client = self.start("run", self.study)
        for cuts in range(2):
            shells = self.wait_for(lambda: self.recorded() > 2 * cuts and self.children_of(client.pid))
            os.killpg(max(shells), signal.SIGKILL)
        output = client.communicate(timeout=1500)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertIn("box: no connection", output)
        self.assert_whole(output)

    def test_a_client_that_was_killed_finds_what_was_measured_without_it(self):
        self.use_box(compile_ms=300)
        client = self.start("run", self.study)
        self.wait_for(lambda: self.recorded() > 1)
        client.kill()
        client.wait()
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole(done.stdout)


class CommandThatLeadsNowhere(DeviceTest):
    def check(self, command):
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", f"box: {{command: {json.dumps(command)}}}\n"))
        checked = self.ngb("devices", "check")
        self.assertEqual(checked.returncode, 3, checked.stderr)
        return checked.stdout

    def test_is_said_with_its_own_words_and_how_to_try_it(self):
        self.assertRegex(self.check(["sh", "-c", "echo no such container: box >&2; exit 1"]),
                         "box +not reachable: box: cannot be reached: no such container: box; run: sh -c")

    def test_is_named_when_its_program_is_not_there(self):
        self.assertRegex(self.check(["nonesuch", "exec"]), "not reachable: nonesuch: .*No such file")

    def test_is_listed_as_it_stands_in_the_file(self):
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", "box: {command: [docker, exec, -i, box, sh]}\n"))
        self.assertRegex(self.ngb("devices").stdout, "box +docker exec -i box sh, ~/.ngraphbench")


if __name__ == "__main__":
    unittest.main()
