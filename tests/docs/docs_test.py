# SPDX-License-Identifier: Apache-2.0
"""The documentation: its links, its place in the site, and what its first page lets a newcomer type."""

import pathlib
import re
import shlex
import unittest

from ngb_program import TOOLCHAINS, NgbTest

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


class FirstQuestion(NgbTest):
    """docs/first-question.md, typed as it is written, with toolchains that are there already."""

    @unittest.skipUnless(all((TOOLCHAINS / "onnxruntime" / each).exists() for each in ("1.30.0", "1.31.1")),
                         "onnxruntime 1.30.0 and 1.31.1 are not installed")
    def test_its_commands_end_with_an_answer(self):
        page = (DOCS / "first-question.md").read_text("utf-8")
        study, = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        self.write("first.yaml", study + "disturbance: {max_wait_percent: 100}\n")
        (self.folder / "toolchains").mkdir(exist_ok=True)
        (self.folder / "toolchains/onnxruntime").symlink_to(TOOLCHAINS / "onnxruntime")
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "toolchains")
        for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
            for line in block.splitlines():
                ended = self.ngb(*shlex.split(line)[1:], timeout=300)
                self.assertEqual(ended.returncode, 0, line + ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, "faster|slower|same|undecided")


if __name__ == "__main__":
    unittest.main()
