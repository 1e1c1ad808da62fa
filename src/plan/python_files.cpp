// SPDX-License-Identifier: Apache-2.0
#include "plan/python_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/python.h"
#include "python_files.py.h"

namespace ngb::plan {
namespace {

constexpr std::uint64_t kMostBytes = 64U << 20U;

// Returns the names of the files, relative to the folder of `path`. That of `path` is the first.
Result<std::vector<std::string>> names_of(const std::filesystem::path& path) {
  constexpr const char* kMostFiles = "1000";
  const std::string command = python::default_command();
  const Result<std::string> answer = python::ask({.interpreter = {command, "-S"},
                                                  .program = kPython_python_files,
                                                  .arguments = {path.filename().string(), kMostFiles},
                                                  .folder = path.parent_path()});
  if (!answer) {
    return fail(answer.error().what, path.string(),
                fmt::format("correct the imports, which {} has parsed, or set NGB_PYTHON to another Python", command));
  }
  try {
    return json_text::parse(*answer).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    return fail("gave an unexpected answer: " + *answer, command, "install Python 3.9 or newer");
  }
}

Result<std::vector<work::UserFile>> find_files(const std::filesystem::path& path) {
  if (const auto readable = file::read(path, kMostBytes); !readable) return error_of(readable);
  const Result<std::vector<std::string>> names = names_of(path);
  if (!names) return error_of(names);
  std::vector<work::UserFile> files;
  std::uint64_t bytes = 0;
  for (const std::string& name : *names) {
    const std::filesystem::path source = path.parent_path() / name;
    const Result<std::string> content = file::read(source, kMostBytes);
    if (!content) return error_of(content);
    bytes += content->size();
    if (bytes > kMostBytes) return fail("the model's Python files are larger than 64 MiB", path.parent_path().string());
    files.push_back({"model/" + name, source.string(), hash::sha256(*content)});
  }
  return files;
}

}  // namespace

Result<std::vector<work::UserFile>> PythonFiles::of(const std::filesystem::path& path) {
  const auto known = found_.find(path);
  return known != found_.end() ? known->second : found_.emplace(path, find_files(path)).first->second;
}

}  // namespace ngb::plan
