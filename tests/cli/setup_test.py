# SPDX-License-Identifier: Apache-2.0
"""scripts/setup-more, where there is no package manager and cargo fails."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("sh", "python3", "dirname", "mktemp", "mkdir", "uname", "sed", "rm", "find", "head", "cat")
CARGO = """#!/bin/sh
echo 'error: failed to get `trtx-sys`

Caused by:
  no network
Stack backtrace:
   0: somewhere' >&2
exit 101
"""


class SetupMore(unittest.TestCase):
    def test_without_tensorrts_headers_it_tells_what_cargo_says_and_which_home_it_had(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for each in ("scripts", "bin", "home"):
                (folder / each).mkdir()
            for each in ("scripts/setup-more", "scripts/setup-tools", "versions.json"):
                shutil.copy(SOURCE / each, folder / each)
            for tool in TOOLS:
                (folder / "bin" / tool).symlink_to(shutil.which(tool))
            (folder / "bin/cargo").write_text(CARGO)
            (folder / "bin/cargo").chmod(0o755)
            run = subprocess.run(["sh", "scripts/setup-more"], cwd=folder, capture_output=True, text=True, check=True,
                                 env={"PATH": str(folder / "bin"), "HOME": str(folder / "home")})
        self.assertRegex(run.stderr, rf"""setup: cargo could not fetch trtx-sys \S+. It read its settings in HOME={folder}/home, and says:
setup:   error: failed to get `trtx-sys`
setup:   Caused by:
setup:     no network
$""")
        self.assertIn("ngb is built without tensorrt-cpp", run.stdout)


if __name__ == "__main__":
    unittest.main()
