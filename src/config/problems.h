// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with a study file, and walks its maps so that no key is read twice or unseen.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/study.h"

namespace ngb::config {

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(const DocumentNode& at, std::string key, std::string message);
  // About the file as a whole.
  void add(std::string key, std::string message);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] std::size_t count() const { return problems_.size(); }
  // In the order of lines and columns.
  [[nodiscard]] std::vector<StudyProblem> take();

 private:
  std::string file_;
  std::vector<StudyProblem> problems_;
};

struct Field {
  std::string name{};
  NodePointer key{};
  NodePointer value{};
};

// The entries of a map; `<<` is resolved, an explicit key wins. A key that is no scalar or stands twice is a problem
// and left out. Precondition: map.is_map().
std::vector<Field> fields(const DocumentNode& map, const std::string& path, Problems& problems);

// "compilers" + "version" -> "compilers.version"; "" + "version" -> "version".
std::string join_path(const std::string& path, std::string_view name);

// A user's word as it is safe to print: at most 60 bytes, no control characters, "" as two quotes.
std::string shown(std::string_view word);

// "openvno: unknown compiler, did you mean openvino?"; without a near word: "…, expected one of: a, b".
std::string unknown_word(std::string_view word, std::string_view what, std::span<const std::string> known);

// "a list", "a mapping", "nothing", "text "abc"" …: what stands there, for "expected …, found …".
std::string found(const DocumentNode& node);

}  // namespace ngb::config
