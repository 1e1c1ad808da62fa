# SPDX-License-Identifier: Apache-2.0
"""ngb report: what the reader can do with the page in a browser."""

import base64
import csv
import io
import json
import re
import shutil
import sqlite3
import unittest
import zlib

from browser import BrowserTest, Page, find_axe
from explain_test import STUDY as PROFILED
from report_case import HOSTILE, ReportTest

# Leaves one row of each kind in a table. Rows are of one kind if they differ only in what they say: what a width or an
# appearance makes wrong in one of them, it makes wrong in all.
WITHOUT_ALIKE_ROWS = r"""
  for (const body of document.querySelectorAll("tbody")) {
    const kinds = new Set();
    for (const row of [...body.rows]) {
      const kind = row.outerHTML.replace(/ (?!class)[\w-]+="[^"]*"/g, "").replace(/>[^<]+/g, ">words");
      if (kinds.has(kind)) row.remove();
      kinds.add(kind);
    }
  }
"""


class InTheBrowser(BrowserTest, ReportTest):
    def measure(self):
        """Profiles a study too; the report of that is in the folder "why"."""
        super().measure()
        self.write("profiles.yaml", PROFILED)
        explained = self.ngb("explain", "profiles.yaml", "--baseline", "left", "--candidate", "right", "-o", "profiles")
        self.assertEqual(explained.returncode, 0, explained.stderr)
        self.report("profiles", "-o", "why")

    def setUp(self):
        super().setUp()
        self.page = Page(self.browser)
        self.addCleanup(self.page.close)
        self.page.resize(1280, 900)

    def open(self, hash="", report="results/report", parts=True):
        """Opens the page, waits for its chart, and opens all its parts, which are closed."""
        self.page.open((self.folder / report / "index.html").as_uri() + hash)
        self.page.wait_for("document.getElementById('results') === null || document.querySelector('#chart svg text, #chart p') !== null")
        if parts:
            self.page.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            self.page.wait_for("document.getElementById('results') === null || document.querySelector('.matrix') !== null")

    def visible_cells(self):
        return self.page.run("[...document.querySelectorAll('tr[data-cell]')].filter(row => row.offsetParent).length")

    def press(self, dimension, option):
        self.page.run(f"document.querySelector('[data-dimension={dimension}] [data-option={json.dumps(option)}]').click()")

    def test_choices_are_in_the_link_and_the_back_button_undoes_them(self):
        self.open()
        self.assertEqual(self.visible_cells(), 12)
        self.press("batch", "2")
        self.page.wait_for("location.hash === '#?batch=1'")
        self.page.wait_for("document.querySelectorAll('.matrix tbody tr').length === 2")
        self.assertEqual(self.visible_cells(), 6)
        self.page.run("{const to = document.getElementById('choose-to'); to.value = 'best';"
                      " to.dispatchEvent(new Event('change'))}")
        self.page.wait_for("document.querySelector('.matrix caption').textContent.includes('best of the selection')")
        self.page.run("history.back()")
        self.page.wait_for("!document.querySelector('.matrix caption').textContent.includes('best')")
        self.page.run("history.back()")
        self.page.wait_for("location.hash === ''")
        self.page.wait_for("document.querySelectorAll('.matrix tbody tr').length === 4")
        self.assertEqual(self.visible_cells(), 12)
        self.assertEqual(self.page.complaints(), [])
        self.assertEqual(self.page.requests(), [])

    def test_each_measured_cell_says_what_to_type_to_use_its_number(self):
        self.open()
        self.assertEqual(self.page.run("document.querySelectorAll('tr[data-id] button.use').length"), 8)  # 4 of 12 have failed
        self.page.run("document.querySelector('tr[data-id] button.use').click()")
        lines = self.page.run("document.querySelector('dialog.use pre').textContent").splitlines()
        cells = {cell["cell_id"][:8] for cell in json.loads(self.ngb("show", "results", "--json").stdout)["cells"]}
        name, = [each for each in cells if each in lines[0]]
        self.assertEqual(lines, [f"ngb export RESULTS {name} --form snippet", f"ngb export RESULTS {name} -o program",
                                 "ngb export --verify program"])
        self.page.run("document.querySelector('dialog.use button:last-child').click()")
        self.page.wait_for("document.querySelector('dialog.use') === null")
        self.assertEqual(self.page.complaints(), [])

    def test_a_link_restores_its_choices_and_says_what_is_not_there(self):
        self.open("#?batch=2&metric=compile_s&to=best&compiler=none_of_these")
        status = self.page.run("document.getElementById('status').textContent")
        self.assertIn("do not have: compiler none_of_these", status)
        self.assertEqual(self.page.run("document.getElementById('choose-metric').value"), "compile_s")
        self.assertEqual(self.visible_cells(), 0)
        self.assertEqual(self.page.complaints(), [])

    def test_what_has_no_data_is_dim_and_what_failed_says_why(self):
        self.open()
        dim = "[...document.querySelectorAll('#choices button.empty')].map(button => button.dataset.option)"
        self.assertEqual([name.split()[0] for name in self.page.run(dim)], ["onnxruntime"])
        why = self.page.run("[...document.querySelectorAll('.matrix td.why')].map(cell => cell.textContent)")
        self.assertEqual(len(why), 4)
        self.assertTrue(all(each.startswith("failed: toolchain_missing") for each in why))

    def test_the_numbers_of_the_default_view_are_the_speed_ups_of_show(self):
        self.open()
        cells = json.loads(self.ngb("show", "results", "--json", "--compiler", "other").stdout)["cells"]
        self.assertEqual(len(cells), 4)
        texts = self.page.run("[...document.querySelectorAll('.matrix tbody tr')].map(row => row.textContent)")
        for cell, text in zip(cells, texts):
            speed_up = cell["metrics"]["speed_up_ratio"]["value"]
            self.assertIn(f"{speed_up:.2f}" if speed_up < 9.995 else f"{speed_up:.1f}", text)

    def test_a_ratio_to_any_compiler_is_that_of_compare(self):
        self.open()
        compared = self.ngb("compare", "results", "--by", "options", "--baseline", "made_up_ns=200000", "--candidate",
                            "made_up_ns=100000", "--json")
        expected = {f"{pair['model']} {pair['batch']}": pair["ratio"] for pair in json.loads(compared.stdout)["pairs"]}
        self.assertEqual(len(expected), 4)
        found = self.page.run("""(() => {
          const other = numbers.data.compilers.find((name) => name.startsWith("other"));
          const shown = (cell) => numbers.numberOf(cell, [], "throughput_per_s", `compiler:${other}`);
          return Object.fromEntries(numbers.cells.filter((cell) => cell.compiler.startsWith("null"))
            .map((cell) => [`${cell.model} ${cell.batch}`, shown(cell)]));
        })()""")
        self.assertEqual(found.keys(), expected.keys())
        for workload, ratio in expected.items():
            for part in ("value", "low", "high"):
                self.assertAlmostEqual(found[workload][part] / ratio[part], 1, delta=1e-6)

    def test_ranks_are_explained_where_there_are_any(self):
        self.open("#?metric=throughput_per_s&to=value")
        notes = "[...document.querySelectorAll('#matrix p')].map(note => note.textContent).join()"
        self.assertGreater(self.page.run("document.querySelectorAll('.matrix .rank').length"), 0)
        self.assertIn("its rank", self.page.run(notes))
        self.page.run("{const metric = document.getElementById('choose-metric'); metric.value = 'timed_peak_bytes';"
                      " metric.dispatchEvent(new Event('change'))}")
        self.page.wait_for("document.querySelectorAll('.matrix .rank').length === 0")
        self.assertEqual(self.page.run(notes), "No value here has an interval, so none has a rank.")

    def test_it_fits_a_narrow_screen_and_all_buttons_are_reached_by_keyboard(self):
        self.page.resize(390, 800)
        self.open()
        self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390)
        unreachable = "[...document.querySelectorAll('button, select, a, .wide')].filter(each => each.tabIndex < 0).length"
        self.assertEqual(self.page.run(unreachable), 0)

    def test_the_answers_table_and_the_chart_need_no_scrolling(self):
        for width in (1280, 800, 390):
            self.page.resize(width, 900)
            self.open(parts=False)
            for box in ("#answer .wide", "#chart"):
                beyond = self.page.run(f"{{const box = document.querySelector('{box}'); box.scrollWidth - box.clientWidth}}")
                self.assertLessEqual(beyond, 0, f"{box} at {width} pixels")

    def test_the_names_of_compilers_are_whole_in_the_answer_on_a_phone_and_on_paper(self):
        for width, medium in ((800, "screen"), (390, "screen"), (794, "print")):
            self.page.resize(width, 900)
            self.page.prefer("light", medium)
            self.open(parts=False)
            for name in ("onnxruntime 1.31.1", "aotinductor 2.15.0", "torchscript 2.15.0"):
                lines = self.page.run(f"""{{
                  const cell = document.querySelector("#answer td:nth-last-child(6)");
                  cell.textContent = "{name}";
                  const range = document.createRange();
                  range.setStart(cell.firstChild, 0);
                  range.setEnd(cell.firstChild, {name.index(" ")});
                  new Set([...range.getClientRects()].map((box) => box.top)).size
                }}""")
                self.assertEqual(lines, 1, f"{name}, {width} pixels, {medium}")
            box = "document.querySelector('#answer .wide')"
            self.assertLessEqual(self.page.run(f"{box}.scrollWidth - {box}.clientWidth"), 0, f"{width} pixels, {medium}")

    def test_the_page_is_used_by_keyboard(self):
        self.open(parts=False)
        self.page.press("Tab")
        self.assertEqual(self.page.run("document.activeElement.className"), "skip")
        self.page.press("Enter", "\r")
        self.page.wait_for("location.hash === '#results'")
        self.page.press("Tab")
        self.assertEqual(self.page.run("document.activeElement.id"), "chart")
        self.page.press("Tab")
        self.page.press(" ", " ")
        self.page.wait_for("document.getElementById('choose').open")
        self.page.press("Tab")
        self.assertEqual(self.page.run("document.activeElement.closest('fieldset').dataset.dimension"), "compiler")
        self.assertEqual(self.page.run("document.activeElement.getAttribute('aria-pressed')"), "true")
        self.page.press(" ", " ")
        self.page.wait_for("document.activeElement.getAttribute('aria-pressed') === 'false'")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        self.assertEqual(self.page.run(outline), "solid")
        # Every control comes in its turn.
        controls = self.page.run("[...document.querySelectorAll('a, button, select, summary, .wide')]"
                                 ".filter(each => each.checkVisibility() && !each.disabled).length")
        seen = "(document.activeElement.seen = true)"
        self.page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
        self.page.run("document.querySelector('.skip').focus()")
        for _ in range(controls + 20):  # a browser adds what scrolls
            self.page.run(seen)
            self.page.press("Tab")
        missed = self.page.run("[...document.querySelectorAll('a, button, select, summary, .wide')]"
                               ".filter(each => each.checkVisibility() && !each.disabled && !each.seen)"
                               ".map(each => each.textContent.slice(0, 40))")
        self.assertEqual(missed, [])

    def test_a_figure_is_saved_with_the_data_of_its_file(self):
        self.open()
        self.page.run("window.saved = {}; saving.save = (name, type, text) => { saved[name] = text; }")
        self.page.run("document.querySelectorAll('[data-name=throughput_by_batch] button').forEach(each => each.click())")
        saved = self.page.run("saved")
        self.page.wait_for("Object.keys(saved).length === 3")
        saved = self.page.run("saved")
        self.assertTrue(saved["throughput_by_batch.svg"].startswith("<svg "))
        figures = self.folder / "results/report/figures"
        whole = json.loads((figures / "throughput_by_batch.vl.json").read_text())
        rows = json.loads(saved["throughput_by_batch.vl.json"])["datasets"]["rows"]
        for row, expected in zip(rows, whole["datasets"]["rows"], strict=True):
            for column, value in expected.items():
                if isinstance(value, float) and value != 0:
                    self.assertAlmostEqual(row[column] / value, 1, places=6)
                else:
                    self.assertEqual(row[column], value)
        with (figures / "throughput_by_batch.csv").open(newline="") as file:
            expected = list(csv.DictReader(file))
        rows = list(csv.DictReader(io.StringIO(saved["throughput_by_batch.csv"], newline="")))
        self.assertEqual([(row["model"], row["compiler"], row["state"], row["reason"]) for row in rows],
                         [(row["model"], row["compiler"], row["state"], row["reason"]) for row in expected])
        self.assertEqual(self.page.complaints(), [])

    def test_every_figure_is_drawn_without_a_network_and_without_code_made_of_texts(self):
        self.open(parts=False)
        drawn = "[...document.querySelectorAll('figure[data-name]')].filter(each => each.querySelector('svg [role], svg path'))"
        self.assertEqual(self.page.run(f"{drawn}.length"), 0)
        self.assertGreater(self.page.run("document.querySelectorAll('#chart svg path').length"), 8)
        self.assertEqual(self.page.run("[...document.querySelectorAll('#chart svg text')].filter(each => "
                                       "each.textContent.startsWith('conv_block')).length"), 4)
        self.page.run("document.querySelector('#figures > details').open = true")
        names = self.page.run("[...document.querySelectorAll('figure[data-name]')].map(each => each.dataset.name)")
        self.assertEqual(sorted(names), sorted(path.name.split(".")[0] for path in
                                               (self.folder / "results/report/figures").glob("*.vl.json")))
        for name in names:
            self.page.run(f"document.querySelector('figure[data-name={name}]').scrollIntoView()")
            self.page.wait_for(f"document.querySelector('figure[data-name={name}] svg path') !== null")
        self.assertEqual(self.page.complaints(), [])
        self.assertEqual(self.page.requests(), [])

    def test_a_mark_says_what_it_stands_for(self):
        self.open(parts=False)
        self.page.run("document.getElementById('chart').scrollIntoView()")
        place = self.page.run("{const {x, y, width, height} = document.querySelector('#chart .mark-symbol.role-mark path')"
                              ".getBoundingClientRect(); [x + width / 2, y + height / 2]}")
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
        self.page.wait_for("/null.*conv_block.*: \\d/.test(document.querySelector('.tip:not([hidden])')?.textContent)")

    def test_figures_follow_the_readers_appearance_and_are_light_on_paper(self):
        inks = "getComputedStyle(document.querySelector('#chart svg text')).fill"
        for scheme, medium, expected, paper in (("light", "screen", "rgb(27, 31, 36)", "rgb(255, 255, 255)"),
                                                ("dark", "screen", "rgb(230, 233, 237)", "rgb(20, 23, 27)"),
                                                ("dark", "print", "rgb(27, 31, 36)", "rgb(255, 255, 255)")):
            self.page.prefer(scheme, medium)
            self.open(parts=False)
            self.assertEqual(self.page.run(inks), expected, f"{scheme}, {medium}")
            self.assertEqual(self.page.run("getComputedStyle(document.body).backgroundColor"), paper)

    def test_it_is_two_screens_until_a_part_is_opened_and_three_sheets_on_paper(self):
        self.open(parts=False)
        self.assertLessEqual(self.page.run("document.documentElement.scrollHeight"), 3000)
        self.assertLess((self.folder / "results/report/index.html").stat().st_size, 1_500_000)
        closed = self.page.run("[...document.querySelectorAll('section > details > summary')].filter(each => each.querySelector('h2'))"
                               ".map(each => each.textContent)")
        self.assertIn("All cells 12 cells", closed)
        self.assertTrue(all(any(letter.isdigit() for letter in each) for each in closed), closed)
        sheets = base64.b64decode(self.page.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
        self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", sheets)), 3)

    def test_a_comparison_has_a_page_with_the_verdicts(self):
        shutil.copytree(self.folder / "results", self.folder / "later")
        made = self.ngb("compare", "results", "later", "--page", "both.html")
        self.assertEqual((made.returncode, made.stderr), (0, "Page: both.html\n"))
        self.assertIn("Report: both/index.html (12 pairs, ", self.report("results", "later", "-o", "both"))
        self.assertEqual((self.folder / "both/index.html").read_bytes(), (self.folder / "both.html").read_bytes())
        self.page.open((self.folder / "both.html").as_uri())
        self.page.wait_for("document.querySelector('figure svg path') !== null")
        summary, verdicts = self.page.run("[document.querySelector('h2').textContent, [...document.querySelectorAll('#comparison > "
                                          ".wide tbody tr')].map(row => row.cells[1].textContent)]")
        self.assertIn(summary, made.stdout)
        self.assertEqual(len(verdicts), 12)
        self.assertEqual(sum(verdict.startswith("failed twice") for verdict in verdicts), 4, verdicts)
        self.page.resize(390, 900)
        self.page.open((self.folder / "both.html").as_uri())
        self.page.wait_for("document.querySelector('figure svg path') !== null")
        self.assertLessEqual(self.page.run("{const box = document.querySelector('.drawing'); box.scrollWidth - box.clientWidth}"), 0)
        self.assertEqual(self.page.complaints(), [])
        self.assertEqual(self.page.requests(), [])

    def test_a_link_opens_the_part_that_it_leads_to(self):
        self.open("#cells", parts=False)
        self.assertTrue(self.page.run("document.querySelector('#cells > details').open"))
        self.assertFalse(self.page.run("document.querySelector('#method > details').open"))

    def test_an_interval_does_not_set_the_axis(self):
        self.open(parts=False)
        domain = self.page.run("{const rows = [{value: 1, low: 1e-6, high: 1e6}, {value: 2}]; numbers.domainOf(rows, true)}")
        self.assertEqual(domain, [1 / 1.12, 2 * 1.12])

    def test_a_model_without_a_group_has_no_button(self):
        self.open()
        self.assertEqual(self.page.run("[...document.querySelectorAll('button')].filter(each => each.textContent === '').length"), 0)

    def violations(self):
        """Returns what axe finds wrong with the page."""
        levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
        ask = ("axe.run(document, {runOnly: {type: 'tag', values: %s}}).then(({violations, passes}) => ({passes: "
               "passes.length, violations: violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) => "
               "`${id}: ${target}: ${failureSummary}`))}))" % json.dumps(levels))
        self.page.run(find_axe().read_text() + "; 1")
        found = self.page.run(ask)
        self.assertGreater(found["passes"], 10)
        return found["violations"]

    @unittest.skipUnless(find_axe(), "no axe-core on this machine: scripts/setup tests fetches it")
    def test_axe_finds_no_violation(self):
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                self.page.resize(width, 900)
                self.page.prefer(scheme)
                self.open()
                if (width, scheme) != (1280, "light"):
                    self.page.run(WITHOUT_ALIKE_ROWS)
                self.assertEqual(self.violations(), [], f"{width} pixels, {scheme}")

    @unittest.skipUnless(find_axe(), "no axe-core on this machine: scripts/setup tests fetches it")
    def test_axe_finds_no_violation_in_profiles_in_two_results_and_in_models_without_a_group(self):
        shutil.copytree(self.folder / "results", self.folder / "later")
        self.report("results", "later", "-o", "both")
        with sqlite3.connect(self.folder / "later" / "results.db") as database:
            database.execute("UPDATE model SET family = '', model_group = NULL")
        self.report("later", "-o", "groupless")
        for report in ("why", "both", "groupless"):
            for width in (1280, 390):
                self.page.resize(width, 900)
                self.open(report=report)
                self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), width, report)
                self.assertEqual(self.violations(), [], f"{report}, {width} pixels")
                self.assertEqual(self.page.complaints(), [])

    def test_a_page_of_profiles_begins_with_why(self):
        self.open(report="why", parts=False)
        self.page.wait_for("document.querySelector('#why figure svg path') !== null")
        first = self.page.run("[...document.querySelector('main').firstElementChild.children].slice(0, 3).map(each => each.tagName)")
        self.assertEqual(first, ["H2", "P", "FIGURE"])

    def test_a_large_part_is_unpacked_when_it_is_opened(self):
        page = self.folder / "results/report/index.html"
        begin, end = "<section id=\"cells\"", "</details></section>"
        before, rest = page.read_text().split(begin)
        heading, cells = rest.split("</summary>\n", 1)
        cells, after = cells.split(end, 1)
        packed = base64.b64encode(zlib.compress(cells.encode())).decode()
        page.write_text(f'{before}{begin}{heading}</summary>\n<script type="text/plain" class="packed">{packed}</script>{end}{after}')
        self.open("#?batch=1", parts=False)
        self.assertEqual(self.page.run("document.querySelectorAll('tr[data-cell]').length"), 0)
        self.page.run("document.querySelector('#cells > details').open = true")
        self.page.wait_for("document.querySelectorAll('tr[data-cell]').length === 12")
        self.assertEqual(self.visible_cells(), 6)
        self.press("compiler", self.page.run("numbers.data.compilers[0]"))
        self.page.wait_for("location.hash.includes('compiler')")
        self.page.wait_for("[...document.querySelectorAll('tr[data-cell]')].filter(row => row.offsetParent).length === 4")
        self.assertEqual(self.page.complaints(), [])

    def test_results_without_numbers_have_a_page_that_works(self):
        self.report("results", "--compiler", "onnxruntime")
        self.open()
        self.assertEqual(self.visible_cells(), 4)
        self.assertEqual(self.page.run("document.querySelectorAll('#chart path').length > 0"), True)  # crosses
        self.assertEqual(self.page.complaints(), [])

    def test_hostile_names_run_nothing(self):
        self.rename(HOSTILE, HOSTILE)
        self.report("results")
        self.open()
        self.assertIsNone(self.page.run("window.hacked"))
        self.assertIn(HOSTILE.replace("\u202e", "\\u202e"),
                      self.page.run("document.querySelector('.matrix').textContent"))
        self.assertEqual(self.page.complaints(), [])


if __name__ == "__main__":
    unittest.main()
