// SPDX-License-Identifier: Apache-2.0
// Writes a cell as a program of the user's own: a folder that needs nothing of ngb.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "exports/subject.h"

namespace ngb::exports {

// The files of such a folder. Beside them are the model's, input_0.npy, …, expected_0.npy, …
inline constexpr const char* kRunFile = "run.py";
inline constexpr const char* kCppFile = "main.cpp";
inline constexpr const char* kCellFile = "cell.json";
inline constexpr const char* kRequirementsFile = "requirements.txt";

// The keys of a study's model that name a file.
inline constexpr std::array<const char*, 3> kFileKeys{"onnx", "pytorch", "state_dict"};

// How a program is written.
struct Form {
  bool is_cpp = false;          // main.cpp and CMakeLists.txt, else run.py
  bool has_dockerfile = false;  // only with run.py
};

// Writes the new folder. It appears whole, or not at all.
campaign::Answer<Done> write_folder(const campaign::Installation& installation, const std::filesystem::path& results,
                                    const Subject& subject, const Form& form, const std::filesystem::path& folder,
                                    campaign::Observer& observer);

// Returns the session and the call of the program alone, to be pasted.
campaign::Answer<std::string> snippet(const campaign::Installation& installation, const std::filesystem::path& results,
                                      const Subject& subject, campaign::Observer& observer);

}  // namespace ngb::exports
