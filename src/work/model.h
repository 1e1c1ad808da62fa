// SPDX-License-Identifier: Apache-2.0
// A model at one batch size: what it is made from, and what it is fed with.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/record.h"
#include "base/tensor.h"

namespace ngb::work {

// A user's file. Elsewhere it has its name in a folder of its own, so that files find each other as they do here.
struct UserFile {
  std::string name{};    // "model/net.onnx", "model/weights.bin", "inputs/…"
  std::string path{};    // where it is
  std::string sha256{};  // as it was when the study was planned
  bool operator==(const UserFile&) const = default;

  static constexpr auto fields() {
    return std::tuple(Field{"name", &UserFile::name}, Field{"path", &UserFile::path},
                      Field{"sha256", &UserFile::sha256});
  }
};

// What one input is fed with instead of the usual random numbers.
struct InputValues {
  std::string input{};                               // "": every input that has none of its own
  std::optional<std::pair<double, double>> range{};  // least and largest
  std::string file{};                                // name of a UserFile: .npy or .npz
  std::string array{};                               // in an .npz; "": the one that is called as the input
  bool operator==(const InputValues&) const = default;

  static constexpr auto fields() {
    return std::tuple(Field{"input", &InputValues::input}, Field{"range", &InputValues::range},
                      Field{"file", &InputValues::file}, Field{"array", &InputValues::array});
  }
};

// A model is made from a user's ONNX file (the first of its files), ...
struct OnnxFile {
  static constexpr const char* kType = "file";
  static constexpr auto fields() { return std::tuple(); }
};
// ... from a built-in recipe, ...
struct Recipe {
  static constexpr const char* kType = "recipe";
  std::string json{};  // canonical
  static constexpr auto fields() { return std::tuple(Field{"json", &Recipe::json}); }
};
// ... or from a PyTorch module, which the device exports.
struct Module {
  static constexpr const char* kType = "module";
  std::string json{};  // canonical, {"module":{…}}; calls files by their names
  static constexpr auto fields() { return std::tuple(Field{"json", &Module::json}); }
};
using Source = std::variant<OnnxFile, Recipe, Module>;

// The JSON of a recipe or module; "" for a file.
const std::string& json_of(const Source& source);

// What tells a model from all others, in events, files and tables.
struct ModelKey {
  std::string hash{};  // of the content, with what the study says of it
  int batch = 1;
  auto operator<=>(const ModelKey&) const = default;

  static constexpr auto fields() {
    return std::tuple(Field{"hash", &ModelKey::hash}, Field{"batch", &ModelKey::batch});
  }
};

struct Model {
  ModelKey key{};
  std::string label{};   // for people: "resnet18"
  std::string family{};  // "" but for a recipe
  Source source{};
  std::string path{};                          // of a user's file; "" for a recipe and timm
  std::vector<TensorSignature> inputs{};       // none: the module knows them, and tells when its file is made
  std::vector<TensorSignature> open_inputs{};  // with dynamic_batch: kOpenExtent for any batch; else none
  std::vector<UserFile> files{};               // all that it needs; an ONNX file first
  std::vector<InputValues> values{};
  bool dynamic_batch = false;                 // one compiled model serves all batch sizes
  std::optional<std::uint64_t> parameters{};  // known for recipes
  std::optional<std::uint64_t> macs{};
  std::optional<std::uint64_t> macs_torchinfo{};

  [[nodiscard]] bool is_module() const { return std::holds_alternative<Module>(source); }
  // Whether the device makes its file; else the file is there.
  [[nodiscard]] bool is_made() const { return !std::holds_alternative<OnnxFile>(source); }

  // What a device needs. The rest is the client's: where the user keeps a file is nobody else's business, and would
  // make a job another one when he moves it.
  static constexpr auto fields() {
    return std::tuple(Field{"key", &Model::key}, Field{"label", &Model::label}, Field{"source", &Model::source},
                      Field{"inputs", &Model::inputs}, Field{"open_inputs", &Model::open_inputs},
                      Field{"files", &Model::files}, Field{"values", &Model::values},
                      Field{"dynamic_batch", &Model::dynamic_batch});
  }
};

// "0123456789abcdef-b4": names a file.
std::string file_name(const ModelKey& key);

// Those for this input; null: none.
const InputValues* values_of(const std::vector<InputValues>& all, const std::string& input);

// Null: no such file.
const UserFile* file_called(const std::vector<UserFile>& files, const std::string& name);

}  // namespace ngb::work
