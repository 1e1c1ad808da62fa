// SPDX-License-Identifier: Apache-2.0
// Revision names the sources from which a program was built.
#pragma once

#include <optional>
#include <string>

namespace ngb {

struct Revision {
  std::string version{};             // "0.1.0"
  std::string commit{};              // of git, 40 hexadecimal digits; "" outside a git checkout
  std::optional<bool> is_changed{};  // whether the sources differed from the commit; nothing without a commit
};

// Returns "0.1.0 (git 0123456789ab)", "0.1.0 (git 0123456789ab, changed)" or "0.1.0 (not from git)".
inline std::string describe(const Revision& revision) {
  if (revision.commit.empty()) return revision.version + " (not from git)";
  const std::string changed = revision.is_changed.value_or(false) ? ", changed" : "";
  return revision.version + " (git " + revision.commit.substr(0, 12) + changed + ")";
}

}  // namespace ngb
