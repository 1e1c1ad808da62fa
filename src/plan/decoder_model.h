// SPDX-License-Identifier: Apache-2.0
// Maps what a study says of a decoder onto the recipe's parameters, and says how the model's outputs are fed back.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"
#include "zoo/recipe.h"

namespace ngb::plan {

// Returns how many rows the cache of a generating decoder has, if its size is fixed.
int rows_of_cache(const config::DecoderEntry& decoder);
// Fails if a cache with so many rows has no room for the tokens of a repetition.
Status check_room(int rows, const config::DecoderEntry& decoder);

// Returns the entry's parameters with those that follow from its decoder keys: a prefill has as many new tokens as the
// context and no cache, a generating step has one new token and a cache. Returns an error if the cache has no room for
// the tokens of a repetition, or if it grows and has a capacity.
Result<config::Parameters> decoder_parameters(const config::ModelEntry& entry);

// Returns how the recipe's step is fed back. Precondition: the entry has a decoder that generates. Returns an error if
// the sequence has more tokens than the model has positions, or if the entry has labels.
Result<work::Decoding> decoding_of(const config::ModelEntry& entry, const zoo::Recipe& recipe,
                                   const zoo::ModelFacts& facts, int batch);

// Leaves the length of a cache, and of a mask, that grows open: the model is compiled for any.
void leave_length_open(work::Model& model);

}  // namespace ngb::plan
