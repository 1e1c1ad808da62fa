// SPDX-License-Identifier: Apache-2.0
// Collects the problems of a study file, and lists the entries of its maps so that no key is missed or read twice.
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
  // Adds a problem of the file as a whole, without line and column.
  void add(std::string key, std::string message);
  // Adds that what `what` names is there already.
  void add_repeated(const DocumentNode& at, std::string key, std::string_view what);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] std::size_t count() const { return problems_.size(); }
  // Moves the problems out, sorted by line and column.
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

// Returns the entries of a map. `<<` is resolved; an explicit key overrides a merged one. A key that is not a scalar or
// is given twice is added to `problems` and left out. Precondition: map.is_map().
std::vector<Field> fields(const DocumentNode& map, const std::string& path, Problems& problems);

// Does the same for any node. If it is no map, adds the problem "expected <what>, found …" and returns none.
std::vector<Field> fields_or_problem(const DocumentNode& node, const std::string& path, std::string_view what,
                                     Problems& problems);

// Joins the names of keys: "compilers" + "version" -> "compilers.version"; "" + "version" -> "version".
std::string join_path(const std::string& path, std::string_view name);

// Returns a user's word in a form that is safe to print: at most 60 bytes, without control characters. The empty word
// becomes two quotes.
std::string shown(std::string_view word);

// Returns the message "openvno: unknown compiler, did you mean openvino?", where "compiler" is `what`. If no word of
// `known` is similar, it ends in "expected one of: a, b".
std::string unknown_word(std::string_view word, std::string_view what, std::span<const std::string> known);

// Describes a node for "expected …, found …": "a list", "a mapping", "nothing", "the text "abc"", "1.5".
std::string found(const DocumentNode& node);

// Returns whether the node is a list with items. If not, adds the problem "expected <what>, found …".
bool is_filled_list(const DocumentNode& node, const std::string& path, std::string_view what, Problems& problems);

}  // namespace ngb::config
