# SPDX-License-Identifier: Apache-2.0
"""The site of ngb collection in a real browser."""

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

VISIBLE = "[...document.querySelectorAll('#numbers tbody:not([hidden]) tr:not([hidden])')]"


class CollectionPage(BrowserTest, NgbTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bundles").mkdir()
        for number, cpu in enumerate(("EPYC", "<b>Neoverse")):
            def times(setting, model, round, number=number, cpu=cpu):
                time = {"2.0": 20, "1.9": 12, "1.10": 10}[setting.version] * (1 + 1.5 * number) * (1 + (round + 10 * len(model)) / 100000)
                return Process([time + each / 1e5 for each in range(8)], environment=cpu)

            compilers = [Setting("identity", "identity", "2.0"), *(Setting("onnxruntime", f"ort {each}", each) for each in ("1.9", "1.10"))]
            folder = study(self.folder / f"results{number}", compilers, ["net", "other"], 3, times)
            with sqlite3.connect(folder / "results.db") as database:
                database.execute("UPDATE environment_entry SET name = 'cpu_model' WHERE name = 'kernel'")
                database.execute("UPDATE run SET run_id = ?", (f"{number:016}",))
            database.close()
            self.assertEqual(self.ngb("bundle", folder, "-o", f"bundles/{number}.zip", "--licence", "CC0-1.0").returncode, 0)
        told = self.ngb("collection", "bundles", "-o", "site")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.page = Page(self.browser)
        self.page.open((self.folder / "site/index.html").as_uri())

    def choose(self, name, value):
        self.page.run(f"""(() => {{
          const list = document.querySelector('#choices select[aria-label="{name}"]');
          list.value = [...list.options].find((each) => each.textContent.startsWith("{value}")).value;
          list.dispatchEvent(new Event("change"));
        }})()""")

    def shown(self):
        """The visible rows: the visible texts of their fields."""
        return self.page.run(f"{VISIBLE}.map((row) => [...row.cells].filter((cell) => !cell.hidden).map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()))")

    def test_shows_what_is_chosen_and_keeps_it_in_the_link(self):
        self.assertEqual(len(self.shown()), 6)
        self.assertEqual(self.page.run("document.querySelector('#status').textContent"), "4 of 4 workloads")
        self.choose("machine", "<b>Neoverse")
        self.choose("model", "other")
        self.choose("shown", "time")
        _, row = self.shown()
        self.assertEqual(row, ["other batch 1, 2 threads", "50 ms 2.0", "25 ms 1.10"])
        self.choose("versions", "every one")
        self.assertEqual(self.shown()[1][2], "25 ms 1.10 30 ms 1.9")
        link = self.page.run("location.href")
        self.page.run("document.querySelector('#choices button').click()")
        self.assertEqual(self.shown()[1], ["other batch 1, 2 threads", "25 ms 1.10 30 ms 1.9"])
        self.page.open("about:blank")
        self.page.open(link)
        self.assertEqual([len(self.shown()), self.shown()[1][1]], [2, "50 ms 2.0"])

    def test_a_number_leads_to_its_row_and_to_the_rule(self):
        self.page.run("document.querySelector('#numbers a').click()")
        self.page.wait_for("document.querySelector('tr:target') !== null", 20)
        self.assertIn("derived", self.page.run("document.querySelector('tr:target').innerText"))
        self.page.run("document.querySelector('tr:target a').click()")
        self.assertIn("holds", self.page.run("document.querySelector('tr:target').innerText"))

    def test_fits_a_phone_and_asks_for_and_complains_of_nothing(self):
        self.page.resize(390, 800)
        for page in ("index.html", *(f"bundles/{each.name}" for each in (self.folder / "site/bundles").glob("*.html"))):
            self.page.open((self.folder / "site" / page).as_uri())
            self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual((self.page.requests(), self.page.complaints()), ([], []))

    @unittest.skipUnless(find_axe(), "no axe-core on this machine: scripts/setup tests fetches it")
    def test_axe_finds_no_violation(self):
        self.page.run(find_axe().read_text() + "; 1")
        found = self.page.run("axe.run(document).then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes[0].html))")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
