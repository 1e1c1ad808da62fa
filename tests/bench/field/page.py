# SPDX-License-Identifier: Apache-2.0
"""Writes docs/field.md from what field.py has measured: page.py PAGE FIRST.json SECOND_BEFORE.json SECOND.json."""
import collections
import json
import pathlib
import re
import sys

# The first draw before it was mended was counted by hand: {what: number}.
FIRST_BEFORE = {"files": 104, "cells": 522, "measured": 305, "inaccurate": 10, "not": "54 cells of onnxruntime"}
# What was found by hand of files whose outputs are judged inaccurate.
BY_HAND = {
    "embedder.int8.onnx": "right: openvino in plain Python differs from onnxruntime by more than half of the largest value",
    "light_squeezenet.onnx": "right: openvino in plain Python has eight zeros where onnxruntime has 0.001",
}
TITLES = {"first": "The first draw", "second": "The second draw, from other packages"}
INTRODUCTION = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Files in the field

Does a file run that somebody else has published or exported? Files of packages, of the onnx package's own tests, and small
exports of transformers, torchvision, scikit-learn, LightGBM and XGBoost, each measured with the keys that `ngb plan` advises
and nothing else, at batch sizes 1 and 2 where the file leaves its batch open. Beside it, onnxruntime and openvino ran each
file in plain Python at the same shapes. This page is about results, not about speed.

This page is made by `tests/bench/field/field.py` and `page.py`. The first draw led to what was mended; the second was drawn
afterwards, and *before* is what it gave then.
"""


def counts_of(rows):
    cells = [word for row in rows for _, _, word, _ in row["cells"]]
    kinds = collections.Counter(word.split(":")[0] for word in cells)
    plain = ours = 0
    for row in rows:
        found = {(compiler, batch): word for compiler, batch, word, _ in row["cells"]}
        for library, batch, said in row["plain"]:
            plain += said == "runs"
            ours += said == "runs" and found.get((library, batch)) == "measured"
    unchecked = sum(word == "measured" and reference in ("", "none") for row in rows for _, _, word, reference in row["cells"])
    return {"files": len(rows), "cells": len(cells), "measured": kinds["measured"], "plain": plain, "ours": ours,
            "unchecked": unchecked, "inaccurate": kinds["inaccurate"], "refused": sum(bool(row["refusal"]) for row in rows)}


def table_of_counts(rows):
    """`rows` are (name, counts)."""
    lines = ["| draw | files | refused by `ngb plan` | cells | measured | of these unchecked | cells that plain Python runs | "
             "of these measured | judged inaccurate |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, counts in rows:
        share = f"{counts['ours']} ({100 * counts['ours'] / counts['plain']:.1f} %)" if counts.get("plain") else \
            f"all but {counts['not']}"
        lines.append(f"| {name} | {counts['files']} | {counts.get('refused', '–')} | {counts['cells']} | {counts['measured']} | "
                     f"{counts.get('unchecked', '–')} | {counts.get('plain', '–')} | {share} | {counts['inaccurate']} |")
    return lines


def table_of_files(rows):
    lines = ["| package | file | reference, where it is not the identity | cells that are not measured |",
             "| --- | --- | --- | --- |"]
    for row in rows:
        missing = [f"{compiler}, batch {batch}: {word}" for compiler, batch, word, _ in sorted(row["cells"])
                   if word != "measured"]
        others = sorted({reference or "none" for _, _, word, reference in row["cells"]
                         if word == "measured" and not reference.startswith("identity")})
        short = "<br>".join(_cell(each, 220) for each in missing) or _cell(row["refusal"], 400) or "none"
        lines.append(f"| {row['package']} | {row['file']} | {_cell(', '.join(others), 200)} | {short} |")
    return lines


def verdicts(rows):
    lines = ["## Verdicts", "", "Every file that is judged `inaccurate` was looked at:", ""]
    for row in rows:
        whose = [f"{compiler}, batch {batch}" for compiler, batch, word, _ in row["cells"] if word.startswith("inaccurate")]
        if whose:
            lines.append(f"- {row['file']} ({'; '.join(whose)}): {BY_HAND.get(row['file'], 'not looked at yet')}")
    return [*lines, ""]


def _cell(text, longest):
    text = re.sub(r"/\S*/(?=\S+\.onnx)", "", " ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= longest else text[:longest].rstrip("\\") + " …"


def main(page, *paths):
    first, before, second = (json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in paths)
    lines = [INTRODUCTION, "## Counts", "",
             *table_of_counts([("first, before", FIRST_BEFORE), ("first", counts_of(first)),
                               ("second, before", counts_of(before)), ("second", counts_of(second))]), ""]
    lines += verdicts(first + second)
    for name, rows in (("first", first), ("second", second)):
        lines += [f"## {TITLES[name]}", "", *table_of_files(rows), ""]
    pathlib.Path(page).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
