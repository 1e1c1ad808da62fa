// SPDX-License-Identifier: Apache-2.0
#include "store/compression.h"

#include <gtest/gtest.h>

#include <string>

namespace ngb::store {
namespace {

// Python: zlib.compress(b"hello hello hello hello", 9).
const std::string kHellos("\x78\xda\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1", 16);

TEST(Compression, ReadsWhatAnotherLibraryHasWritten) {
  EXPECT_EQ(uncompressed(kHellos, 23), "hello hello hello hello");
}

TEST(Compression, GivesNoTextThatIsLargerThanAllowed) {
  EXPECT_EQ(uncompressed(kHellos, 22), std::nullopt);
  const std::string bomb = compressed(std::string(10'000'000, 'x'));
  EXPECT_LT(bomb.size(), 100'000U);
  EXPECT_EQ(uncompressed(bomb, 9'999'999), std::nullopt);
  EXPECT_EQ(uncompressed(bomb, 10'000'000), std::string(10'000'000, 'x'));
}

TEST(Compression, GivesNoTextOfBytesThatAreNoStream) {
  EXPECT_EQ(uncompressed("no stream", 100), std::nullopt);
  EXPECT_EQ(uncompressed("", 100), std::nullopt);
  EXPECT_EQ(uncompressed(kHellos.substr(0, 10), 100), std::nullopt) << "it was cut";
}

}  // namespace
}  // namespace ngb::store
