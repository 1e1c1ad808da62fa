# SPDX-License-Identifier: Apache-2.0
"""Results as a notebook shows them. Numbers are worded by `ngb show`; the bars are drawn to their scale."""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas

_WIDTH_PX, _HEIGHT_PX = 160, 14
_WORKLOAD = ["device", "model", "batch", "load"]
_SPEED = ["throughput_per_s", "throughput_per_s_low", "throughput_per_s_high"]


def html_of(answer: Sequence[str], table: str, cells: pandas.DataFrame, to_act_on: Sequence[str]) -> str:
    """Returns a paragraph for each sentence of the answer, the table with a bar beside each row, and a list of what is to be
    acted on. `table` is that of `ngb show --format markdown`, which has a row for each of `cells`."""
    heads, _, *rows = [_words_of(line) for line in table.splitlines() if line.startswith("|")]
    bars = ["samples/s", *_bars_of(cells)]
    lines = [_row(each, bar, tag) for each, bar, tag in zip([heads, *rows], bars, ["th", *["td"] * len(rows)], strict=True)]
    sentences = [f"<p>{_prose(each)}</p>" for each in answer]
    items = [f"<li>{_prose(each)}</li>" for each in to_act_on]
    return "\n".join([*sentences, f"<table>{''.join(lines)}</table>", *(["<p>To act on:</p>", "<ul>", *items, "</ul>"] if items else [])])


def _prose(sentence: str) -> str:
    """Returns a sentence as HTML, what it has between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence))


def _words_of(line: str) -> list[str]:
    """Returns the entries of a row of Markdown, which escapes what would end them."""
    return [re.sub(r"\\(.)|\*\*", r"\1", each).strip() for each in re.split(r"(?<!\\)\|", line)[1:-1]]


def _row(entries: Sequence[str], bar: str, tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(each)}</{tag}>' for each in entries)}<{tag}>{bar}</{tag}></tr>"


def _bars_of(cells: pandas.DataFrame) -> Iterator[str]:
    """Yields a bar of each cell's speed with its interval; the highest of a workload has the whole width."""
    of_cells = cells[_SPEED].astype(float)
    highest = of_cells.groupby([cells[name] for name in _WORKLOAD]).transform("max").max(axis=1)
    for speeds, most in zip(of_cells.itertuples(index=False), highest, strict=True):
        yield "" if pandas.isna(speeds[0]) else _bar(*(_WIDTH_PX * value / most for value in speeds))


def _bar(speed: Any, low: Any, high: Any) -> str:
    middle = _HEIGHT_PX / 2
    line = "" if pandas.isna(low) or pandas.isna(high) else (
        f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} 3v8M{high:.1f} 3v8" stroke="currentColor" fill="none"/>'
    )  # fmt: skip
    return (
        f'<svg width="{_WIDTH_PX + 2}" height="{_HEIGHT_PX}" role="img" aria-hidden="true">'
        f'<rect y="2" width="{speed:.1f}" height="{_HEIGHT_PX - 4}" fill="#5b8db8"/>{line}</svg>'
    )
