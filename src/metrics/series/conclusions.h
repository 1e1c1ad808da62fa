// SPDX-License-Identifier: Apache-2.0
// Writes findings, reversals and claims in the form in which the store keeps them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/families.h"
#include "metrics/series/claims.h"
#include "store/store.h"

namespace ngb::metrics::series {

inline constexpr const char* kFinding = "finding";
inline constexpr const char* kReversal = "reversal";
inline constexpr const char* kClaim = "claim";
inline constexpr const char* kAnswer = "answer";
inline constexpr const char* kOrders = "orders";  // how many orders were compared for the reversals

// Returns findings, reversals, the answer, the count of orders and claims, in this order. The JSON of each is an
// object: finding: {"kind", "to_act_on", "is_difference", "sentence", "rows": [{"device", "compiler", "model",
// "batch_sizes",
//   "against", "metric", "value", "low", "high", "reason", "outcome", "adjusted_p", "cell_ids"}]}
// reversal: {"ranked": "models" or "compilers", "between": "device_compilers", "devices" or "batch_sizes",
// "adjusted_p",
//   "sides": [{"device", "compiler_a", "compiler_b", "model_a", "model_b", "batch", "value", "low", "high", "reason",
//   "cell_ids"}]}: `value` is T_a / T_b; a is the faster one on the first side, the slower one on the second
// answer: {"sentences", "rows": [{"device", "model", "batch", "compiler", "is_decided", "may_be_fastest": [names],
//   "throughput_per_s", "inference_s", "speed_up", "runner_up", "margin", "cell_ids"}]}: `compiler` has the highest
//   speed, and "cell_ids" are those of "may_be_fastest" (Race::candidates); "inference_s" is null of several at a time;
//   "speed_up" and "margin" are {"value", "low", "high", "reason"}
// orders: {"looked_at", "are_too_many"}
// claim: {"claim", "sentence", "quantity", "source", "device", "compiler", "status", "value", "low", "high", "reason",
//   "adjusted_p", "cell_ids"}
// `size_factor` is as in find_reversals.
std::vector<store::Conclusion> conclusions_of(const Analysis& analysis, std::span<const Claim> claims = {},
                                              double size_factor = kSizeFactor);

// Returns a claim's object.
nlohmann::json json_of(const ClaimRow& row);

}  // namespace ngb::metrics::series
