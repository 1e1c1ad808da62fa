# SPDX-License-Identifier: Apache-2.0
"""A compiler that begins as a copy of compilers/template, outside of this tree, in an installed ngb."""

import json
import pathlib
import shutil
import subprocess

from ngb_program import NULL_STUDY, NgbTest, link_installation

TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "compilers/template"


class ACopyOfTheTemplate(NgbTest):
    def make(self, *arguments):
        done = subprocess.run(["cmake", *map(str, arguments)], cwd=self.folder / "mine", env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_is_renamed_built_installed_listed_and_measured(self):
        link_installation(self.folder / "installed", ["null"])
        self.program = self.folder / "installed/bin/ngb"
        shutil.copytree(TEMPLATE, self.folder / "mine")
        description = json.loads((self.folder / "mine/compiler.json").read_text())
        (self.folder / "mine/compiler.json").write_text(json.dumps({**description, "name": "mine"}))
        self.make("-B", "build", f"-DNGB={self.program}")
        self.make("--build", "build")
        self.make("--install", "build")
        listed = {row["name"]: row for row in json.loads(self.ngb("compilers", "--json").stdout)}
        self.assertEqual(listed["mine"]["options"][0]["meaning"], "how often an inference copies the inputs")
        compilers = '  - "null"\n  - mine: {options: {copies: [1, 3]}}'
        self.write("study.yaml", NULL_STUDY.replace('  - "null"', compilers, 1))
        run = self.ngb("run", "study.yaml", "-o", "results")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        cells = [cell for cell in json.loads(self.ngb("show", "results", "--json").stdout)["cells"] if cell["compiler"] == "mine"]
        self.assertEqual({cell["options"].get("copies", 1) for cell in cells}, {1, 3})
        self.assertEqual({cell["status"] for cell in cells}, {"measured"})

    def test_says_what_a_study_asks_of_it_in_vain(self):
        link_installation(self.folder / "installed", ["null"])
        self.program = self.folder / "installed/bin/ngb"
        shutil.copytree(TEMPLATE, self.folder / "mine")
        self.make("-B", "build", f"-DNGB={self.program}")
        self.make("--build", "build")
        self.make("--install", "build")
        self.write("study.yaml", NULL_STUDY.replace('  - "null"', "  - template: {threads: 2}", 1))
        run = self.ngb("run", "study.yaml", "-o", "results")
        self.assertIn("it computes on one thread", run.stdout + run.stderr)
