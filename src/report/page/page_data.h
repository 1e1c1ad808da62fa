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

// {"devices", "models", "compilers": [names], "batches": [sizes], "looks": [["#0072b2", shape (report/looks.h)], for
// each of "compilers"], "config": that of the figures' theme, "group_of": [name, for each of "models"], "baseline":
// words, "metrics": [{"name", "heading", "unit", "formula", "has_interval", "refers_to_baseline"}], "flags": [names],
// "reasons": [texts], "has_ratios": whether cells have them, "cells": [[device, model, batch, compiler, status, why,
// baseline, [flags], [values], ratios]], "specifications": {name of a figure: Vega-Lite without the theme, with
// "datasets": {"places": …} or {"drawn": …} (page.h)}}. In a cell, all but `status` are indices.
// `why` says why a cell has no numbers, `baseline` is an index into "cells"; either is -1 if there is none. A value is
// an index into "reasons", or [number, text, low, high] with the text as `ngb show` has it; low and high may be
// missing. `ratios` is an index into "reasons", or lists the cell's speed over that of each other cell of its device,
// model and batch size: [[other cell, number, low, high]].
nlohmann::json page_data(const Content& content, const Figures& figures, const Labels& labels);

// Returns the same without cells.
nlohmann::json data_of_figures(const Figures& figures);

}  // namespace ngb::report::page
