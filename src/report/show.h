// SPDX-License-Identifier: Apache-2.0
// What `ngb show` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace ngb::report {

struct ShowOptions {
  bool all = false;   // every metric, however wide
  bool best = false;  // below the table, the best options of each compiler that stands with several
  int width = 100;    // columns of the terminal; columns of the table are left out, the least important first, to fit
  bool color = false;
};

// A table with a section for each device, model and batch size, a row for each compiler in it, and notes: what the
// flags that occur mean, what to do about failures, which columns were left out. `cells` may be outlines; `derived`
// are their values (metrics::derive).
std::string show_table(const std::vector<store::CellData>& cells, const std::vector<store::DerivedValue>& derived,
                       const ShowOptions& options);

// {"cells": [{…, "status", "failure", "flags", "metrics": {name: {"value", "low", "high"} or {"value": null,
// "reason"}}}], "best_options": [as in best_options.h], "metrics": [the rows of the table of metrics]}
nlohmann::json to_json(const std::vector<store::CellData>& cells, const std::vector<store::DerivedValue>& derived);

}  // namespace ngb::report
