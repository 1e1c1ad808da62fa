// SPDX-License-Identifier: Apache-2.0
// Tests claims that somebody has published, such as those of src/paper, on one's own results.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "metrics/series/claim_test.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {

enum class ClaimStatus { holds, does_not, undecided, not_measured };
std::string_view name(ClaimStatus status);   // "holds", "does_not", …, as in JSON
std::string_view words(ClaimStatus status);  // "holds here", "does not hold here", …

struct Claim {
  const char* name;      // "small_batch_gains"
  const char* sentence;  // the claim
  const char* quantity;  // what `value` of its rows is, and what is claimed of it
  const char* source;
  // Returns the claim's numbers for one setting, or the reason if the setting has no cells for it. Null: only profiles
  // can test it.
  ClaimTest (*test)(const Analysis& analysis, const Setting& setting) = nullptr;
  const char* compiler = nullptr;  // the claim is about this one only; null: about each
  bool is_of_blocks = false;       // else it is about whole networks; stacks of blocks count where there are none
};

// Returns what a judgement of the claim's ratio says: `slower` is on the claim's side of 1.
ClaimStatus status_of(const statistics::Judgement& judgement, const statistics::VerdictRules& rules);

// What the results say on a claim, for one setting on one device.
struct ClaimRow {
  const Claim* claim = nullptr;
  std::string device{};    // "" if nothing was measured
  std::string compiler{};  // likewise
  ClaimStatus status = ClaimStatus::not_measured;
  Value value{};                        // the claim's quantity; with the reason if it was not measured or is undecided
  std::optional<double> adjusted_p{};   // of the test
  std::vector<std::string> cell_ids{};  // of all workloads that were counted
};

// Returns the rows in the order of the claims and cells; at least one for each claim. A claim holds if its quantity is
// told to be on the claim's side of its bound and its interval is not all within 3 % of the bound; it does not if the
// quantity is told to be on the other side, or to be at the bound within 3 %. All questions are judged together, with
// Benjamini's and Hochberg's procedure at 5 %. A claim about the largest of k values is tested with k times the p value
// of the largest; it does not hold only if the intervals of all k, which hold together, are below the bound. The claims
// must outlive the rows.
std::vector<ClaimRow> test_claims(const Analysis& analysis, std::span<const Claim> claims);

}  // namespace ngb::metrics::series
