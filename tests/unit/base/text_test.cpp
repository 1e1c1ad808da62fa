// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace ngb::text {
namespace {

const std::vector<std::string> kCompilers{"identity", "null", "onnxruntime", "openvino"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("openvno", kCompilers), "openvino");
  EXPECT_EQ(nearest("idnetity", kCompilers), "identity");
  EXPECT_EQ(nearest("onnx_runtime", kCompilers), "onnxruntime");
}

TEST(Nearest, IsSilentWhenNothingIsNear) { EXPECT_EQ(nearest("tensorrt", kCompilers), std::nullopt); }

TEST(HumanDuration, TakesTheUnitThatReadsBest) {
  EXPECT_EQ(human_duration(48e-9), "48 ns");
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

}  // namespace
}  // namespace ngb::text
