// SPDX-License-Identifier: Apache-2.0
// Walks over the wire format of an ONNX file, of which weights are not read. Memory stays small whatever the file
// claims: unneeded parts are skipped, needed ones are limited.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::userfiles {

struct ScannedExtent {
  std::optional<std::int64_t> value{};  // nothing: the extent is open
  std::string name{};                   // of an open extent; may be ""
};

struct ScannedInput {
  std::string name{};
  bool is_tensor = false;
  int element_type = 0;                               // onnx.TensorProto.DataType
  std::optional<std::vector<ScannedExtent>> shape{};  // nothing: rank unknown
};

struct ExternalData {
  std::string location{};  // as the file gives it
  std::string offset{};    // decimal; "" when left out
  std::string length{};    // decimal; "" when left out
};

struct ScannedTensor {
  std::string name{};
  int element_type = 0;        // onnx.TensorProto.DataType
  bool of_main_graph = false;  // false in a subgraph, function or attribute
  std::optional<ExternalData> external{};
};

struct ScanVisitor {
  std::function<Status(ScannedInput)> on_input{};         // of the model's graph
  std::function<Status(ScannedInput)> on_output{};        // likewise
  std::function<void(const std::string&)> on_operator{};  // type of every node of the model
  std::function<void(const std::string&, std::int64_t)>
      on_integer{};                                  // name and value of every attribute of one integer
  std::function<Status(ScannedTensor)> on_tensor{};  // every TensorProto of the model
};

// Calls the visitor for each input and tensor. Fails if the file is not regular, unreadable, larger than 2 GB,
// truncated or not an ONNX model (IR version, opset, graph or node is missing), if a name is longer than 64 KB or
// nesting deeper than 64, or if the visitor returns an error.
Status scan_onnx(const std::filesystem::path& path, const ScanVisitor& visitor);

// Finds out what a check of an ONNX file's outputs must know: the file's arithmetic and the shapes that it declares.

struct OnnxOutputs {
  // The coarsest arithmetic in the file: "int8" if a node quantises numbers or may do so (accuracy_level 4 of
  // MatMulNBits), "bf16" or "f16" if a weight, input or output has that type, else "". Quantised weights that become
  // real numbers before they are used, by DequantizeLinear or within MatMulNBits, make no arithmetic coarser.
  std::string arithmetic{};
  std::vector<TensorSignature> declared{};  // outputs with a declared shape; kOpenExtent where an extent is open
};

// Fails as scan_onnx does.
Result<OnnxOutputs> inspect_outputs(const std::filesystem::path& path);

// Returns the types of the file's nodes that quantise numbers: "QuantizeLinear". Fails as scan_onnx does.
Result<std::set<std::string>> quantising_operators(const std::filesystem::path& path);

}  // namespace ngb::userfiles
