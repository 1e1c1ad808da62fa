// SPDX-License-Identifier: Apache-2.0
// Prepares text of foreign origin (names of models and compilers, messages of devices) for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ngb::report::page {

// Returns text for the content of an element or for a quoted attribute: & < > " ' are entities.
std::string escaped(std::string_view text);

// Returns the JSON for a <script> element that holds data: no part of it can end the element or begin a comment.
std::string script_json(const nlohmann::json& json);

}  // namespace ngb::report::page
