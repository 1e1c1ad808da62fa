// SPDX-License-Identifier: Apache-2.0
// Judges the paper's claims on the numbers that it has published itself.
#pragma once

#include <string>
#include <vector>

namespace ngb::report::tables {

// A claim on one compiler of one of the paper's devices.
struct PublishedClaim {
  std::string claim{};  // the name of a row of metrics::series::claims(), or of a sentence that only the paper can test
  std::string device{};  // "paper: Xeon"; "" for all
  std::string compiler{};
  double ratio = 0;     // of the published numbers; claimed to be below 1
  std::string from{};   // the table, and of what the ratio is formed
  std::string words{};  // "holds", "does not hold", or "no difference": within 3 % of 1. There is no interval.
};

// Returns the claims that tables III, VI, VII and VIII have numbers for.
std::vector<PublishedClaim> published_claims();

}  // namespace ngb::report::tables
