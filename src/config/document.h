// SPDX-License-Identifier: Apache-2.0
// YAML text as a tree whose nodes know where they stand. The one place that knows yaml-cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace ngb::config {

inline constexpr std::size_t kMaxDocumentBytes = 1U << 20U;
inline constexpr int kMaxDocumentDepth = 32;
inline constexpr std::size_t kMaxDocumentNodes = 20'000;  // every alias counts as what it stands for

struct DocumentNode;
using NodePointer = std::shared_ptr<const DocumentNode>;

struct DocumentNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  int line = 0;                      // 1 …
  int column = 0;                    // 1 …, in characters
  std::string text{};                // of a scalar; of a null as it is written: "null", "~" or ""
  bool is_plain = false;             // a scalar without quotes, which may be a number, a boolean or text
  std::string tag{};                 // one that is not YAML's own: "!include"
  std::vector<NodePointer> items{};  // of a sequence
  std::vector<std::pair<NodePointer, NodePointer>> entries{};  // of a map, in the order of the file, keys may repeat
  int depth = 1;                                               // levels in it, 1 for a scalar
  std::size_t size = 1;                                        // nodes in it, itself included

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }
};

struct DocumentProblem {
  int line = 0;  // 0: the text as a whole
  int column = 0;
  std::string message{};
};

// The one document in `text`; a null pointer when there is none (empty, or comments only). Aliases share the node of
// their anchor. Errors: not UTF-8, not YAML, more than one document, over one of the bounds above.
tl::expected<NodePointer, DocumentProblem> parse_document(std::string_view text);

}  // namespace ngb::config
