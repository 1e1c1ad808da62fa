// SPDX-License-Identifier: Apache-2.0
#include "worker/nudged_choices.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "worker/reference_file.h"

namespace ngb::worker {
namespace {

// Numbers of fields in onnx.proto. Workers are linked without protobuf.
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kModelOpset = 8;
constexpr std::uint32_t kOpsetDomain = 1;
constexpr std::uint32_t kOpsetVersion = 2;
constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kNodeInput = 1;
constexpr std::uint32_t kNodeOutput = 2;
constexpr std::uint32_t kNodeType = 4;
constexpr std::uint32_t kNodeAttribute = 5;
constexpr std::uint32_t kNodeDomain = 7;
constexpr std::uint32_t kAttributeName = 1;
constexpr std::uint32_t kAttributeInteger = 3;
constexpr std::uint32_t kAttributeTensor = 5;
constexpr std::uint32_t kAttributeGraph = 6;
constexpr std::uint32_t kAttributeType = 20;
constexpr std::uint32_t kTensorType = 2;
constexpr std::uint32_t kTensorData = 9;

constexpr std::uint64_t kTypeInteger = 2;
constexpr std::uint64_t kTypeTensor = 4;
constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kInt64 = 7;

constexpr std::uint64_t kOpsetOfRange = 11;
constexpr std::uint64_t kOpsetOfEmptyReshape = 14;  // Reshape got `allowzero`
constexpr std::uint64_t kOpsetOfCastLike = 15;
constexpr float kShare = 0x1p-17F;
constexpr int kDeepest = 64;

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kBytes = 2;
constexpr std::uint32_t kFixed32 = 5;

struct Chooser {
  std::string_view type;
  std::size_t inputs;  // how many of its inputs, from the first on, are compared with each other
};
constexpr std::array kChoosers{Chooser{"ArgMax", 1}, Chooser{"ArgMin", 1}, Chooser{"TopK", 1},
                               Chooser{"NonMaxSuppression", 2}};

struct WireField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;       // of a varint
  std::string_view content{};    // of a text or a message
  std::string_view with_head{};  // the whole field
};

bool read_varint(std::string_view& rest, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Reads the next field. Returns false if it is malformed.
bool read_field(std::string_view& rest, WireField& field) {
  const std::string_view before = rest;
  std::uint64_t tag = 0;
  if (!read_varint(rest, tag)) return false;
  field = {.number = static_cast<std::uint32_t>(tag >> 3U)};
  std::uint64_t bytes = 0;
  switch (tag & 7U) {
    case kVarint:
      if (!read_varint(rest, field.value)) return false;
      break;
    case kBytes:
      if (!read_varint(rest, bytes)) return false;
      break;
    case kFixed64:
      bytes = 8;
      break;
    case kFixed32:
      bytes = 4;
      break;
    default:
      return false;
  }
  if (bytes > rest.size()) return false;
  field.content = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  field.with_head = before.substr(0, before.size() - rest.size());
  return true;
}

template <class OnField>
bool for_each_field(std::string_view message, OnField on_field) {
  WireField field;
  while (!message.empty()) {
    if (!read_field(message, field) || !on_field(field)) return false;
  }
  return true;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes += static_cast<char>(value);
  return bytes;
}

std::string head_of(std::uint32_t number, std::uint64_t bytes) {
  return varint((number << 3U) | kBytes) + varint(bytes);
}
std::string field_of(std::uint32_t number, std::string_view content) {
  return head_of(number, content.size()).append(content);
}
std::string field_of(std::uint32_t number, std::uint64_t value) { return varint(number << 3U) + varint(value); }

std::string node(std::string_view type, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& attribute = {}) {
  std::string content;
  for (const std::string& input : inputs) content += field_of(kNodeInput, input);
  content += field_of(kNodeOutput, output) + field_of(kNodeType, type) + attribute;
  return field_of(kGraphNode, content);
}

std::string attribute(std::string_view name, std::uint64_t value) {
  return field_of(kNodeAttribute, field_of(kAttributeName, name) + field_of(kAttributeInteger, value) +
                                      field_of(kAttributeType, kTypeInteger));
}

// Returns a node whose output is a number: one without dimensions.
template <class Bits>
std::string constant(const std::string& output, std::uint64_t type, Bits bits) {
  std::string data;
  for (std::size_t i = 0; i < sizeof bits; ++i) data += static_cast<char>((bits >> (8 * i)) & 0xFFU);
  const std::string tensor = field_of(kTensorType, type) + field_of(kTensorData, data);
  const std::string value =
      field_of(kAttributeName, "value") + field_of(kAttributeTensor, tensor) + field_of(kAttributeType, kTypeTensor);
  return node("Constant", {}, output, field_of(kNodeAttribute, value));
}
std::string constant(const std::string& output, float value) {
  return constant(output, kFloat, std::bit_cast<std::uint32_t>(value));
}
std::string constant(const std::string& output, std::uint64_t value) { return constant(output, kInt64, value); }

// Copy makes the pieces of the copied file. They refer to the file's bytes or to `made_`.
class Copy {
 public:
  // Returns false if this is not an ONNX file.
  bool model(std::string_view bytes) {
    std::vector<std::string_view> graphs;
    const bool is_read = for_each_field(bytes, [&](const WireField& field) {
      if (field.number == kModelGraph) graphs.push_back(field.content);
      return field.number != kModelOpset || opset(field.content);
    });
    if (!is_read || opset_ == 0 || graphs.size() != 1) return false;
    if (opset_ < kOpsetOfRange) return true;
    std::vector<std::string_view> graph_pieces;
    if (!graph(graphs.front(), 0, graph_pieces)) return false;
    std::uint64_t graph_bytes = 0;
    for (const std::string_view piece : graph_pieces) graph_bytes += piece.size();
    for_each_field(bytes, [&](const WireField& field) {
      if (field.number != kModelGraph) pieces_.push_back(field.with_head);
      return true;
    });
    pieces_.push_back(keep(head_of(kModelGraph, graph_bytes)));
    pieces_.insert(pieces_.end(), graph_pieces.begin(), graph_pieces.end());
    return true;
  }

  [[nodiscard]] bool has_choice() const { return nudged_ > 0; }
  [[nodiscard]] const std::vector<std::string_view>& pieces() const { return pieces_; }

 private:
  std::string_view keep(const std::string& made) { return made_.emplace_back(made); }

  bool opset(std::string_view bytes) {
    std::string_view domain;
    std::uint64_t version = 0;
    const bool is_read = for_each_field(bytes, [&](const WireField& field) {
      if (field.number == kOpsetDomain) domain = field.content;
      if (field.number == kOpsetVersion) version = field.value;
      return true;
    });
    if (domain.empty() || domain == "ai.onnx") opset_ = version;
    return is_read;
  }

  bool graph(std::string_view bytes, int depth, std::vector<std::string_view>& pieces) {
    if (depth > kDeepest) return false;
    return for_each_field(bytes, [&](const WireField& field) {
      if (field.number != kGraphNode) {
        pieces.push_back(field.with_head);
        return true;
      }
      const std::size_t before = nudged_;
      std::string changed;
      if (!copy_node(field.content, depth, changed)) return false;
      pieces.push_back(nudged_ == before ? field.with_head : keep(changed));
      return true;
    });
  }

  // Appends the node. If it chooses, the nodes that nudge its inputs are appended before it.
  bool copy_node(std::string_view bytes, int depth, std::string& into) {
    std::string_view type;
    std::string_view domain;
    const bool is_read = for_each_field(bytes, [&](const WireField& field) {
      if (field.number == kNodeType) type = field.content;
      if (field.number == kNodeDomain) domain = field.content;
      return true;
    });
    if (!is_read) return false;
    std::size_t left = domain.empty() || domain == "ai.onnx" ? count_compared(type) : 0;
    std::string content;
    const bool is_copied = for_each_field(bytes, [&](const WireField& field) {
      if (field.number == kNodeAttribute) return copy_attribute(field, depth, content);
      if (field.number != kNodeInput || left == 0) {
        content += field.with_head;
        return true;
      }
      --left;
      content += field_of(kNodeInput, nudge(std::string(field.content), into));
      return true;
    });
    into += field_of(kGraphNode, content);
    return is_copied;
  }

  bool copy_attribute(const WireField& attribute, int depth, std::string& into) {
    const std::size_t before = nudged_;
    std::string content;
    const bool is_copied = for_each_field(attribute.content, [&](const WireField& field) {
      std::vector<std::string_view> pieces{field.with_head};
      if (field.number == kAttributeGraph) {
        pieces.clear();
        if (!graph(field.content, depth + 1, pieces)) return false;
        std::uint64_t bytes = 0;
        for (const std::string_view piece : pieces) bytes += piece.size();
        content += head_of(kAttributeGraph, bytes);
      }
      for (const std::string_view piece : pieces) content += piece;
      return true;
    });
    into += nudged_ == before ? std::string(attribute.with_head) : field_of(kNodeAttribute, content);
    return is_copied;
  }

  static std::size_t count_compared(std::string_view type) {
    const auto* const found =
        std::find_if(kChoosers.begin(), kChoosers.end(), [&](const Chooser& each) { return each.type == type; });
    return found == kChoosers.end() ? 0 : found->inputs;
  }

  // Appends nodes that change the value, and returns the name of the changed one.
  std::string nudge(const std::string& value, std::string& into) {
    const std::string prefix = fmt::format("ngb_nudged_{}_", nudged_++);
    const auto named = [&prefix](const char* name) { return prefix + name; };
    into += node("Shape", {value}, named("shape")) + node("Size", {value}, named("size"));
    into += constant(named("zero"), std::uint64_t{0}) + constant(named("one"), std::uint64_t{1});
    into += node("Range", {named("zero"), named("size"), named("one")}, named("index"));
    into += node("Cast", {named("index")}, named("angle"), attribute("to", kFloat));
    into += node("Sin", {named("angle")}, named("sine"));
    into += constant(named("share"), kShare) + constant(named("least"), 1 + kShare);
    into += node("Mul", {named("sine"), named("share")}, named("part"));
    into += node("Add", {named("part"), named("least")}, named("factors"));
    into += node("Reshape", {named("factors"), named("shape")}, named("shaped"),
                 opset_ >= kOpsetOfEmptyReshape ? attribute("allowzero", 1) : "");
    // Integers are multiplied by 1.
    into += opset_ >= kOpsetOfCastLike ? node("CastLike", {named("shaped"), value}, named("factor"))
                                       : node("Cast", {named("shaped")}, named("factor"), attribute("to", kFloat));
    into += node("Mul", {value, named("factor")}, named("value"));
    return named("value");
  }

  std::uint64_t opset_ = 0;
  std::size_t nudged_ = 0;
  std::deque<std::string> made_;
  std::vector<std::string_view> pieces_;
};

Status write_pieces(const std::filesystem::path& path, const std::vector<std::string_view>& pieces) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("write", path, errno));
  for (const std::string_view piece : pieces) {
    if (const Status written = file::write_all(fd.get(), piece, path.string()); !written) return written;
  }
  return Done{};
}

}  // namespace

Result<bool> write_with_nudged_choices(const std::filesystem::path& model, const std::filesystem::path& path) {
  const Result<MappedFile> mapped = map_file(model);
  if (!mapped) return error_of(mapped);
  Copy copy;
  if (!copy.model(mapped->bytes)) return fail("not an ONNX model, or a damaged one", model.string());
  if (!copy.has_choice()) return false;
  if (const Status written = write_pieces(path, copy.pieces()); !written) return error_of(written);
  return true;
}

}  // namespace ngb::worker
