// SPDX-License-Identifier: Apache-2.0
// Gives a model the sizes of its named extents that the study's entry asks for: padded, open, or several of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"

namespace ngb::plan {

// The name of each extent of each input; "": it has none.
using ExtentNames = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Returns the names of extents in the entry's file. Precondition: the entry has `named`.
Result<ExtentNames> names_in_file(const config::ModelEntry& entry);
// Returns the entry's `dimensions`, with the sizes of the first shape that is visited and padded.
config::NamedShapes::Sizes first_sizes(const config::ModelEntry& entry);

// Sets the sizes of the model's inputs, and the shapes that it visits. Precondition: inputs and open_inputs are set.
// Fails if the entry names a dimension that no input has.
Status settle_named(work::Model& model, const config::ModelEntry& entry, const ExtentNames& names);
// Adds {"open": {axis: name}} to a module's input: the extents that the exported file leaves open, because one file is
// for all sizes.
void add_open_axes(nlohmann::json& row, const TensorSignature& input, const config::NamedShapes& named);
// Adds what makes the model another one than that of its own shape.
void add_to_hashed(nlohmann::json& hashed, const work::Model& model, const config::NamedShapes& named);
// Opens the dimensions that the entry calls dynamic, and the batch if the entry has dynamic_batch.
void open_named(work::Model& model, const config::ModelEntry& entry, const ExtentNames& names);

}  // namespace ngb::plan
