// SPDX-License-Identifier: Apache-2.0
#include "report/write/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/write/text_width.h"

namespace ngb::report {
namespace {

constexpr int kGap = 2;        // between columns
constexpr int kFirstToGo = 3;  // columns of this rank and above are left out before the first one gets lines of its own

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

TextField text_field(const Entry& entry, const Column& column) {
  const Shown shown = shown_entry(entry, column);
  return {text::visible(shown.main), text::visible(shown.tail), entry.style};
}

// A table that is laid out: its rows as text, with the headings that did not fit.
struct LaidOut {
  TextLayout layout;
  std::vector<std::vector<std::pair<std::string, TextRow>>> sections{};  // with the text of `listed_if_cut`
  std::vector<std::string> left_out{};
  NotListed folded{};
};

LaidOut laid_out(const Table& table, int width) {
  LaidOut made{.layout = TextLayout(table.columns, table.may_stack)};
  const auto listed = std::ranges::find(table.columns, table.listed_if_cut, &Column::heading);
  const auto text_listed = [&](const Row& row) {
    if (table.listed_if_cut.empty() || listed == table.columns.end()) return std::string();
    const auto index = static_cast<std::size_t>(listed - table.columns.begin());
    return text::visible(shown_entry(row.entries[index], *listed).main);
  };
  for (const Section& section : table.sections) {
    auto& rows = made.sections.emplace_back();
    section.each_row([&](const Row& row) {
      if (row.is_folded) return made.folded.add(row);
      rows.emplace_back(text_listed(row), text_row(table.columns, row));
      made.layout.add(rows.back().second);
    });
  }
  made.left_out = made.layout.fit(width);
  return made;
}

std::string text_of(const LaidOut& made, const Table& table, int width, bool color) {
  std::string text = made.layout.header(color);
  for (std::size_t i = 0; i < made.sections.size(); ++i) {
    text += '\n' + styled(text::visible(table.sections[i].title), Style::heading, color) + '\n';
    for (const auto& [listed, shown] : made.sections[i]) text += made.layout.line(shown, width, color);
  }
  return text;
}

// Returns a line for each of the first rows whose text in the column `listed_if_cut` the table has no room for.
std::string texts_without_room(const LaidOut& made, const Table& table, int width) {
  constexpr std::size_t kMostLines = 10;
  if (table.listed_if_cut.empty()) return {};
  const bool has_column =
      std::find(made.left_out.begin(), made.left_out.end(), table.listed_if_cut) == made.left_out.end();
  const int room = made.layout.room_of_rest(width);
  std::vector<std::string> lines;
  for (const auto& rows : made.sections) {
    for (const auto& [text, shown] : rows) {
      const bool has_room = shown.rest ? width <= 0 || width_of(shown.rest->main) <= room : has_column;
      if (!text.empty() && !has_room) lines.push_back(fmt::format("  {}: {}\n", shown.fields.front().main, text));
    }
  }
  const std::size_t listed = std::min(kMostLines, lines.size());
  std::string text = listed > 0 ? "\n" : "";
  for (std::size_t i = 0; i < listed; ++i) text += lines[i];
  if (listed < lines.size()) text += fmt::format("  … and {} more: --json has them\n", lines.size() - listed);
  return text;
}

}  // namespace

std::string styled(const std::string& text, Style style, bool color) {
  if (!color || text.empty()) return text;
  switch (style) {
    case Style::plain:
      return text;
    case Style::heading:
      return "\x1b[1m" + text + "\x1b[0m";
    case Style::good:
      return "\x1b[32m" + text + "\x1b[0m";
    case Style::bad:
      return "\x1b[31m" + text + "\x1b[0m";
    case Style::notice:
      return "\x1b[33m" + text + "\x1b[0m";
  }
  return text;
}

TextRow text_row(std::span<const Column> columns, const Row& row) {
  TextRow made;
  made.fields.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size() && i < row.entries.size(); ++i) {
    if (columns[i].is_for_people && !columns[i].is_in_titles)
      made.fields.push_back(text_field(row.entries[i], columns[i]));
  }
  if (row.rest) made.rest = text_field(*row.rest, Column{});
  return made;
}

TextLayout::TextLayout(std::span<const Column> columns, bool may_stack) : may_stack_(may_stack) {
  for (const Column& column : columns) {
    if (!column.is_for_people || column.is_in_titles) continue;
    places_.push_back({places_.size(), column.heading, column.kind == Kind::text, column.rank});
  }
}

int TextLayout::Place::total() const { return std::max(width_of(heading), main + tail); }

int TextLayout::width() const {
  int sum = is_stacked_ ? kGap : 0;
  for (const Place& place : places_) sum += is_stacked_ && place.index == 0 ? 0 : kGap + place.total();
  return sum;
}

std::string TextLayout::before(const Place& place) const {
  return is_stacked_ && place.index == 1 ? '\n' + spaces(2 * kGap) : spaces(kGap);
}

void TextLayout::add(const TextRow& row) {
  for (Place& place : places_) {
    if (row.rest && place.index > 0) continue;
    place.main = std::max(place.main, width_of(row.fields[place.index].main));
    place.tail = std::max(place.tail, width_of(row.fields[place.index].tail));
  }
}

void TextLayout::widen(std::size_t column, int width) {
  for (Place& each : places_) {
    if (each.index == column) each.main = std::max(each.main, width);
  }
}

void TextLayout::leave_out(std::size_t column) {
  std::erase_if(places_, [column](const Place& each) { return each.index == column; });
}

std::vector<std::string> TextLayout::fit(int width) {
  std::vector<std::string> left_out;
  while (width > 0 && this->width() > width) {
    // A column without any value goes first.
    const auto key = [](const Place& place) { return std::pair(place.rank > 0 && place.main <= 1, place.rank); };
    const auto worst = std::max_element(places_.begin(), places_.end(),
                                        [&key](const Place& a, const Place& b) { return key(a) < key(b); });
    const bool is_dear = worst == places_.end() || worst->rank < kFirstToGo;
    if (is_dear && may_stack_ && !is_stacked_) {
      is_stacked_ = true;
      continue;
    }
    if (worst == places_.end() || worst->rank == 0) break;
    left_out.push_back(worst->heading);
    places_.erase(worst);
  }
  return left_out;
}

std::string TextLayout::header(bool color) const {
  std::string line;
  for (const Place& place : places_) {
    const bool is_alone = is_stacked_ && place.index == 0;
    const std::string pad = is_alone ? "" : padding(place.heading, place.total());
    const std::string heading = styled(place.heading, Style::heading, color);
    line += before(place) + (place.is_left_aligned ? heading + pad : pad + heading);
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

int TextLayout::room_of_rest(int width) const {
  return std::max(1, width - 2 * kGap - (is_stacked_ ? 0 : places_.front().total()));
}

std::string TextLayout::line(const TextRow& row, int width, bool color) const {
  std::string line;
  for (const Place& place : places_) {
    line += before(place);
    if (row.rest && place.index > 0) {
      const std::string text = row.rest->main + row.rest->tail;
      line += styled(width > 0 ? shortened(text, room_of_rest(width)) : text, row.rest->style, color);
      break;
    }
    const TextField& field = row.fields[place.index];
    const std::string text = field.main + field.tail;
    const int total = place.total();
    if (place.is_left_aligned) {
      const bool is_alone = is_stacked_ && place.index == 0;
      line += styled(text, field.style, color) + (is_alone ? "" : padding(text, total));
      continue;
    }
    line += spaces(total - place.tail - width_of(field.main)) + styled(text, field.style, color) +
            padding(field.tail, place.tail);
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

RenderedTable render(const Table& table, int width, bool color) {
  LaidOut made = laid_out(table, width);
  std::string text = text_of(made, table, width, color);
  return {std::move(text), std::move(made.left_out)};
}

std::string to_text(const Document& document, const Screen& screen) {
  const Table& table = document.table;
  const LaidOut made = laid_out(table, screen.width);
  const std::string summary = document.summary.empty() ? "" : text::visible(document.summary) + "\n\n";
  std::string text;  // below the table
  if (made.folded.count() > 0) text += fmt::format("  … and {}; --all shows them\n", made.folded.words(table));
  text += texts_without_room(made, table, screen.width);
  if (!made.left_out.empty()) {
    text += fmt::format("\n  Too wide for {} characters: {}; --json has everything\n", screen.width,
                        text::join(made.left_out, ", "));
  }
  if (!document.remarks.empty()) text += '\n';
  for (const std::string& remark : document.remarks) text += "  " + text::visible(remark) + '\n';
  return wrapped(summary, screen.wrap) + text_of(made, table, screen.width, screen.color) + wrapped(text, screen.wrap);
}

}  // namespace ngb::report
