// SPDX-License-Identifier: Apache-2.0
// The paper's claims.
#pragma once

#include <span>

#include "report/claims.h"

namespace ngb::paper {

// Returns all of them: those that any results can test, and the test of the others.
report::Claims claims();

// The claims that only profiles of stacks of blocks can test: about fusion, and about overhead.
std::span<const metrics::series::Claim> profile_claims();

// Returns the rows of each of these, in the order of profile_claims() and of the stacks; at least one for each claim.
//
// blocks_fuse_alone is about counts and needs no test: it holds if every Conv+BatchNormalization+Relu of the deepest
// stacks of convolutions is one kernel and no kernel of the deepest stacks of attention stands for nodes of two blocks.
// It does not hold if a kernel does, or if no block is one kernel. Otherwise it is undecided.
//
// overhead_falls is judged as the other claims are, all compilers together.
std::vector<report::StackClaimRow> test_stacks(std::span<const explain::Stack> stacks);

}  // namespace ngb::paper
