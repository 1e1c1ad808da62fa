# SPDX-License-Identifier: Apache-2.0
"""The documentation: its links, its place in the site, and what its pages let a newcomer type."""

import pathlib
import re
import subprocess
import unittest

from ngb_program import BIN, TOOLCHAINS, NgbTest, without_toolchains

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCS = SOURCE / "docs"
PAGES = sorted([*SOURCE.glob("*.md"), *DOCS.rglob("*.md")])


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def anchors(page):
    """What a link may name after #, as GitHub and mkdocs make it from a heading."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "") for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in plain}


class Pages(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading(self):
        broken, links = [], 0
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text("utf-8"))):
                if re.match("[a-z]+:", link):
                    continue
                links += 1
                file, _, anchor = link.partition("#")
                target = (page.parent / file).resolve() if file else page
                if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
                    broken.append(f"{page.relative_to(SOURCE)}: {link}")
        self.assertGreater(links, 150)
        self.assertEqual(broken, [])

    def test_every_page_has_one_place_in_the_site(self):
        listed = re.findall(r"^ +- (\S+\.md)$", (SOURCE / "mkdocs.yml").read_text(), re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")))


def commands_of(page):
    """The lines of a page's shell blocks that call ngb, in their order."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [line for line in "".join(blocks).replace("\\\n", " ").splitlines() if line.startswith("ngb ")]


@unittest.skipUnless(all((TOOLCHAINS / "onnxruntime" / each).exists() for each in ("1.30.0", "1.31.1")),
                     "onnxruntime 1.30.0 and 1.31.1 are not installed")
class AsTyped(NgbTest):
    """Commands of pages, typed as they are written, in their order and in an empty home, with toolchains that are there already
    and models that are smaller than those of the pages."""

    BESIDE_OTHER_WORK = "disturbance: {max_wait_percent: 100}\n"
    SMALL = "zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}"
    QUICK = "processes: 3\nrepetitions: 5\nlonger_look_s: 0\nreference: onnxruntime\n" + BESIDE_OTHER_WORK

    def use_toolchains(self, *names):
        for name in names:  # what is installed besides stays in the test's folder
            (self.folder / "toolchains" / name).mkdir(parents=True)
            for version in (TOOLCHAINS / name).glob("[!.]*"):
                (self.folder / "toolchains" / name / version.name).symlink_to(version)
        self.environment["PATH"] = f"{BIN}:{self.environment['PATH']}"

    def write_study(self, page, name, *changes):
        """Writes the first study of a page, changed."""
        study = re.search(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)[1]
        for before, after in changes:
            self.assertIn(before, study)
            study = study.replace(before, after)
        self.write(name, study)

    def type(self, commands, **codes):
        """Types the commands. `codes` are those with which some end, by the command's name; others end with 0. Returns what
        the last one printed."""
        for command in commands:
            ended = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, timeout=1500)
            self.assertIn(ended.returncode, codes.get(command.split()[1], [0]), f"{command}\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    def write_model(self, name, depth):
        self.ngb("models", "write", "conv_block", "--parameters", '{"width": 8, "depth": %d, "image_size": 16}' % depth, "--batch",
                 "dynamic", "-o", name)

    def test_the_first_question_is_answered(self):
        self.use_toolchains("onnxruntime")
        self.write_study(DOCS / "first-question.md", "first.yaml", ("threads: 1\n", "threads: 1\n" + self.BESIDE_OTHER_WORK))
        self.assertRegex(self.type(commands_of(DOCS / "first-question.md")), "faster|slower|same|undecided")

    @unittest.skipIf(without_toolchains("openvino"), without_toolchains("openvino"))
    def test_ones_own_question_of_the_readme_and_why(self):
        self.use_toolchains("onnxruntime", "openvino")
        self.write_model("my_model.onnx", 2)
        self.write_study(SOURCE / "README.md", "my_study.yaml", ("zoo: resnet50", self.SMALL), ("  - identity\n", ""), ("[1, 8]", "[8]"),
                         ("rounds: {until: decided}", "baseline: onnxruntime@1.30.0\n" + self.QUICK))
        # A threshold that is decided soon. 5: no version is slower; 3: no index lists the versions between.
        commands = [line.replace("ngb bisect", "ngb bisect --slower 100%") for line in commands_of(SOURCE / "README.md")]
        self.type(commands, bisect=[3, 5])
        anew, stored = commands_of(DOCS / "explain.md")
        self.assertIn(anew, [line.partition("  #")[0] for line in commands_of(SOURCE / "README.md")])
        self.assertIn("plain time", self.type([stored]))

    @unittest.skipIf(without_toolchains("openvino"), without_toolchains("openvino"))
    def test_ones_own_files_are_measured(self):
        self.use_toolchains("onnxruntime", "openvino")
        for name, depth in {"my_model.onnx": 1, "before.onnx": 1, "after.onnx": 2}.items():
            self.write_model(name, depth)
        # Beside other work they may be disturbed until the budget is over (3), of which some time is enough here.
        commands = [line.partition("  #")[0].replace(" --budget 2m", "") + " --budget 20s" for line in commands_of(DOCS / "own-model.md")]
        self.assertEqual(len(commands), 3)
        self.type(commands, run=[0, 1, 3])
        for name in ("my_model", "my_model_8", "before_after"):
            self.assertTrue((self.folder / f"results/{name}.yaml").exists())
            self.assertTrue((self.folder / f"results/{name}/results.db").exists())

    @unittest.skipIf(without_toolchains("identity", "openvino"), without_toolchains("identity", "openvino"))
    def test_variants_are_made_shown_and_chosen(self):
        self.use_toolchains("onnxruntime", "openvino", "identity")
        self.write_model("resnet50.onnx", 1)
        self.write_model("resnet50_int8.onnx", 2)
        self.write_study(DOCS / "variants.md", "int8.yaml", ("[identity, onnxruntime, openvino]", "[onnxruntime]\n" + self.QUICK))
        # 1: a file that was written in place of an int8 one disagrees.
        self.type(commands_of(DOCS / "variants.md"), run=[0, 1], choose=[0, 5])


if __name__ == "__main__":
    unittest.main()
