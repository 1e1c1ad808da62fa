// SPDX-License-Identifier: Apache-2.0
// Describes a model at one batch size: what it is made from, and the values of its inputs.
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
#include "work/decoding.h"
#include "work/visited_shape.h"

namespace ngb::work {

// A user's file. On a device elsewhere it has its `name` within the model's own folder, so that files refer to each
// other as they do here.
struct UserFile {
  std::string name{};  // "model/net.onnx", "model/weights.bin", "inputs/…"
  std::string path{};
  std::string sha256{};  // of the content when the study was planned
  bool operator==(const UserFile&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &UserFile::name}, Field{"path", &UserFile::path}, Field{"sha256", &UserFile::sha256});
  }
};

// Gives the values of an input that are used instead of the usual random numbers.
struct InputValues {
  std::string input{};                               // "": every input without InputValues of its own
  std::optional<std::pair<double, double>> range{};  // smallest and largest value
  std::string file{};                                // name of a UserFile: .npy or .npz
  std::string array{};                               // name of the array in an .npz; "": that of the input
  bool counts = false;  // with a range: the values along the last axis count up from its least
  bool operator==(const InputValues&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"input", &InputValues::input}, Field{"range", &InputValues::range},
                 Field{"file", &InputValues::file}, Field{"array", &InputValues::array},
                 Field{"counts", &InputValues::counts});
  }
};

// The source of a model that is a user's ONNX file: the first of its files.
struct OnnxFile {
  static constexpr const char* kType = "file";
  static constexpr auto fields(auto visit) { return visit(); }
};
// The source of a model that the device makes from a built-in recipe.
struct Recipe {
  static constexpr const char* kType = "recipe";
  std::string json{};  // canonical
  static constexpr auto fields(auto visit) { return visit(Field{"json", &Recipe::json}); }
};
// The source of a model that the device exports from a PyTorch module.
struct Module {
  static constexpr const char* kType = "module";
  std::string json{};  // canonical, {"module":{…}}; refers to files by their names
  static constexpr auto fields(auto visit) { return visit(Field{"json", &Module::json}); }
};
// The source of a model that is a file in the form of one compiler, which runs it as it is: the first of its files.
struct CompiledFile {
  static constexpr const char* kType = "compiled";
  static constexpr auto fields(auto visit) { return visit(); }
};
using Source = std::variant<OnnxFile, Recipe, Module, CompiledFile>;

// Returns the JSON of a recipe or module, or "" for a file.
const std::string& json_of(const Source& source);

// Identifies a model in events, files and tables.
struct ModelKey {
  std::string hash{};  // of the content and of what the study sets for it
  int batch = 1;
  auto operator<=>(const ModelKey&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"hash", &ModelKey::hash}, Field{"batch", &ModelKey::batch});
  }
};

// What results know of a model.
struct ModelSummary {
  ModelKey key{};
  std::string label{};                        // for people: "resnet18"
  std::string family{};                       // "" except for a recipe
  std::optional<std::uint64_t> parameters{};  // trainable; known for recipes
  std::optional<std::uint64_t> macs{};        // of one inference at this batch size; known for recipes
  // What it belongs to in tables. The hash does not cover them, so they can be changed after a measurement.
  std::string group{};        // models of one kind in several sizes: "ResNets"; "": none
  std::string style{};        // "convolutional" | "transformer" | "hybrid"; "": none
  std::optional<int> size{};  // rank of its size in the group, 1 for the smallest
  // The bytes of one sample before and after a model that compresses data. Both are given or none. The hash does not
  // cover them either.
  std::optional<std::uint64_t> raw_bytes{};
  std::optional<std::uint64_t> encoded_bytes{};
  // Label and hash of the exact model of which it is a variant: the same network made cheaper, whose outputs differ.
  // "": it is an exact model.
  std::string variant_of{};
  std::string exact_hash{};

  [[nodiscard]] bool is_variant() const { return !exact_hash.empty(); }
  // Returns the hash that a variant and its exact model have in common.
  [[nodiscard]] const std::string& workload_hash() const { return is_variant() ? exact_hash : key.hash; }
};

struct Model : ModelSummary {
  Source source{};
  std::string path{};                          // of a user's file; "" for a recipe and timm
  std::vector<TensorSignature> inputs{};       // empty: the module reports them when its file is made
  std::vector<TensorSignature> open_inputs{};  // kOpenExtent for any batch, or any length; else empty
  std::vector<UserFile> files{};               // all files that it needs; an ONNX file first
  std::vector<InputValues> values{};
  std::string file_parameters{};  // {"parameters":{"width":16}}: what the study says of a user's file; "": nothing
  std::string labels{};           // name of a UserFile: an .npy with the right class of each sample; "": none
  bool dynamic_batch = false;     // one compiled model serves all batch sizes
  std::string arithmetic{};       // of a user's ONNX file: "f16", "bf16", "int8"; "": f32, or not known
  std::vector<TensorSignature> outputs{};  // that a user's ONNX file declares with a shape; kOpenExtent for any
  std::optional<Decoding> decoding{};      // of a model that generates tokens: its outputs are fed back
  // The inputs as they are before they are padded to `inputs` with zeros. Empty: they are not padded.
  std::vector<TensorSignature> unpadded{};
  // The shapes that each process visits; the inputs above are those of the first. Empty: it has one shape. With
  // `open_inputs` one session has all of them, else there is a session for each that differs.
  std::vector<VisitedShape> visited{};
  int prompt_tokens = 0;  // of a model that reads a prompt: tokens of a sample; 0: it reads none
  std::optional<std::uint64_t> macs_torchinfo{};
  std::vector<Model> exact{};  // of a variant: the exact model at this batch size, without its files (exact_of)

  [[nodiscard]] bool is_module() const { return std::holds_alternative<Module>(source); }
  // Returns true if the device makes the model's file, false if the user has the file.
  [[nodiscard]] bool is_made() const { return std::holds_alternative<Recipe>(source) || is_module(); }
  [[nodiscard]] bool is_compiled() const { return std::holds_alternative<CompiledFile>(source); }

  // Lists the fields that a device needs. The others stay with the client: a user's path is private, and a job must not
  // change when a file is moved.
  static constexpr auto fields(auto visit) {
    return visit(Field{"key", &Model::key}, Field{"label", &Model::label}, Field{"source", &Model::source},
                 Field{"inputs", &Model::inputs}, Field{"open_inputs", &Model::open_inputs},
                 Field{"files", &Model::files}, Field{"values", &Model::values}, Field{"labels", &Model::labels},
                 Field{"dynamic_batch", &Model::dynamic_batch}, Field{"arithmetic", &Model::arithmetic},
                 Field{"outputs", &Model::outputs}, Field{"decoding", &Model::decoding},
                 Field{"prompt_tokens", &Model::prompt_tokens}, Field{"unpadded", &Model::unpadded},
                 Field{"visited", &Model::visited}, Field{"exact", &Model::exact});
  }
};

// A variant's files include those of its exact model. The names of the latter begin with this.
inline constexpr const char* kExactFiles = "exact/";

// Makes `model` a variant of `exact`, which has the same batch size and whose inputs it is timed with: its hash covers
// the exact model's.
void make_variant(Model& model, const Model& exact);
// Returns the exact model of a variant, with its files. Precondition: `variant.exact` is not empty.
Model exact_of(const Model& variant);

// Returns the model with the inputs of one of the shapes that it visits, and no others.
Model at_shape(const Model& model, const VisitedShape& shape);
// Returns whether a process that visits these shapes needs a session for each that differs.
bool has_several_sessions(const Model& model);
// Gives all lists of inputs the order of `names`, which a module knows only when its file is made. Inputs without such
// a name follow.
void put_in_order(Model& model, const std::vector<TensorSignature>& names);

// Returns whether the model, or the exact model of a variant, is a PyTorch module.
bool has_module(const Model& model);

// Returns the name of the model's file: "0123456789abcdef-b4".
std::string file_name(const ModelKey& key);

// Returns the values for this input, or those for every input, or null if there are neither.
const InputValues* values_of(const std::vector<InputValues>& all, const std::string& input);

// Returns the file with this name, or null.
const UserFile* file_called(const std::vector<UserFile>& files, const std::string& name);

}  // namespace ngb::work
