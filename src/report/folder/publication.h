// SPDX-License-Identifier: Apache-2.0
// What a publication adds to a report of one's own results. The room of the publication makes it, such as src/paper;
// another publication would be another room.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/claims.h"
#include "report/document.h"
#include "report/figures/figure.h"
#include "report/figures/selection.h"
#include "report/results.h"

namespace ngb::report::folder {

struct Publication {
  Claims claims{};
  std::span<const figures::Figure> figures{};   // its own, of one's own results
  std::string_view device_prefix{};             // what the names of its devices begin with: "paper: "
  std::span<const std::string_view> devices{};  // of which it has published values
  // Returns, for figures, the published values of some of these devices.
  figures::Published (*published)(std::vector<std::string> devices) = nullptr;
  // Returns its tables of results, which hold their series (add_series), each with rows or the reason why there are
  // none. `published` are those of its devices that are shown beside one's own.
  std::vector<Document> (*tables)(const Results& results, const std::vector<store::MeasuredEnvironment>& environments,
                                  const std::vector<std::string>& published) = nullptr;
};

}  // namespace ngb::report::folder
