// SPDX-License-Identifier: Apache-2.0
// Lists what is measured and in which order. A plan and a device's job share these lists.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "base/record.h"
#include "work/compiler.h"
#include "work/configuration.h"
#include "work/load.h"
#include "work/model.h"

namespace ngb::work {

// One compiler on one model at one batch size on one device, under one load.
struct Cell {
  // First 16 hexadecimal digits of the SHA-256 over {"batch":…,"compiler":…,"device":…,"in_flight":…,"instances":…,
  // "load":name,"model":hash,"options":{…},"precision":…,"processors":…,"settings":{…},"threads":…,"version":…} with
  // sorted keys and no blanks: id_object (property.h). A cell without a load, without settings, with one inference at a
  // time, with one instance or with processors that the device chooses has no such key, and "threads" is the number or
  // the word that the study asks for (compiler.h). It is the same in every study, whatever the labels, the paths and
  // the order of the file.
  std::string id{};
  std::string device{};    // "" in a job, which belongs to one device
  int compiler_index = 0;  // into Lists::compilers
  int model_index = 0;     // into Lists::models
  int load_index = 0;      // into Lists::loads

  static constexpr bool kIsArray = true;  // because a job has many
  static constexpr auto fields(auto visit) {
    return visit(Field{"id", &Cell::id}, Field{"compiler_index", &Cell::compiler_index},
                 Field{"model_index", &Cell::model_index}, Field{"load_index", &Cell::load_index});
  }
};

struct Step {
  int cell_index = 0;     // into Lists::cells
  int process_index = 0;  // 0 … processes - 1

  static constexpr bool kIsArray = true;
  static constexpr auto fields(auto visit) {
    return visit(Field{"cell_index", &Step::cell_index}, Field{"process_index", &Step::process_index});
  }
};

// Asks how the speed of a cell compares with that of its baseline. Both are of one group, under one load.
struct Question {
  int cell_index = 0;
  int baseline_index = 0;
  bool operator==(const Question&) const = default;

  static constexpr bool kIsArray = true;
  static constexpr auto fields(auto visit) {
    return visit(Field{"cell_index", &Question::cell_index}, Field{"baseline_index", &Question::baseline_index});
  }
};

// All processes of the cells that share a device and a model at one batch size. The steps form rounds of one process of
// each cell, and each round has its own random order.
struct Group {
  std::string device{};  // "" in a job, as in Cell
  int model_index = 0;
  std::vector<Step> steps{};
  std::vector<Question> questions{};  // only if they decide how many rounds there are (Protocol::rounds)
  double saved_bits = 0;  // by compressing a sample of the model; 0 of a model that does not, or saves nothing

  static constexpr auto fields(auto visit) {
    return visit(Field{"model_index", &Group::model_index}, Field{"steps", &Group::steps},
                 Field{"questions", &Group::questions}, Field{"saved_bits", &Group::saved_bits});
  }
};

struct Lists {
  std::vector<Compiler> compilers{};
  std::vector<Model> models{};  // one for each (model, batch)
  std::vector<Load> loads{Load{}};
  std::vector<Cell> cells{};    // in the order of the study: device, model, batch, load, compiler
  std::vector<Group> groups{};  // in the order in which they are measured

  [[nodiscard]] const Compiler& compiler_of(const Cell& cell) const {
    return compilers[static_cast<std::size_t>(cell.compiler_index)];
  }
  [[nodiscard]] const Model& model_of(const Cell& cell) const {
    return models[static_cast<std::size_t>(cell.model_index)];
  }
  [[nodiscard]] const Load& load_of(const Cell& cell) const { return loads[static_cast<std::size_t>(cell.load_index)]; }
  // Returns what the cell's results belong to. No process has reported anything yet.
  [[nodiscard]] Configuration configuration_of(const Cell& cell) const {
    const Compiler& compiler = compiler_of(cell);
    return {.device = cell.device,
            .compiler = compiler,
            .model = model_of(cell),
            .load = load_of(cell).name,
            .threads = compiler.threads_asked.empty() ? std::optional(compiler.threads) : std::nullopt};
  }
  [[nodiscard]] const Model& model_of(const Group& group) const {
    return models[static_cast<std::size_t>(group.model_index)];
  }
  [[nodiscard]] const Cell& cell_of(const Step& step) const { return cells[static_cast<std::size_t>(step.cell_index)]; }
};

}  // namespace ngb::work
