// SPDX-License-Identifier: Apache-2.0
#include "toolchain/pins.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/json_text.h"
#include "toolchain/spelling.h"
#include "versions_json.h"

namespace ngb::toolchain {
namespace {

const nlohmann::json& versions() {
  static const nlohmann::json parsed = json_text::parse(kVersionsJson);
  return parsed;
}

nlohmann::json entry(std::string_view compiler) {
  return versions().at("toolchains").value(std::string(compiler), nlohmann::json::object());
}

}  // namespace

std::string default_version(std::string_view compiler) { return entry(compiler).value("default", std::string()); }

std::vector<std::string> tested_versions(std::string_view compiler) {
  return entry(compiler).value("tested", std::vector<std::string>());
}

Status check_wheel(std::string_view kind, std::string_view name, std::string_view version, std::string_view sha256) {
  const std::string key = fmt::format("{}=={}", name, version);
  const nlohmann::json none = nlohmann::json::object();
  const std::string known = versions().value("sha256", none).value(std::string(kind), none).value(key, std::string());
  if (known.empty() || sha256.empty() || known == sha256) return Done{};
  if (environment::variable("NGB_OTHER_WHEELS") == "1") return Done{};
  return fail(
      fmt::format("the wheel of {} is not the one that this ngb was tested with: its SHA-256 is {}, expected {}", key,
                  sha256, known),
      "pip", "find out who made it; to install it anyway, set NGB_OTHER_WHEELS=1");
}

Result<std::string> fill_placeholders(std::string_view requirement, std::string_view version) {
  std::string filled;
  for (;;) {
    const std::size_t open = requirement.find('{');
    const std::size_t close = open == std::string_view::npos ? open : requirement.find('}', open);
    if (close == std::string_view::npos) return filled.append(requirement);
    const std::string name(requirement.substr(open + 1, close - open - 1));
    const nlohmann::json& wheels = versions().at("wheels");
    if (name != "version" && !wheels.contains(name)) {
      return fail(fmt::format("no value for {{{}}}", name), std::string(requirement),
                  "add it to \"wheels\" of versions.json");
    }
    filled.append(requirement.substr(0, open));
    filled.append(name == "version" ? std::string(version) : wheels.at(name).get<std::string>());
    requirement.remove_prefix(close + 1);
  }
}

std::vector<std::string> unlike_pins(const Toolchain& toolchain, const std::vector<std::string>& requirements) {
  std::vector<std::string> unlike;
  if (toolchain.is_adopted) return unlike;
  for (const std::string& requirement : requirements) {
    const Result<std::string> filled = fill_placeholders(requirement, toolchain.version);
    const std::size_t pinned = filled ? filled->find("==") : std::string::npos;
    if (pinned == std::string::npos) continue;
    const std::string name = required_name(*filled);
    const std::string_view version = std::string_view(*filled).substr(pinned + 2);
    for (const Package& package : toolchain.packages) {
      if (normalised_name(package.name) != name || public_version(package.version) == public_version(version)) continue;
      unlike.push_back(fmt::format("{} {}, pinned to {}", package.name, package.version, version));
    }
  }
  return unlike;
}

}  // namespace ngb::toolchain
