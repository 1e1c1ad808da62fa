// SPDX-License-Identifier: Apache-2.0
// Makes the data from which the page's script draws what the reader chooses.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "metrics/metric.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::page {

// Returns the metrics of the page, in the order of the table of metrics.
std::vector<const metrics::Metric*> shown_metrics(const Content& content);

// {"devices", "models", "compilers", "statuses": [names], "batches": [sizes], "looks": [["#0072b2", shape
// (report/looks.h)], for each of "compilers"], "config": that of the figures' theme, "group_of": [name, for each of
// "models"], "baseline": words, "metrics": [{"name", "heading", "unit", "formula", "has_interval",
// "better": "higher", "lower" or null, "refers_to_baseline"}], "metric": the name of the one that the chart shows
// first, "flag_sets": [[names]], "reasons": [texts], "forms": [forms], "has_ratios": whether there are ratios, "cells":
// {"device", "model", "batch", "compiler", "status", "why", "baseline", "flags", "why_no_ratio": column}, "values":
// [{"says": column, "numbers": [numbers]}, for each of "metrics"], "ratios": [ratios, for each cell]}. A column has an
// index for each cell, with [index, how often] in place of one that follows itself; -1 is none. "why" says why a cell
// has no numbers, "baseline" is an index into the cells. What a cell "says" of a metric is an index into "forms", or -1
// less one into "reasons". A form is [how many of the next "numbers" it has: the value, or also the ends of its
// interval; the text of `ngb show` with "@" for each; by what they are multiplied there; with how many decimals they
// are written], or [how many, the whole text]. Ratios are a cell's speed over that of each other cell of its device,
// model and batch size: [[other cell, number, low, high]].
nlohmann::json page_data(const Content& content, const Labels& labels);

// Returns the same without cells.
nlohmann::json data_without_cells();

// Returns {name of a figure: Vega-Lite without the theme, with "datasets": {"places": …} or {"drawn": …} (page.h)}.
nlohmann::json specifications_of(const Figures& figures);

}  // namespace ngb::report::page
