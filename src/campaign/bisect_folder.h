// SPDX-License-Identifier: Apache-2.0
// Keeps the state of a bisection in its folder: bisect.json has the question (study, compiler and ends), the versions
// and those that were stepped over, study.json the study; each version that was measured has a results folder of its
// own.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::campaign {

class BisectFolder {
 public:
  // Returns the bisection in the folder, or nothing if there is none. Fails if bisect.json cannot be read or is
  // damaged, or if the folder has other results.
  static Result<std::optional<BisectFolder>> find(const std::filesystem::path& folder);
  // Begins a bisection with this question and these versions, ascending. The question's key "study" is a study file.
  static Result<BisectFolder> create(const std::filesystem::path& folder, nlohmann::json question,
                                     std::vector<std::string> versions);

  // Returns the keys in which the question differs from this one, those of the study one by one: {"from",
  // "study.seed"}.
  [[nodiscard]] std::vector<std::string> differences(const nlohmann::json& question) const;
  [[nodiscard]] const nlohmann::json& question() const { return question_; }
  [[nodiscard]] const std::vector<std::string>& versions() const { return versions_; }

  // Returns why a version was stepped over, or nothing.
  [[nodiscard]] std::optional<std::string> why_stepped_over(const std::string& version) const;
  // Records that a version was stepped over, and why. The record is on disk when this returns.
  Status step_over(const std::string& version, const std::string& why);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::filesystem::path study_file() const;
  // Returns the results folder of a version; `again`: of its second measurement, with more rounds.
  [[nodiscard]] std::filesystem::path results_of(const std::string& version, bool again) const;

 private:
  [[nodiscard]] Status write() const;

  std::filesystem::path folder_;
  nlohmann::json question_;
  std::vector<std::string> versions_;
  std::map<std::string, std::string> stepped_over_;
};

}  // namespace ngb::campaign
