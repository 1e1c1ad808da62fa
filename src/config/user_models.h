// SPDX-License-Identifier: Apache-2.0
// Reads an entry of `models` that names a user's own model (onnx, pytorch or timm), and the keys that all models have.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/document.h"
#include "config/problems.h"
#include "config/study.h"
#include "work/quantiser.h"

namespace ngb::config {

using ModelFields = std::map<std::string, NodePointer>;  // of an entry, by key

// Reads entries whose relative paths start at `folder`. A part that cannot be read is added to `problems` and left out.
class UserModelReader {
 public:
  // `endings` are those of compiled files, each with that of its weights' file; `quantisers` are compilers' own tools.
  UserModelReader(const std::filesystem::path& folder, const std::map<std::string, std::string>& endings,
                  const std::vector<work::Quantiser>& quantisers, Problems& problems)
      : folder_(folder), endings_(endings), quantisers_(quantisers), problems_(problems) {}

  // Reads the entry at `path` ("models[0]"). `kind` is onnx, file, pytorch, timm or quantise, and is a key of
  // `given`.
  ModelEntry read(const std::string& kind, const ModelFields& given, const std::string& path);
  // Reads `inputs`, and the keys whose rows set them (Key::set_in_model) and that span no axis.
  void read_common(const ModelFields& given, const std::string& path, ModelEntry& model);

 private:
  void read_onnx(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_compiled(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_pytorch(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_timm(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_quantise(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_tool(const DocumentNode& node, const std::vector<Field>& given, const std::string& path, ModelEntry& model);
  void read_data(const DocumentNode& node, const std::string& path, ModelEntry& model);
  std::filesystem::path read_file_or_folder(const DocumentNode& node, const std::string& path);
  std::filesystem::path read_file(const DocumentNode& node, const std::string& path, const std::string& expected_file);
  void read_shapes(const DocumentNode& node, const std::string& path, ModelEntry& model);
  using Dimensions = std::vector<std::pair<std::string, std::int64_t>>;
  std::optional<std::int64_t> read_extent(const DocumentNode& node, const std::string& path, const Dimensions& known);
  void settle_dimensions(const ModelFields& given, const std::string& path, ModelEntry& model);
  void read_dimensions(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_parameters(const DocumentNode& node, const std::string& path, ModelEntry& model);
  void read_inputs(const DocumentNode& node, const std::string& path, ModelEntry& model);
  InputEntry read_input(const DocumentNode& node, const std::string& path);
  void read_range(const DocumentNode& node, const std::string& path, InputEntry& input);

  const std::filesystem::path& folder_;
  const std::map<std::string, std::string>& endings_;
  const std::vector<work::Quantiser>& quantisers_;
  Problems& problems_;
  std::vector<std::pair<std::string, std::vector<std::string>>> extents_{};  // as NamedShapes::extents
};

}  // namespace ngb::config
