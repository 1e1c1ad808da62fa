// SPDX-License-Identifier: Apache-2.0
#include "plan/python_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace ngb::plan {
namespace {

constexpr std::size_t kMostFiles = 1000;
constexpr std::uint64_t kMostBytes = 64U << 20U;

// First parts of the modules that a line imports: "a" of `from a.b import c`, "a" and "b" of `import a, b.c as d`.
std::vector<std::string> imported_by(const std::string& line) {
  static const std::regex kFrom(R"(^\s*from\s+([A-Za-z_]\w*)[\w.]*\s+import\b.*)");
  static const std::regex kImport(R"(^\s*import\s+([^#;]+).*)");
  std::smatch match;
  constexpr std::size_t kLongestLine = 2000;
  if (line.size() > kLongestLine) return {};
  if (std::regex_match(line, match, kFrom)) return {match[1]};
  std::vector<std::string> modules;
  if (!std::regex_match(line, match, kImport)) return modules;
  for (const std::string& part : text::split(match[1].str(), ',')) {
    const std::string_view whole = text::trim(part);
    modules.emplace_back(whole.substr(0, whole.find_first_of(". \t")));
  }
  return modules;
}

class Search {
 public:
  explicit Search(const std::filesystem::path& path) : folder_(path.parent_path()) {}

  // The file and, through what it imports, others.
  Status add(const std::filesystem::path& path) {
    if (!seen_.insert(path).second) return Done{};
    if (seen_.size() > kMostFiles) {
      return fail(fmt::format("imports more than {} files", kMostFiles), folder_.string(),
                  "install the larger part as a package of the toolchain's Python");
    }
    const Result<std::string> content = file::read(path, kMostBytes);
    if (!content) return tl::unexpected(content.error());
    bytes_ += content->size();
    if (bytes_ > kMostBytes) return fail("its Python files are larger than 64 MiB", folder_.string());
    files_[path.lexically_relative(folder_).generic_string()] = {path, hash::sha256(*content)};
    for (const std::string& line : text::split(*content, '\n')) {
      for (const std::string& module : imported_by(line)) {
        if (const Status added = add_module(module); !added) return added;
      }
    }
    return Done{};
  }

  [[nodiscard]] std::vector<UserFile> files(const std::filesystem::path& first) const {
    std::vector<UserFile> all;
    for (const auto& [name, file] : files_) {
      const UserFile found{"model/" + name, file.first.string(), file.second};
      all.insert(file.first == first ? all.begin() : all.end(), found);
    }
    return all;
  }

 private:
  Status add_module(const std::string& module) {
    std::error_code ignored;
    const std::filesystem::path package = folder_ / module;
    if (std::filesystem::is_regular_file(package.string() + ".py", ignored)) return add(package.string() + ".py");
    if (module.empty() || !std::filesystem::is_directory(package, ignored)) return Done{};
    if (!packages_.insert(package).second) return Done{};
    std::vector<std::filesystem::path> sources;
    for (const auto& each : std::filesystem::recursive_directory_iterator(package, ignored)) {
      if (each.is_regular_file(ignored) && each.path().extension() == ".py") sources.push_back(each.path());
      if (sources.size() > kMostFiles) break;
    }
    std::sort(sources.begin(), sources.end());
    for (const std::filesystem::path& source : sources) {
      if (const Status added = add(source); !added) return added;
    }
    return Done{};
  }

  std::filesystem::path folder_;
  std::uint64_t bytes_ = 0;
  std::set<std::filesystem::path> seen_;
  std::set<std::filesystem::path> packages_;
  std::map<std::string, std::pair<std::filesystem::path, std::string>> files_;  // name -> path, hash
};

}  // namespace

Result<std::vector<UserFile>> python_files(const std::filesystem::path& path) {
  Search search(path);
  if (const Status added = search.add(path); !added) return tl::unexpected(added.error());
  return search.files(path);
}

}  // namespace ngb::plan
