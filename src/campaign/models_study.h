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
  std::vector<std::string> models{};     // "net.onnx", "net.py:build", "resnet18", "timm:resnet50"
  std::vector<std::string> compilers{};  // "onnxruntime", "onnxruntime@1.31.1"; empty: all that are installed
  std::vector<int> batch_sizes{};        // empty: 1
  std::string threads{};                 // a number, "all" or "physical"; "": 1
  std::filesystem::path output{};        // results folder; empty: results/NAME of the models
};

// Returns whether the word names a model and no study: an ONNX file, a function in a Python file, a recipe or one of
// timm's models. Returns an error that says what a file of another kind is, and which command takes it.
Result<bool> is_model(const std::string& word);

// Writes a study of the models beside its results folder, as RESULTS.yaml, and returns its path. If the identity is not
// among the compilers, the others are compared with the first one; if it is not installed, that one judges outputs as
// well. Returns an error if another study is there, if a file is missing or a compiler unknown, or if none is
// installed.
Result<std::filesystem::path> write_models_study(const Installation& installation, const ModelsOrder& order);

}  // namespace ngb::campaign
