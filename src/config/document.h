// SPDX-License-Identifier: Apache-2.0
// Parses YAML text into a tree of nodes that carry their line and column. Only document.cpp uses yaml-cpp.
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
inline constexpr std::size_t kMaxDocumentNodes = 20'000;  // an alias counts as a copy of its anchor's nodes

struct DocumentNode;
using NodePointer = std::shared_ptr<const DocumentNode>;

struct DocumentNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  int line = 0;                                                // 1 …
  int column = 0;                                              // 1 …, in characters
  std::string text{};                                          // of a scalar; of a null, as written: "null", "~" or ""
  bool is_plain = false;                                       // a scalar without quotes: a number, a boolean or text
  std::string tag{};                                           // a tag that YAML does not define: "!include"
  std::vector<NodePointer> items{};                            // of a sequence
  std::vector<std::pair<NodePointer, NodePointer>> entries{};  // of a map, in the file's order; keys may repeat
  int depth = 1;                                               // levels of the node, 1 for a scalar
  std::size_t size = 1;                                        // nodes of the tree below and including this one

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

// Returns the document in `text`, or a null pointer if there is none (`text` is empty or has only comments). Aliases
// share the node of their anchor. Returns a problem if `text` is not UTF-8 or not YAML, has more than one document, or
// exceeds one of the bounds above.
tl::expected<NodePointer, DocumentProblem> parse_document(std::string_view text);

}  // namespace ngb::config
