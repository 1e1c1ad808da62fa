// SPDX-License-Identifier: Apache-2.0
// Makes of what a study says of a compiled file that keeps its cache itself, as optimum-intel writes it, what the plan
// has of a decoder: the shapes of what a step reads, and how a pass goes on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"

namespace ngb::plan {

inline constexpr const char* kIdsOfStateful = "input_ids";

// Returns the shapes of the inputs, in the file's order. Returns an error if the decoder reads a prompt alone, if it
// asks for another form of the cache than stateful or names parts of one, if the file has no input_ids, or if it has an
// input whose meaning is not known: known are input_ids, attention_mask, position_ids and beam_idx, as optimum-intel
// names them.
Result<config::InputShapes> inputs_of_stateful(const config::DecoderEntry& decoder,
                                               const std::vector<std::string>& inputs);

// Adds to the model, which has these inputs, what generates tokens, and the values of its inputs but of input_ids.
void add_stateful_decoding(work::Model& model, const config::DecoderEntry& decoder);

}  // namespace ngb::plan
