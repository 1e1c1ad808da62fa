// SPDX-License-Identifier: Apache-2.0
// Writes HTML. Texts of foreign origin (names of models and compilers, messages of devices) are escaped.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::report::page {

// Returns text for the content of an element or for a quoted attribute: & < > " ' are entities.
std::string escaped(std::string_view text);

// Returns a sentence for the content of an element: escaped, and what it has between backticks as code.
std::string prose(std::string_view sentence);

// Returns the JSON for a <script> element that holds data: no part of it can end the element or begin a comment.
std::string script_json(const nlohmann::json& json);

// Returns a table that scrolls sideways by itself where it is too wide. All texts are escaped. The last field of a row
// that is shorter than `columns` takes the place of all that follow.
std::string html_table(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows);

// Returns the items of a list, a sentence each.
std::string html_items(const std::vector<std::string>& sentences);

// Returns what is in a closed <details> element; above 100 kB packed, so that a script unpacks it when it is opened.
std::string packed_if_large(std::string html);

// A part of the page behind a closed heading.
struct Part {
  const char* id = "";
  std::string title{};
  std::string holds{};  // how much is in it: "14 figures"
  std::string html{};
};
// Returns the part as a section; "" if there is nothing in it.
std::string closed_section(const Part& part);

// Returns "1 row" or "3 rows".
std::string counted(std::size_t number, const std::string& noun);

// Returns the bytes in base 64 (RFC 4648), on one line.
std::string base64(std::string_view bytes);

// Returns the text as the page's scripts unpack it (unpacking.js): compressed by zlib, in base 64.
std::string packed(std::string_view text);

// Returns the page with its packed texts unpacked, because libraries may pack one text as different bytes. A text that
// cannot be unpacked, or that has more than 256 MiB, stays packed.
std::string with_parts_unpacked(std::string_view html);

}  // namespace ngb::report::page
