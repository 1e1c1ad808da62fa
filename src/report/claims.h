// SPDX-License-Identifier: Apache-2.0
// The claims of a publication, which are tested on one's own results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/depth.h"
#include "metrics/series/claims.h"

namespace ngb::report {

// What profiles of stacks of blocks say on a claim.
struct StackClaimRow {
  metrics::series::ClaimRow row{};
  std::string numbers{};  // behind it, in words: "9 of 9 blocks are one kernel"; "" if it was not measured
};

struct Claims {
  std::string of{};  // "paper"; "": there are no claims
  std::span<const metrics::series::Claim> rows{};
  // Tests those that need profiles of stacks of blocks. Null: there are none.
  std::vector<StackClaimRow> (*test_stacks)(std::span<const explain::Stack> stacks) = nullptr;
};

}  // namespace ngb::report
