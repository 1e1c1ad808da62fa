// SPDX-License-Identifier: Apache-2.0
#include "config/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "base/text.h"

namespace ngb::config {
namespace {

// Is thrown to end the parser from within one of its events, and is caught in this file.
struct Stopped {
  DocumentProblem problem;
};

class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  // yaml-cpp counts bytes from 0; editors count characters from 1.
  [[nodiscard]] int column(const YAML::Mark& mark) const {
    const std::string_view before = from_start(mark).substr(0, static_cast<std::size_t>(std::max(0, mark.column)));
    return 1 + static_cast<int>(std::count_if(before.begin(), before.end(),
                                              [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  // Returns how a null is written. The parser's event has no text for a null, so it is read from the line: a word such
  // as "null", or nothing.
  [[nodiscard]] std::string null_word(const YAML::Mark& mark) const {
    constexpr std::array<std::string_view, 4> kWords{"null", "Null", "NULL", "~"};
    std::string_view rest = from_start(mark);
    rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(std::max(0, mark.column))));
    const std::string_view word = text::trim(rest.substr(0, rest.find_first_of(",:]}# \t\r")));
    const auto* const found = std::find(kWords.begin(), kWords.end(), word);
    return found == kWords.end() ? std::string{} : std::string(*found);
  }

 private:
  [[nodiscard]] std::string_view from_start(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(std::max(0, mark.line));
    return line < lines_.size() ? lines_[line] : std::string_view{};
  }

  std::vector<std::string_view> lines_;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Lines& lines) : lines_(lines) {}

  NodePointer take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = make(mark, DocumentNode::Kind::null, {});
    node->text = lines_.null_word(mark);
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Stopped{{mark.line + 1, lines_.column(mark), "an alias is used within its own anchor"}};
    place(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = make(mark, DocumentNode::Kind::scalar, tag);
    // An escape ("\0") can make a zero byte. A path or an argument would silently end there.
    if (value.find('\0') != std::string::npos) {
      throw Stopped{{node->line, node->column, "a text contains a zero byte, which no name and no path may contain"}};
    }
    node->text = text::to_utf8(value);
    node->is_plain = tag == "?" || tag.empty();
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, DocumentNode::Kind::sequence, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, DocumentNode::Kind::map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    std::shared_ptr<DocumentNode> node;
    YAML::anchor_t anchor = 0;
    NodePointer key{};  // of a map: the key whose value has not come yet
  };

  [[nodiscard]] std::shared_ptr<DocumentNode> make(const YAML::Mark& mark, DocumentNode::Kind kind,
                                                   const std::string& tag) const {
    auto node = std::make_shared<DocumentNode>();
    node->kind = kind;
    node->line = std::max(0, mark.line) + 1;
    node->column = lines_.column(mark);
    constexpr std::string_view kOwn = "tag:yaml.org,2002:";
    if (tag != "?" && tag != "!" && !tag.starts_with(kOwn)) node->tag = tag;
    return node;
  }

  void open(const YAML::Mark& mark, DocumentNode::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    auto node = make(mark, kind, tag);
    if (open_.size() >= static_cast<std::size_t>(kMaxDocumentDepth)) refuse_depth(*node);
    open_.push_back({std::move(node), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(std::move(done.node), done.anchor);
  }

  void finish(NodePointer node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    place(std::move(node));
  }

  void place(NodePointer node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    DocumentNode& into = *parent.node;
    into.size += node->size;
    into.depth = std::max(into.depth, node->depth + 1);
    if (into.depth > kMaxDocumentDepth) refuse_depth(into);
    if (into.size > kMaxDocumentNodes) {
      throw Stopped{
          {into.line, into.column,
           fmt::format("more than {} values, counting an alias as all values of its anchor", kMaxDocumentNodes)}};
    }
    if (into.is_sequence()) {
      into.items.push_back(std::move(node));
    } else if (parent.key == nullptr) {
      parent.key = std::move(node);
    } else {
      into.entries.emplace_back(std::exchange(parent.key, nullptr), std::move(node));
    }
  }

  [[noreturn]] static void refuse_depth(const DocumentNode& node) {
    throw Stopped{{node.line, node.column, fmt::format("nested deeper than {} levels", kMaxDocumentDepth)}};
  }

  const Lines& lines_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodePointer> anchors_;
  NodePointer root_;
};

// Returns the offset of the first byte that is not UTF-8 text (a wrong sequence or a control character), or the size of
// `text` if there is none.
std::size_t first_bad_byte(std::string_view text) {
  const std::string valid = text::to_utf8(text);
  const auto wrong = std::mismatch(text.begin(), text.end(), valid.begin(), valid.end()).first;
  const auto control = std::find_if(text.begin(), wrong, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
  });
  return static_cast<std::size_t>(control - text.begin());
}

std::optional<DocumentProblem> check_bytes(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) {
    return DocumentProblem{0, 0, fmt::format("larger than {} bytes; is this a study file?", kMaxDocumentBytes)};
  }
  const std::size_t bad = first_bad_byte(text);
  if (bad == text.size()) return std::nullopt;
  const std::string_view before = text.substr(0, bad);
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return DocumentProblem{
      line, static_cast<int>(bad - line_begin) + 1,
      fmt::format("byte 0x{:02x} is not UTF-8 text; save the file as UTF-8", static_cast<unsigned char>(text[bad]))};
}

}  // namespace

tl::expected<NodePointer, DocumentProblem> parse_document(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto problem = check_bytes(text)) return tl::unexpected(*std::move(problem));
  const Lines lines(text);
  TreeBuilder builder(lines);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return NodePointer{};
    NodePointer root = builder.take_root();
    TreeBuilder second(lines);
    if (parser.HandleNextDocument(second)) {
      const NodePointer extra = second.take_root();
      return tl::unexpected(DocumentProblem{extra ? extra->line : 0, extra ? extra->column : 0,
                                            "a second YAML document; a study file has only one"});
    }
    return root;
  } catch (const Stopped& stopped) {
    return tl::unexpected(stopped.problem);
  } catch (const YAML::Exception& error) {
    const bool has_mark = !error.mark.is_null();
    return tl::unexpected(DocumentProblem{has_mark ? error.mark.line + 1 : 0, has_mark ? lines.column(error.mark) : 0,
                                          "not valid YAML: " + text::to_utf8(error.msg)});
  } catch (const std::exception& error) {
    return tl::unexpected(DocumentProblem{0, 0, fmt::format("not valid YAML: {}", error.what())});
  }
}

}  // namespace ngb::config
