// SPDX-License-Identifier: Apache-2.0
// Keeps reference outputs between studies. The reference compiler makes them once for a model, a batch size and a seed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/fingerprint.h"
#include "base/result.h"
#include "samples/provenance.h"
#include "work/compiler.h"
#include "work/model.h"
#include "work/protocol.h"

namespace ngb::agent {

// Returns the SHA-256 over everything that the outputs depend on: the model's content, batch and inputs; the seed of
// the inputs; the reference compiler with version, precision and options; its folder and toolchain, our Python package,
// ngb-worker (which also makes inputs and models) and the exporter; and whether there are outputs for all inputs over
// which variants are compared.
std::string reference_key(const work::Model& model, const work::Protocol& protocol, const work::Compiler& reference,
                          const samples::Provenance& made_with, bool is_for_agreement = false);

// Returns "identity 2.15.0", "identity" without a version, or "onnxruntime 1.31.1 (graph_optimization: disabled)".
std::string reference_name(const work::Compiler& reference);

// The parts of a reference file's description that decide whether it may judge (worker/reference_file.h).
struct ReferenceFile {
  std::string sha256{};        // of its data
  std::string made_by{};       // "identity 2.15.0"
  std::string confirmed_by{};  // another compiler whose outputs agree; "" for none
  std::string doubt_kind{};    // "random", "not_finite" or "other_shape"; "" for none
  std::string doubt{};         // the same in words
};

// Reads the whole file. Returns an error if it is missing, or if its data do not have the hash that its header names.
Result<ReferenceFile> check_reference_file(const std::filesystem::path& path);

// Checks reference files. It reads each file once, and again only if the file may have changed.
class CheckedReferences {
 public:
  // Returns what check_reference_file returns.
  Result<ReferenceFile> look(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::pair<Fingerprint, ReferenceFile>> whole_{};
};

// Checks the file that a worker has written, syncs it to disk and renames it to `path` in one step.
Status adopt_reference(const std::filesystem::path& written, const std::filesystem::path& path);

}  // namespace ngb::agent
