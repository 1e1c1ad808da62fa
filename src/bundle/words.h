// SPDX-License-Identifier: Apache-2.0
// The words of formulas, of their sources and of flags, which a bundle gives for people. They belong to the ngb that
// has made the bundle: another one has other words for the same numbers. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ngb::bundle {

// Returns a page, or the text of croissant.json, as this ngb makes it, with the words of `given` in place of its own
// where both have the same metric, series or flag. Nothing else of `given` is in it: words end where their element or
// their string ends.
std::string with_words_of(std::string_view given, std::string follows);

}  // namespace ngb::bundle
