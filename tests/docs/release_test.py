# SPDX-License-Identifier: Apache-2.0
"""scripts/release in a small repository of its own, whose `make wheel` is played."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/release"
FILES = {
    "CMakeLists.txt": "project(NGraphBench VERSION 0.1.0 LANGUAGES C CXX)\n",
    "CITATION.cff": "version: 0.1.0\n",
    "CHANGELOG.md": "# Changes\n\n## Unreleased\n\n- Something new.\n\n## 0.1.0\n\n- The first.\n",
    "Makefile": "wheel:\n\t@echo no compiler here; false\n",
}


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ngb-release-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "scripts").mkdir()
        shutil.copy(SCRIPT, self.folder / "scripts/release")
        for name, text in FILES.items():
            (self.folder / name).write_text(text)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.commit("Begin")

    def git(self, *words):
        return subprocess.run(("git", *words), cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def refused(self, version):
        done = subprocess.run([self.folder / "scripts/release", version], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual((self.git("tag"), self.git("status", "--porcelain", "--untracked-files=no")), (self.tags, self.changes))
        return done.stderr

    tags = changes = ""

    def test_takes_back_what_it_did_where_the_packages_cannot_be_built(self):
        before = self.git("rev-parse", "HEAD")
        told = self.refused("0.2.0")
        self.assertIn("no compiler here", told)
        self.assertIn("the commit and the tag were taken back", told)
        self.assertEqual(self.git("rev-parse", "HEAD"), before)

    def test_refuses_a_word_that_is_no_version(self):
        self.assertIn("write MAJOR.MINOR.PATCH", self.refused("v2"))

    def test_refuses_a_version_that_is_not_newer_than_a_tagged_one(self):
        self.git("tag", "v0.1.0")
        self.tags = "v0.1.0"
        self.assertIn("there is a tag v0.1.0 already", self.refused("0.1.0"))
        self.assertIn("0.0.9 is not newer than 0.1.0", self.refused("0.0.9"))

    def test_refuses_where_nothing_is_new(self):
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n## 0.1.0\n")
        self.commit("Forget what is new")
        self.assertIn("CHANGELOG.md says nothing under Unreleased", self.refused("0.2.0"))

    def test_refuses_a_tree_with_changes(self):
        (self.folder / "Makefile").write_text("wheel:\n")
        self.changes = "M Makefile"
        self.assertIn("the working tree has changes", self.refused("0.2.0"))


if __name__ == "__main__":
    unittest.main()
