// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_outputs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "onnx/onnx.pb.h"
#include "userfiles/onnx_scan.h"

namespace ngb::userfiles {
namespace {

// A node quantises if its type begins with one of these.
constexpr std::array<std::string_view, 6> kQuantising{"Quantize", "Dequantize", "DynamicQuantize",
                                                      "QLinear",  "QGemm",      "QAttention"};

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
