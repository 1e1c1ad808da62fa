// SPDX-License-Identifier: Apache-2.0
// Tests what the paper supposes behind its tables VII and VIII on profiles of stacks of blocks. The claims themselves
// are rows of metrics/series/claims.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/depth.h"
#include "metrics/series/claims.h"

namespace ngb::explain {

struct DepthClaimRow {
  metrics::series::ClaimRow row{};
  std::string numbers{};  // behind it, in words: "9 of 9 blocks are one kernel"; "" if it was not measured
};

// Returns the rows of each claim, in the order of profile_claims() and of the stacks; at least one for each claim.
//
// blocks_fuse_alone is about counts and needs no test: it holds if every Conv+BatchNormalization+Relu of the deepest
// stacks of convolutions is one kernel and no kernel of the deepest stacks of attention stands for nodes of two blocks.
// It does not hold if a kernel does, or if no block is one kernel. Otherwise it is undecided.
//
// overhead_falls is judged as the other claims are, all compilers together.
std::vector<DepthClaimRow> test_depth_claims(std::span<const Stack> stacks);

}  // namespace ngb::explain
