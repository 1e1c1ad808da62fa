# SPDX-License-Identifier: Apache-2.0
"""A toolchain is its files: what is lost, cut off or edited is told by name, counts as another build, and is mended."""

import os
import pathlib
import shutil
import tempfile
import unittest

from ngb_program import NgbTest
from slowpoke import make_installation, make_wheel

STUDY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - onnxruntime: {version: "1.0"}
  - "null"
reference: none
processes: 1
repetitions: 3
warm_up: 1
disturbance: {max_wait_percent: 100}
"""


class ToolchainFiles(NgbTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="ngb-files-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.program = make_installation(cls.shared / "installation")
        cls.wheels = cls.shared / "wheels"
        make_wheel(cls.wheels, "1.0")
        installing = cls()
        installing.setUp()
        cls.addClassCleanup(installing.doCleanups)
        installed = installing.ngb("toolchain", "install", "onnxruntime@1.0")
        installing.assertEqual(installed.returncode, 0, installed.stderr)
        shutil.copytree(installing.folder / "toolchains", cls.shared / "toolchains")

    def setUp(self):
        super().setUp()
        self.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_CONFIG_FILE": "/dev/null",
                             "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if (self.shared / "toolchains").exists():
            shutil.copytree(self.shared / "toolchains", self.folder / "toolchains")
        self.module = self.folder / "toolchains/onnxruntime/1.0/site/slowpoke.py"
        self.write("study.yaml", STUDY)

    def edit(self):
        self.module.write_text(self.module.read_text() + "\n# edited\n")

    def builds(self, results):
        return self.query(results, "SELECT DISTINCT manifest_sha256 FROM made_with JOIN process USING (made_with_key) "
                                   "WHERE manifest_sha256 <> ''")

    def failures(self, results):
        return self.query(results, "SELECT kind, message, advice FROM failure")

    def measure(self, output, *arguments, code=0):
        done = self.ngb("run", "study.yaml", "--no-report", "--output", output, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def told(self, *arguments, code):
        told = self.ngb(*arguments)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return (told.stdout + told.stderr).replace(str(self.folder) + "/", "")

    def test_that_were_copied_are_the_same_build_on_every_host(self):
        self.measure("here")
        shutil.copytree(self.folder / "toolchains", self.folder / "copied", copy_function=shutil.copy)  # with new times
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "copied")
        self.measure("there")
        self.assertEqual(self.builds("here"), self.builds("there"))

    def test_that_were_edited_are_another_build_and_restored_are_the_first_one(self):
        before = self.module.read_bytes()
        self.measure("first")
        self.edit()
        done = self.measure("second")
        self.assertIn("onnxruntime 1.0 is not as it was installed, so it counts as another build: site/slowpoke.py; ngb "
                      "toolchain install onnxruntime@1.0 mends it", done.stderr)
        self.assertNotEqual(self.builds("first"), self.builds("second"))
        self.module.write_bytes(before)
        self.measure("third")
        self.assertEqual(self.builds("first"), self.builds("third"))

    def test_that_were_edited_are_refused_by_a_gate_that_is_continued(self):
        gate = ("gate", "study.yaml", "--baseline", "null", "--candidate", "onnxruntime", "--output", "gated")
        self.assertIn(self.ngb(*gate).returncode, (0, 4))
        self.edit()
        self.assertIn("gated: what was measured there has changed since: toolchain onnxruntime 1.0; measure into another "
                      "folder", self.told(*gate, code=3))

    def test_that_are_gone_are_told_by_list_doctor_and_run_and_mended(self):
        self.module.unlink()
        damage = "onnxruntime 1.0 is damaged: site/slowpoke.py is gone"
        self.assertIn(damage, self.told("toolchain", "list", code=0))
        self.assertIn(damage, self.told("doctor", code=3))
        self.measure("broken", code=1)
        (kind, message, _), = self.failures("broken")
        self.assertEqual(kind, "toolchain_missing")
        self.assertIn(damage, message)
        self.assertIn("ngb toolchain install onnxruntime@1.0 replaces it", message)
        self.assertIn("onnxruntime 1.0: ", self.told("toolchain", "install", "onnxruntime@1.0", code=0))
        self.assertTrue(self.module.exists())
        self.assertIn("onnxruntime 1.0: as it was installed\n", self.told("toolchain", "verify", code=0))
        self.measure("whole")

    def test_that_a_study_names_and_lacks_are_installed_after_one_line_that_says_so(self):
        shutil.rmtree(self.folder / "toolchains")
        self.assertIn("ngb: onnxruntime@1.0 is not installed: its cells fail", self.measure("without", "--no-install", code=1).stderr)
        self.assertFalse(self.module.exists())
        self.assertRegex(self.measure("with").stderr, "ngb: onnxruntime 1.0 is not installed: installing it now(, about .*B)? \\(--no-install "
                                                      "leaves it out\\)\n")
        self.assertTrue(self.module.exists())
        self.assertNotIn("installing", self.measure("again").stderr)

    def test_that_cannot_be_installed_leave_the_other_cells_to_be_measured(self):
        self.write("study.yaml", STUDY.replace('"1.0"', '"9.9"'))
        done = self.measure("partly", code=1)
        self.assertIn("ngb: onnxruntime 9.9 is not installed: installing it now", done.stderr)
        self.assertIn("onnxruntime@9.9 is not installed: its cells fail", done.stderr)
        self.assertIn("2 cells: 1 measured, 1 failed", done.stdout)

    def test_that_are_cut_off_are_told_and_mended(self):
        self.module.write_text(self.module.read_text()[:20])
        for command, code in (("list", 0), ("verify", 3)):
            self.assertIn("site/slowpoke.py", self.told("toolchain", command, code=code))
        self.assertIn("site/slowpoke.py: not as it was installed; the package is installed again",
                      self.told("toolchain", "install", "onnxruntime@1.0", code=0))
        self.assertIn("as it was installed", self.told("toolchain", "verify", "onnxruntime@1.0", code=0))

    def test_that_do_not_load_are_advised_to_be_mended_by_their_name(self):
        self.module.write_text("raise ImportError('half a package')\n")
        self.measure("broken", code=1)
        (kind, message, advice), = self.failures("broken")
        self.assertEqual((kind, advice), ("import_error", "mend the toolchain: ngb toolchain install onnxruntime@1.0"))
        self.assertIn("half a package", message)

    def test_with_their_old_times_and_sizes_are_found_by_verify_alone(self):
        before = self.module.stat()
        self.module.write_text(self.module.read_text().replace("FAILS", "FALLS"))
        os.utime(self.module, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertNotIn("changed", self.told("toolchain", "list", code=0))
        self.assertEqual(self.told("toolchain", "verify", code=3),
                         "onnxruntime 1.0: not as installed: site/slowpoke.py\n"
                         "ngb: to mend it, run: ngb toolchain install onnxruntime@1.0\n")
        self.assertIn("is not installed", self.told("toolchain", "verify", "onnxruntime@1.1", code=3))


if __name__ == "__main__":
    unittest.main()
