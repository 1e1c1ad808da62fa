# SPDX-License-Identifier: Apache-2.0
"""ngb report --tables parquet: the tables as pyarrow and pandas read them, beside the same tables in the other formats."""

import csv
import json
import pathlib
import sqlite3
import subprocess
import sys
import unittest

from ngb_program import NULL_STUDY, TOOLCHAINS, MeasuredTest, without_toolchains

# A second setting of the null compiler, and a compiler without a toolchain, whose cells fail.
STUDY = NULL_STUDY.replace(
    '  - "null"\n', '  - "null": {options: {made_up_ns: 100000}}\n  - "null": {label: other, options: {made_up_ns: 200000}}\n  - onnxruntime\n', 1
).replace("seed: 7\n", 'seed: 7\nbaseline: "null"\n').replace("processes: 3", "processes: 2")

# Where scripts/setup tests installs pandas.
PANDAS_PYTHON = pathlib.Path(__file__).resolve().parents[2] / "build/dependencies/python/bin/python"

# Prints, as JSON, the columns, types, metadata and rows of each Parquet file that is named.
READ_WITH_PYARROW = """
import json, sys
import pyarrow.parquet
files = []
for path in sys.argv[1:]:
    table = pyarrow.parquet.read_table(path)
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    files.append({"types": {field.name: str(field.type) for field in table.schema}, "metadata": metadata,
                  "rows": table.to_pylist()})
print(json.dumps(files))
"""

# Compares NAME.parquet with NAME.csv in the folder that is named; prints how many tables and cells are equal.
COMPARE_WITH_PANDAS = """
import pathlib, sys
import pandas
tables = cells = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    parquet = pandas.read_parquet(path)
    # CSV has no types: they are given, and only an empty field is missing. Numbers are read exactly.
    types = {name: "string" if parquet[name].dtype.kind not in "if" else "float64" for name in parquet}
    text = pandas.read_csv(path.with_suffix(".csv"), dtype=types, keep_default_na=False, na_values=[""],
                           float_precision="round_trip")
    pandas.testing.assert_frame_equal(parquet.astype(types), text, check_exact=True)
    tables += 1
    cells += parquet.size
print(tables, cells)
"""


class Parquet(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        self.assertEqual(self.ngb("run", "study.yaml", "-o", "results", "--no-report").returncode, 1)
        if not without_toolchains("parquet"):
            # That of the figures is left out, or each report would draw them.
            (self.folder / "with-parquet").mkdir()
            (self.folder / "with-parquet/parquet").symlink_to(TOOLCHAINS / "parquet")
            self.report("--tables", "parquet", "--tables", "csv", "--paper", "-o", "paper")

    def setUp(self):
        super().setUp()
        self.tables = self.folder / "results/report/tables"
        self.paper = self.folder / "paper/tables"

    def report(self, *arguments):
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "with-parquet")
        made = self.ngb("report", "results", *arguments)
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    def read(self, tables):
        """Returns what pyarrow reads in a folder, by the name of the table."""
        site, = (TOOLCHAINS / "parquet").glob("*/site")
        paths = sorted(tables.glob("*.parquet"))
        done = subprocess.run([sys.executable, "-c", READ_WITH_PYARROW, *paths], capture_output=True, text=True,
                              env=self.environment | {"PYTHONPATH": str(site)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.stem: table for path, table in zip(paths, json.loads(done.stdout))}

    def test_without_pyarrow_the_error_says_how_to_get_it(self):
        refused = self.ngb("report", "results", "--tables", "csv", "--tables", "parquet")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn("tables as Parquet need pyarrow, which is not installed", refused.stderr)
        self.assertIn("type: ngb toolchain install parquet", refused.stderr)
        self.assertFalse((self.folder / "results/report").exists(), "nothing is written, not even the other format")

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    def test_each_field_is_that_of_the_csv(self):
        tables = self.read(self.paper)
        self.assertEqual(set(tables), {path.stem for path in self.paper.glob("*.csv")})
        self.assertIn("table6_families", tables)
        missing = 0
        for name, table in tables.items():
            with (self.paper / f"{name}.csv").open(newline="") as file:
                reader = csv.DictReader(file, strict=True)
                rows = list(reader)
            self.assertEqual(list(table["types"]), reader.fieldnames)
            self.assertEqual(len(table["rows"]), len(rows))
            for values, fields in zip(table["rows"], rows):
                for column, field in fields.items():
                    kind = {"string": str, "int64": int, "double": float}[table["types"][column]]
                    self.assertEqual(values[column], kind(field) if field else None, (name, column))
                    missing += field == "" and column != "notes"
        self.assertGreater(missing, 10, "values that do not exist are nulls")
        notes = [row["notes"] or "" for row in tables["table6_families"]["rows"] if row["device"] == "local"]
        self.assertTrue(any("toolchain_missing" in note for note in notes), "and say why")

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    def test_columns_have_types_and_the_file_its_title_and_version(self):
        tables = self.read(self.paper)
        self.assertEqual({name: kind for name, kind in tables["table5_blocks"]["types"].items()},
                         {"block": "string", "width": "int64", "parameters": "int64", "origin": "string", "notes": "string"})
        self.assertEqual(tables["table6_families"]["types"]["throughput_b1_per_s"], "double")
        version = self.ngb("--version").stdout.strip()
        for table in tables.values():
            self.assertIn(table["metadata"]["ngb_version"], version)
            self.assertNotEqual(table["metadata"]["title"], "")
            self.assertIsInstance(json.loads(table["metadata"]["remarks"]), list)

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    @unittest.skipUnless(PANDAS_PYTHON.exists(), "no Python with pandas: scripts/setup tests")
    def test_pandas_reads_the_numbers_of_the_csv(self):
        site, = (TOOLCHAINS / "parquet").glob("*/site")
        done = subprocess.run([PANDAS_PYTHON, "-c", COMPARE_WITH_PANDAS, self.paper], capture_output=True, text=True,
                              env=self.environment | {"PYTHONPATH": str(site)})
        self.assertEqual(done.returncode, 0, done.stderr)
        tables, cells = map(int, done.stdout.split())
        self.assertEqual(tables, len(list(self.paper.glob("*.csv"))))
        self.assertGreater(cells, 1000)

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    def test_hostile_names_are_as_they_are(self):
        hostile = "=cmd()|'%_&\\</script>\"\t\n\u202e\u05d0\U0001f600, 1"
        with sqlite3.connect(self.folder / "results/results.db") as database:
            database.execute("UPDATE cell SET compiler_label = ? WHERE compiler_label = 'other'", (hostile,))
        self.report("--tables", "parquet", "--tables", "json")
        rows = self.read(self.tables)["table2_compilers"]["rows"]
        self.assertIn(hostile, [row["label"] for row in rows])
        written = json.loads((self.tables / "table2_compilers.json").read_text())
        self.assertEqual([row["label"] for row in rows], [row["values"]["label"] for row in written["rows"]])

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    def test_those_of_an_earlier_report_are_removed_and_no_part_is_left(self):
        self.report("--tables", "parquet")
        first = {path.name: path.read_bytes() for path in self.tables.iterdir()}
        self.assertEqual({pathlib.Path(name).suffix for name in first}, {".parquet"})
        self.report("--tables", "parquet")
        self.assertEqual({path.name: path.read_bytes() for path in self.tables.iterdir()}, first)
        self.report("--tables", "csv")
        self.assertEqual({path.suffix for path in self.tables.iterdir()}, {".csv"})

    @unittest.skipIf(without_toolchains("parquet"), without_toolchains("parquet"))
    def test_a_file_that_cannot_be_written_is_named(self):
        self.report("--tables", "csv")
        (self.tables / "table2_compilers.parquet").mkdir()
        (self.tables / "table2_compilers.parquet/mine").touch()
        refused = self.ngb("report", "results", "--tables", "parquet")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("table2_compilers.parquet", refused.stderr)


if __name__ == "__main__":
    unittest.main()
