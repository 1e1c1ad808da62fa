// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace ngb::text {
namespace {

const std::vector<std::string> kCompilers{"identity", "null", "onnxruntime", "openvino"};

TEST(Nearest, FindsTheIntendedWord) {
  EXPECT_EQ(nearest("openvno", kCompilers), "openvino");
  EXPECT_EQ(nearest("idnetity", kCompilers), "identity");
  EXPECT_EQ(nearest("onnx_runtime", kCompilers), "onnxruntime");
}

TEST(Nearest, IsNothingIfNoWordIsNear) { EXPECT_EQ(nearest("tensorrt", kCompilers), std::nullopt); }

TEST(Nearest, FindsWordsWithSwappedMissingOrExtraLetters) {
  const std::vector<std::string> words{"threads"};
  EXPECT_EQ(nearest("thraeds", words), "threads");
  EXPECT_EQ(nearest("theads", words), "threads");
  EXPECT_EQ(nearest("threeads", words), "threads");
}

TEST(Nearest, IsNothingForWordsOfMoreThanTwoHundredCharacters) {
  const std::string long_word(60'000, 'a');
  EXPECT_EQ(nearest(long_word, std::vector{long_word}), std::nullopt);
  EXPECT_EQ(nearest(std::string(201, 'a'), std::vector{std::string(200, 'a')}), std::nullopt);
  EXPECT_EQ(nearest(std::string(200, 'a'), std::vector{std::string(199, 'a')}), std::string(199, 'a'));
}

TEST(Visible, EscapesWhateverControlsATerminal) {
  EXPECT_EQ(visible("\x1b]0;title\a\x1b[2J\r\b"), "\\x1b]0;title\\x07\\x1b[2J\\x0d\\x08");
  EXPECT_EQ(visible("a\x7f"
                    "b"),
            "a\\x7f"
            "b");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\u009b31m");  // C1 in UTF-8
  EXPECT_EQ(visible("\x9b"
                    "31m \xff \xc3"),
            "\\x9b31m \\xff \\xc3");  // lone bytes: C1 on an 8-bit terminal
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, LeavesTextAsItIs) {
  EXPECT_EQ(visible("naïve ±\t1 µs\n模型 \xc2\xa0é"), "naïve ±\t1 µs\n模型 \xc2\xa0é");
}

TEST(HumanDuration, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(human_duration(48e-9), "48 ns");
  EXPECT_EQ(human_duration(-0.001), "-1 ms");
  EXPECT_EQ(human_duration(0.0123), "12.3 ms");
  EXPECT_EQ(human_duration(3.14159), "3.1 s");
  EXPECT_EQ(human_duration(125), "2 min 05 s");
  EXPECT_EQ(human_duration(3840), "1 h 04 min");
}

TEST(HumanBytes, CountsInThousands) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(97'800'000), "97.8 MB");
}

TEST(ToUtf8, ReplacesEachByteThatIsNotPartOfACharacter) {
  EXPECT_EQ(to_utf8("naïve ±"), "naïve ±");
  EXPECT_EQ(to_utf8("a\xFFz\xC3"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(to_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // an overlong '/'
}

TEST(Split, KeepsEmptyParts) { EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"})); }

TEST(Sha256, OfAbcIsTheStandardsExample) {  // FIPS 180-4
  EXPECT_EQ(hash::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Visible, ShowsMarksThatTurnTheDirectionOfText) {
  EXPECT_EQ(visible("a\u202Eb\u2066c\u061Cd"), "a\\u202eb\\u2066c\\u061cd");
  EXPECT_EQ(visible("\u2026 \u00E9"), "\u2026 \u00E9");  // other text of three and two bytes
}

TEST(Filled, ReplacesEachMarkOnceWhateverItsTextIs) {
  EXPECT_EQ(filled("# {{name}}, {{licence}}{{nothing}}.", {{"name", "{{licence}}"}, {"licence", "none"}}),
            "# {{licence}}, none.");
}

}  // namespace
}  // namespace ngb::text
