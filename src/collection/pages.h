// SPDX-License-Identifier: Apache-2.0
// Makes the pages of the site. All texts of bundles are untrusted and escaped.
#pragma once

#include <cstddef>
#include <string>

#include "collection/collection.h"

namespace ngb::collection {

inline constexpr const char* kBundlesFolder = "bundles";

// Returns the page with the table of all numbers, machine by machine, and the lists of bundles. Each number links to
// its row in bundle_page.
std::string index_page(const Collection& collection, const std::string& made_by);

// Returns the page of a bundle: who made it, every rule and how it came out, its numbers, its machines.
std::string bundle_page(const Collection& collection, std::size_t bundle, const std::string& made_by);

// Returns the anchor of a measurement in the page of its bundle.
std::string anchor_of(const Measurement& measurement);

// Returns "1.93 [1.90, 1.96]" as HTML, or a dash with the reason as its title.
std::string number_html(const Measurement& measurement, Quantity quantity);

}  // namespace ngb::collection
