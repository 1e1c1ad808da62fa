// SPDX-License-Identifier: Apache-2.0
#include "toolchain/site.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/python.h"
#include "base/text.h"
#include "site.py.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<json> ask_site(const std::string& command, const fs::path& first, std::vector<std::string> arguments) {
  const Result<std::string> answer = python::ask(
      {.interpreter = {command}, .program = kPython_site, .arguments = std::move(arguments), .site = first});
  if (!answer) return error_of(answer);
  json parsed = json_text::parse(*answer);
  if (parsed.is_discarded()) return fail("gave an unexpected answer: " + *answer, command);
  return parsed;
}

std::vector<Distribution> read_distributions(const json& packages) {
  std::vector<Distribution> all;
  for (const json& each : packages) all.push_back({each.at(0), each.at(1), each.at(2)});
  return all;
}

}  // namespace

Result<Contents> examine_site(const std::string& command, const fs::path& site, const std::vector<std::string>& names) {
  std::vector<std::string> arguments{"find", site.string()};
  arguments.insert(arguments.end(), names.begin(), names.end());
  const Result<json> answer = ask_site(command, site, std::move(arguments));
  if (!answer) return error_of(answer);
  if (answer->empty()) {
    return fail("no package " + text::join(names, " or ") + " there", site.empty() ? command : site.string());
  }
  try {
    return Contents{answer->at("version"), answer->at("site").get<std::string>(),
                    read_distributions(answer->at("packages"))};
  } catch (const json::exception& exception) {
    return fail(exception.what(), command);
  }
}

namespace site {

Result<std::vector<Distribution>> contents(const std::string& command, const fs::path& site) {
  const Result<json> answer = ask_site(command, {}, {"contents", site.string()});
  if (!answer) return error_of(answer);
  try {
    return read_distributions(*answer);
  } catch (const json::exception& exception) {
    return fail(exception.what(), command);
  }
}

namespace {

Result<std::vector<std::string>> ask_for_names(const std::string& command, std::vector<std::string> arguments,
                                               const std::vector<std::string>& names) {
  arguments.insert(arguments.end(), names.begin(), names.end());
  const Result<json> answer = ask_site(command, {}, std::move(arguments));
  if (!answer) return error_of(answer);
  try {
    return answer->get<std::vector<std::string>>();
  } catch (const json::exception& exception) {
    return fail(exception.what(), command);
  }
}

}  // namespace

Result<std::vector<std::string>> unlike_record(const std::string& command, const fs::path& site,
                                               const std::vector<std::string>& names) {
  return ask_for_names(command, {"unlike", site.string()}, names);
}

Result<std::vector<std::string>> copy(const std::string& command, const fs::path& from, const fs::path& into,
                                      const std::vector<std::string>& names) {
  return ask_for_names(command, {"copy", from.string(), into.string()}, names);
}

Status merge(const fs::path& from, const fs::path& into) {
  if (Status made = file::make_folder(into); !made) return made;
  std::error_code code;
  for (fs::directory_iterator it(from, code), end; !code && it != end; it.increment(code)) {
    const fs::path target = into / it->path().filename();
    std::error_code ignored;
    const bool is_shared = fs::is_directory(fs::symlink_status(it->path(), ignored)) && fs::exists(target, ignored);
    if (is_shared) {
      if (Status merged = merge(it->path(), target); !merged) return merged;
      continue;
    }
    if (Status moved = file::rename_to(it->path(), target); !moved) return moved;
  }
  if (code) return tl::unexpected(file::from_errno("read", from, code.value()));
  return Done{};
}

}  // namespace site
}  // namespace ngb::toolchain
