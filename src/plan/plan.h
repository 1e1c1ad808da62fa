// SPDX-License-Identifier: Apache-2.0
// Study -> cells, in the order in which they are to be measured. Pure: reads model files, starts nothing.
//
// The order is the same on every machine (plan/shuffle.h has the generator and the shuffle):
//   1. groups (device, model, batch) stand in the order of the study and are shuffled by one generator that starts at
//      the study's seed;
//   2. each group has a generator of its own, which starts at the first 64 bits of the SHA-256 of the text
//      "<seed> <device> <model hash> <batch>"; so a group keeps its inner order when other models join the study;
//   3. round r of a group is process r of each of its cells, which stand in the order of the study and are shuffled
//   anew.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/input_values.h"
#include "base/result.h"
#include "config/study.h"
#include "zoo/recipe.h"

namespace ngb::plan {

// Whether a Model's recipe_json describes a PyTorch module, which is exported on the device.
bool is_module(const std::string& recipe_json);

struct Model {
  std::string hash{};  // of the content, with what the study says of it
  std::string label{};
  std::string family{};       // "" but for a recipe
  std::string recipe_json{};  // canonical: a recipe, or {"module":{…}} for a PyTorch module; "" for an ONNX file
  std::string path{};         // of a user's file; "" for a recipe and timm
  int batch = 1;
  std::vector<TensorSignature> inputs{};       // none for a module whose inputs only the module knows
  std::vector<TensorSignature> open_inputs{};  // with dynamic_batch: kOpenExtent where the batch stands
  std::vector<UserFile> files{};               // all that it needs; an ONNX file first
  std::vector<InputValues> values{};
  bool dynamic_batch = false;
  std::optional<std::uint64_t> parameters{};  // known for recipes
  std::optional<std::uint64_t> macs{};
  std::optional<std::uint64_t> macs_torchinfo{};
};

// (device, compiler + version + options + threads + precision, model + parameters, batch).
struct Cell {
  // First 16 hexadecimal digits of the SHA-256 over {"batch":…,"compiler":…,"device":…,"model":hash,"options":{…},
  // "precision":…,"threads":…,"version":…} with sorted keys and no blanks. The same in every study, whatever the
  // labels, paths and the order of the file.
  std::string id{};
  std::string device{};
  std::string compiler{};        // name
  std::string compiler_label{};  // as in the study
  std::string compiler_version{};
  config::Parameters options{};
  int threads = 1;
  std::string precision{};
  int model_index = 0;  // into Plan::models
};

struct Step {
  int cell_index = 0;  // into Plan::cells
  int process_index = 0;
};

// All processes of the cells that share (device, model, batch): rounds of one process of each compiler, each round in
// its own random order.
struct Group {
  std::string device{};
  int model_index = 0;
  std::vector<Step> steps{};
};

struct Plan {
  config::Study study{};
  std::vector<Model> models{};  // one for each (model, batch)
  std::vector<Cell> cells{};    // in the order of the study: device, model, batch, compiler
  std::vector<Group> groups{};  // in the order to measure, shuffled with the study's seed
};

// Error: a recipe that cannot be resolved, a model file that cannot be read (all of them in one Error), two entries
// that turn out to be the same model.
Result<Plan> expand(const config::Study& study);

// Rough seconds for the whole plan, from constants in estimate.cpp that hold within a factor of about 3 for a current
// desktop CPU:
//   study + models * model + sum over processes of (process + parameters * compile + repetitions * repetition),
//   repetition = max(min_repetition_ms, call + macs / (rate * threads)), warm-up included.
// A user's file counts as 1 GMAC a sample. With stop_when: as if every process stopped at 100 repetitions or max_s.
double estimate_seconds(const Plan& plan);

// Processes over all cells.
std::uint64_t process_count(const Plan& plan);

nlohmann::json to_json(const Plan& plan);
// The table that `ngb plan` prints: defaults, cells, order, estimate.
std::string to_text(const Plan& plan);

}  // namespace ngb::plan
