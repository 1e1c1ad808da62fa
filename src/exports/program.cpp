// SPDX-License-Identifier: Apache-2.0
#include "exports/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/json_text.h"
#include "base/python.h"
#include "config/study.h"
#include "exports/cell_choice.h"
#include "work/codec.h"
#include "work/compiler.h"
#include "work/thread_variables.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

bool converts_modules(const Subject& subject) {
  return work::converts_modules({.host = subject.compiler.host, .runs_modules = subject.compiler.runs_modules});
}

Result<toolchain::Toolchain> exporter_of(const campaign::Installation& installation, const Subject& subject) {
  const std::string& version = subject.plan.study.exporter_version;
  auto found = toolchain::find(installation.toolchains, config::kExporter, version);
  if (!found) return error_of(found);
  if (*found) return **std::move(found);
  const std::string name = fmt::format("{}@{}", config::kExporter, version);
  return fail("PyTorch's toolchain is not installed, which the compiler needs beside its own", name,
              "run: ngb toolchain install " + name);
}

// A module's description names its files as the plan does; Python needs their paths.
json source_of(const work::Model& model) {
  if (std::holds_alternative<work::OnnxFile>(model.source)) return {};
  json source = json_text::parse(work::json_of(model.source));
  if (!model.is_module()) return source;
  for (const work::UserFile& file : model.files) {
    for (const char* const key : {"file", "state_dict"}) {
      if (source["module"].value(key, "") == file.name) source["module"][key] = file.path;
    }
  }
  return source;
}

// Calls a function of ngraphbench/program.py.
Result<json> ask(const campaign::Installation& installation, const Subject& subject, const PythonCommand& python,
                 std::string_view function, const json& question) {
  std::vector<std::string> arguments{(installation.parts.lib / "python").string()};
  for (const toolchain::Toolchain& each : python.packages_of) arguments.push_back(each.site.string());
  const Result<std::string> text = python::ask({.interpreter = python.interpreter,
                                                .program = fmt::format("import sys\nsys.path[:0] = sys.argv[1:]\n"
                                                                       "from ngraphbench import program\n"
                                                                       "program.{}(print)\n",
                                                                       function),
                                                .arguments = arguments,
                                                .input = json_text::dump(question),
                                                .site = subject.toolchain.site});
  if (!text) return error_of(text);
  json answer = json_text::parse(*text);
  if (!answer.is_object()) return fail("gave an unexpected answer: " + *text, title_of(subject.cell));
  if (!answer.contains("error")) return answer;
  return fail(answer["error"].get<std::string>(), title_of(subject.cell), answer.value("next", ""));
}

}  // namespace

Result<std::vector<TensorSignature>> inputs_of_module(const campaign::Installation& installation,
                                                      const Subject& subject) {
  const work::Model& model = subject.model();
  const Result<PythonCommand> python = python_of(installation, subject);
  if (!python) return error_of(python);
  const auto answer = ask(installation, subject, *python, "describe",
                          {{"folder", (subject.compiler.folder.parent_path() / config::kExporter).string()},
                           {"recipe", source_of(model)},
                           {"batch", model.key.batch}});
  if (!answer) return error_of(answer);
  return work::parse_json<std::vector<TensorSignature>>((*answer)["inputs"], "inputs");
}

Result<PythonCommand> python_of(const campaign::Installation& installation, const Subject& subject) {
  const toolchain::Toolchain& own = subject.toolchain;
  PythonCommand command{python::of_toolchain(own.python, own.site), own.site.string(), {own}};
  if (has_package(own, "numpy") && !converts_modules(subject)) return command;
  const Result<toolchain::Toolchain> second =
      converts_modules(subject) ? exporter_of(installation, subject) : numpy_for(installation, own);
  if (!second) return error_of(second);
  command.path += ":" + second->site.string();
  command.packages_of.push_back(*second);
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
  const json options = work::object_of(compiler.options);
  for (const auto& [name, value] : options.items()) {
    question["options"][name] = value.is_string() ? value.get<std::string>() : json_text::dump(value);
  }
  question["settings"] = work::object_of(compiler.settings);
  question["host"] = subject.compiler.host;
  question["site"] = subject.toolchain.site.string();
  question["folders"] = {subject.compiler.folder.string(),
                         (subject.compiler.folder.parent_path() / subject.compiler.toolchain).string()};
  question["facts"] = subject.cell.processes.front().facts;
  question["recipe"] = source_of(subject.model());
  const CacheFolder cache = campaign::trusted_cache(installation);
  question["cache"] = cache.is_none() ? "" : (cache.path() / "tuning").string();
  const Result<PythonCommand> python = python_of(installation, subject);
  if (!python) return error_of(python);
  question["module_site"] = converts_modules(subject) ? python->packages_of.back().site.string() : "";
  return ask(installation, subject, *python, "answer", question);
}

}  // namespace ngb::exports
