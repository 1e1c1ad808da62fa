// SPDX-License-Identifier: Apache-2.0
#include "report/write/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/document.h"
#include "report/write/numbers.h"
#include "report/write/text_width.h"

namespace ngb::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShownEntry, HasAsManyDecimalsAsShowADifferenceFromOneThatIsTold) {
  const auto shown = [](double value, double low, double high) {
    const Shown text = shown_entry(Entry{.value = value, .low = low, .high = high}, "ratio");
    return text.main + text.tail;
  };
  EXPECT_EQ(shown(1.0052, 1.0021, 1.0073), "1.005 [1.002, 1.007]");
  EXPECT_EQ(shown(1.0042, 0.998, 1.012), "1.00 [1.00, 1.01]");
  EXPECT_EQ(shown(1.5, 1.4, 1.6), "1.50 [1.40, 1.60]");
  EXPECT_EQ(shown(0.9999998, 0.9999997, 0.9999999), "1.00 [1.00, 1.00]");
}

TEST(Wrapped, BreaksLinesAtBlanksAndIndentsWhatIsContinued) {
  EXPECT_EQ(wrapped("openvino is the fastest on 2 of 4 workloads\nNo result: 1.\n", 20),
            "openvino is the\n  fastest on 2 of 4\n  workloads\nNo result: 1.\n");
  EXPECT_EQ(wrapped("a short line\n", 12), "a short line\n");
  EXPECT_EQ(wrapped("two-words-that-are-wide", 5), "two-words-that-are-wide") << "a word stays whole";
  EXPECT_EQ(wrapped("a line of any width", 0), "a line of any width");
  EXPECT_EQ(wrapped("  a remark that is indented\n", 16), "  a remark that\n    is indented\n");
  EXPECT_EQ(wrapped("\x1b[33mu\x1b[0m unstable", 10), "\x1b[33mu\x1b[0m unstable") << "styles take no width";
  EXPECT_EQ(wrapped("größer größer", 6), "größer\n  größer") << "by columns, not by bytes";
}

TEST(TextWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(width_of("abc"), 3);
  EXPECT_EQ(width_of("1.0 ± 0.1"), 9);
  EXPECT_EQ(width_of("µs"), 2);
  EXPECT_EQ(width_of("e\u0301"), 1);
  EXPECT_EQ(width_of("模型"), 4);
  EXPECT_EQ(width_of("🚀"), 2);
  EXPECT_EQ(width_of(""), 0);
}

TEST(TextWidth, ShortensAtCharactersAndKeepsToOneLine) {
  EXPECT_EQ(shortened("± 0.12", 6), "± 0.12");
  EXPECT_EQ(shortened("± 0.12", 4), "± 0…");
  EXPECT_EQ(shortened("模型模型", 4), "模…");
  EXPECT_EQ(shortened("two\nlines", 20), "two lines");
}

TEST(Numbers, ShowFourSignificantDigits) {
  EXPECT_EQ(number(12345.6, "samples/s"), "12346");
  EXPECT_EQ(number(123.456, "samples/s"), "123.5");
  EXPECT_EQ(number(12.3456, "samples/s"), "12.35");
  EXPECT_EQ(number(0.123456, "samples/s"), "0.123");
  EXPECT_EQ(number(99.999, "samples/s"), "100.0");
  EXPECT_EQ(number(1.949, "ratio"), "1.95");
  EXPECT_EQ(number(12.34, "ratio"), "12.3");
  EXPECT_EQ(number(99.94, "percent"), "99.9");
  EXPECT_EQ(number(97.8e6, "bytes"), "97.8 MB");
  EXPECT_EQ(number_beside(1.23456, 123.4, "samples/s"), "1.2");
}

Entry text(std::string words) { return {.value = std::move(words)}; }

Table two_sections() {
  Table table;
  table.columns = {text_column("name"), number_column("samples/s"), number_column("share", 1), text_column("note")};
  const Row a{.entries = {text("a"), {.value = 9.5, .tail = " ± 0.1"}, {.value = 50}, text("x")}};
  const Row long_name{.entries = {text("long name"), {.value = 1234, .tail = " ± 12.5"}, {.value = 7}, text("")}};
  const Row failed{
      .entries = {text("b")},
      .rest = Entry{.value = "failed: crash in compile: signal 11 in a library with a long name", .style = Style::bad}};
  table.sections = {{"first", {a, long_name}}, {"second", {failed}}};
  return table;
}

TEST(Table, AlignsNumbersAndTheirTailsOverAllSections) {
  const RenderedTable rendering = render(two_sections(), 50, false);
  EXPECT_EQ(rendering.text,
            "  name         samples/s  share  note\n"
            "\nfirst\n"
            "  a           9.5 ± 0.1      50  x\n"
            "  long name  1234 ± 12.5      7\n"
            "\nsecond\n"
            "  b          failed: crash in compile: signal 11 …\n");
  EXPECT_THAT(rendering.left_out, IsEmpty());
}

TEST(Table, LeavesOutTheLeastImportantColumnIfItIsTooWide) {
  const RenderedTable rendering = render(two_sections(), 34, false);
  EXPECT_EQ(rendering.text,
            "  name         samples/s  note\n"
            "\nfirst\n"
            "  a           9.5 ± 0.1   x\n"
            "  long name  1234 ± 12.5\n"
            "\nsecond\n"
            "  b          failed: crash in com…\n");
  EXPECT_THAT(rendering.left_out, ElementsAre("share"));
}

TEST(Table, LeavesOutAColumnWithoutAnyValueFirst) {
  Table table;
  table.columns = {text_column("name"), number_column("peak", 3), number_column("p99", 1)};
  table.sections = {{"", {{.entries = {text("a name"), {.value = 50}, {.reason = "too few"}}}}}};
  EXPECT_THAT(render(table, 16, false).left_out, ElementsAre("p99")) << "peak is less important, and has a value";
}

TEST(Table, KeepsColumnsThatMayNotBeLeftOut) {
  EXPECT_THAT(render(two_sections(), 5, false).left_out, ElementsAre("share"));
}

TEST(Table, ShortensNothingWithoutALimit) {
  EXPECT_THAT(render(two_sections(), 0, false).text, testing::HasSubstr("with a long name"));
}

TEST(Table, HasTheSameLayoutInColor) {
  std::string colored = render(two_sections(), 50, true).text;
  EXPECT_THAT(colored, testing::HasSubstr("\x1b[31mfailed: crash"));
  for (const char* escape : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"}) {
    const std::string_view code = escape;
    for (std::size_t at = colored.find(code); at != std::string::npos; at = colored.find(code)) {
      colored.erase(at, code.size());
    }
  }
  EXPECT_EQ(colored, render(two_sections(), 50, false).text);
}

}  // namespace
}  // namespace ngb::report
