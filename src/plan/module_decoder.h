// SPDX-License-Identifier: Apache-2.0
// Makes of what a study says of a PyTorch module that decodes, a language model of transformers, what the plan has of a
// decoder: the inputs of a step, as compilers/identity/transformers_step.py has them, and how outputs are fed back.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"

namespace ngb::plan {

// Returns the entry with the shapes and types of the inputs. Precondition: it has decoder keys. Returns an error if it
// gives shapes or labels, if it lacks a dimension of the cache, if it asks for another form than growing or static, or
// if the cache has no room for the tokens of a repetition.
Result<config::ModelEntry> with_inputs_of_step(const config::ModelEntry& entry);

// Adds to the model, which has the inputs, what generates tokens or reads a prompt, and the values of its inputs.
// Returns what the module is made with: {"form", "tokens", "layers", "key_heads", "head_size", "vocabulary"}.
nlohmann::json add_decoding_of_module(work::Model& model, const config::ModelEntry& entry);

}  // namespace ngb::plan
