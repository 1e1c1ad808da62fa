// SPDX-License-Identifier: Apache-2.0
// Numbers of curves: how speed-up and time depend on the depth of a stack of blocks, how batching depends on its width,
// what the capacity of a cache costs, and what dynamic shapes cost.
#pragma once

#include <vector>

#include "metrics/series/series.h"

namespace ngb::metrics::series {

// Least squares of speed-up against depth, a row for each setting, width and batch size of at least two depths.
std::vector<store::SeriesValue> depth_slope(const Analysis& analysis, const Part& part);
// Least squares of seconds per inference against depth.
std::vector<store::SeriesValue> depth_cost(const Analysis& analysis, const Part& part);
// Speed-up at the largest depth over that at depth 1.
std::vector<store::SeriesValue> depth_retention(const Analysis& analysis, const Part& part);
// RTR at the largest width over RTR at the smallest width, a row for each setting, depth and batch size above 1.
std::vector<store::SeriesValue> batch_width_friction(const Analysis& analysis, const Part& part);
// Speed of a recipe that generates tokens with each larger capacity of its cache over that with the smallest one.
std::vector<store::SeriesValue> capacity(const Analysis& analysis, const Part& part);
// Speed of a recipe that generates tokens with the fastest form of its cache over that with the next fastest: a row for
// each setting, context and capacity, with which the form that grows is compared too.
std::vector<store::SeriesValue> best_cache_form(const Analysis& analysis, const Part& part);
// Speed with dynamic_batch over the speed with static shapes.
std::vector<store::SeriesValue> dynamic_shapes(const Analysis& analysis, const Part& part);

// Returns the model hash of the same model with dynamic_batch, if the study sets nothing else for the model.
std::string hash_with_dynamic_batch(const std::string& model_hash);

}  // namespace ngb::metrics::series
