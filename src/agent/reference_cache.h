// SPDX-License-Identifier: Apache-2.0
// Reference outputs, kept between studies: made once by the reference compiler for a model, a batch size and a seed.
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

namespace ngb::agent {

// SHA-256 over everything that the outputs depend on: the model's content, batch and inputs, the seed of the inputs,
// the reference compiler with version, precision and options, and what it is made with: its folder and toolchain, our
// Python package, ngb-worker (which also makes inputs and models) and the exporter.
std::string reference_key(const work::Model& model, std::uint64_t seed, const work::Compiler& reference,
                          const samples::Provenance& made_with);

// "identity 2.15.0"
std::string reference_name(const work::Compiler& reference);

// Reads the file to its end. Yields the SHA-256 of its data. Error: there is none, or it is not whole: the data are not
// those that its header names.
Result<std::string> check_reference_file(const std::filesystem::path& path);

// Reference files that were read once, and again only if they may have changed.
class CheckedReferences {
 public:
  // As check_reference_file.
  Result<std::string> look(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::pair<Fingerprint, std::string>> whole_{};
};

// Puts the file that a worker has written in its place, on disk, in one step.
Status adopt_reference(const std::filesystem::path& written, const std::filesystem::path& path);

}  // namespace ngb::agent
