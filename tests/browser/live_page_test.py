# SPDX-License-Identifier: Apache-2.0
"""The live page of a run in a browser, until it becomes the report. NGB_SCREENSHOTS=FOLDER keeps images."""

import os
import pathlib
import re
import unittest

from browser import BrowserTest, Page, find_axe
from ngb_program import NULL_STUDY, NgbTest

# Two settings, of which the second takes eight times as long, so that the verdicts come with the third round also beside other tests.
# Three more rounds give the browser the time to see them.
STUDY = NULL_STUDY.replace("depth: [1, 2]", "depth: 1").replace("processes: 3", "processes: 6\nbaseline: quick").replace(
    '- "null"', """- "null": {label: quick, options: {compile_ns: 500000000, made_up_ns: 1000000}}
  - "null": {label: slow, options: {compile_ns: 500000000, made_up_ns: 8000000}}""")


class LivePage(BrowserTest, NgbTest):
    def keep(self, name):
        if folder := os.environ.get("NGB_SCREENSHOTS"):
            (pathlib.Path(folder) / f"live-{name}.png").write_bytes(self.page.screenshot(whole=True))

    def test_shows_results_as_they_come_fits_a_phone_and_becomes_the_report(self):
        self.page = Page(self.browser)
        self.page.resize(1280, 900)
        self.write("study.yaml", STUDY)
        run = self.start("run", "study.yaml", "--serve")
        url = re.search(r"http://\S+", run.stdout.readline())[0]
        self.page.open(url)
        self.page.wait_for("document.querySelectorAll('#rows tr').length === 2")
        self.assertEqual(self.page.run("[...document.querySelectorAll('#compilers th')].map(each => each.textContent).join()"),
                         "Model and batch,quick,slow")
        self.page.wait_for("/partial|measured/.test(document.getElementById('rows').textContent)")
        self.assertEqual(self.page.run("document.getElementById('study').textContent"), "test")
        self.assertRegex(self.page.run("document.getElementById('now').textContent"), r"^\d+ of 24 processes are done\.$")
        self.page.wait_for("(document.getElementById('rows').textContent.match(/0\\.\\d+ \\[0\\.\\d+, \\d\\.\\d+\\] slower/g) || [])"
                           ".length === 2")
        for scheme in ("light", "dark"):
            self.page.prefer(scheme)
            for width in (1280, 390):
                self.page.resize(width, 900)
                self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), width)
                self.keep(f"{scheme}-{width}")
        if axe := find_axe():
            # The page's policy admits no other script; the debugging protocol is not bound by it.
            self.page.run(axe.read_text())
            broken = self.page.run("axe.run().then(found => found.violations.map(each => each.id + ': ' + "
                                   "each.nodes.map(node => node.html).join(' ')))")
            self.assertEqual(broken, [])
        self.assertEqual(self.page.complaints(), [])
        # Nothing may be asked of a page that is being left, so its load is awaited: the second of this page.
        while sum(event.get("method") == "Page.loadEventFired" for event in self.page.events) < 2:
            self.page.run_until_next_event()
        self.assertEqual(self.page.run("location.pathname"), "/report")
        self.assertTrue(self.page.run("document.getElementById('method') !== null"))
        self.assertEqual(run.wait(timeout=1500), 0)


if __name__ == "__main__":
    unittest.main()
