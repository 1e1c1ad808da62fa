// SPDX-License-Identifier: Apache-2.0
#include "samples/frame.h"

#include <gtest/gtest.h>

namespace ngb::samples {
namespace {

TEST(FrameReader, RefusesAFrameThatClaimsMoreThanItsLimit) {
  FrameReader reader;
  reader.limit(4);
  reader.feed(frame("four"));
  EXPECT_EQ(reader.next().value().value(), "four");
  reader.feed(frame("fives"));
  ASSERT_FALSE(reader.next());
  EXPECT_EQ(reader.next().error().what, "a frame claims 5 bytes, more than the 4 allowed");
}

TEST(Frame, IsLengthThenCrc32ThenPayloadInLittleEndian) {
  // The standard's check value: the CRC-32 of "123456789" is CBF43926.
  EXPECT_EQ(frame("123456789"), std::string("\x09\0\0\0\x26\x39\xF4\xCB", 8) + "123456789");
}

TEST(FrameReader, YieldsFramesThatArriveByteByByte) {
  const std::string stream = frame("one") + frame("") + frame("three");
  FrameReader reader;
  std::vector<std::string> payloads;
  for (const char byte : stream) {
    reader.feed({&byte, 1});
    for (auto next = reader.next(); next && *next; next = reader.next()) payloads.push_back(**next);
  }
  EXPECT_EQ(payloads, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(reader.good_bytes(), stream.size());
}

TEST(FrameReader, ReportsWhereTheLastWholeFrameOfATornStreamEnds) {
  const std::string whole = frame("recorded");
  FrameReader reader;
  reader.feed(whole + frame("torn off").substr(0, 11));
  EXPECT_EQ(**reader.next(), "recorded");
  EXPECT_FALSE(reader.next()->has_value());
  EXPECT_EQ(reader.good_bytes(), whole.size());
}

TEST(FrameReader, RefusesAFlippedBitAndEverythingAfterIt) {
  std::string stream = frame("first") + frame("second") + frame("third");
  stream[kFrameHeaderBytes + 5 + kFrameHeaderBytes] ^= 1;
  FrameReader reader;
  reader.feed(stream);
  EXPECT_EQ(**reader.next(), "first");
  EXPECT_EQ(reader.next().error().what, "the checksum of the frame at byte 13 is wrong");
  reader.feed(frame("fourth"));
  EXPECT_FALSE(reader.next());
}

TEST(FrameReader, RefusesALengthBeyondTheLimitWithoutWaitingForIt) {
  FrameReader reader;
  reader.feed(std::string("\xFF\xFF\xFF\xFF\0\0\0\0", 8));
  EXPECT_EQ(reader.next().error().what, "a frame claims 4294967295 bytes, more than the 67108864 allowed");
}

}  // namespace
}  // namespace ngb::samples
