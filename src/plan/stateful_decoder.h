// SPDX-License-Identifier: Apache-2.0
// Plans a decoder whose compiled file keeps the cache itself, as optimum-intel writes it: the shapes of a step's
// inputs, and how it generates tokens.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"

namespace ngb::plan {

inline constexpr const char* kIdsOfStateful = "input_ids";

// Returns the shapes of the inputs, in the file's order. Fails if the study asks for a prompt alone, for another form
// of the cache than stateful, or names parts of a cache. Fails if the file has no input_ids, or an input other than
// optimum-intel's: input_ids, attention_mask, position_ids and beam_idx.
Result<config::InputShapes> inputs_of_stateful(const config::DecoderEntry& decoder,
                                               const std::vector<std::string>& inputs);

// Adds to the model, which has these inputs, how it generates tokens, and the values of all inputs but input_ids.
void add_stateful_decoding(work::Model& model, const config::DecoderEntry& decoder);

}  // namespace ngb::plan
