// SPDX-License-Identifier: Apache-2.0
#include "worker/nudged_choices.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/onnx_wire.h"

namespace ngb::worker {
namespace {

constexpr std::uint64_t kOpsetOfRange = 11;
constexpr std::uint64_t kOpsetOfEmptyReshape = 14;  // Reshape got `allowzero`
constexpr std::uint64_t kOpsetOfCastLike = 15;
constexpr float kShare = 0x1p-17F;
constexpr int kDeepest = 64;

struct Chooser {
  std::string_view type;
  std::size_t inputs;  // how many of its inputs, from the first on, are compared with each other
};
constexpr std::array kChoosers{Chooser{"ArgMax", 1}, Chooser{"ArgMin", 1}, Chooser{"TopK", 1},
                               Chooser{"NonMaxSuppression", 2}};

std::string node(std::string_view type, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& attribute = {}) {
  std::string content;
  for (const std::string& input : inputs) content += wire::field_of(wire::kNodeInput, input);
  content += wire::field_of(wire::kNodeOutput, output) + wire::field_of(wire::kNodeType, type) + attribute;
  return wire::field_of(wire::kGraphNode, content);
}

std::string attribute(std::string_view name, std::uint64_t value) {
  return wire::field_of(wire::kNodeAttribute, wire::field_of(wire::kAttributeName, name) +
                                                  wire::integer_field(wire::kAttributeInteger, value) +
                                                  wire::integer_field(wire::kAttributeType, wire::kInteger));
}

// Returns a node whose output is a number: one without dimensions. `data` is a field of its tensor.
std::string constant(const std::string& output, wire::ElementType type, const std::string& data) {
  const std::string tensor = wire::integer_field(wire::kTensorType, static_cast<std::uint64_t>(type)) + data;
  const std::string value = wire::field_of(wire::kAttributeName, "value") +
                            wire::field_of(wire::kAttributeTensor, tensor) +
                            wire::integer_field(wire::kAttributeType, wire::kTensor);
  return node("Constant", {}, output, wire::field_of(wire::kNodeAttribute, value));
}
std::string constant(const std::string& output, float value) {
  return constant(output, wire::kFloat32, wire::field_of(wire::kTensorNumbers, wire::packed(std::vector{value})));
}
std::string constant(const std::string& output, std::int64_t value) {
  return constant(output, wire::kInt64, wire::field_of(wire::kTensorIntegers, wire::packed(std::vector{value})));
}

// Copy makes the pieces of the copied file. They refer to the file's bytes or to `made_`.
class Copy {
 public:
  // Returns false if this is not an ONNX file.
  bool model(std::string_view bytes) {
    std::vector<std::string_view> graphs;
    const bool is_read = wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field == wire::kModelGraph) graphs.push_back(part.bytes);
      return part.field != wire::kModelOpset || opset(part.bytes);
    });
    if (!is_read || opset_ == 0 || graphs.size() != 1) return false;
    if (opset_ < kOpsetOfRange) return true;
    std::vector<std::string_view> graph_pieces;
    if (!graph(graphs.front(), 0, graph_pieces)) return false;
    std::uint64_t graph_bytes = 0;
    for (const std::string_view piece : graph_pieces) graph_bytes += piece.size();
    wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field != wire::kModelGraph) pieces_.push_back(part.whole);
      return true;
    });
    pieces_.push_back(keep(wire::head_of(wire::kModelGraph, graph_bytes)));
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
    const bool is_read = wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field == wire::kOpsetDomain) domain = part.bytes;
      if (part.field == wire::kOpsetVersion) version = part.integer.value_or(0);
      return true;
    });
    if (domain.empty() || domain == "ai.onnx") opset_ = version;
    return is_read;
  }

  bool graph(std::string_view bytes, int depth, std::vector<std::string_view>& pieces) {
    if (depth > kDeepest) return false;
    return wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field != wire::kGraphNode) {
        pieces.push_back(part.whole);
        return true;
      }
      const std::size_t before = nudged_;
      std::string changed;
      if (!copy_node(part.bytes, depth, changed)) return false;
      pieces.push_back(nudged_ == before ? part.whole : keep(changed));
      return true;
    });
  }

  // Appends the node. If it chooses, the nodes that nudge its inputs are appended before it.
  bool copy_node(std::string_view bytes, int depth, std::string& into) {
    std::string_view type;
    std::string_view domain;
    const bool is_read = wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field == wire::kNodeType) type = part.bytes;
      if (part.field == wire::kNodeDomain) domain = part.bytes;
      return true;
    });
    if (!is_read) return false;
    std::size_t left = domain.empty() || domain == "ai.onnx" ? count_compared(type) : 0;
    std::string content;
    const bool is_copied = wire::each_part(bytes, [&](const wire::Part& part) {
      if (part.field == wire::kNodeAttribute) return copy_attribute(part, depth, content);
      if (part.field != wire::kNodeInput || left == 0) {
        content += part.whole;
        return true;
      }
      --left;
      content += wire::field_of(wire::kNodeInput, nudge(std::string(part.bytes), into));
      return true;
    });
    into += wire::field_of(wire::kGraphNode, content);
    return is_copied;
  }

  bool copy_attribute(const wire::Part& attribute, int depth, std::string& into) {
    const std::size_t before = nudged_;
    std::string content;
    const bool is_copied = wire::each_part(attribute.bytes, [&](const wire::Part& part) {
      std::vector<std::string_view> pieces{part.whole};
      if (part.field == wire::kAttributeGraph) {
        pieces.clear();
        if (!graph(part.bytes, depth + 1, pieces)) return false;
        std::uint64_t bytes = 0;
        for (const std::string_view piece : pieces) bytes += piece.size();
        content += wire::head_of(wire::kAttributeGraph, bytes);
      }
      for (const std::string_view piece : pieces) content += piece;
      return true;
    });
    into += nudged_ == before ? std::string(attribute.whole) : wire::field_of(wire::kNodeAttribute, content);
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
    into += constant(named("zero"), std::int64_t{0}) + constant(named("one"), std::int64_t{1});
    into += node("Range", {named("zero"), named("size"), named("one")}, named("index"));
    into += node("Cast", {named("index")}, named("angle"), attribute("to", wire::kFloat32));
    into += node("Sin", {named("angle")}, named("sine"));
    into += constant(named("share"), kShare) + constant(named("least"), 1 + kShare);
    into += node("Mul", {named("sine"), named("share")}, named("part"));
    into += node("Add", {named("part"), named("least")}, named("factors"));
    into += node("Reshape", {named("factors"), named("shape")}, named("shaped"),
                 opset_ >= kOpsetOfEmptyReshape ? attribute("allowzero", 1) : "");
    // Integers are multiplied by 1.
    into += opset_ >= kOpsetOfCastLike
                ? node("CastLike", {named("shaped"), value}, named("factor"))
                : node("Cast", {named("shaped")}, named("factor"), attribute("to", wire::kFloat32));
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
