// SPDX-License-Identifier: Apache-2.0
#include "config/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"

namespace ngb::config {
namespace {

constexpr std::size_t kMaxShownBytes = 60;
constexpr std::size_t kMaxListedWords = 30;

// Returns the maps that `<<: [*a, *b]` names, in the order of precedence.
std::vector<NodePointer> merged_maps(const DocumentNode& value, const std::string& path, Problems& problems) {
  std::vector<NodePointer> maps;
  const auto refuse = [&](const DocumentNode& at) {
    problems.add(at, path, "<<: expected a mapping to merge, found " + found(at));
  };
  if (!value.is_sequence()) {
    refuse(value);
    return maps;
  }
  for (const NodePointer& item : value.items) {
    if (item->is_map()) {
      maps.push_back(item);
    } else {
      refuse(*item);
    }
  }
  return maps;
}

class FieldCollector {
 public:
  FieldCollector(const std::string& path, Problems& problems) : path_(path), problems_(problems) {}

  // Collects the map's own keys, then those of the maps that it merges. The first value of a key is kept.
  void collect(const DocumentNode& map) {
    std::set<std::string> own;
    std::vector<NodePointer> bases;
    for (const auto& [key, value] : map.entries) {
      if (!key->is_scalar() && !key->is_null()) {
        problems_.add(*key, path_, "expected a word as key, found " + found(*key));
      } else if (key->is_plain && key->text == "<<") {
        auto more = value->is_map() ? std::vector<NodePointer>{value} : merged_maps(*value, path_, problems_);
        bases.insert(bases.end(), more.begin(), more.end());
      } else if (!own.insert(key->text).second) {
        problems_.add(*key, join_path(path_, shown(key->text)), "the key is given twice; remove one of the two");
      } else if (seen_.insert(key->text).second) {
        fields_.push_back({key->text, key, value});
      }
    }
    for (const NodePointer& base : bases) collect(*base);
  }

  std::vector<Field> take() { return std::move(fields_); }

 private:
  const std::string& path_;
  Problems& problems_;
  std::set<std::string> seen_;
  std::vector<Field> fields_;
};

}  // namespace

std::string StudyProblem::text() const {
  std::string out = file;
  if (line > 0) out += fmt::format(":{}:{}", line, column);
  if (!key.empty()) out += ": " + key;
  return out + ": " + message;
}

void Problems::add(const DocumentNode& at, std::string key, std::string message) {
  problems_.push_back({file_, at.line, at.column, std::move(key), std::move(message)});
}

void Problems::add(std::string key, std::string message) {
  problems_.push_back({file_, 0, 0, std::move(key), std::move(message)});
}

void Problems::add_repeated(const DocumentNode& at, std::string key, std::string_view what) {
  add(at, std::move(key), fmt::format("{} is listed twice; remove one of the two", what));
}

std::vector<StudyProblem> Problems::take() {
  std::stable_sort(problems_.begin(), problems_.end(), [](const StudyProblem& a, const StudyProblem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return std::move(problems_);
}

std::vector<Field> fields(const DocumentNode& map, const std::string& path, Problems& problems) {
  FieldCollector collector(path, problems);
  collector.collect(map);
  return collector.take();
}

std::vector<Field> fields_or_problem(const DocumentNode& node, const std::string& path, std::string_view what,
                                     Problems& problems) {
  if (node.is_map()) return fields(node, path, problems);
  problems.add(node, path, fmt::format("expected {}, found {}", what, found(node)));
  return {};
}

std::string join_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string shown(std::string_view word) {
  if (word.empty()) return "\"\"";
  const bool is_long = word.size() > kMaxShownBytes;
  std::string out = text::to_utf8(word.substr(0, kMaxShownBytes));
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return is_long ? out + "…" : out;
}

std::string unknown_word(std::string_view word, std::string_view what, std::span<const std::string> known) {
  std::string message = fmt::format("{}: unknown {}", shown(word), what);
  if (word.size() <= kMaxShownBytes) {
    if (const auto near = text::nearest(word, known)) return fmt::format("{}, did you mean {}?", message, *near);
  }
  const auto listed = known.first(std::min(known.size(), kMaxListedWords));
  const char* const more = listed.size() < known.size() ? ", …" : "";
  return fmt::format("{}, expected one of: {}{}", message, text::join(listed, ", "), more);
}

std::string found(const DocumentNode& node) {
  switch (node.kind) {
    case DocumentNode::Kind::sequence:
      return "a list";
    case DocumentNode::Kind::map:
      return "a mapping";
    case DocumentNode::Kind::null:
      return node.text.empty() ? "nothing" : node.text;
    case DocumentNode::Kind::scalar:
      return node.is_plain ? shown(node.text)
                           : fmt::format("the text \"{}\"", node.text.empty() ? "" : shown(node.text));
  }
  return {};
}

bool is_filled_list(const DocumentNode& node, const std::string& path, std::string_view what, Problems& problems) {
  if (node.is_sequence() && !node.items.empty()) return true;
  problems.add(node, path,
               fmt::format("expected {}, found {}", what, node.is_sequence() ? "an empty list" : found(node)));
  return false;
}

}  // namespace ngb::config
