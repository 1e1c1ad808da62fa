-- SPDX-License-Identifier: Apache-2.0
-- The view that readers of a results file use: ngb writes it into results files, and the Python package makes it for itself.
-- A view holds no data and belongs to no version. Whoever opens a file to write makes the view anew if the file has another
-- text of it (renew_views in src/store/schema.cpp), so older files get its new columns without a new version.
-- schema_markdown() reads the text line by line, as that of the steps (src/store/schema_sql_7.h). No semicolon at the end.
CREATE VIEW sample AS  -- Every repetition that counts with what it belongs to: a good start for pandas.
SELECT
  cell.cell_id AS cell_id,  -- the cell: tells all cells apart
  cell.device AS device,  -- the device
  model.label AS model,  -- name of the model in the study
  model.batch AS batch,  -- samples per inference
  cell.load AS load,  -- what ran beside it while it was timed, as in the study
  cell.compiler AS compiler,  -- name
  cell.compiler_label AS compiler_label,  -- name in the study, unique there; another study in this file may use it for other settings
  cell.compiler_version AS compiler_version,  -- its version; empty for a compiler without versions
  cell.options_json AS options_json,  -- JSON object
  cell.settings_json AS settings_json,  -- JSON object: properties of the compiler's own library
  cell.in_flight AS in_flight,  -- inferences at a time: a number, or auto
  cell.instances AS instances,  -- sessions at once, each with its own threads
  process.threads AS threads,  -- threads that the compiler may use; each instance, if there are several
  cell.precision AS precision,  -- f32, …
  process.process_index AS process_index,  -- 0 … planned_processes - 1
  repetition.instance AS instance,  -- which instance ran it: 0 … instances - 1
  repetition.repetition_index AS repetition_index,  -- 0, 1, … in the order run, warm-up first; instance by instance
  repetition.is_warm_up AS is_warm_up,  -- 1: counts in no metric
  repetition.wall_ns AS wall_ns,  -- around all inferences of the repetition
  repetition.inferences AS inferences,  -- inferences in this repetition
  1e9 * model.batch * repetition.inferences / repetition.wall_ns AS throughput_per_s  -- samples per second of this instance
FROM repetition
JOIN process USING (process_key)
JOIN cell USING (cell_key)
JOIN model USING (model_key)
JOIN origin ON origin.cell_key = process.cell_key AND origin.origin = process.origin
WHERE process.is_complete = 1 AND origin.rank = 1
