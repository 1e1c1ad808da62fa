// SPDX-License-Identifier: Apache-2.0
// Makes of what a study says of a user's ONNX file with a cache what the plan has of a decoder: the shapes and values
// of its inputs, and how its outputs are fed back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "plan/plan.h"
#include "work/model.h"

namespace ngb::plan {

struct FileDecoder {
  config::InputShapes shapes{};             // of what a step reads, and those that the entry gives
  std::vector<std::string> empty{};         // inputs of the cache that have no rows; `shapes` gives them one
  std::size_t rows_axis = 2;                // of the cache
  std::vector<work::InputValues> values{};  // of inputs whose values follow from the study
  std::optional<work::Decoding> decoding{};
  int prompt_tokens = 0;  // as in work::Model
};

// Returns the shapes alone that the entry gives if it has no decoder keys. Returns an error if its names do not pair
// (userfiles::find_cache), if its cache has another form or other rows than the study asks for, if it reads another
// number of tokens at once, if the study gives a shape that follows from these keys, or if an extent stays open.
Result<FileDecoder> file_decoder(const config::ModelEntry& entry);

// Adds to the model, which has the file's inputs, what generates tokens or reads a prompt; its hash then covers that.
void add_decoding(work::Model& model, FileDecoder decoder);

// Returns an error if a cache of the plan is f16 or bf16 and a compiler computes in f32, if a model's cache, which is
// there twice, is larger than the study's limit of memory, or on this machine than `available_bytes`.
Status check_caches(const Plan& plan, std::optional<std::uint64_t> available_bytes);

}  // namespace ngb::plan
