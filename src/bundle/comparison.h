// SPDX-License-Identifier: Apache-2.0
// Compares the values in a bundle with those that follow from its samples. Pure. Numbers may differ in the last digits,
// because the C library of another processor rounds logarithms and powers in another way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/rules.h"
#include "store/store.h"

namespace ngb::bundle {

// The largest difference of two numbers that count as one, relative to the larger.
inline constexpr double kMostRounding = 1e-9;

// Returns whether both are unknown, or both are known and differ by rounding only.
bool are_alike(const std::optional<double>& one, const std::optional<double>& other);

// Returns where the given text differs from the one that follows: `line 3: "12.5" is given, "12.7" follows`. Returns ""
// if they differ at most by the rounding of numbers in them.
std::string text_difference(std::string_view given, std::string_view follows);

// Returns whether both texts have the same numbers in the same order, whatever is between them: another version of ngb
// may use other words.
bool have_alike_numbers(std::string_view given, std::string_view follows);

// Returns the data of the page's script; "" if the text is no page of ngb.
std::string_view data_of_page(std::string_view html);

// Return where the given values differ from those that follow.
std::vector<Problem> differences(const std::vector<store::DerivedValue>& given,
                                 const std::vector<store::DerivedValue>& follow);
std::vector<Problem> value_differences(const std::vector<store::SeriesPart>& given,
                                       const std::vector<store::SeriesPart>& follow);
std::vector<Problem> conclusion_differences(const std::vector<store::SeriesPart>& given,
                                            const std::vector<store::SeriesPart>& follow);

}  // namespace ngb::bundle
