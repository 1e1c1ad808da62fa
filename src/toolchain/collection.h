// SPDX-License-Identifier: Apache-2.0
// Collection gathers a toolchain's packages in rounds: pip installs what is requested, the installed wheels say what
// they require, and the next round requests that. So a package can be skipped (the GPU's libraries on a machine without
// GPU), and no package is downloaded twice or only to be examined.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/pip.h"
#include "toolchain/requirement.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

class Collection {
 public:
  // Works in `folder` and installs packages into folder/site.
  Collection(Python python, std::filesystem::path folder, bool with_dependencies, Progress progress);

  // Makes `fill` install nothing; `installed` then returns what would be installed.
  void only_choose() { only_choose_ = true; }
  void skip(const std::vector<std::string>& names) { requirements_.skip.insert(names.begin(), names.end()); }
  // Is known after `fill` has succeeded.
  [[nodiscard]] bool has_skipped() const { return has_skipped_; }
  // Makes the next `fill` install what was skipped.
  void stop_skipping() { requirements_.skip.clear(); }

  void add(const std::string& requirement) { requirements_.wanted.push_back(requirement); }
  // Installs what was added and, with dependencies, what that requires, until nothing is missing.
  Status fill();

  [[nodiscard]] std::filesystem::path site() const { return folder_ / "site"; }
  [[nodiscard]] std::vector<Installed> installed() const;  // sorted by name

 private:
  Status take(std::vector<Installed> packages);

  Python python_;
  std::filesystem::path folder_;
  bool with_dependencies_;
  Progress progress_;
  bool only_choose_ = false;
  bool has_skipped_ = false;
  Requirements requirements_;
  std::map<std::string, Installed> installed_;
};

}  // namespace ngb::toolchain
