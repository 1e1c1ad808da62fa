// SPDX-License-Identifier: Apache-2.0
// Makes a study of models that are named on a command line: `ngb run my_model.onnx`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/installation.h"

namespace ngb::campaign {

struct ModelsOrder {
  std::vector<std::string> models{};       // "net.onnx", "net.tflite", "net.py:build", "resnet18", "timm:resnet50"
  std::vector<std::string> compilers{};    // "onnxruntime", "onnxruntime@1.31.1"; empty: all installed that run them
  std::vector<std::string> batch_sizes{};  // numbers; empty: 1
  std::string threads{};                   // a number, "all" or "physical"; "": 1
  std::filesystem::path output{};          // results folder; empty: results/NAME of the models
};

// Returns whether the word names a model and no study: an ONNX file, a compiled file, a function in a Python file, a
// recipe or one of timm's models. Returns an error that says what a file of another kind is, and which command takes
// it.
Result<bool> is_model(const Installation& installation, const std::string& word);

// Returns what a study of the models is called: "net" of "models/net.onnx", "net-resnet18" of two.
std::string name_of(const std::vector<std::string>& models);

// Returns the compilers that are installed and have a toolchain of their own, the usual reference first: "onnxruntime",
// or "onnxruntime@1.30.0" if the usual version is not installed.
Result<std::vector<std::string>> installed_compilers(const Installation& installation);
// Returns the keys of a study that has these compilers: if the usual reference is neither installed nor among them, the
// first one judges outputs. Without the identity among them, the others are compared with the first one. Returns an
// error if a compiler is unknown.
Result<std::string> keys_of_compilers(const Installation& installation, const std::vector<std::string>& words);

// Returns the models' entries of a study in `folder`, a line for each. Extents that an ONNX file leaves open are chosen
// as plan advises, and said. Returns an error if a file is missing.
Result<std::string> entries_of_models(const Installation& installation, const std::vector<std::string>& models,
                                      const std::filesystem::path& folder, const Say& say);

// Writes a study of the models beside its results folder, as RESULTS.yaml, and returns its path. Returns an error if
// another study is there, if a file is missing or a compiler unknown, or if none is installed.
Result<std::filesystem::path> write_models_study(const Installation& installation, const ModelsOrder& order,
                                                 const Say& say);

}  // namespace ngb::campaign
