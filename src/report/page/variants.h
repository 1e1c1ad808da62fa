// SPDX-License-Identifier: Apache-2.0
// Shows what variants of a model gain and cost: speed-up against agreement, with the settings that no other beats in
// both.
#pragma once

#include <string>

#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::page {

// Returns the section as HTML: for each device, exact model and batch size a picture and a table. Returns "" if the
// results have no variant.
std::string variants(const Content& content, const Labels& labels);

}  // namespace ngb::report::page
