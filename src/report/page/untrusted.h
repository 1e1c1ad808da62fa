// SPDX-License-Identifier: Apache-2.0
// Prepares text of foreign origin (names of models and compilers, messages of devices) for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ngb::report::page {

// Returns UTF-8 in which control characters and characters that change the direction of writing are visible escapes
// ("\u202e"), so that a name looks like what it is.
std::string plain(std::string_view text);

// Returns `plain` text for the content of an element or for a quoted attribute: & < > " ' are entities.
std::string escaped(std::string_view text);

// Returns the JSON for a <script> element that holds data: no part of it can end the element or begin a comment.
std::string script_json(const nlohmann::json& json);

}  // namespace ngb::report::page
