# SPDX-License-Identifier: Apache-2.0
"""The views of a results file (docs/results.md), as this package's own text. Those of a file are not used: it may come from
anybody, who may have written other ones."""

import pathlib

ORIGIN = """
SELECT cell_key, origin, count(DISTINCT process_index) AS processes,
  row_number() OVER (
    PARTITION BY cell_key ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, max(process_key) DESC
  ) AS rank
FROM process JOIN cell USING (cell_key)
WHERE is_complete = 1
GROUP BY cell_key, origin
"""

# As ngb writes it into results files.
SAMPLE = pathlib.Path(__file__).with_name("sample.sql").read_text(encoding="utf-8")
