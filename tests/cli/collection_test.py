# SPDX-License-Identifier: Apache-2.0
"""ngb collection, over bundles of made-up machines whose truth is known: what is shown, what is refused, what counts once."""

import html.parser
import os
import pathlib
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import unittest

from bundle_test import forged, unpacked
from ngb_program import BIN, NgbTest

TESTS = pathlib.Path(__file__).resolve().parents[1]
GUIDE = (TESTS.parent / "docs/collection.md").read_text("utf-8")
sys.path += [str(TESTS / "truth"), str(TESTS / "oracle")]
from made_up import Process, Setting  # noqa: E402
from made_up_results import study  # noqa: E402

CELLS = "data/cells.csv"


class Rows(html.parser.HTMLParser):
    """The rows of one table of a page: the texts of each row's fields, and the links in them."""

    def __init__(self, page, table):
        super().__init__()
        self.wanted, self.inside, self.rows, self.links = table, False, [], []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self.inside = given.get("id") == self.wanted
        if not self.inside:
            return
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "a":
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "table"

    def handle_data(self, text):
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += text

    def __iter__(self):
        return ([" ".join(field.split()) for field in row] for row in self.rows)


class Collection(NgbTest):
    maxDiff = None

    def bundle(self, name, cpu="EPYC", times=None, model="net", versions=("1.0",), seed=0, **named):
        """Makes a bundle of a machine. `times` has the milliseconds of an inference of each compiler."""
        times = times or {"identity": 20, "onnxruntime": 10}
        results = self.folder / f"results-{name}"

        def process(setting, of_model, number):
            time = (times[setting.compiler] + len(setting.version) / 100) * (1 + (number - 1) / 1000) * (1 + seed / 1e6)
            return Process([time + repetition / 1e5 for repetition in range(8)], environment=cpu)

        settings = [Setting("identity", "identity", "2.0")]
        settings += [Setting("onnxruntime", f"onnxruntime {each}", each) for each in versions]
        study(results, settings, [model], 3, process)
        with sqlite3.connect(results / "results.db") as database:
            database.execute("UPDATE run SET run_id = ?", (f"{abs(hash(name)) % 10**16:016}",))
            database.execute("UPDATE environment_entry SET name = 'cpu_model' WHERE name = 'kernel'")
        database.close()
        return self.bundled(results, name, **named)

    def bundled(self, results, name, author="Ada Lovelace"):
        (self.folder / "bundles").mkdir(exist_ok=True)
        zipped = self.folder / "bundles" / f"{name}.zip"
        made = self.ngb("bundle", results, "-o", zipped, "--licence", "CC-BY-4.0", "--author", author)
        self.assertEqual(made.returncode, 0, made.stderr)
        return zipped

    def collection(self, code=0, folder="bundles"):
        told = self.ngb("collection", folder, "-o", "site")
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told

    def rows(self, table="numbers"):
        return [*Rows(self.folder / "site/index.html", table)]

    def test_shows_each_machine_with_speed_up_and_time_and_links_each_number_to_the_rule(self):
        self.bundle("amd", "EPYC", {"identity": 20, "onnxruntime": 10})
        self.bundle("arm", "Neoverse", {"identity": 30, "onnxruntime": 60}, author="<b>Grace</b>", seed=1)
        told = self.collection()
        self.assertRegex(told.stdout, r"^2 of 2 bundles verify: 4 cells\nSite: site/index.html \([\d.]+ kB of pages\)\n$")
        head, amd, of_amd, arm, of_arm = self.rows()
        self.assertEqual(head, ["workload", "PyTorch eager (identity)", "onnxruntime"])
        self.assertEqual((amd[0].split(",")[0], arm[0].split(",")[0]), ("EPYC", "Neoverse"))
        self.assertEqual(of_amd[0], "net batch 1, 2 threads")
        self.assertRegex(of_amd[1], r"^1.00 20 ms 2.0")
        self.assertRegex(of_amd[2], r"^2.00 \[\S+, \S+\] 10 ms 1.0")
        self.assertRegex(of_arm[2], r"^0.50 \[\S+, \S+\] 60 ms 1.0")
        self.assertEqual([row[1:] for row in self.rows("fastest")[1:]], [["0 of 1", "1 of 1"], ["1 of 1", "0 of 1"]])
        self.assertNotIn("<b>Grace", (self.folder / "site/index.html").read_text())
        for link in Rows(self.folder / "site/index.html", "numbers").links:
            path, cell = link.split("#")
            page = (self.folder / "site" / path).read_text()
            self.assertRegex(page, rf'<tr id="{cell}">.*<a href="#rule-derived">derived</a>')
            self.assertIn('<tr id="rule-derived"><th scope="row">derived<td>holds', page)
            self.assertEqual(self.ngb("verify", f"site/{path.replace('.html', '.zip')}").returncode, 0)
            self.assertTrue((self.folder / "site" / path).with_suffix(".zip").stat().st_mode & stat.S_IROTH)

    def test_refuses_the_one_of_ten_that_is_forged_and_shows_the_others(self):
        made = [self.bundle(f"machine{i}", f"cpu {i}", seed=i) for i in range(10)]
        files = unpacked(made[4].read_bytes())
        changed = re.sub(rb",2\.0,", b",3.0,", files[CELLS], count=1)
        self.assertNotEqual(changed, files[CELLS])
        made[4].write_bytes(forged(files, {CELLS: changed}))
        told = self.collection(code=7)
        self.assertTrue(told.stdout.startswith("9 of 10 bundles verify: 18 cells\n"), told.stdout)
        self.assertRegex(told.stderr, r"^ngb: machine4.zip: refused: rule tables: data/cells.csv: ")
        page = (self.folder / "site/index.html").read_text()
        self.assertIn("1 bundle refused", page)
        self.assertIn("<td>machine4.zip</td><td>rule tables: data/cells.csv", page)
        self.assertNotIn("cpu 4", page)
        self.assertEqual(len([*(self.folder / "site/bundles").iterdir()]), 18)
        # A bundle that is damaged has the code of damage; a worse one beside it counts.
        made[3].write_bytes(made[3].read_bytes()[:-30])
        self.assertIn("machine3.zip: refused: rule archive: ", self.collection(code=7).stderr)
        made[4].unlink()
        self.collection(code=6)
        self.assertEqual(len([*(self.folder / "site/bundles").iterdir()]), 16)  # what an earlier site had is gone

    def test_counts_copies_once_by_their_samples_and_not_by_their_zip_file(self):
        first = self.bundle("first")
        shutil.copy(first, self.folder / "bundles/second.zip")
        self.bundled(self.folder / "results-first", "third", author="Somebody Else")
        self.bundle("other", "Neoverse", seed=1)
        merged = self.ngb("merge", "results-first", "results-other", "-o", "both", "--as", "results-other:xeon=arm")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.bundled(self.folder / "both", "both")
        told = self.collection()
        self.assertEqual(told.stdout.splitlines()[:-1], [
            "4 of 4 bundles verify: 4 cells",
            "  second.zip is first.zip, byte for byte: counted once",
            "  first.zip: all its measurements are in both.zip: counted once",
            "  other.zip: all its measurements are in both.zip: counted once",
            "  third.zip: all its measurements are in both.zip: counted once"])
        self.assertEqual(len([row for row in self.rows() if len(row) > 1]), 3)

    def test_shows_versions_as_a_family_the_newest_first(self):
        self.bundle("versions", versions=("1.9", "1.10"))
        self.collection()
        self.assertRegex(self.rows()[2][2], r"ms 1\.10.*ms 1\.9$")
        self.assertEqual((self.folder / "site/index.html").read_text().count(' older"'), 1)

    def test_tells_models_of_one_name_and_unlike_content_apart(self):
        self.bundle("one")
        other = self.folder / "results-two"
        shutil.copytree(self.folder / "results-one", other)
        with sqlite3.connect(other / "results.db") as database:
            database.execute("UPDATE model SET model_hash = ?", ("ab" * 32,))
            database.execute("UPDATE repetition SET wall_ns = wall_ns + 1")
            database.execute("UPDATE run SET run_id = '00000000000000ab'")
        database.close()
        self.bundled(other, "two")
        self.collection()
        names = [row[0] for row in self.rows() if len(row) > 1][1:]
        self.assertEqual(sorted(name[:5] for name in names), ["net (", "net ("])
        self.assertIn("net (ababab) batch 1, 2 threads", names)

    def test_leaves_other_files_alone_and_refuses_what_is_no_bundle(self):
        self.bundle("below").rename(self.folder / "bundles/below.zip")
        (self.folder / "bundles/deeper").mkdir()
        (self.folder / "bundles/below.zip").rename(self.folder / "bundles/deeper/below.zip")
        self.write("bundles/README.txt", "text")
        self.write("bundles/notes.zip", "no zip file")
        told = self.collection(code=6)
        self.assertIn("  1 file of other kinds left alone\n", told.stdout)
        self.assertIn("notes.zip: refused: rule archive", told.stderr)
        self.assertIn("deeper/below.zip", (self.folder / "site/index.html").read_text())

    def test_refuses_results_of_a_newer_version_of_ngb(self):
        made = self.bundle("newer")
        files = unpacked(made.read_bytes())
        self.write("changed.db", "").write_bytes(files["results/results.db"])
        with sqlite3.connect(self.folder / "changed.db") as database:
            database.execute("PRAGMA user_version = 9999")
        database.close()
        made.write_bytes(forged(files, {"results/results.db": (self.folder / "changed.db").read_bytes()}))
        told = self.collection(code=3)
        self.assertIn("newer.zip: refused: a newer version of ngb has written results.db", told.stderr)
        self.assertTrue(told.stdout.startswith("0 of 1 bundles verify: 0 cells\n"), told.stdout)

    def test_says_what_is_missing_and_writes_into_no_folder_of_others(self):
        (self.folder / "bundles").mkdir()
        self.assertEqual(self.collection(code=3).stderr,
                         "ngb: bundles: there is no bundle in this folder; write one with `ngb bundle RESULTS -o NAME.zip` "
                         "and put it there\n")
        self.assertIn("ngb: missing: cannot read the folder", self.collection(code=3, folder="missing").stderr)
        self.bundle("one")
        (self.folder / "site").mkdir()
        self.write("site/mine.txt", "mine")
        self.assertIn("the folder contains something and is no site of ngb", self.collection(code=3).stderr)
        self.assertEqual([path.name for path in (self.folder / "site").iterdir()], ["mine.txt"])

    def test_the_three_commands_of_the_guide_make_a_bundle_that_a_collection_shows(self):
        commands = re.search(r"```sh\n(ngb run .*?)```", GUIDE, re.DOTALL)[1]
        self.assertIn(commands, (TESTS.parent / "src/collection/add_yours.html").read_text().replace("</pre>", "\n"))
        small = commands.replace("studies/quickstart.yaml", "small.yaml")
        self.write("small.yaml", "name: small\nmodels: [{zoo: {mlp: {}}}]\ncompilers: ['null']\nreference: none\nprocesses: 2\n"
                                 "repetitions: 3\ndisturbance: {max_wait_percent: 100}\n")
        shell = subprocess.run(["bash", "-euc", small], cwd=self.folder, capture_output=True, text=True, timeout=1500,
                               env=self.environment | {"PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual(shell.returncode, 0, shell.stdout + shell.stderr)
        (self.folder / "bundles").mkdir()
        (self.folder / "mine.zip").rename(self.folder / "bundles/mine.zip")
        self.assertTrue(self.collection().stdout.startswith("1 of 1 bundles verify: 1 cells\n"))


if __name__ == "__main__":
    unittest.main()
