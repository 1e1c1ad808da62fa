// SPDX-License-Identifier: Apache-2.0
// Compares what is in a bundle with what follows from its samples. Pure. Numbers may differ by one part in 10⁹, because
// the C library of another processor rounds logarithms and powers in another way.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/rules.h"
#include "store/store.h"

namespace ngb::bundle {

// Returns where the given text differs from the one that follows: `line 3: "12.5" is given, "12.7" follows`. Returns ""
// if they differ at most by the rounding of numbers in them.
std::string text_difference(std::string_view given, std::string_view follows);

// Returns whether both texts have the same numbers in the same order, whatever is between them: another version of ngb
// may use other words.
bool have_alike_numbers(std::string_view given, std::string_view follows);

// What a results file keeps beside its samples: the numbers and texts of each place as a line. Places are cells with a
// metric, what numbers that span cells are about, and the first, second, … conclusion of each kind.
using Kept = std::map<std::string, std::string>;
Kept kept_values(const std::vector<store::DerivedValue>& values);
Kept kept_numbers(const std::vector<store::SeriesPart>& parts);
Kept kept_conclusions(const std::vector<store::SeriesPart>& parts);

// Returns the places where the given lines differ from those that follow.
std::vector<Problem> differences(const Kept& given, const Kept& follows);

}  // namespace ngb::bundle
