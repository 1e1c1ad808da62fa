// SPDX-License-Identifier: Apache-2.0
// Writes a cell as a program of the user's own: a folder that needs nothing of ngb.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "exports/subject.h"

namespace ngb::exports {

// The files of such a folder. Beside them are the model's, input_0.npy, …, expected_0.npy, …
inline constexpr const char* kRunFile = "run.py";
inline constexpr const char* kCellFile = "cell.json";
inline constexpr const char* kRequirementsFile = "requirements.txt";

// Writes the new folder. It appears whole, or not at all.
campaign::Answer<Done> write_folder(const campaign::Installation& installation, const std::filesystem::path& results,
                                    const Subject& subject, const std::filesystem::path& folder,
                                    campaign::Observer& observer);

// Returns the session and the call of the program alone, to be pasted.
campaign::Answer<std::string> snippet(const campaign::Installation& installation, const std::filesystem::path& results,
                                      const Subject& subject, campaign::Observer& observer);

}  // namespace ngb::exports
