# SPDX-License-Identifier: Apache-2.0
"""ngb report: the text of the page, and the tables, without a browser."""

import csv
import html
import io
import json
import os
import re
import shutil
import sqlite3
import unittest

from ngb_program import NULL_STUDY, TOOLCHAINS
from report_case import HOSTILE, Reader, ReportTest, cells_in, unrolled


class Text(ReportTest):
    def test_a_run_ends_with_the_page_and_its_path(self):
        page = self.folder / "results/report/index.html"
        self.assertIn(f"Report: {self.measured.folder / 'results/report/index.html'}\n", self.measured.ran.stdout)
        text = page.read_text()
        self.assertLess(len(text), 1_500_000)
        self.report("results")
        self.assertEqual(page.read_text(), text)  # the same results give the same page
        self.assertNotIn("Report:", self.ngb("run", "study.yaml", "-o", "results", "--no-report").stdout)

    def test_its_tables_have_the_numbers_of_show_without_javascript(self):
        read = Reader((self.folder / "results/report/index.html").read_text())
        rows = [re.sub(r"\s+", " ", row) for row in read.rows]
        shown = self.ngb("show", "results", "--format", "markdown").stdout.splitlines()[2:]
        self.assertEqual(len(shown), 12)
        for line in shown:
            fields = [field.strip() for field in line.strip("|").split(" | ")]
            numbers = [field for field in fields[6:-1] if field not in ("–", "")]
            if "toolchain\\_missing" in line or "toolchain_missing" in line:
                continue
            self.assertTrue(any(all(number in row for number in numbers) for row in rows), numbers)
        failed = [row for row in rows if row.strip().startswith("onnxruntime") and "failed: toolchain_missing in" in row]
        self.assertEqual(len(failed), 4)

    def test_its_data_have_the_numbers_of_show(self):
        read = Reader((self.folder / "results/report/index.html").read_text())
        data = json.loads(read.data)
        cells = json.loads(self.ngb("show", "results", "--json").stdout)["cells"]
        columns = {name: unrolled(column) for name, column in data["cells"].items()}
        self.assertEqual([data["statuses"][status] for status in columns["status"]], [cell["status"] for cell in cells])
        self.assertEqual([set(data["flag_sets"][flags]) for flags in columns["flags"]], [set(cell["flags"]) for cell in cells])
        for metric, column in zip(data["metrics"], data["values"], strict=True):
            numbers = iter(column["numbers"])
            for says, cell in zip(unrolled(column["says"]), cells, strict=True):
                expected = cell["metrics"].get(metric["name"], {})
                if says < 0:
                    self.assertIsNone(expected.get("value"))
                    continue
                names = ("value", "low", "high")[:data["forms"][says][0]]
                self.assertEqual(expected.get("low") is not None, len(names) == 3)
                for name in names:
                    number = next(numbers)
                    self.assertAlmostEqual(number / expected[name] if expected[name] else number, 1 if expected[name] else 0, places=6)
            self.assertEqual(list(numbers), [])

    def test_each_figure_has_its_title_its_reading_and_its_data_as_a_table(self):
        text = (self.folder / "results/report/index.html").read_text()
        files = sorted((self.folder / "results/report/figures").glob("*.csv"))
        self.assertTrue(files)
        self.assertEqual(sorted(re.findall(r'<figure data-name="(\w+)">', text)),
                         [file.stem for file in files])
        self.assertIn("<h3>Throughput by batch size</h3><p>Lines are 95 % intervals.", text)
        self.assertRegex(text, r"<p>Without data: .*tcr_by_model \(the study gives no model raw_bytes and encoded_bytes\)")
        with (self.folder / "results/report/figures/throughput_by_batch.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        table = text[text.index('data-name="throughput_by_batch"'):]
        for row in rows:
            speed = f"{float(row['throughput_per_s']):.7g}" if row["throughput_per_s"] else ""
            self.assertIn(f"<td>{row['compiler']}</td><td class=\"n\">{speed}</td>", table)

    def test_the_page_is_the_same_with_the_program_that_draws_images_and_without_it(self):
        page = self.folder / "results/report/index.html"
        text = page.read_text()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.report("results")
        self.assertEqual(page.read_text(), text)

    def test_it_refers_to_nothing_outside(self):
        text = (self.folder / "results/report/index.html").read_text()
        read = Reader(text)
        for name, value in read.attributes:
            if name in ("src", "href"):
                self.assertTrue(value.startswith("#"), value)
        self.assertFalse({"link", "iframe", "base", "object"} & set(read.tags))
        self.assertIn("default-src 'none'", text)

    def test_a_folder_that_is_not_a_report_is_refused(self):
        other = self.folder / "documents"
        other.mkdir()
        (other / "index.html").write_text("mine")
        refused = self.ngb("report", "results", "-o", "documents")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("documents: the folder contains something and is not a report of ngb; name another folder with -o",
                      refused.stderr)
        self.assertEqual((other / "index.html").read_text(), "mine")
        self.assertEqual(sorted(each.name for each in other.iterdir()), ["index.html"])

    def test_what_is_asked_for_must_exist(self):
        self.assertIn("there are no results here", self.ngb("report", "nothing").stderr)
        for arguments, words in ((("results", "--compiler", "nul"), "did you mean null?"),
                                 (("results", "--baseline", "onnx"), "onnx"),
                                 (("results", "results"), "name it with -o")):
            refused = self.ngb("report", *arguments)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(words, refused.stderr)

    def test_two_folders_with_one_device_name_are_told_apart(self):
        os.rename(self.folder / "results", self.folder / "first")
        again = self.ngb("run", "study.yaml", "-o", "second")
        self.assertEqual(again.returncode, 1, again.stderr)
        self.report("first", "second", "-o", "both", "--compiler", "null", "--as", "first:local=monday",
                    "--as", "second:local=friday")
        data = json.loads(Reader((self.folder / "both/index.html").read_text()).data)
        self.assertEqual(data["devices"], ["monday", "friday"])
        self.assertEqual(cells_in(data), 16)
        self.report("first", "second", "-o", "joined", "--compiler", "null", "--join")
        data = json.loads(Reader((self.folder / "joined/index.html").read_text()).data)
        self.assertEqual(data["devices"], ["local"])  # one machine: its cells have the processes of both folders
        self.assertEqual(cells_in(data), 8)
        wrong = self.ngb("report", "first", "second", "-o", "wrong", "--as", "first:loca=monday")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("expected one of: local", wrong.stderr)

    def test_two_machines_of_one_name_are_refused_with_what_to_type(self):
        os.rename(self.folder / "results", self.folder / "first")
        shutil.copytree(self.folder / "first", self.folder / "second")
        with sqlite3.connect(self.folder / "second" / "results.db") as database:
            database.execute("UPDATE run SET run_id = 'another'")
            database.execute("UPDATE environment_entry SET value = 'Another CPU' WHERE name = 'cpu_model'")
        refused = self.ngb("report", "first", "second", "-o", "both", "--join")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("local is not the same machine in both", refused.stderr)
        self.assertIn("--as second:local=NAME", refused.stderr)
        self.assertFalse((self.folder / "both").exists())

    def test_findings_and_the_numbers_that_span_cells_are_those_of_show(self):
        read = Reader((self.folder / "results/report/index.html").read_text())
        rows = [re.sub(r"\s+", " ", row).strip() for row in read.rows]
        text = (self.folder / "results/report/index.html").read_text()
        shown = self.ngb("show", "results", "--json").stdout
        findings = json.loads(shown)["conclusions"]["findings"]
        self.assertTrue(findings)
        for finding in findings:
            self.assertIn("<li>" + html.escape(finding["sentence"], quote=True).replace("&#x27;", "&#39;"), text)
        answer, results = text.index('<section id="answer"'), text.index('<section id="results"')
        doubts, further = text.index('<section id="doubts"'), text.index('<section id="findings"')
        failures = text.index("has no result on 4 of 4 workloads")  # the doubts have its reasons
        self.assertTrue(answer < results < doubts < further < failures)
        for sentence in json.loads(shown)["conclusions"]["answer"]["sentences"]:
            self.assertIn("<li>" + html.escape(sentence, quote=True).replace("&#x27;", "&#39;"), text[answer:results])
        series = self.ngb("show", "results", "--series", "--all").stdout
        values = [line.split() for line in series.splitlines() if line.startswith("  conv_block")]
        self.assertTrue(values)
        for fields in values:
            self.assertTrue(any(row.split() == fields for row in rows), fields)
        self.assertNotIn("Compiling gains most at small batch sizes.", text)  # which the paper claims

    def test_results_without_a_baseline_have_a_page(self):
        self.write("alone.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "alone.yaml", "-o", "alone").returncode, 0)
        text = (self.folder / "alone/report/index.html").read_text()
        data = json.loads(Reader(text).data)
        self.assertEqual(unrolled(data["cells"]["baseline"]), [-1] * 4)

    def test_a_single_cell_has_a_page(self):
        model = json.loads(self.ngb("show", "results", "--json").stdout)["cells"][0]["model"]
        self.report("results", "-o", "one", "--model", model, "--batch", "1", "--compiler", "other")
        read = Reader((self.folder / "one/index.html").read_text())
        self.assertEqual(cells_in(json.loads(read.data)), 1)

    def test_results_of_which_every_cell_failed_have_a_page_with_the_reasons(self):
        made = self.report("results", "-o", "failed", "--compiler", "onnxruntime")
        self.assertIn("throughput_by_batch", made)
        text = (self.folder / "failed/index.html").read_text()
        self.assertIn("4 cells: 0 measured, 4 failed.", text)
        self.assertEqual(text.count('<tr data-cell='), 4)
        self.assertIn("failed: toolchain_missing in", text)
        self.assertNotIn("<figure", text)

    def test_a_file_in_the_place_of_the_report_is_refused(self):
        self.write("report.html", "mine")
        refused = self.ngb("report", "results", "-o", "report.html")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("report.html: a file has the report's name; name another folder with -o", refused.stderr)
        self.assertEqual((self.folder / "report.html").read_text(), "mine")

    def test_hostile_names_are_text(self):
        self.rename(HOSTILE, HOSTILE)
        self.report("results")
        text = (self.folder / "results/report/index.html").read_text()
        read = Reader(text)
        self.assertNotIn("img", read.tags)
        self.assertEqual(read.tags.count("script") - text.count('class="packed"'), 5)
        self.assertNotIn("\u202e", text)
        names = json.loads(read.data)
        self.assertIn(HOSTILE.replace("\u202e", "\\u202e"), names["models"])
        self.assertIn(f"<td>{html.escape(HOSTILE).replace('&#x27;', '&#39;')}</td>".replace("\u202e", "\\u202e"), text)


class Tables(ReportTest):
    def table(self, name):
        return (self.folder / "results/report/tables" / name).read_bytes().decode()

    def test_tables_are_written_in_every_format_and_missing_ones_named(self):
        said = self.report("results", "--tables", "csv", "--tables", "latex")
        self.assertIn("Tables: 6 in results/report/tables\n", said)
        for name in ("table4_models", "table8_mha_depth"):
            self.assertRegex(said, rf"Not written: {name}: these results have \S")
        names = {path.name for path in (self.folder / "results/report/tables").iterdir()}
        tables = ("table1_devices", "table2_compilers", "table3_compile_seconds", "table5_blocks", "table6_families",
                  "table7_conv_depth")
        self.assertEqual(names, {name + ending for name in tables for ending in (".csv", ".tex")})
        self.report("results", "--tables", "csv")
        self.assertEqual({path.suffix for path in (self.folder / "results/report/tables").iterdir()}, {".csv"})

    def test_a_table_has_the_numbers_of_show(self):
        self.report("results", "--tables", "csv")
        rows = list(csv.DictReader(io.StringIO(self.table("table6_families.csv"), newline=""), strict=True))
        series = json.loads(self.ngb("show", "results", "--json").stdout)["series"]["values"]
        for quantity, column in (("model_group_throughput_per_s", "throughput_b2_per_s"),
                                 ("model_group_cpu_std_percent", "cpu_std_b2_percent")):
            values = [each["value"] for each in series if each["series"] == quantity and each["batch_sizes"] == "2"]
            self.assertEqual([float(row[column]) if row[column] else None for row in rows], values)
        self.assertIn("toolchain_missing", rows[-1]["notes"])

    def test_the_papers_rows_stand_beside_ones_own(self):
        self.report("results", "--tables", "csv", "--paper")
        rows = list(csv.DictReader(io.StringIO(self.table("table6_families.csv"), newline=""), strict=True))
        self.assertEqual(sum(row["origin"] == "published" for row in rows), 40)
        self.report("results", "--tables", "csv", "--device", "paper: Orin", "--device", "local")
        rows = list(csv.DictReader(io.StringIO(self.table("table6_families.csv"), newline=""), strict=True))
        self.assertEqual({row["device"] for row in rows}, {"local", "paper: Orin"})
        self.report("results", "--paper")  # in figures only

    def test_what_tables_cannot_do_is_refused_by_name(self):
        for arguments, words in ((("--tables", "cvs"), "did you mean csv?"),
                                 (("--tables", "csv", "--device", "paper: xeon"), "expected one of: paper: Xeon")):
            refused = self.ngb("report", "results", *arguments)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(words, refused.stderr)

    def test_hostile_names_do_no_harm_in_any_format(self):
        self.rename("=cmd()|%_&\\</script>\u202e", "=cmd()|%_&\\</script>\u202e")
        self.report("results", "--tables", "csv", "--tables", "latex")
        for name, text in (("table2_compilers.csv", "'=cmd()|%_&\\</script>\\u202e"),
                           ("table2_compilers.tex", "=cmd()\\textbar{}\\%\\_\\&\\textbackslash{}\\textless{}/script")):
            self.assertIn(text, self.table(name))
            self.assertNotIn("\u202e", self.table(name))


if __name__ == "__main__":
    unittest.main()
