# SPDX-License-Identifier: Apache-2.0
"""Results of a small study, for tests of their report."""

import html.parser
import sqlite3

from ngb_program import NULL_STUDY, MeasuredTest

# A second setting of the null compiler, and a compiler without a toolchain, whose cells fail.
STUDY = NULL_STUDY.replace('  - "null"\n', '  - "null": {options: {made_up_ns: 100000}}\n  - "null": {label: other, options: {made_up_ns: 200000}}\n  - onnxruntime\n', 1).replace(
    "seed: 7\n", 'seed: 7\nbaseline: "null"\n').replace("processes: 3", "processes: 2")

# A name that would end a script, an attribute or an element, or turn the line around, if it were not escaped.
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'\u202e&amp;=1+1"


def unrolled(column):
    """Returns a value for each cell from a column of the page's data, which has [value, how often] for repeated ones."""
    return [value for each in column for value in ([each[0]] * each[1] if isinstance(each, list) else [each])]


def cells_in(data):
    return len(unrolled(data["cells"]["model"]))


class Reader(html.parser.HTMLParser):
    """Collects the text of table rows, scripts and attributes."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.attributes, self.data = [], [], [], ""
        self.is_data = self.is_row = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.extend(attributes)
        if tag == "tr":
            self.rows.append("")
            self.is_row = True
        self.is_data = ("id", "data") in attributes

    def handle_endtag(self, tag):
        if tag == "script":
            self.is_data = False
        if tag == "tr":
            self.is_row = False

    def handle_data(self, data):
        if self.is_data:
            self.data += data
        elif self.is_row:
            self.rows[-1] += data + " "


class ReportTest(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        self.ran = self.ngb("run", "study.yaml", "-o", "results")
        self.assertEqual(self.ran.returncode, 1, self.ran.stderr)

    def report(self, *arguments):
        made = self.ngb("report", *arguments)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def rename(self, model, label):
        with sqlite3.connect(self.folder / "results" / "results.db") as database:
            database.execute("UPDATE model SET label = ? WHERE label = (SELECT min(label) FROM model)", (model,))
            database.execute("UPDATE cell SET compiler_label = ? WHERE compiler_label = 'other'", (label,))
