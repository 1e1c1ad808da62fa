// SPDX-License-Identifier: Apache-2.0
// Verifies a bundle rule by rule (bundle/rules.h): whether its files are those of its manifest, and whether all that is
// printed follows from its samples.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/manifest.h"
#include "bundle/rules.h"

namespace ngb::bundle {

struct RuleOutcome {
  const Rule* rule = nullptr;
  std::vector<Problem> problems{};                                            // none: it holds, if it was checked
  std::optional<std::string> why_unchecked{"an earlier rule does not hold"};  // nothing: it was checked
  std::string remark{};                                                       // "" if there is nothing to say
};

struct Verification {
  std::vector<RuleOutcome> outcomes{};          // in the order of the table of rules
  std::optional<About> about{};                 // nothing: the manifest cannot be read
  std::filesystem::path folder{};               // of its files; "": they were not unpacked
  [[nodiscard]] bool holds(Level level) const;  // no rule of the level has problems
  [[nodiscard]] bool is_complete() const;       // every rule was checked
  // Returns "rule hash: study.json: it has 12 bytes, 13 are listed": the first problem of all; "" if there is none.
  [[nodiscard]] std::string first_problem() const;
};

// Verifies a zip file, or the folder that one was unpacked into. Nothing of it is changed. `verified_by` is this
// program, as in About::made_by. Returns an error if the bundle cannot be read, or if the disk of the temporary folder
// has no room for its content. A zip file is unpacked below `scratch`, where its files stay; without one they are gone.
Result<Verification> verify_bundle(const std::filesystem::path& given, const std::string& verified_by,
                                   const std::filesystem::path& scratch);
Result<Verification> verify_bundle(const std::filesystem::path& given, const std::string& verified_by);

}  // namespace ngb::bundle
