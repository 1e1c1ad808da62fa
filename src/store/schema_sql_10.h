// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 10 of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 10 has variants of models, and how their outputs agree with those of their exact models.
inline constexpr const char* kVersion10 = R"sql(
ALTER TABLE model ADD COLUMN variant_of TEXT NOT NULL DEFAULT '';  -- label of the exact model that it makes cheaper; empty: it is an exact model
ALTER TABLE model ADD COLUMN exact_hash TEXT NOT NULL DEFAULT '';  -- model_hash of the exact model; empty: it is one
CREATE TABLE agreement (  -- How the outputs for one input agree: of a variant with its exact model's, of several outputs the worst; and with the input's label.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process, the first of its cell
  position INTEGER NOT NULL,  -- 0, 1, … in the order of inputs
  decides_alike INTEGER,  -- 1: outputs of classes have the highest score at the same class, outputs of integers are equal; NULL: there are none
  sqnr_db REAL,  -- 10·log10(Σ b² / Σ (a - b)²); NULL: the outputs are equal, or b is 0 everywhere
  cosine REAL,  -- Σ a·b / (|a|·|b|); NULL: b is 0 everywhere
  max_absolute_error REAL,  -- largest |a - b|; NULL: an exact model
  label_rank INTEGER,  -- of the label's class among the scores, the highest being 1; NULL: the study gives no labels
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ngb::store
