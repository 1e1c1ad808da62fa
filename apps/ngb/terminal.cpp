// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "report/write/json.h"

namespace ngb::app {
namespace {

std::FILE* words_out = stdout;  // null: nobody reads them
int stdout_errno = 0;           // of the first write to stdout that failed; 0: none did

void write(std::FILE* out, std::string_view text) {
  const bool is_whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!is_whole && out == stdout && stdout_errno == 0) stdout_errno = errno;
}

}  // namespace

OutputShape shape_of_stdout() {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  OutputShape shape{.has_color = is_terminal && environment::variable("NO_COLOR").empty()};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) shape.width = size.ws_col;
  if (is_terminal) shape.wrap = shape.width;
  return shape;
}

void send_words_to(std::FILE* out) { words_out = out; }

void print_out(std::string_view text) {
  if (words_out != nullptr) write(words_out, text::visible(text));
}

void print_error(std::string_view text) { write(stderr, text::visible(text)); }

void print_table_text(std::string_view table) { write(stdout, table); }

Status finish_output() {
  if (std::fflush(stdout) != 0 && stdout_errno == 0) stdout_errno = errno;
  // The reader of a pipe that closes it (head, less) has all that it wants.
  if (stdout_errno == 0 || stdout_errno == EPIPE) return Done{};
  return tl::unexpected(file::from_errno("write all of the output", "standard output", stdout_errno));
}

void print_json_text(const nlohmann::json& json) { write(stdout, report::json_text(json)); }

}  // namespace ngb::app
