# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/ci.md, run as the shell scripts that they contain, on the null compiler."""

import os
import pathlib
import re
import subprocess

from ngb_program import BIN, NgbTest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/ci.md"
STUDY = """\
name: speed
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {label: quick, options: {made_up_ns: 1000000}}
  - "null": {label: slow, options: {made_up_ns: 20000000}}
  - "null": {label: broken, options: {fault: crash}}
reference: none
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
"""


def yaml_block(first_line):
    block, = re.findall(rf"```yaml\n{re.escape(first_line)}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    return block


def github_script():
    """Returns the lines of all `run: |` blocks, as the runner passes them to bash."""
    script = []
    indent = None
    for line in yaml_block("# .github/workflows/speed.yml").splitlines():
        depth = len(line) - len(line.lstrip())
        if indent is not None and depth > indent:
            script.append(line.strip())
            continue
        indent = depth if line.strip() == "run: |" else None
    return "\n".join(script)


def gitlab_script():
    """Returns the items of the list `script`, one on each line."""
    items = re.search(r"  script:\n(.*?)\n  \w", yaml_block("# .gitlab-ci.yml"), re.DOTALL).group(1)
    return "\n".join(" ".join(item.split()) for item in re.split(r"^    - ", items, flags=re.MULTILINE) if item)


class ContinuousIntegration(NgbTest):
    def run_script(self, script, baseline, candidate):
        self.write("speed.yaml", STUDY)
        environment = self.environment | {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "BASELINE": baseline,
            "CANDIDATE": candidate,
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1500)

    def test_on_github_a_slower_version_fails_the_job_and_is_annotated(self):
        job = self.run_script(github_script(), "quick", "slow")
        self.assertEqual(job.returncode, 4, job.stderr)
        self.assertTrue((self.folder / "summary.md").read_text().startswith("1 slower\n"))
        self.assertIn("::error title=ngb gate::conv_block", job.stderr)

    def test_on_github_a_faster_version_passes(self):
        job = self.run_script(github_script(), "slow", "quick")
        self.assertEqual(job.returncode, 0, job.stderr)
        self.assertTrue((self.folder / "summary.md").read_text().startswith("1 faster\n"))
        self.assertNotIn("::error", job.stderr)

    def test_on_gitlab_a_version_that_newly_fails_fails_the_job(self):
        job = self.run_script(gitlab_script(), "quick", "broken")
        self.assertEqual(job.returncode, 4, job.stderr)
        report = (self.folder / "speed.md").read_text()
        self.assertTrue(report.startswith("1 failed\n"), report)
        self.assertIn("candidate: crash", report)

    def test_on_gitlab_a_faster_version_passes(self):
        job = self.run_script(gitlab_script(), "slow", "quick")
        self.assertEqual(job.returncode, 0, job.stderr)
