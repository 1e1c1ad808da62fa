#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weight of a report's page, and the time until a browser shows something of it.

    first_paint.py PAGE [--browsers N]

Each of N fresh Chromiums without a window opens PAGE from the disk and says when it first painted text, when the page was
whole (the results are drawn) and, as a check that it is, how many rows its table of cells has. Exits with 1 if the page has
more than LIMIT_MB or the median of the first paints is above LIMIT_S."""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
from browser import Browser, Page, find_browser  # noqa: E402

LIMIT_MB = 3
LIMIT_S = 1
TIMES = """(async () => {
  const paint = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (!paint()) await new Promise((resolve) => setTimeout(resolve, 10));
  return [paint().startTime, performance.getEntriesByType("navigation")[0].loadEventEnd,
          document.querySelectorAll("tr[data-cell]").length];
})()"""


def times_of(page):
    """Returns the first paint and the end of loading in seconds, and the number of rows."""
    browser = Browser(find_browser())
    try:
        opened = Page(browser)
        opened.resize(1280, 900)
        opened.open(page.resolve().as_uri())
        paint_ms, loaded_ms, rows = opened.run(TIMES)
        return paint_ms / 1e3, loaded_ms / 1e3, rows
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--browsers", type=int, default=5)
    arguments = parser.parse_args()
    megabytes = arguments.page.stat().st_size / 1e6
    paints, loads, rows = zip(*[times_of(arguments.page) for _ in range(arguments.browsers)])
    paint_s = statistics.median(paints)
    print(f"{megabytes:.2f} MB, {rows[0]} cells")
    print(f"first paint: {paint_s:.2f} s ({min(paints):.2f}–{max(paints):.2f})")
    print(f"whole: {statistics.median(loads):.2f} s ({min(loads):.2f}–{max(loads):.2f})")
    sys.exit(0 if megabytes <= LIMIT_MB and paint_s <= LIMIT_S else 1)


if __name__ == "__main__":
    main()
