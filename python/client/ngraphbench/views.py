# SPDX-License-Identifier: Apache-2.0
"""The views of a results file (docs/results.md), as this package's own text. Those of a file are not used: it may come from
anybody, who may have written other ones."""

ORIGIN = """
SELECT cell_key, origin, count(DISTINCT process_index) AS processes,
  row_number() OVER (
    PARTITION BY cell_key ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, max(process_key) DESC
  ) AS rank
FROM process JOIN cell USING (cell_key)
WHERE is_complete = 1
GROUP BY cell_key, origin
"""

SAMPLE = """
SELECT cell.cell_id AS cell_id, cell.device AS device, model.label AS model, model.batch AS batch, cell.load AS load,
  cell.compiler AS compiler, cell.compiler_label AS compiler_label, cell.compiler_version AS compiler_version,
  cell.options_json AS options_json, cell.settings_json AS settings_json, cell.in_flight AS in_flight,
  cell.instances AS instances, process.threads AS threads, cell.precision AS precision,
  process.process_index AS process_index, repetition.instance AS instance,
  repetition.repetition_index AS repetition_index, repetition.is_warm_up AS is_warm_up, repetition.wall_ns AS wall_ns,
  repetition.inferences AS inferences,
  1e9 * model.batch * repetition.inferences / repetition.wall_ns AS throughput_per_s
FROM repetition
JOIN process USING (process_key)
JOIN cell USING (cell_key)
JOIN model USING (model_key)
JOIN origin ON origin.cell_key = process.cell_key AND origin.origin = process.origin
WHERE process.is_complete = 1 AND origin.rank = 1
"""
