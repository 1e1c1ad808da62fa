// SPDX-License-Identifier: Apache-2.0
// The packages of one toolchain while they are brought together, round by round: pip installs what is asked for, the
// installed wheels say what they require, the next round asks for that. So a package can be left out (the GPU's
// libraries where there is no GPU), nothing is downloaded only to be looked at, and nothing twice.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/pip.h"
#include "toolchain/requirement.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

class Collection {
 public:
  // Works in `folder`, packages go to folder/site.
  Collection(Python python, std::filesystem::path folder, bool with_dependencies, Progress progress);

  // Nothing is installed: `installed` says what would be.
  void only_choose() { only_choose_ = true; }
  void skip(const std::vector<std::string>& names);
  [[nodiscard]] bool has_skipped() const { return !skipped_.empty(); }
  // What was skipped is asked for by the next `fill`.
  void stop_skipping();

  Status add(std::string_view requirement);
  // Installs what was added, and with dependencies what that requires, until nothing is open.
  Status fill();

  [[nodiscard]] std::filesystem::path site() const { return folder_ / "site"; }
  [[nodiscard]] std::vector<Installed> installed() const;  // sorted by name

 private:
  struct Named {
    std::set<std::string> texts{};  // every requirement on it so far, as pip takes it
    std::set<std::string> extras{};
  };

  std::vector<std::string> next_round();
  [[nodiscard]] bool is_met(const Requirement& requirement) const;
  Status take(std::vector<Installed> packages);
  // Adds those that count here: whose marker holds for this Python and the extras asked for.
  void add_requirements_of(const Installed& package);

  Python python_;
  std::filesystem::path folder_;
  bool with_dependencies_;
  Progress progress_;
  bool only_choose_ = false;
  std::set<std::string> skip_;
  std::vector<Requirement> skipped_;
  std::vector<Requirement> open_;
  std::map<std::string, Named> named_;
  std::map<std::string, Installed> installed_;
};

}  // namespace ngb::toolchain
