// SPDX-License-Identifier: Apache-2.0
// Says which settings a study may hand on to a compiler's own library.
#pragma once

#include <string>
#include <string_view>

#include "config/vocabulary.h"
#include "work/compiler.h"

namespace ngb::config {

// Returns a name in a form that is equal for all spellings that libraries accept for it: `--iree-opt-level` and
// `iree_opt_level` are one.
std::string spelled_alike(std::string_view name);

// Returns why a study may not hand on the setting: the compiler hands on none, an option or another key of the study
// says the same thing, or NGraphBench has fixed it. Returns "" if it may.
std::string why_not_handed_on(const std::string& name, const CompilerWords& words);

// Returns the message about a setting that the study gives in two spellings.
std::string same_setting_twice(const std::string& name, const std::string& first);

}  // namespace ngb::config
