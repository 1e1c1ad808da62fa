// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_scan.h"

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "onnx/onnx.pb.h"

namespace ngb::userfiles {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kDeepest = 64;
constexpr std::uint32_t kLongestText = 64U << 10U;
constexpr std::uint32_t kLongestInput = 1U << 20U;

constexpr std::uint32_t message_tag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}
constexpr std::uint32_t number_tag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT);
}

ScannedInput to_input(const onnx::ValueInfoProto& info) {
  ScannedInput input;
  input.name = info.name();
  input.is_tensor = info.type().has_tensor_type();
  const onnx::TypeProto::Tensor& type = info.type().tensor_type();
  input.element_type = type.elem_type();
  if (!type.has_shape()) return input;
  input.shape.emplace();
  for (const onnx::TensorShapeProto::Dimension& extent : type.shape().dim()) {
    const bool is_static = extent.has_dim_value() && extent.dim_value() >= 0;
    if (is_static) {
      input.shape->push_back({.value = extent.dim_value()});
    } else {
      input.shape->push_back({.name = extent.dim_param()});
    }
  }
  return input;
}

// Walk has one method per message. Each reads its message to the end and returns false if that is malformed or the
// visitor refused; then `refusal_` is set.
class Walk {
 public:
  Walk(CodedInputStream& in, const ScanVisitor& visitor) : in_(in), visitor_(visitor) {}

  bool model() {
    return fields([this](std::uint32_t tag) {
      if (tag == number_tag(onnx::ModelProto::kIrVersionFieldNumber)) {
        std::uint64_t version = 0;
        has_version_ = in_.ReadVarint64(&version) && version > 0;
        return has_version_;
      }
      switch (tag) {
        case message_tag(onnx::ModelProto::kOpsetImportFieldNumber):
          has_opset_ = true;
          return skip(tag);
        case message_tag(onnx::ModelProto::kGraphFieldNumber):
          return message([this] { return graph(0, true); });
        case message_tag(onnx::ModelProto::kFunctionsFieldNumber):
          return message([this] { return function(); });
        case message_tag(onnx::ModelProto::kTrainingInfoFieldNumber):
          return message([this] { return training(); });
        default:
          return skip(tag);
      }
    });
  }

  [[nodiscard]] bool is_model() const { return has_version_ && has_opset_ && has_node_; }
  [[nodiscard]] const Status& refusal() const { return refusal_; }

 private:
  template <class OnField>
  bool fields(OnField on_field) {
    for (;;) {
      const std::uint32_t tag = in_.ReadTag();
      if (tag == 0) return in_.ConsumedEntireMessage();
      if (!on_field(tag)) return false;
    }
  }

  template <class Inner>
  bool message(Inner inner) {
    std::uint32_t length = 0;
    if (!in_.ReadVarint32(&length) || length > static_cast<std::uint32_t>(in_.BytesUntilLimit())) return false;
    const CodedInputStream::Limit outer = in_.PushLimit(static_cast<int>(length));
    const bool read = inner();
    in_.PopLimit(outer);
    return read;
  }

  bool skip(std::uint32_t tag) { return WireFormatLite::SkipField(&in_, tag); }

  bool text(std::string& into, std::uint32_t limit = kLongestText) {
    std::uint32_t length = 0;
    return in_.ReadVarint32(&length) && length <= limit && in_.ReadString(&into, static_cast<int>(length));
  }

  bool graph(int depth, bool main) {
    if (depth > kDeepest) return false;
    return fields([this, depth, main](std::uint32_t tag) {
      switch (tag) {
        case message_tag(onnx::GraphProto::kNodeFieldNumber):
          has_node_ = has_node_ || main;
          return message([this, depth] { return node(depth); });
        case message_tag(onnx::GraphProto::kInitializerFieldNumber):
          return message([this, main] { return tensor(main); });
        case message_tag(onnx::GraphProto::kSparseInitializerFieldNumber):
          return message([this, main] { return sparse_tensor(main); });
        case message_tag(onnx::GraphProto::kInputFieldNumber):
          return main ? input(visitor_.on_input) : skip(tag);
        case message_tag(onnx::GraphProto::kOutputFieldNumber):
          return main && visitor_.on_output ? input(visitor_.on_output) : skip(tag);
        default:
          return skip(tag);
      }
    });
  }

  bool function() {
    return fields([this](std::uint32_t tag) {
      if (tag != message_tag(onnx::FunctionProto::kNodeFieldNumber)) return skip(tag);
      return message([this] { return node(0); });
    });
  }

  bool training() {
    return fields([this](std::uint32_t tag) {
      const bool is_graph = tag == message_tag(onnx::TrainingInfoProto::kInitializationFieldNumber) ||
                            tag == message_tag(onnx::TrainingInfoProto::kAlgorithmFieldNumber);
      return is_graph ? message([this] { return graph(0, false); }) : skip(tag);
    });
  }

  bool node(int depth) {
    return fields([this, depth](std::uint32_t tag) {
      if (tag == message_tag(onnx::NodeProto::kOpTypeFieldNumber) && visitor_.on_operator) return operator_type();
      if (tag != message_tag(onnx::NodeProto::kAttributeFieldNumber)) return skip(tag);
      return message([this, depth] { return attribute(depth); });
    });
  }

  bool attribute(int depth) {
    std::string name;
    std::optional<std::uint64_t> integer;
    const bool read = fields([&](std::uint32_t tag) {
      switch (tag) {
        case message_tag(onnx::AttributeProto::kNameFieldNumber):
          return text(name);
        case number_tag(onnx::AttributeProto::kIFieldNumber):
          return in_.ReadVarint64(&integer.emplace());
        case message_tag(onnx::AttributeProto::kTFieldNumber):
        case message_tag(onnx::AttributeProto::kTensorsFieldNumber):
          return message([this] { return tensor(false); });
        case message_tag(onnx::AttributeProto::kGFieldNumber):
        case message_tag(onnx::AttributeProto::kGraphsFieldNumber):
          return message([this, depth] { return graph(depth + 1, false); });
        case message_tag(onnx::AttributeProto::kSparseTensorFieldNumber):
        case message_tag(onnx::AttributeProto::kSparseTensorsFieldNumber):
          return message([this] { return sparse_tensor(false); });
        default:
          return skip(tag);
      }
    });
    if (read && integer && visitor_.on_integer) visitor_.on_integer(name, static_cast<std::int64_t>(*integer));
    return read;
  }

  bool sparse_tensor(bool of_main_graph) {
    return fields([this, of_main_graph](std::uint32_t tag) {
      // A sparse tensor has the name of its values. The name of its indices does not count.
      if (tag == message_tag(onnx::SparseTensorProto::kValuesFieldNumber)) {
        return message([this, of_main_graph] { return tensor(of_main_graph); });
      }
      if (tag == message_tag(onnx::SparseTensorProto::kIndicesFieldNumber)) {
        return message([this] { return tensor(false); });
      }
      return skip(tag);
    });
  }

  bool tensor(bool of_main_graph) {
    ScannedTensor found{.of_main_graph = of_main_graph};
    ExternalData external;
    std::uint64_t location_kind = onnx::TensorProto::DEFAULT;
    std::uint64_t element_type = 0;
    const bool read = fields([&](std::uint32_t tag) {
      switch (tag) {
        case message_tag(onnx::TensorProto::kNameFieldNumber):
          return text(found.name);
        case message_tag(onnx::TensorProto::kExternalDataFieldNumber):
          return external_entry(external);
        case number_tag(onnx::TensorProto::kDataTypeFieldNumber):
          return in_.ReadVarint64(&element_type);
        case number_tag(onnx::TensorProto::kDataLocationFieldNumber):
          return in_.ReadVarint64(&location_kind);
        default:
          return skip(tag);
      }
    });
    if (!read) return false;
    found.element_type = static_cast<int>(element_type);
    if (location_kind == onnx::TensorProto::EXTERNAL) found.external = std::move(external);
    return !visitor_.on_tensor || accepted(visitor_.on_tensor(std::move(found)));
  }

  bool external_entry(ExternalData& external) {
    std::string bytes;
    onnx::StringStringEntryProto entry;
    if (!text(bytes) || !entry.ParseFromString(bytes)) return false;
    if (entry.key() == "location") external.location = entry.value();
    if (entry.key() == "offset") external.offset = entry.value();
    if (entry.key() == "length") external.length = entry.value();
    return true;
  }

  bool operator_type() {
    std::string type;
    if (!text(type)) return false;
    visitor_.on_operator(type);
    return true;
  }

  bool input(const std::function<Status(ScannedInput)>& on_found) {
    std::string bytes;
    onnx::ValueInfoProto info;
    if (!text(bytes, kLongestInput) || !info.ParseFromString(bytes)) return false;
    return !on_found || accepted(on_found(to_input(info)));
  }

  bool accepted(Status status) {
    refusal_ = std::move(status);
    return refusal_.has_value();
  }

  CodedInputStream& in_;
  const ScanVisitor& visitor_;
  bool has_version_ = false;
  bool has_opset_ = false;
  bool has_node_ = false;
  Status refusal_ = Done{};
};

}  // namespace

Status scan_onnx(const std::filesystem::path& path, const ScanVisitor& visitor) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("read", path, errno));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(file::from_errno("read", path, errno));
  if (!S_ISREG(status.st_mode)) return fail("not a file", path.string(), "name an ONNX file");
  if (status.st_size > std::numeric_limits<std::int32_t>::max()) {
    return fail("larger than 2 GB, the most that an ONNX file in one piece can hold", path.string(),
                "save the model with external data");
  }
  google::protobuf::io::FileInputStream file(fd.get());
  CodedInputStream in(&file);
  const CodedInputStream::Limit whole = in.PushLimit(static_cast<int>(status.st_size));
  Walk walk(in, visitor);
  const bool read = walk.model();
  in.PopLimit(whole);
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
    has_half_ = has_half_ || element_type == onnx::TensorProto::FLOAT16;
    has_bfloat_ = has_bfloat_ || element_type == onnx::TensorProto::BFLOAT16;
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

}  // namespace ngb::userfiles
