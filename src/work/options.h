// SPDX-License-Identifier: Apache-2.0
// Names and values that a study hands to a compiler, as JSON and as words for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ngb::work {

// Pairs of a name and a value as JSON text, sorted by name.
using Options = std::vector<std::pair<std::string, std::string>>;

// Returns the options as one JSON object. A value that is not JSON becomes a string, and "" becomes null.
nlohmann::json object_of(const Options& options);
// Returns the text of that object without blanks: {"level":"all","streams":1}.
std::string text_of(const Options& options);
// Returns the options of a JSON object, each value without blanks; nothing if the text is no JSON object.
std::optional<Options> parse_options(std::string_view text);
// Returns "level=all", "streams=1": strings without quotes.
std::vector<std::string> words_of(const Options& options);

}  // namespace ngb::work
