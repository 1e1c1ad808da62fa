# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/metrics.md, which is written from the rows of the program."""

import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/metrics.md"
SECOND_COLUMN = {"metric": "column", "series": "heading"}


def cases_of_rows(kind):
    """{name of a metric or of a series: the test that holds its definition}"""
    found, is_inside = {}, False
    for line in PAGE.read_text().splitlines():
        words = [word.strip() for word in line.strip("|").split(" | ")] if line.startswith("|") else []
        if words[:1] == ["name"]:
            is_inside = words[1] == SECOND_COLUMN[kind] and words[-1] == "truth"
        elif not words:
            is_inside = False
        elif is_inside and words[0].startswith("`"):
            found[words[0].strip("`")] = "test_" + words[-1].strip("`")
    if not found:
        raise AssertionError(f"{PAGE} has no table of each {kind} with a column `truth`")
    return found
