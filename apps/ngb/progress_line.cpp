// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/write/text_width.h"

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

// Returns "1:05" or "2:00:09".
std::string on_a_clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::size_t terminal_columns(std::FILE* out) {
  winsize size{};
  return ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

ProgressLine::ProgressLine(std::FILE* out, const Form& form, int total, int done, campaign::SecondsLeft seconds_left,
                           const Clock& clock)
    : out_(out),
      form_(form),
      total_(total),
      done_(done),
      seconds_left_(std::move(seconds_left)),
      clock_(&clock),
      begun_(clock.now()),
      written_(begun_) {}

double ProgressLine::elapsed_s() const { return std::chrono::duration<double>(clock_->now() - begun_).count(); }

std::optional<double> ProgressLine::left_s() const { return is_over() ? std::nullopt : seconds_left_(); }

std::string ProgressLine::counts() const {
  const char* const bound = form_.may_end_early && !is_over() ? "at most " : "";
  std::string text = fmt::format("{} of {}{} processes", done_, bound, total_);
  if (given_up_ > 0) text += fmt::format(", {} given up", given_up_);
  if (const auto left = left_s()) text += fmt::format(", {}{} left", bound, text::human_duration(*left));
  const double elapsed = std::floor(elapsed_s());
  if (elapsed >= 60) text += " after " + text::human_duration(elapsed);
  if (elapsed >= 1 && elapsed < 60) text += fmt::format(" after {:.0f} s", elapsed);
  return text;
}

std::string ProgressLine::with_note() const { return note_.empty() ? counts() : counts() + " · " + note_; }

std::string ProgressLine::short_counts() const {
  const char* const bound = form_.may_end_early && !is_over() ? "≤" : "";
  std::string text = fmt::format("{}/{}{} in {}", done_, bound, total_, on_a_clock(elapsed_s()));
  if (const auto left = left_s()) text += fmt::format(", {}{} left", bound, on_a_clock(*left));
  return given_up_ > 0 ? text + fmt::format(", {} given up", given_up_) : text;
}

std::string ProgressLine::bar() const {
  constexpr int kCells = 10;
  const auto left = left_s();
  const double elapsed = elapsed_s();
  double share = total_ > 0 ? static_cast<double>(done_ + given_up_) / total_ : 1;
  if (left && elapsed + *left > 0) share = elapsed / (elapsed + *left);
  const int full = std::clamp(static_cast<int>(share * kCells), 0, kCells);
  return fmt::format("[{:#<{}}{:-<{}}] ", "", full, "", kCells - full);
}

std::string ProgressLine::line_of(std::size_t columns) const {
  constexpr std::size_t kInTurn_s = 4;
  std::vector<std::string> parts{doing_};
  if (!note_.empty()) parts.push_back(note_);
  if (!last_.empty()) parts.push_back("last: " + last_);
  const auto width = [](const std::string& text) { return static_cast<std::size_t>(report::width_of(text)); };
  const std::string& longest = *std::ranges::max_element(parts, {}, width);
  const std::string& now = parts[static_cast<std::size_t>(elapsed_s()) / kInTurn_s % parts.size()];
  const std::array heads{bar() + counts() + " · ", short_counts() + " · "};
  for (const std::string& head : heads) {
    if (const std::string all = head + text::join(parts, " · "); width(all) <= columns) return all;
    if (width(head + longest) <= columns) return head + now;
  }
  return heads.back() + now;
}

void ProgressLine::draw_line() {
  const std::size_t columns = terminal_columns(out_);
  draw(out_, kEraseLine + fit(text::visible(one_line(line_of(columns))), columns));
  std::fflush(out_);
  written_ = clock_->now();
  is_drawn_ = true;
}

void ProgressLine::show(const std::string& doing) {
  doing_ = doing;
  if (form_.detail == Detail::none) return;
  if (form_.is_terminal) return draw_line();
  if (clock_->now() - written_ >= kBetweenLines) write(text::visible(one_line(with_note() + " · " + doing)));
}

void ProgressLine::tick() {
  constexpr Nanoseconds kBetweenFrames = std::chrono::seconds(1);
  if (is_drawn_ && clock_->now() - written_ >= kBetweenFrames) draw_line();
}

void ProgressLine::finish_process(const std::string& line, const std::string& redrawn) {
  ++done_;
  last_ = redrawn;
  if (form_.detail == Detail::none) return;
  if (form_.detail == Detail::all) return say(with_note() + " · " + line);
  if (!form_.is_terminal && (lines_ < kFirstLines || is_over() || is_due())) {
    write(text::visible(with_note() + " · " + line));
  }
}

void ProgressLine::note(std::string text) {
  note_ = std::move(text);
  if (!form_.is_terminal && form_.detail != Detail::none && is_due()) write(text::visible(with_note()));
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
  const int columns = form_.is_terminal ? static_cast<int>(terminal_columns(out_)) : 0;
  draw(out_, text::visible(report::wrapped(line, columns)) + "\n");
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  draw(out_, kEraseLine);
  std::fflush(out_);
  is_drawn_ = false;
}

}  // namespace ngb::app
