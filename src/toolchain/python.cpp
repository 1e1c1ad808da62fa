// SPDX-License-Identifier: Apache-2.0
#include "toolchain/python.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text.h"
#include "toolchain/version.h"

namespace ngb::toolchain {
namespace {

constexpr const char* kInstallPython = "install Python 3.9 or newer (apt-get install python3 python3-pip)";

// The base interpreter: a virtual environment may be gone tomorrow.
constexpr const char* kAsk = R"(
import json, os, platform, sys
full_version = platform.python_version()
print("\n" + json.dumps({
    "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": full_version,
    "markers": {
        "os_name": os.name,
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": full_version,
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "implementation_name": sys.implementation.name,
        "implementation_version": full_version}}))
)";

constexpr const char* kLookInto = R"(
import json, sys
from importlib import metadata
for name in sys.argv[1:]:
    try:
        found = metadata.distribution(name)
        break
    except metadata.PackageNotFoundError:
        found = None
answer = {}
if found:
    site = str(found.locate_file(""))
    everything = sorted({(d.metadata["Name"], d.version) for d in metadata.distributions(path=[site])})
    answer = {"version": found.version, "site": site, "distributions": everything}
print("\n" + json.dumps(answer))
)";

constexpr const char* kImport = R"(
import importlib, importlib.util, sys
for alternatives in sys.argv[1:]:
    names = alternatives.split("|")
    there = [name for name in names if importlib.util.find_spec(name)]
    importlib.import_module((there or names)[0])
)";

std::string last_line(std::string_view output) {
  const std::string_view trimmed = text::trim(output);
  const std::size_t newline = trimmed.rfind('\n');
  return std::string(newline == std::string_view::npos ? trimmed : trimmed.substr(newline + 1));
}

Result<std::string> run_script(const std::vector<std::string>& interpreter, const char* script,
                               const std::filesystem::path& site, const std::vector<std::string>& arguments) {
  const std::string& command = interpreter.front();
  process::Spawn spawn{.arguments = interpreter};
  spawn.arguments.insert(spawn.arguments.end(), {"-c", script});
  spawn.arguments.insert(spawn.arguments.end(), arguments.begin(), arguments.end());
  spawn.environment.emplace_back("PYTHONDONTWRITEBYTECODE", "1");
  spawn.environment.emplace_back("ORT_DISABLE_TELEMETRY", "1");  // ONNX Runtime, when it is imported
  if (!site.empty()) spawn.environment.emplace_back("PYTHONPATH", site.string());
  const Result<process::Outcome> outcome = process::run(spawn);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->succeeded()) return last_line(outcome->output);
  if (outcome->signal) return fail(fmt::format("ended by signal {}", *outcome->signal), command);
  return fail(last_line(outcome->output), command);
}

Result<nlohmann::json> ask_for_json(const std::string& command, const char* script, const std::filesystem::path& site,
                                    const std::vector<std::string>& arguments) {
  const Result<std::string> answer = run_script({command}, script, site, arguments);
  if (!answer) return tl::unexpected(answer.error());
  nlohmann::json parsed = nlohmann::json::parse(*answer, nullptr, false);
  if (!parsed.is_object()) return fail("gave an unexpected answer: " + *answer, command, kInstallPython);
  return parsed;
}

}  // namespace

Result<Python> ask_python(const std::string& command) {
  const Result<nlohmann::json> answer = ask_for_json(command, kAsk, {}, {});
  if (!answer) return fail(answer.error().what, answer.error().where, kInstallPython);
  const Python python{command, answer->value("executable", command), answer->value("version", std::string()),
                      answer->value("markers", MarkerVariables()), std::nullopt};
  if (compare_versions(python.version, "3.9") < 0) {
    return fail(fmt::format("Python {} is too old", python.version), python.executable, kInstallPython);
  }
  return python;
}

Result<Python> find_python() {
  const char* chosen = ::getenv("NGB_PYTHON");
  return ask_python(chosen != nullptr && *chosen != '\0' ? chosen : "python3");
}

Python with_target(Python python, const Target& target) {
  python.marker_variables = marker_variables(target);
  python.target = target;
  return python;
}

Result<Contents> look_into(const std::string& command, const std::filesystem::path& site,
                           const std::vector<std::string>& names) {
  const Result<nlohmann::json> answer = ask_for_json(command, kLookInto, site, names);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->empty()) {
    return fail("no package " + text::join(names, " or ") + " there", site.empty() ? command : site.string());
  }
  Contents contents;
  contents.version = answer->value("version", std::string());
  contents.site = answer->value("site", std::string());
  for (const nlohmann::json& pair : (*answer)["distributions"]) {
    contents.distributions.push_back({pair.at(0).get<std::string>(), pair.at(1).get<std::string>()});
  }
  return contents;
}

Status try_imports(const std::string& command, const std::filesystem::path& site,
                   const std::vector<std::string>& modules, bool from_site_only) {
  if (modules.empty()) return Done{};
  std::vector<std::string> interpreter{command};
  if (from_site_only) interpreter.emplace_back("-S");
  const Result<std::string> ended = run_script(interpreter, kImport, site, modules);
  if (!ended) {
    return fail(fmt::format("cannot import {}: {}", text::join(modules, ", "), ended.error().what), site.string());
  }
  return Done{};
}

}  // namespace ngb::toolchain
