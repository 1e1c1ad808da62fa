# SPDX-License-Identifier: Apache-2.0
"""The templates of examples/ci, step by step, by a stand-in of both platforms: it reads the YAML, runs what the platform would
run with the variables that it sets, and has programs in place of gh, curl and pip that keep what they were given."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from ngb_program import BIN, NgbTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples/ci"
PYTHON = SOURCE / "build/dependencies/python/bin/python"
GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main")
STUDY = """\
name: speed
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: base, options: {made_up_ns: @BASE@}}
  - "null": {label: head, options: {made_up_ns: @HEAD@}}
reference: none
processes: 3
repetitions: 5
disturbance: {max_wait_percent: 100}
protocol: paper
"""
# Keeps what follows the option that names the text, as the platform would receive it.
STAND_IN = """#!/bin/bash
for word in "$@"; do
  case $previous in --body-file) cat "$word" >"$RECEIVED";; --data-urlencode) cat "${word#body@}" >"$RECEIVED";; esac
  previous=$word
done
echo "$@" >>"$RECEIVED.words"
"""


def template(name):
    """Returns the job of a template, read by the YAML reader that the documentation's tools have."""
    read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"
    text = subprocess.run([PYTHON, "-c", read], input=(EXAMPLES / name).read_text(), capture_output=True, text=True, check=True).stdout
    return json.loads(text)


def filled(text, context):
    """Replaces ${{ … }} as GitHub does, of the few expressions that the workflow has."""
    def value(match):
        for choice in match[1].split("||"):
            if context.get(choice.strip()):
                return context[choice.strip()]
        return ""
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", value, str(text))


@unittest.skipUnless(PYTHON.exists(), "no Python of the project's dependencies")
class Templates(NgbTest):
    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.received = self.folder / "received"
        subprocess.run([*GIT, "init", "-q", "--bare", self.folder / "origin.git"], check=True)
        subprocess.run([*GIT, "clone", "-q", self.folder / "origin.git", self.work], check=True, capture_output=True)
        (self.work / "ci").mkdir()
        (self.work / "ci/speed.sh").write_text((EXAMPLES / "speed.sh").read_text())
        (self.work / "speed.yaml").write_text(STUDY)
        (self.folder / "bin").mkdir()
        for name in ("gh", "curl", "pip"):
            (self.folder / "bin" / name).write_text(STAND_IN)
            (self.folder / "bin" / name).chmod(0o755)

    def commit(self, version):
        (self.work / "requirements.txt").write_text(f"numpy==2.0\nnull=={version}  # ours\n")
        for words in (("add", "-A"), ("commit", "-q", "-m", version), ("push", "-q", "origin", "HEAD:main")):
            subprocess.run([*GIT, *words], cwd=self.work, check=True, capture_output=True)
        return subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.work, capture_output=True, text=True).stdout.strip()

    def shell(self, script, variables):
        environment = self.environment | {"PATH": f"{self.folder / 'bin'}:{BIN}:{os.environ['PATH']}",
                                          "RECEIVED": str(self.received)} | variables
        return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.work, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1500)

    def on_github(self, event, base):
        """Runs the steps of the job that are commands. Returns [(the step's name, what it did)]."""
        job = template("github.yml")["jobs"]["speed"]
        context = {"inputs.study": "speed.yaml", "inputs.pins": "requirements.txt", "inputs.compiler": "null",
                   "inputs.margin": "3%", "inputs.budget": "1m", "github.token": "secret",
                   "github.event.pull_request.base.sha": base if event == "pull_request" else "",
                   "github.event.before": base, "github.event.pull_request.number": "7"}
        variables = {key: filled(value, context) for key, value in job["env"].items()}
        variables["GITHUB_STEP_SUMMARY"] = str(self.folder / "summary.md")
        done = []
        for step in job["steps"]:
            condition = step.get("if", "")
            if "run" not in step or ("event_name" in condition and f"'{event}'" not in condition):
                continue
            ended = self.shell(step["run"], variables)
            done.append((step.get("name"), ended))
            if ended.returncode != 0:
                break
        return done

    def on_gitlab(self, variables):
        """Runs the lines of the script as one shell does."""
        job = template("gitlab.yml")["speed"]
        fixed = {"CI_PROJECT_DIR": str(self.work), "CI_DEFAULT_BRANCH": "main", "CI_API_V4_URL": "https://gitlab.test/api/v4",
                 "CI_PROJECT_ID": "3", "COMPILER": "null", "BUDGET": "1m"}
        return self.shell("\n".join(job["script"]), fixed | variables)

    def kept(self, name):
        return (self.work / "speed" / name).read_text()

    def test_on_github_a_pull_request_that_is_slower_gets_a_comment_and_fails(self):
        base = self.commit("1000000")
        self.commit("20000000")
        done = self.on_github("pull_request", base)
        self.assertEqual([name for name, _ in done][-1], "Judge")
        self.assertEqual(done[-1][1].returncode, 4, [(name, each.stderr[-400:]) for name, each in done])
        comment = self.received.read_text()
        self.assertTrue(comment.startswith("1 slower\n"), comment)
        self.assertLessEqual(len(comment), 65_536)
        self.assertIn("Measured in turns on one machine", comment)
        self.assertEqual((self.folder / "summary.md").read_text(), comment)
        self.assertIn("pr comment 7 --edit-last", pathlib.Path(f"{self.received}.words").read_text())
        self.assertIn("1 slower", self.kept("comparison.html"))
        self.assertEqual(json.loads(self.kept("badge.json"))["color"], "red")

    def test_on_github_the_same_version_measures_nothing_and_passes(self):
        base = self.commit("1000000")
        (self.work / "more.txt").write_text("more")
        self.commit("1000000")
        done = self.on_github("pull_request", base)
        self.assertEqual(done[-1][1].returncode, 0, done[-1][1].stderr)
        self.assertEqual(self.received.read_text(), "null is 1000000 on both sides: nothing to compare\n")
        self.assertFalse((self.work / "speed/results").exists())

    def test_on_github_a_file_without_the_version_is_named(self):
        base = self.commit("1000000")
        (self.work / "requirements.txt").write_text("numpy==2.0\n")
        done = self.on_github("pull_request", base)
        self.assertEqual((done[-1][0], done[-1][1].returncode), ("Versions of both sides", 2))
        self.assertEqual(done[-1][1].stderr, "requirements.txt has no line null==VERSION in the base, or here\n")

    def test_on_github_pushes_are_kept_as_bundles_on_a_branch_with_their_history(self):
        versions = ["1000000", "1010000", "900000"]
        commits = [self.commit(versions[0])]
        for version in versions[1:]:
            commits.append(self.commit(version))
            subprocess.run(["rm", "-rf", self.work / "speed"], check=True)
            done = self.on_github("push", commits[-2])
            self.assertEqual(done[-1][1].returncode, 0, [(name, each.stderr[-400:]) for name, each in done])
        listed = subprocess.run(["git", "ls-tree", "--name-only", "ngb-history"], cwd=self.folder / "origin.git",
                                capture_output=True, text=True).stdout.split()
        self.assertEqual(sorted(listed), sorted(["badge.json", *(f"{each[:12]}.zip" for each in commits[1:])]))
        self.assertTrue(f"./{commits[1][:12]}.zip … ./{commits[2][:12]}.zip" in self.kept("history.html") or
                        f"./{commits[2][:12]}.zip … ./{commits[1][:12]}.zip" in self.kept("history.html"))
        self.assertIn("by commit", self.kept("history.html"))
        # The working folder is as it was.
        self.assertEqual(subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.work, capture_output=True, text=True).stdout.strip(),
                         commits[-1])

    def test_on_gitlab_a_merge_request_gets_a_note_and_the_exit_code_of_the_gate(self):
        base = self.commit("1000000")
        self.commit("20000000")
        job = self.on_gitlab({"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_IID": "5", "NGB_TOKEN": "secret"})
        self.assertEqual(job.returncode, 4, job.stderr)
        self.assertTrue(self.received.read_text().startswith("1 slower\n"))
        self.assertIn("https://gitlab.test/api/v4/projects/3/merge_requests/5/notes", pathlib.Path(f"{self.received}.words").read_text())

    def test_on_gitlab_the_default_branch_keeps_its_history_and_passes(self):
        base = self.commit("20000000")
        self.commit("1000000")
        job = self.on_gitlab({"CI_COMMIT_BEFORE_SHA": base, "CI_COMMIT_BRANCH": "main"})
        self.assertEqual(job.returncode, 0, job.stderr)
        self.assertFalse(self.received.exists())
        self.assertIn("1 cell", self.kept("history.html"))

    def test_a_why_that_does_not_fit_is_left_out_and_the_table_stays(self):
        out = self.work / "speed"
        out.mkdir()
        (out / "gate.md").write_text("1 slower\n")
        (out / "why.md").write_text("ä" * 65_500)
        made = self.shell("bash ci/speed.sh comment 65536", {})
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.kept("comment.md"), "1 slower\n")
        (out / "why.md").write_text("ä" * 60_000)
        self.shell("bash ci/speed.sh comment 65536", {})
        self.assertTrue("ä" * 60_000 in self.kept("comment.md"))
        self.assertLessEqual(len(self.kept("comment.md")), 65_536)


if __name__ == "__main__":
    unittest.main()
