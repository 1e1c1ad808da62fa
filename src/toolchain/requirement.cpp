// SPDX-License-Identifier: Apache-2.0
#include "toolchain/requirement.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/python.h"
#include "requirements.py.h"

namespace ngb::toolchain {
namespace {

using nlohmann::json;

Result<json> ask_rules(const std::string& python, const char* question, const json& values) {
  const Result<std::string> answer = python::ask({.interpreter = {python},
                                                  .program = kPython_requirements,
                                                  .arguments = {question},
                                                  .input = json_text::dump_ascii(values)});
  if (!answer) return error_of(answer);
  json parsed = json_text::parse(*answer);
  if (parsed.is_discarded()) return fail("gave an unexpected answer: " + *answer, python);
  return parsed;
}

}  // namespace

Result<Needs> find_needs(const std::string& python, const Requirements& requirements) {
  json chosen = json::object();
  for (const auto& [name, package] : requirements.chosen) {
    chosen[name] = {{"version", package.version}, {"requires", package.requires_dist}};
  }
  const Result<json> answer = ask_rules(python, "needs",
                                        {{"wanted", requirements.wanted},
                                         {"chosen", chosen},
                                         {"skip", requirements.skip},
                                         {"markers", requirements.markers}});
  if (!answer) return error_of(answer);
  try {
    return Needs{answer->at("packages"), answer->at("unmet")};
  } catch (const json::exception& exception) {
    return fail(exception.what(), python);
  }
}

Result<std::vector<std::string>> nearest_versions(const std::string& python, std::string_view requirement,
                                                  const std::vector<std::string>& versions) {
  const Result<json> answer = ask_rules(python, "nearest", {{"wanted", requirement}, {"versions", versions}});
  if (!answer) return error_of(answer);
  try {
    return answer->get<std::vector<std::string>>();
  } catch (const json::exception& exception) {
    return fail(exception.what(), python);
  }
}

Result<std::vector<std::string>> versions_between(const std::string& python, const std::string& first,
                                                  const std::string& last, const std::vector<std::string>& versions) {
  const Result<json> answer = ask_rules(python, "between", {{"from", first}, {"to", last}, {"versions", versions}});
  if (!answer) return error_of(answer);
  if (answer->is_null()) return fail(first + " is not older than " + last);
  try {
    return answer->get<std::vector<std::string>>();
  } catch (const json::exception& exception) {
    return fail(exception.what(), python);
  }
}

bool is_same_version(std::string_view one, std::string_view other) {
  if (one == other) return true;
  const Result<json> answer = ask_rules(python::default_command(), "is_same", json::array({one, other}));
  return answer && *answer == true;
}

}  // namespace ngb::toolchain
