// SPDX-License-Identifier: Apache-2.0
#include "exports/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/json_text.h"
#include "base/python.h"
#include "exports/cell_choice.h"
#include "work/compiler.h"
#include "work/thread_variables.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kWriter =
    "import sys\nsys.path[:0] = sys.argv[1:]\nfrom ngraphbench import program\nprogram.answer(print)\n";

bool has_package(const toolchain::Toolchain& toolchain, const std::string& folder) {
  std::error_code code;
  return fs::exists(toolchain.site / folder, code);
}

// Programs hold their values in NumPy's arrays, which some libraries need at run time only when Python calls them.
Result<toolchain::Toolchain> numpy_for(const campaign::Installation& installation,
                                       const toolchain::Toolchain& program) {
  const auto all = toolchain::list(installation.toolchains);
  if (!all) return error_of(all);
  for (const toolchain::Toolchain& each : *all) {
    if (each.python_version == program.python_version && has_package(each, "numpy")) return each;
  }
  return fail("no installed toolchain has NumPy for this Python, which the program needs", program.folder.string(),
              "run: ngb toolchain install identity");
}

}  // namespace

Result<PythonCommand> python_of(const campaign::Installation& installation, const Subject& subject) {
  const toolchain::Toolchain& own = subject.toolchain;
  PythonCommand command{python::of_toolchain(own.python, own.site), own.site.string(), {own}};
  if (has_package(own, "numpy")) return command;
  const Result<toolchain::Toolchain> numpy = numpy_for(installation, own);
  if (!numpy) return error_of(numpy);
  command.path += ":" + numpy->site.string();
  command.packages_of.push_back(*numpy);
  return command;
}

Result<json> write_program(const campaign::Installation& installation, const Subject& subject, json question) {
  const work::Compiler& compiler = subject.cell.of.compiler;
  question["compiler"] = compiler.name;
  question["version"] = compiler.version;
  question["precision"] = compiler.precision;
  question["thread_variables"] = work::kThreadVariables;
  question["threads"] = subject.cell.of.threads.value_or(compiler.threads);
  question["options"] = json::object();
  for (const auto& [name, value] : compiler.options) question["options"][name] = value;
  question["settings"] = work::object_of(compiler.settings);
  question["host"] = subject.compiler.host;
  question["site"] = subject.toolchain.site.string();
  question["folders"] = {subject.compiler.folder.string(),
                         (subject.compiler.folder.parent_path() / subject.compiler.toolchain).string()};
  question["facts"] = subject.cell.processes.front().facts;
  const Result<PythonCommand> python = python_of(installation, subject);
  if (!python) return error_of(python);
  std::vector<std::string> arguments{(installation.parts.lib / "python").string()};
  for (const toolchain::Toolchain& each : python->packages_of) arguments.push_back(each.site.string());
  const Result<std::string> text = python::ask({.interpreter = python->interpreter,
                                                .program = kWriter,
                                                .arguments = arguments,
                                                .input = json_text::dump(question),
                                                .site = subject.toolchain.site});
  if (!text) return error_of(text);
  json answer = json_text::parse(*text);
  if (!answer.is_object()) return fail("gave an unexpected answer: " + *text, title_of(subject.cell));
  if (!answer.contains("error")) return answer;
  return fail(answer["error"].get<std::string>(), title_of(subject.cell), answer.value("next", ""));
}

}  // namespace ngb::exports
