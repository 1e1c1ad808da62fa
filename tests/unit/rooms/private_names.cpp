// SPDX-License-Identifier: Apache-2.0
#include "private_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

#include "base/file.h"
#include "base/text.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;

// Without comments, preprocessor lines and the content of literals.
std::string code_of(std::string_view source) {
  static const std::regex kNoCode(
      R"re(//[^\n]*|/\*[^]*?\*/|R"([a-z_]*)\([^]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')re"
      R"re(|(?:^|\n)[ \t]*#(?:[^\n]*\\\n)*[^\n]*)re");
  return std::regex_replace(std::string(source), kNoCode, " ");
}

// The name that a declaration introduces; `head` is what stands before its body or its value.
std::optional<std::string> declared_in(const std::string& head) {
  static const std::regex kType(R"re(^\s*(?:template\s*<[^]*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(\w+))re");
  static const std::regex kOther(R"re(^\s*(?:using|typedef|namespace|static_assert|extern|friend)\b)re");
  static const std::regex kFunction(R"re(((?:\w+::)*\w+)\s*\()re");  // of a class: with its name
  static const std::regex kVariable(R"re((\w+)\s*(?:\[[^\]]*\]\s*)*$)re");
  std::smatch found;
  if (std::regex_search(head, found, kType)) return found[1];
  if (std::regex_search(head, kOther) || head.find("operator") != std::string::npos) return std::nullopt;
  if (std::regex_search(head, found, kFunction)) return found[1];
  if (std::regex_search(head, found, kVariable)) return found[1];
  return std::nullopt;
}

class Scanner {
 public:
  std::set<std::string> scan(const std::string& code) {
    for (const char each : code) take(each);
    return std::move(names_);
  }

 private:
  void take(char each) {
    const bool is_outside = depth_ == static_cast<int>(open_.size());
    if (each == '{') {
      if (is_outside) begin();
      ++depth_;
    } else if (each == '}') {
      --depth_;
      if (depth_ < static_cast<int>(open_.size())) open_.pop_back();
      if (depth_ == static_cast<int>(open_.size()) && !has_value_ && parentheses_ == 0) head_.clear();
    } else if (!is_outside) {
      return;
    } else if (each == ';') {
      end();
    } else {
      if (each == '=' && parentheses_ == 0) {
        note();
        has_value_ = true;
      }
      parentheses_ += each == '(' ? 1 : each == ')' ? -1 : 0;
      head_ += each;
    }
  }

  // A brace opens a namespace, a body or a value.
  void begin() {
    static const std::regex kNamespace(R"re(\bnamespace\s*([\w:]*)\s*$)re");
    std::smatch found;
    if (parentheses_ == 0 && std::regex_search(head_, found, kNamespace)) {
      open_.push_back(found[1]);
      head_.clear();
    } else {
      note();
    }
  }

  void end() {
    note();
    head_.clear();
    has_value_ = false;
    parentheses_ = 0;
  }

  void note() {
    const bool is_private = std::find(open_.begin(), open_.end(), "") != open_.end();
    if (!is_private || has_value_ || parentheses_ != 0) return;
    const std::optional<std::string> name = declared_in(head_);
    if (!name) return;
    std::vector<std::string> parts(open_);
    std::erase(parts, "");
    parts.push_back(*name);
    names_.insert(text::join(parts, "::"));
  }

  std::set<std::string> names_{};
  std::vector<std::string> open_{};  // namespaces that we are in; "" for an anonymous one
  int depth_ = 0;                    // of braces
  int parentheses_ = 0;
  std::string head_{};
  bool has_value_ = false;
};

std::string files_with_options(const fs::path& cmake) {
  static const std::regex kCall(R"re(set_source_files_properties\(([^)]*?)PROPERTIES[^)]*COMPILE_OPTIONS)re");
  const std::string content = file::read(cmake).value_or("");
  std::string files = " ";
  for (std::sregex_iterator call(content.begin(), content.end(), kCall), end; call != end; ++call) {
    files += (*call)[1].str() + " ";
  }
  return files;
}

}  // namespace

std::set<std::string> private_names(std::string_view source) { return Scanner().scan(code_of(source)); }

std::vector<std::string> repeated_names(const fs::path& folder) {
  const std::string left_out = files_with_options(folder / "CMakeLists.txt");
  std::map<std::string, std::vector<std::string>> files_of;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.path().extension() != ".cpp" || left_out.find(" " + name + " ") != std::string::npos) continue;
    for (const std::string& each : private_names(file::read(entry.path()).value_or(""))) files_of[each].push_back(name);
  }
  std::vector<std::string> repeated;
  for (auto& [name, files] : files_of) {
    if (files.size() < 2) continue;
    std::sort(files.begin(), files.end());
    repeated.push_back(fmt::format("{}: {} in {}", folder.filename().string(), name, text::join(files, " and ")));
  }
  return repeated;
}

}  // namespace ngb::rooms
