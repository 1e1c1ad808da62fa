// SPDX-License-Identifier: Apache-2.0
// Study -> cells, in the order in which they are to be measured. Pure: reads model files, starts nothing.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "zoo/recipe.h"

namespace ngb::plan {

struct Model {
  std::string hash{};  // of the content
  std::string label{};
  std::string family{};       // "" for a user's file
  std::string recipe_json{};  // canonical; "" for a user's file
  std::string path{};         // of a user's file; "" for a recipe
  int batch = 1;
  std::vector<TensorSignature> inputs{};
  std::optional<std::uint64_t> parameters{};  // known for recipes
  std::optional<std::uint64_t> macs{};
  std::optional<std::uint64_t> macs_torchinfo{};
};

// (device, compiler + version + options + threads + precision, model + parameters, batch).
struct Cell {
  std::string id{};  // first 16 hexadecimal digits of the SHA-256 over what it is made of; stable between runs
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

// Error: a recipe that cannot be resolved, a model file that cannot be read.
Result<Plan> expand(const config::Study& study);

// Rough seconds for the whole plan on this machine: MACs and a fixed cost per process.
double estimate_seconds(const Plan& plan);

nlohmann::json to_json(const Plan& plan);
// The table that `ngb plan` prints: defaults, cells, order, estimate.
std::string to_text(const Plan& plan);

}  // namespace ngb::plan
