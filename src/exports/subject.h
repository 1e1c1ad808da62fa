// SPDX-License-Identifier: Apache-2.0
// Finds everything that the program of a cell is made from: its study, its model's sources, its toolchain.
#pragma once

#include <nlohmann/json.hpp>

#include "campaign/installation.h"
#include "campaign/refusal.h"
#include "plan/plan.h"
#include "store/store.h"
#include "toolchain/toolchain.h"

namespace ngb::exports {

struct Subject {
  store::CellData cell{};
  nlohmann::json study{};  // of this cell alone
  plan::Plan plan{};       // of that study
  toolchain::CompilerDescription compiler{};
  toolchain::Toolchain toolchain{};

  [[nodiscard]] const work::Model& model() const { return plan.models.front(); }
};

// Returns why no program can be written for the cell, as far as its results and its compiler's folder say.
Status check_program(const store::CellData& cell, const toolchain::CompilerDescription& compiler);

// Returns what the only cell of a study is made from. Its cell has no results. Returns an error if ngb has no
// program for its compiler, or if the toolchain is not installed.
campaign::Answer<Subject> subject_of(const campaign::Installation& installation, nlohmann::json study,
                                     const campaign::Say& say);

// Returns what a cell of a results folder is made from. Returns an error if check_exportable does, if the folder holds
// no study of the cell, if subject_of does, if its model's files have changed, or if it did not compute on the CPU.
campaign::Answer<Subject> find_subject(const campaign::Installation& installation, const std::filesystem::path& results,
                                       store::CellData cell, const campaign::Say& say);

}  // namespace ngb::exports
