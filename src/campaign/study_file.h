// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "campaign/installation.h"
#include "campaign/refusal.h"
#include "plan/plan.h"

namespace ngb::campaign {

// The file in a results folder with the study as it was run last, including every default.
inline constexpr const char* kStudyFile = "study.json";

// Reads a study file and plans it. A name without an ending that is no file ("quickstart") is a study that ships with
// ngb. Says what the study asks for and will not get; a refusal lists every problem.
Answer<plan::Plan> plan_study(const Installation& installation, const std::filesystem::path& given, const Say& say);
// Plans a study that a command has made, to be measured in the folder that its key "output" names. Nothing is written.
Answer<plan::Plan> plan_made_study(const Installation& installation, const nlohmann::json& study, const Say& say);

// Returns the names of the studies that ship with ngb: "quickstart", "paper/models".
std::vector<std::string> shipped_studies(const Installation& installation);

// Returns "did you mean my_model.onnx? " for a file that does not exist: one in its folder, or one of the `names`; ""
// if none is near.
std::string file_meant(const std::filesystem::path& given, std::vector<std::string> names = {});
// Returns the compilers of the study quickstart, which a newcomer is offered first.
Result<std::vector<std::string>> quickstart_compilers(const Installation& installation);

// Returns an error if the path is not UTF-8: results hold paths as UTF-8.
Status check_utf8_path(const std::filesystem::path& results);
// Returns an error if the results folder has a kStudyFile that ngb has not written: the user's own study, say.
Status check_study_file(const config::Study& study);
// Writes the study into its results folder. Nobody else does, and only a run does that its results have accepted.
Status keep_study(const config::Study& study);

// Returns a name for a folder that no earlier command has used: "20261123T231500Z", the present time.
std::string time_folder();

}  // namespace ngb::campaign
