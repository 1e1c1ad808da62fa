// SPDX-License-Identifier: Apache-2.0
#include "config/turns.h"

#include <fmt/format.h>

#include <algorithm>

namespace ngb::config {

std::vector<std::string> what_excludes_turns(const Study& study) {
  std::vector<std::string> found;
  if (study.protocol.arrivals)
    found.emplace_back("processes under arrivals cannot take turns; remove arrivals or turns");
  const auto has_load = [](const work::Load& load) { return !load.is_none(); };
  if (std::any_of(study.loads.begin(), study.loads.end(), has_load)) {
    found.emplace_back("processes under a load cannot take turns; remove loads or turns");
  }
  const auto has_instances = [](const work::Compiler& compiler) { return compiler.instances > 1; };
  if (std::any_of(study.compilers.begin(), study.compilers.end(), has_instances)) {
    found.emplace_back("several instances run together and cannot take turns; remove instances or turns");
  }
  return found;
}

std::vector<std::string> what_excludes_profiles(const Study& study) {
  std::vector<std::string> found;
  const auto add = [&found](bool is_excluded, const char* what, const char* key) {
    if (is_excluded) found.push_back(fmt::format("{} has no profile; remove {} or profile", what, key));
  };
  const auto& compilers = study.compilers;
  add(study.protocol.arrivals.has_value(), "a process under arrivals", "arrivals");
  add(std::any_of(study.loads.begin(), study.loads.end(), [](const work::Load& load) { return !load.is_none(); }),
      "a process under a load", "loads");
  add(std::any_of(compilers.begin(), compilers.end(), [](const work::Compiler& each) { return each.instances > 1; }),
      "one of several instances", "instances");
  add(std::any_of(compilers.begin(), compilers.end(), [](const work::Compiler& each) { return each.in_flight != 1; }),
      "one of several inferences in flight", "in_flight");
  return found;
}

bool leaves_turns_open(const Study& study) {
  const bool is_given = std::find(study.given.begin(), study.given.end(), "turns") != study.given.end();
  return !is_given && study.protocol_name != "paper" && what_excludes_turns(study).empty();
}

}  // namespace ngb::config
