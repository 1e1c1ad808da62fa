// SPDX-License-Identifier: Apache-2.0
#include "toolchain/python.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/python.h"
#include "base/text.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

constexpr const char* kInstallPython =
    "install Python 3.9 or newer (apt-get install python3 python3-pip), or name one with NGB_PYTHON";

// The program reports the base interpreter, because a virtual environment may be deleted.
constexpr const char* kAsk = R"(
import json, os, platform, sys
try:
    from pip import __version__ as pip
except Exception:
    pip = ""
print(json.dumps({"executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
                  "version": platform.python_version(), "pip": pip}))
)";

constexpr const char* kImport = R"(
import importlib, importlib.util, sys
for alternatives in sys.argv[1:]:
    names = alternatives.split("|")
    there = [name for name in names if importlib.util.find_spec(name)]
    importlib.import_module((there or names)[0])
)";

}  // namespace

Result<Python> ask_python(const std::string& command) {
  const Result<std::string> text = python::ask({.interpreter = {command}, .program = kAsk});
  if (has_code(text, ErrorCode::not_found)) {
    const bool is_path = command.find('/') != std::string::npos;
    return fail(is_path ? "there is no such program" : "no such program in PATH", command, kInstallPython,
                ErrorCode::not_found);
  }
  if (!text) return fail(text.error().what, text.error().where, kInstallPython);
  const nlohmann::json answer = json_text::parse(*text);
  if (!answer.is_object()) return fail("gave an unexpected answer: " + *text, command, kInstallPython);
  const Python python{.command = command,
                      .executable = answer.value("executable", command),
                      .version = answer.value("version", std::string()),
                      .pip_version = answer.value("pip", std::string())};
  if (release_numbers(python.version) < std::vector<int>{3, 9}) {
    return fail(fmt::format("Python {} is too old", python.version), python.executable, kInstallPython);
  }
  return python;
}

Result<Python> find_python() {
  Result<Python> found = ask_python(python::default_command());
  if (!found || !found->pip_version.empty() || found->executable == found->command) return found;
  Result<Python> base = ask_python(found->executable);
  return base && !base->pip_version.empty() ? base : found;
}

Python with_target(Python python, const Target& target) {
  python.target = target;
  return python;
}

Status try_imports(const std::string& command, const std::filesystem::path& site,
                   const std::vector<std::string>& modules, bool from_site_only) {
  if (modules.empty()) return Done{};
  std::vector<std::string> interpreter{command};
  if (from_site_only) interpreter.emplace_back("-S");
  const Result<std::string> ended =
      python::ask({.interpreter = interpreter, .program = kImport, .arguments = modules, .site = site});
  if (!ended) {
    return fail(fmt::format("cannot import {}: {}", text::join(modules, ", "), ended.error().what), site.string());
  }
  return Done{};
}

}  // namespace ngb::toolchain
