// SPDX-License-Identifier: Apache-2.0
// Keeps the ONNX files of PyTorch modules between runs of a device. An export is a folder whose name is the hash of
// everything that it depends on: the model's content, batch size, and what exports it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "agent/workers/model_writing.h"
#include "base/result.h"
#include "samples/provenance.h"
#include "work/model.h"

namespace ngb::agent {

// The name of the ONNX file in the folder of an export.
inline constexpr const char* kKeptModel = "model.onnx";

// Returns the file with the weights of all but small models.
std::filesystem::path data_path(const std::filesystem::path& model);

// Returns the SHA-256 of the model's file; with weights in a second file, that of both files' hashes in a row.
Result<std::string> hash_of_model(const std::filesystem::path& model);

// Returns the name of the export in the cache: "exports/" and 64 hexadecimal digits. `exporter` is what exports the
// model.
std::filesystem::path export_name(const work::Model& model, bool needs_file, const samples::Provenance& exporter);

// Returns the export of this name, with is_kept, or nothing if there is none that is whole.
std::optional<ModelFile> read_kept_export(const CacheFolder& cache, const std::filesystem::path& name,
                                          const work::ModelKey& model);

// Describes the export in the folder `made`, and keeps it. Then removes the exports that were used least recently,
// until all have at most kMostKeptBytes.
Status keep_export(const CacheFolder& cache, const std::filesystem::path& name, const std::filesystem::path& made,
                   const ModelFile& file);
inline constexpr std::uint64_t kMostKeptBytes = 20ULL << 30U;

}  // namespace ngb::agent
