# SPDX-License-Identifier: Apache-2.0
"""Writes what field.py has measured into docs/field.md: page.py PAGE DRAW RESULTS.json [NAME]. The draw's table is written between
<!-- DRAW: generated --> and <!-- end -->, and its counts become the row NAME, or DRAW, of the table of counts. With a NAME, such as
"first, every 10th", only the row is written."""
import collections
import json
import pathlib
import re
import sys

# What was found by hand of files whose outputs are judged inaccurate.
BY_HAND = {
    "embedder.int8.onnx": "right: openvino in plain Python differs from onnxruntime by more than half of the largest value",
    "light_squeezenet.onnx": "right: openvino in plain Python has eight zeros where onnxruntime has 0.001",
}


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


def row_of(name, counts):
    share = f"{counts['ours']} ({100 * counts['ours'] / counts['plain']:.1f} %)" if counts["plain"] else "–"
    return (f"| {name} | {counts['files']} | {counts['refused']} | {counts['cells']} | {counts['measured']} | {counts['unchecked']} | "
            f"{counts['plain']} | {share} | {counts['inaccurate']} |")


def with_row(lines, name, row):
    """Return the lines with the row in the place of that of the same name, or behind the last one of the table of counts."""
    rows = [place for place, line in enumerate(lines) if re.match(r"\| [a-z][^|]*\| \d+ \|", line)]
    same = [place for place in rows if lines[place].startswith(f"| {name} |")]
    return [*lines[:same[0]], row, *lines[same[0] + 1:]] if same else [*lines[:rows[-1] + 1], row, *lines[rows[-1] + 1:]]


def with_table(lines, draw, table):
    begin = lines.index(f"<!-- {draw}: generated -->")
    return [*lines[:begin + 1], *table, *lines[lines.index("<!-- end -->", begin):]]


def table_of_files(rows):
    lines = ["| package | file | reference, where it is not the identity | cells that are not measured |",
             "| --- | --- | --- | --- |"]
    for row in rows:
        missing = [f"{compiler}, batch {batch}: {word}" for compiler, batch, word, _ in sorted(row["cells"])
                   if word != "measured"]
        others = sorted({reference or "none" for _, _, word, reference in row["cells"]
                         if word == "measured" and not reference.startswith("identity")})
        short = "<br>".join(_cell(each, 220) for each in missing) or _cell(re.sub(r"\S*/study\.yaml: ", "", row["refusal"]), 400) or "none"
        lines.append(f"| {row['package']} | {row['file']} | {_cell(', '.join(others), 200)} | {short} |")
    return lines


def verdicts(rows):
    lines = []
    for row in rows:
        whose = [f"{compiler}, batch {batch}" for compiler, batch, word, _ in row["cells"] if word.startswith("inaccurate")]
        if whose:
            lines.append(f"- {row['file']} ({'; '.join(whose)}): {BY_HAND.get(row['file'], 'not looked at yet')}")
    return [*lines, ""] if lines else []


def _cell(text, longest):
    text = re.sub(r"/\S*/(?=\S+\.onnx)", "", " ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= longest else text[:longest].rstrip("\\") + " …"


def main(page, draw, results, name=""):
    page, rows = pathlib.Path(page), json.loads(pathlib.Path(results).read_text(encoding="utf-8"))
    lines = with_row(page.read_text(encoding="utf-8").splitlines(), name or draw, row_of(name or draw, counts_of(rows)))
    if not name:
        lines = with_table(lines, draw, [*verdicts(rows), *table_of_files(rows)])
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
