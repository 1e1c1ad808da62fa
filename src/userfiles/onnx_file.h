// SPDX-License-Identifier: Apache-2.0
// Reads a user's ONNX file without keeping its weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "userfiles/external_data.h"
#include "userfiles/onnx_scan.h"
#include "userfiles/open_extents.h"

namespace ngb::userfiles {

struct OnnxFile {
  // SHA-256 of the file. With external data, it is the SHA-256 over the lines "<hash> <name>
  // " of the file (whose name is left empty) and of each external file, sorted by name.
  std::string content_hash{};
  std::uint64_t file_bytes = 0;           // with external data
  std::vector<FilePart> parts{};          // the file itself first, then those with external data
  std::vector<TensorSignature> inputs{};  // without initializers; no extent is open any more
  // The same inputs, with kOpenExtent wherever the file leaves an extent open that is the batch.
  std::vector<TensorSignature> open_inputs{};
};

using InputShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;
using Dimensions = std::vector<std::pair<std::string, std::int64_t>>;

// Returns what a study may give for these inputs' open extents, as text that follows "…: " in an error.
using Advise = std::function<std::string(const std::vector<UnsettledInput>& inputs)>;

// Advises by names alone.
std::string advise_by_name(const std::vector<UnsettledInput>& inputs);

// Inspects the file for `batch`. An open extent becomes the first of these that applies: what `shapes` gives for the
// input (kBatchExtent or a leading 1 is the batch); what `dimensions` gives for its name; the batch, if the file names
// it so (names_batch); the batch, if the file names no extent so and it leads its input or shares the name of one that
// does.
//
// Fails if the file is not readable, not ONNX or truncated; if extents stay open (the error names all of them, and what
// `advise` returns); if a shape is for no input of the model or contradicts its fixed extents; if the file lacks a
// dimension; if an element type cannot be fed; if nothing is the batch and the first input's first extent is not
// `batch`; or if external data is missing, too short or outside the model's folder.
Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch, const InputShapes& shapes,
                              const Dimensions& dimensions = {}, const Advise& advise = advise_by_name);

// What a file's graph receives and returns, as the file describes it.
struct FileTensors {
  std::vector<ScannedInput> inputs{};   // without initializers
  std::vector<ScannedInput> outputs{};  // in graph order
  // A node writes into a cache that has room, if it gets one: GroupQueryAttention of ONNX Runtime.
  bool can_share_cache = false;
};

// Fails if the file is not readable, not ONNX or truncated, or if external data is missing.
Result<FileTensors> tensors_of(const std::filesystem::path& path);

// Returns all inputs of a file that leaves an extent open which is not the batch, without hashing it; nothing for other
// files, also for one that cannot be read.
std::vector<UnsettledInput> inputs_of_open_file(const std::filesystem::path& path);

}  // namespace ngb::userfiles
