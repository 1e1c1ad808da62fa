// SPDX-License-Identifier: Apache-2.0
// What an entry of models says beside a recipe: a user's own model, and what is fed to any of them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "config/document.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

using ModelFields = std::map<std::string, NodePointer>;  // of an entry, by key

// The entry, its files sought from `folder`. What could not be read is a problem and left out.
class UserModelReader {
 public:
  UserModelReader(const std::filesystem::path& folder, Problems& problems) : folder_(folder), problems_(problems) {}

  // `kind`: onnx, pytorch or timm, whichever stands in `given`. `path`: of the entry.
  ModelEntry read(const std::string& kind, const ModelFields& given, const std::string& path);
  // The keys that every kind has: inputs, dynamic_batch.
  void read_common(const ModelFields& given, const std::string& path, ModelEntry& model);

 private:
  void read_onnx(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_pytorch(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_timm(const DocumentNode& node, const std::string& path, ModelEntry& model);
  std::filesystem::path read_file(const DocumentNode& node, const std::string& path, const std::string& expected_file);
  void read_shapes(const DocumentNode& node, const std::string& path, ModelEntry& model);
  std::optional<std::int64_t> read_extent(const DocumentNode& node, const std::string& path);
  void read_dimensions(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_parameters(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_inputs(const DocumentNode& node, const std::string& path, ModelEntry& model);
  InputEntry read_input(const DocumentNode& node, const std::string& path);
  void read_range(const DocumentNode& node, const std::string& path, InputEntry& input);

  const std::filesystem::path& folder_;
  Problems& problems_;
};

}  // namespace ngb::config
