// SPDX-License-Identifier: Apache-2.0
// Which model is the best, given compilers: of each the best setting, and what is told of it beside the best model.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/derive.h"
#include "report/document.h"

namespace ngb::report {

// What a model has to do to be chosen.
struct Bound {
  const metrics::Metric* metric = nullptr;
  bool is_least = true;  // else the most
  double value = 0;      // in the metric's unit
};

// Reads "throughput_per_s=200". Returns an error if there is no such metric or number.
Result<Bound> parse_bound(const std::string& given, bool is_least);

// Returns a row for each model on each device, at each batch size and load: its best setting by the metric of the
// answer (Heading::by) among those that keep all bounds, and whether it is the best model, may be it, or is out.
Document models_document(const metrics::Derived& derived, const std::vector<Bound>& bounds);

}  // namespace ngb::report
