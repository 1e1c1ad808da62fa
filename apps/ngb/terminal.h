// SPDX-License-Identifier: Apache-2.0
// Prints all output of ngb. Names, messages and labels come from devices, results files and compilers, so these
// functions make control characters visible (text::visible). A test checks that nothing else in this folder writes to
// stdout or stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::app {

// The layout for stdout: the width and colors of a terminal, else tables of 100 columns without colors. NO_COLOR
// disables colors.
struct OutputShape {
  int width = 100;
  bool has_color = false;
  int wrap = 0;  // columns at which lines of words are broken at blanks; 0: a program reads them, each as a line
};
OutputShape shape_of_stdout();

// From now on, `say` prints there instead of on stdout; null: nowhere. Tables and JSON stay on stdout.
void send_words_to(std::FILE* out);

// Prints the text on stdout, or on stderr.
void print_out(std::string_view text);
void print_error(std::string_view text);

// Formats the text and prints it on stdout (say) or stderr (warn).
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  print_out(fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void warn(fmt::format_string<Values...> format, Values&&... values) {
  print_error(fmt::format(format, std::forward<Values>(values)...));
}

// Prints a table of the report on stdout with its colors. The report has made its cells visible.
void print_table_text(std::string_view table);

// Hands over what stdout still holds. Fails if a part of the output could not be written, now or before, unless stdout
// is a pipe that its reader has closed.
Status finish_output();

// Prints JSON on stdout as report::json_text formats it.
void print_json_text(const nlohmann::json& json);

}  // namespace ngb::app
