// SPDX-License-Identifier: Apache-2.0
#include "campaign/toolchain_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/json_text.h"
#include "base/python.h"

namespace ngb::campaign {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kProgram =
    "import sys\nsys.path.extend(sys.argv[2:])\nimport importlib\n"
    "module = importlib.import_module('ngraphbench.' + sys.argv[1])\nmodule.print = print\nmodule.answer()\n";

}  // namespace

std::optional<toolchain::Toolchain> toolchain_with(const Installation& installation, const std::string& compiler,
                                                   const std::vector<std::string>& packages) {
  const auto all = toolchain::list(installation.toolchains);
  std::optional<toolchain::Toolchain> found;
  for (const toolchain::Toolchain& each : all ? *all : std::vector<toolchain::Toolchain>()) {
    if (each.python.empty() || (!compiler.empty() && each.compiler != compiler)) continue;
    const bool has_all = std::all_of(packages.begin(), packages.end(), [&](const std::string& package) {
      std::error_code code;
      return fs::exists(each.site / package, code);
    });
    if (has_all) found = each;
  }
  if (!found) return found;
  // With what has changed of its files, which is a part of its hash; one that is damaged is none.
  return toolchain::find(installation.toolchains, found->compiler, found->version).value_or(std::nullopt);
}

Result<json> ask(const Installation& installation, const std::string& module,
                 const std::vector<toolchain::Toolchain>& sites, const json& question, int tasks) {
  std::vector<std::string> arguments{module, (installation.parts.lib / "python").string()};
  for (std::size_t i = 1; i < sites.size(); ++i) arguments.push_back(sites[i].site.string());
  const Result<std::string> text =
      python::ask({.interpreter = python::of_toolchain(sites.front().python, sites.front().site),
                   .program = kProgram,
                   .arguments = arguments,
                   .input = json_text::dump(question),
                   .site = sites.front().site,
                   .tasks = tasks});
  if (!text) return error_of(text);
  json answer = json_text::parse(*text);
  if (!answer.is_object())
    return fail("gave an unexpected answer: " + *text, module,
                fmt::format("run: ngb toolchain install {}@{}", sites.front().compiler, sites.front().version));
  if (answer.contains("error")) return fail(answer["error"].get<std::string>(), {}, answer.value("next", ""));
  return answer;
}

}  // namespace ngb::campaign
