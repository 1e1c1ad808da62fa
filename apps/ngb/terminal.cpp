// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "report/json_text.h"

namespace ngb::app {
namespace {

void write(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

}  // namespace

OutputShape shape_of_stdout() {
  OutputShape shape{.has_color = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) shape.width = size.ws_col;
  return shape;
}

void print_out(std::string_view text) { write(stdout, text::visible(text)); }

void print_error(std::string_view text) { write(stderr, text::visible(text)); }

void print_table_text(std::string_view table) { write(stdout, table); }

void print_json_text(const nlohmann::json& json) { write(stdout, report::json_text(json)); }

}  // namespace ngb::app
