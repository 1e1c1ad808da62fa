// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ngb::app {
namespace {

constexpr int kFirstLines = 5;  // that are written at once without a terminal
constexpr Nanoseconds kBetweenLines = std::chrono::seconds(10);
constexpr const char* kEraseLine = "\r\x1b[2K";

// Cuts the line to `columns` characters (UTF-8), so that it never wraps and can be erased.
std::string fit(const std::string& line, std::size_t columns) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (begins_character && count++ == columns) return line.substr(0, i);
  }
  return line;
}

// Replaces line breaks, because only one line can be redrawn.
std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

// Ignores errors: a run continues if nobody can read its progress (a closed pipe, a log on a full disk).
void draw(std::FILE* out, const std::string& text) { (void)std::fwrite(text.data(), 1, text.size(), out); }

std::size_t terminal_columns(std::FILE* out) {
  winsize size{};
  return ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

ProgressLine::ProgressLine(std::FILE* out, bool is_terminal, int total, int done, campaign::SecondsLeft seconds_left,
                           const Clock& clock)
    : out_(out),
      is_terminal_(is_terminal),
      total_(total),
      done_(done),
      seconds_left_(std::move(seconds_left)),
      clock_(&clock) {}

std::string ProgressLine::counts() const {
  const std::string lost = given_up_ > 0 ? fmt::format(", {} given up", given_up_) : "";
  const std::string text = fmt::format("{} of {} processes{}", done_, total_, lost);
  const std::optional<double> left_s = is_over() ? std::nullopt : seconds_left_();
  const std::string with_time = left_s ? text + ", " + text::human_duration(*left_s) + " left" : text;
  return note_.empty() ? with_time : with_time + " · " + note_;
}

void ProgressLine::show(const std::string& doing) {
  if (!is_terminal_) return;
  const std::string line = fit(text::visible(counts() + " · " + one_line(doing)), terminal_columns(out_));
  draw(out_, kEraseLine + line);
  std::fflush(out_);
  is_drawn_ = true;
}

void ProgressLine::finish_process(const std::string& line) {
  ++done_;
  if (!is_terminal_ && (lines_ < kFirstLines || is_over() || is_due())) write(text::visible(counts() + " · " + line));
}

void ProgressLine::note(std::string text) {
  note_ = std::move(text);
  if (!is_terminal_ && is_due()) write(text::visible(counts()));
}

bool ProgressLine::is_due() const { return lines_ == 0 || clock_->now() - written_ >= kBetweenLines; }

void ProgressLine::write(const std::string& line) {
  draw(out_, line + "\n");
  std::fflush(out_);
  ++lines_;
  written_ = clock_->now();
}

void ProgressLine::say(const std::string& line) {
  clear();
  draw(out_, text::visible(line) + "\n");
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  draw(out_, kEraseLine);
  std::fflush(out_);
  is_drawn_ = false;
}

}  // namespace ngb::app
