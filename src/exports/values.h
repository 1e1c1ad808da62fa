// SPDX-License-Identifier: Apache-2.0
// Puts the inputs of a cell, and the outputs that are expected for them, into a folder as NumPy files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "exports/subject.h"

namespace ngb::exports {

// Writes input_0.npy, … with the values that were measured. Returns [{"name", "type", "shape", "file"}, …].
Result<nlohmann::json> put_inputs(const Subject& subject, const std::filesystem::path& folder);

// Writes expected_0.npy, … with the outputs of the study's reference, which this machine keeps; if it does not, the
// cell is measured once to have them made. Returns {"made_by", "outputs": [{"name", "type", "shape", "file",
// "is_sensitive"}, …], "absolute", "relative", "is_of_largest", "allows_rare"} (worker/check.h), or {"why_not"} if the
// study compares outputs with nothing.
campaign::Answer<nlohmann::json> put_expected(const campaign::Installation& installation,
                                              const std::filesystem::path& results, const Subject& subject,
                                              const std::filesystem::path& folder, campaign::Observer& observer);

}  // namespace ngb::exports
