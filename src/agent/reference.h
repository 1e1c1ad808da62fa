// SPDX-License-Identifier: Apache-2.0
// Reference outputs, kept between studies: made once by the reference compiler for a model, a batch size and a seed.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "samples/job.h"

namespace ngb::agent {

// SHA-256 over everything that the outputs depend on: the model's content, batch and inputs, the seed of the inputs,
// the reference compiler with version, precision and options.
std::string reference_key(const samples::ModelWork& model, std::uint64_t seed, const samples::CompilerWork& reference);

// "identity 2.15.0"
std::string reference_name(const samples::CompilerWork& reference);

// Whether a finished reference file is there (it begins as one; it became visible only when it was whole).
bool is_reference_file(const std::filesystem::path& path);

// Puts the file that a worker has written in its place, on disk, in one step.
Status adopt_reference(const std::filesystem::path& written, const std::filesystem::path& path);

}  // namespace ngb::agent
