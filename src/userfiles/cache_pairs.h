// SPDX-License-Identifier: Apache-2.0
// Finds the cache of a decoder in a user's ONNX file: which output of a step is which input of the next one, and what
// else a step reads. Exporters name them differently (docs/decoding.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "userfiles/onnx_file.h"
#include "userfiles/onnx_scan.h"
#include "work/decoding.h"

namespace ngb::userfiles {

struct CachePair {
  std::size_t input = 0;   // among the inputs
  std::size_t output = 0;  // in graph order
};

// growing: a step returns a cache that is longer by its rows. whole: it returns the cache as it received it, with its
// rows written. rows: it returns its rows only.
enum class CacheForm { growing, whole, rows };

struct FileCache {
  CacheForm form = CacheForm::growing;
  std::size_t rows_axis = 2;         // of each part: the axis of its tokens
  std::vector<CachePair> pairs{};    // in the order of inputs
  std::vector<std::size_t> fixed{};  // inputs that are a cache of an encoder, which no step changes
  std::size_t ids = 0;
  std::optional<std::size_t> mask{};
  // Inputs of integers that say where a step is: the place of each new token (position_ids); the number of tokens
  // before the step (write_indices), that number less one with the new tokens counted (seqlens_k), and with them
  // (total_sequence_length).
  std::vector<std::size_t> places{};
  std::vector<std::size_t> befores{};
  std::vector<std::size_t> lasts{};
  std::vector<std::size_t> lengths{};
  std::optional<std::size_t> branch{};  // "use_cache_branch" of a merged file: true if there is a past
};

// Returns the extent; a name that is a number counts as one, because some exporters write it so.
std::optional<std::int64_t> extent_of(const ScannedExtent& extent);

// Returns what identifies a part of a cache, whatever exporter has named it: "0 key" of "past_key_values.0.key",
// "present.0.key", "key_cache.0", "updated_key_cache.0" and "cache.layers.0.keys".
std::string part_of(const std::string& name);

// Fails if the names do not pair one to one (the error lists those of both sides), if a present has another type or
// shape than its past, if parts have different forms, if there are beams, or if the file has no input of token ids.
Result<FileCache> find_cache(const FileTensors& file, const work::CacheNames& names);

}  // namespace ngb::userfiles
