// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_scan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "base/mapped_file.h"
#include "base/onnx_wire.h"

namespace ngb::userfiles {

namespace {

using wire::each_part;
using wire::Part;

constexpr int kDeepest = 64;
constexpr std::size_t kLongestText = 64U << 10U;
constexpr std::size_t kLongestInput = 1U << 20U;

// Sets `input` from a TypeProto.Tensor. Returns false if that is malformed.
bool read_tensor_type(std::string_view type, ScannedInput& input) {
  input.is_tensor = true;
  return each_part(type, [&](const Part& part) {
    if (part.field == wire::kTypeElement && part.integer) input.element_type = static_cast<int>(*part.integer);
    if (part.field != wire::kTypeShape || part.integer) return true;
    input.shape.emplace();
    return each_part(part.bytes, [&](const Part& extent) {
      if (extent.field != wire::kShapeExtent || extent.integer) return true;
      const std::optional<std::int64_t> value = wire::integer_in(extent.bytes, wire::kExtentValue);
      const bool is_static = value && *value >= 0;
      input.shape->push_back(is_static ? ScannedExtent{.value = value}
                                       : ScannedExtent{.name = wire::text_in(extent.bytes, wire::kExtentName)});
      return true;
    });
  });
}

// Walk has one method per message. Each returns false if its message is malformed, or if the visitor refused it. Only a
// refusal sets `refusal_`.
class Walk {
 public:
  explicit Walk(const ScanVisitor& visitor) : visitor_(visitor) {}

  bool model(std::string_view message) {
    return each_part(message, [this](const Part& part) {
      if (part.field == wire::kModelIrVersion && part.integer) {
        has_version_ = *part.integer > 0;
        return has_version_;
      }
      if (part.integer) return true;
      has_opset_ = has_opset_ || part.field == wire::kModelOpset;
      if (part.field == wire::kModelGraph) return graph(part.bytes, 0, true);
      if (part.field == wire::kModelFunction) return nodes(part.bytes, wire::kFunctionNode);
      return part.field != wire::kModelTraining || training(part.bytes);
    });
  }

  [[nodiscard]] bool is_model() const { return has_version_ && has_opset_ && has_node_; }
  [[nodiscard]] const Status& refusal() const { return refusal_; }

 private:
  static bool text(const Part& part, std::string& into) {
    into = part.bytes;
    return part.bytes.size() <= kLongestText;
  }

  bool graph(std::string_view message, int depth, bool main) {
    if (depth > kDeepest) return false;
    return each_part(message, [this, depth, main](const Part& part) {
      if (part.integer) return true;
      switch (part.field) {
        case wire::kGraphNode:
          has_node_ = has_node_ || main;
          return node(part.bytes, depth);
        case wire::kGraphInitializer:
          return tensor(part.bytes, main);
        case wire::kGraphSparseInitializer:
          return sparse_tensor(part.bytes, main);
        case wire::kGraphInput:
          return !main || input(part.bytes, visitor_.on_input);
        case wire::kGraphOutput:
          return !main || !visitor_.on_output || input(part.bytes, visitor_.on_output);
        default:
          return true;
      }
    });
  }

  bool nodes(std::string_view message, std::uint32_t field) {
    return each_part(message,
                     [&](const Part& part) { return part.field != field || part.integer || node(part.bytes, 0); });
  }

  bool training(std::string_view message) {
    return each_part(message, [this](const Part& part) {
      const bool is_graph = part.field == wire::kTrainingInitialization || part.field == wire::kTrainingAlgorithm;
      return !is_graph || part.integer || graph(part.bytes, 0, false);
    });
  }

  bool node(std::string_view message, int depth) {
    return each_part(message, [this, depth](const Part& part) {
      if (part.integer) return true;
      if (part.field == wire::kNodeType && visitor_.on_operator) {
        std::string type;
        if (!text(part, type)) return false;
        visitor_.on_operator(type);
      }
      return part.field != wire::kNodeAttribute || attribute(part.bytes, depth);
    });
  }

  bool attribute(std::string_view message, int depth) {
    std::string name;
    std::optional<std::uint64_t> integer;
    const bool read = each_part(message, [&](const Part& part) {
      if (part.field == wire::kAttributeInteger && part.integer) integer = part.integer;
      if (part.integer) return true;
      switch (part.field) {
        case wire::kAttributeName:
          return text(part, name);
        case wire::kAttributeTensor:
        case wire::kAttributeTensors:
          return tensor(part.bytes, false);
        case wire::kAttributeGraph:
        case wire::kAttributeGraphs:
          return graph(part.bytes, depth + 1, false);
        case wire::kAttributeSparseTensor:
        case wire::kAttributeSparseTensors:
          return sparse_tensor(part.bytes, false);
        default:
          return true;
      }
    });
    if (read && integer && visitor_.on_integer) visitor_.on_integer(name, static_cast<std::int64_t>(*integer));
    return read;
  }

  bool sparse_tensor(std::string_view message, bool of_main_graph) {
    return each_part(message, [this, of_main_graph](const Part& part) {
      if (part.integer) return true;
      // A sparse tensor has the name of its values. The name of its indices does not count.
      if (part.field == wire::kSparseValues) return tensor(part.bytes, of_main_graph);
      return part.field != wire::kSparseIndices || tensor(part.bytes, false);
    });
  }

  bool tensor(std::string_view message, bool of_main_graph) {
    ScannedTensor found{.of_main_graph = of_main_graph};
    ExternalData external;
    bool is_external = false;
    const bool read = each_part(message, [&](const Part& part) {
      if (part.field == wire::kTensorType && part.integer) found.element_type = static_cast<int>(*part.integer);
      if (part.field == wire::kTensorLocation && part.integer) is_external = *part.integer == 1;
      if (part.integer) return true;
      if (part.field == wire::kTensorName) return text(part, found.name);
      return part.field != wire::kTensorExternal || external_entry(part, external);
    });
    if (!read) return false;
    if (is_external) found.external = std::move(external);
    return !visitor_.on_tensor || accepted(visitor_.on_tensor(std::move(found)));
  }

  static bool external_entry(const Part& entry, ExternalData& external) {
    const std::string key = wire::text_in(entry.bytes, wire::kEntryKey);
    const std::string value = wire::text_in(entry.bytes, wire::kEntryValue);
    if (key == "location") external.location = value;
    if (key == "offset") external.offset = value;
    if (key == "length") external.length = value;
    return entry.bytes.size() <= kLongestText && each_part(entry.bytes, [](const Part& /*part*/) { return true; });
  }

  bool input(std::string_view message, const std::function<Status(ScannedInput)>& on_found) {
    if (message.size() > kLongestInput) return false;
    ScannedInput found{.name = wire::text_in(message, wire::kValueName)};
    const bool read = each_part(message, [&](const Part& part) {
      if (part.field != wire::kValueType || part.integer) return true;
      return each_part(part.bytes, [&](const Part& type) {
        return type.field != wire::kTypeTensor || type.integer || read_tensor_type(type.bytes, found);
      });
    });
    return read && (!on_found || accepted(on_found(std::move(found))));
  }

  bool accepted(Status status) {
    refusal_ = std::move(status);
    return refusal_.has_value();
  }

  const ScanVisitor& visitor_;
  bool has_version_ = false;
  bool has_opset_ = false;
  bool has_node_ = false;
  Status refusal_ = Done{};
};

}  // namespace

Status scan_onnx(const std::filesystem::path& path, const ScanVisitor& visitor) {
  std::error_code code;
  const std::filesystem::file_status kind = std::filesystem::status(path, code);
  if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind)) {
    return fail("not a file", path.string(), "name an ONNX file");
  }
  const Result<MappedFile> mapped = map_file(path);
  if (!mapped) return error_of(mapped);
  if (mapped->bytes.size() > std::numeric_limits<std::int32_t>::max()) {
    return fail("larger than 2 GB, the most that an ONNX file in one piece can hold", path.string(),
                "save the model with external data");
  }
  Walk walk(visitor);
  const bool read = walk.model(mapped->bytes);
  if (!walk.refusal()) return walk.refusal();
  if (read && walk.is_model()) return Done{};
  return fail(read ? "not an ONNX model: IR version, opset, or a graph with nodes is missing"
                   : "not an ONNX model, or a truncated or damaged one",
              path.string(), "check the file, for instance with onnx.checker");
}

namespace {

// A node quantises numbers if its type begins with one of these.
constexpr std::array<std::string_view, 5> kQuantising{"Quantize", "DynamicQuantize", "QLinear", "QGemm", "QAttention"};
// ONNX Runtime's MatMulNBits and the like may round the numbers that they multiply by their weights to 8 bits if this
// attribute says so.
constexpr std::string_view kAccuracy = "accuracy_level";
constexpr std::int64_t kOfInt8 = 4;

bool quantises(std::string_view type) {
  return std::any_of(kQuantising.begin(), kQuantising.end(), [&](auto begin) { return type.starts_with(begin); }) ||
         type.find("Integer") != std::string_view::npos;  // MatMulInteger, ConvInteger
}

class Arithmetic {
 public:
  void add_type(int element_type) {
    has_half_ = has_half_ || element_type == wire::kFloat16;
    has_bfloat_ = has_bfloat_ || element_type == wire::kBfloat16;
  }
  void add_operator(std::string_view type) { quantises_ = quantises_ || quantises(type); }
  void add_integer(std::string_view attribute, std::int64_t value) {
    quantises_ = quantises_ || (attribute == kAccuracy && value == kOfInt8);
  }

  [[nodiscard]] std::string word() const {
    if (quantises_) return "int8";
    if (has_bfloat_) return "bf16";
    return has_half_ ? "f16" : "";
  }

 private:
  bool quantises_ = false;
  bool has_half_ = false;
  bool has_bfloat_ = false;
};

}  // namespace

Result<OnnxOutputs> inspect_outputs(const std::filesystem::path& path) {
  OnnxOutputs found;
  Arithmetic arithmetic;
  ScanVisitor visitor;
  visitor.on_operator = [&](const std::string& type) { arithmetic.add_operator(type); };
  visitor.on_integer = [&](const std::string& name, std::int64_t value) { arithmetic.add_integer(name, value); };
  visitor.on_tensor = [&](const ScannedTensor& tensor) -> Status {
    arithmetic.add_type(tensor.element_type);
    return Done{};
  };
  visitor.on_input = [&](const ScannedInput& input) -> Status {
    arithmetic.add_type(input.element_type);
    return Done{};
  };
  visitor.on_output = [&](const ScannedInput& output) -> Status {
    arithmetic.add_type(output.element_type);
    if (!output.is_tensor || !output.shape) return Done{};
    TensorSignature declared{.name = output.name};
    for (const ScannedExtent& extent : *output.shape) declared.shape.push_back(extent.value.value_or(kOpenExtent));
    found.declared.push_back(std::move(declared));
    return Done{};
  };
  if (const Status status = scan_onnx(path, visitor); !status) return error_of(status);
  found.arithmetic = arithmetic.word();
  return found;
}

Result<std::set<std::string>> quantising_operators(const std::filesystem::path& path) {
  std::set<std::string> found;
  ScanVisitor visitor;
  visitor.on_operator = [&](const std::string& type) {
    if (quantises(type)) found.insert(type);
  };
  if (const Status status = scan_onnx(path, visitor); !status) return error_of(status);
  return found;
}

}  // namespace ngb::userfiles
