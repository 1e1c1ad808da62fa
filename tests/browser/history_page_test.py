# SPDX-License-Identifier: Apache-2.0
"""The page of ngb history in a real browser."""

import pathlib
import sqlite3
import sys
import unittest

from browser import BrowserTest, Page, find_axe
from ngb_program import NgbTest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "truth"), str(TESTS / "oracle")]
from made_up import Process, Setting  # noqa: E402
from made_up_results import study  # noqa: E402

FIRST_NS = 1_800_000_000 * 10**9
DAY_NS = 24 * 3600 * 10**9


class HistoryPage(BrowserTest, NgbTest):
    def setUp(self):
        super().setUp()
        for day in range(10):
            jitter = 1 + (day * 3 % 7) / 1000

            def times(setting, model, number, day=day, jitter=jitter):
                slower = 1.1 if setting.compiler == "onnxruntime" and day >= 5 else 1
                time = (10 if setting.compiler == "onnxruntime" else 20) * slower * jitter * (1 + number / 2000)
                return Process([time] * 4, environment="6.1" if day < 5 else "6.6")

            compilers = [Setting("identity", "identity", "2.0"), Setting("onnxruntime", "onnxruntime", "1.0")]
            folder = study(self.folder / f"day{day}", compilers, ["<b>net", *(f"net{i}" for i in range(6))], 3, times)
            with sqlite3.connect(folder / "results.db") as database:
                database.execute("UPDATE run SET started_unix_ns = ?, run_id = ?", (FIRST_NS + day * DAY_NS, f"{day:016}"))
        told = self.ngb("history", *(f"day{day}" for day in range(10)), "-o", "page.html")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stderr, r"^Page: page.html \(\d+ kB\)\n$")
        self.page = Page(self.browser)
        self.page.open((self.folder / "page.html").as_uri())

    def drawn(self):
        """Waits for the first figure and returns what its picture says."""
        return self.page.run("""(async () => {
          const figure = document.querySelector("figure[data-name]");
          while (!figure.querySelector("svg")) await new Promise((resolve) => setTimeout(resolve, 20));
          return [figure.querySelector("h3").textContent, figure.querySelector("p").textContent,
                  [...figure.querySelectorAll("svg text")].map((text) => text.textContent).join(" ")];
        })()""")

    def test_draws_first_what_changed_with_what_changed_around_it(self):
        title, reading, words = self.drawn()
        self.assertEqual(title, "<b>net, batch 1, on xeon: onnxruntime 1.0, 2 threads")
        self.assertRegex(reading, r"^slower 0\.91 \[0\.91, 0\.91\] at 2027-01-20 \(compiler\)\. Last point: same\. A step of [\d.]+ % would have been found\.$")
        self.assertIn("kernel", words)
        self.assertIn("samples/s", words)

    def test_keeps_others_behind_a_heading(self):
        held = self.page.run("[...document.querySelectorAll('#others figure h3')].map((each) => each.textContent)")
        self.assertEqual(len(held), 7)
        self.assertEqual(held[0], "<b>net, batch 1, on xeon: PyTorch eager (identity 2.0), 2 threads")
        self.assertEqual(self.page.run("document.querySelector('#others details').open"), False)

    def test_is_not_wider_than_a_phone(self):
        self.page.resize(390, 800)
        self.page.open((self.folder / "page.html").as_uri())
        self.drawn()
        self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390)

    def test_asks_for_nothing_and_complains_of_nothing(self):
        self.drawn()
        self.assertEqual((self.page.requests(), self.page.complaints()), ([], []))

    @unittest.skipUnless(find_axe(), "no axe-core on this machine: scripts/setup tests fetches it")
    def test_axe_finds_no_violation(self):
        self.drawn()
        self.page.run(find_axe().read_text() + "; 1")
        found = self.page.run("axe.run(document).then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes[0].html))")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
