// SPDX-License-Identifier: Apache-2.0
// A walk over the wire format of an ONNX file that keeps no weights: memory stays small whatever the file claims, since
// what is not asked for is skipped and what is asked for has a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::zoo {

struct ScannedExtent {
  std::optional<std::int64_t> value{};  // nothing: open
  std::string name{};                   // of an open one; "" when it has none
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
  bool of_main_graph = false;  // an initializer of the model's graph, not of a subgraph, function or attribute
  std::optional<ExternalData> external{};
};

struct ScanVisitor {
  std::function<Status(ScannedInput)> on_input{};    // of the model's graph
  std::function<Status(ScannedTensor)> on_tensor{};  // every TensorProto of the model
};

// Error: not a regular file, unreadable, larger than 2 GB, truncated or no ONNX model (no IR version, opset, graph or
// node), a name longer than 64 KB, nesting deeper than 64; whatever the visitor returns.
Status scan_onnx(const std::filesystem::path& path, const ScanVisitor& visitor);

}  // namespace ngb::zoo
