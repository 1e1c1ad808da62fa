// SPDX-License-Identifier: Apache-2.0
// Says what a cell belongs to: its setting, its group of models, its style, its size, and, for a stack of blocks, its
// curve. Every number that spans cells is formed over cells that agree in some of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metrics/axis.h"
#include "store/store.h"

namespace ngb::metrics::series {

// Returns "local", "local (gpu)" for a cell that is known to compute on something else than the CPU, or "local under
// cpu: 1" for one that was measured beside a load.
std::string name_of_place(const store::CellData& cell);

// Identifies where a cell computes: the device, the compute device and the load beside it.
std::string place_of(const store::CellData& cell);

// Identifies a workload there: its model, by content, and batch size.
std::string key_of_workload(const store::CellData& cell);

// Returns the group that the study gives the cell's model; without one, the family of a recipe, else the model's label.
// A model and the same model with dynamic_batch, dynamic or padded are of one group.
std::string model_group_of(const store::CellData& cell);
// Returns the label of the same model compiled for a shape of its own: without " dynamic" or " pad_to=128" at its end.
std::string label_of_own_shape(const std::string& label);

// Returns the form of the cache of a recipe that generates tokens: "delta", "growing" (also where the recipe leaves its
// length open), "scatter", "static"; "" for all other models.
std::string cache_form_of(const store::CellData& cell);

enum class Style { convolutional, transformer, hybrid };
// Returns whether the cell's model is a stack of blocks, and no whole network.
bool is_of_blocks(const store::CellData& cell);

// Returns the style that the study gives the cell's model, or nothing.
std::optional<Style> style_of(const store::CellData& cell);

// Returns whether two models are alike in size: they have the same rank in their groups (the key `size`), or their
// numbers of parameters or of multiply-accumulates differ by no more than this factor. Returns false if nothing of this
// is known.
bool are_alike_in_size(const store::CellData& a, const store::CellData& b, double factor);

// Returns the first batch size of the group of batch sizes: 1 (1), 2 (2 to 4), 5 (5 to 16), 17 (more). The paper's
// table VI has 2 to 4 and 8 to 16.
int first_of_batch_group(int batch);

// A stack of equal blocks: a recipe, or a PyTorch module, with an integer parameter `depth`. A module is named by its
// group.
struct Block {
  int depth = 1;
  std::string name{};             // "conv_block width=64": without the depth
  std::string name_sans_width{};  // "conv_block": without depth and width
  std::optional<double> width{};  // its `width` or `embed`
};
std::optional<Block> block_of(const store::CellData& cell);

}  // namespace ngb::metrics::series
