# SPDX-License-Identifier: Apache-2.0
"""Devices behind a stand-in for ssh, which runs the remote command here, with a home folder for each host."""

import stat

from lean_programs import lean_programs
from ngb_program import BIN, NULL_STUDY, NgbTest

SSH = """\
#!/bin/sh
while [ "$1" != -- ]; do shift; done
mkdir -p "$NGB_TEST_HOSTS/$2"
HOME=$NGB_TEST_HOSTS/$2 exec sh -c "$3"
"""


class DeviceTest(NgbTest):
    """A test with hosts: hosts/NAME is the home folder of host NAME."""

    COMPILERS = ()  # of the installation; (): all

    def setUp(self):
        super().setUp()
        self.program = lean_programs(BIN.parent, *self.COMPILERS) / "bin/ngb"
        self.hosts = self.folder / "hosts"
        commands = self.folder / "commands"
        commands.mkdir()
        ssh = self.write("commands/ssh", SSH)
        ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
        self.environment["PATH"] = f"{commands}:{self.environment['PATH']}"
        self.environment["NGB_TEST_HOSTS"] = str(self.hosts)
        self.results = self.folder / "results" / "test"

    def use(self, devices, compile_ms=0):
        """`devices`: YAML, a line for each device. Each process lasts at least that long."""
        text = NULL_STUDY.replace("repetitions: 5", "repetitions: 5\ndevices:\n" + devices)
        if compile_ms:
            options = f'"null": {{options: {{compile_ns: {compile_ms * 1_000_000}}}}}'
            text = text.replace('"null"\nbatch', options + "\nbatch")
        self.study = self.write("study.yaml", text)

    def files(self, folder):
        """Returns the files below a folder: {path: content}."""
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
