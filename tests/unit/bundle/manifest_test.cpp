// SPDX-License-Identifier: Apache-2.0
#include "bundle/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace ngb::bundle {
namespace {

using ::testing::HasSubstr;

const std::string kHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // SHA-256 of "abc"

Manifest example() {
  return {{.name = "quickstart",
           .description = "Times.",
           .licence = "CC-BY-4.0",
           .authors = {"Ada \"A.\" Lovelace"},
           .date = "2026-11-25",
           .made_by = "0.1.0 (not from git)",
           .formulas = "f"},
          {{"LICENCE", 3, kHash}, {"data/cells.csv", 3, kHash}}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refused(const std::string& text) {
  const auto manifest = parse_manifest(text);
  return manifest ? "accepted" : manifest.error().text();
}

TEST(BundleManifest, IsReadAsItIsWritten) {
  const std::string text = to_text(example());
  const auto read = parse_manifest(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->about.authors, std::vector<std::string>{"Ada \"A.\" Lovelace"});
  EXPECT_EQ(read->about.licence, "CC-BY-4.0");
  ASSERT_EQ(read->files.size(), 2U);
  EXPECT_EQ(read->files[1].path, "data/cells.csv");
  EXPECT_EQ(read->files[1].bytes, 3U);
  EXPECT_EQ(to_text(*read), text);
  Manifest without = example();
  without.about.licence.reset();
  EXPECT_EQ(parse_manifest(to_text(without))->about.licence, std::nullopt);
}

TEST(BundleManifest, IsRefusedUnlessItIsAsNgbWritesIt) {
  const std::string text = to_text(example());
  EXPECT_THAT(refused("{"), HasSubstr("it is not JSON"));
  EXPECT_THAT(refused("[]"), HasSubstr("it is not JSON"));
  EXPECT_THAT(refused(std::string(50'000, '[')), HasSubstr("it is not JSON"));
  EXPECT_THAT(refused(text + " "), HasSubstr("it is not as ngb bundle writes it"));
  EXPECT_THAT(refused(replaced(text, "\"bytes\": 3", "\"bytes\": 3, \"bytes\": 4")), HasSubstr("as ngb bundle writes"));
  EXPECT_THAT(refused(replaced(text, "\"bytes\": 3", "\"bytes\": \"3\"")), HasSubstr("it lacks something"));
  EXPECT_THAT(refused(replaced(text, "\"date\": \"2026-11-25\",", "")), HasSubstr("it lacks something"));
  EXPECT_THAT(refused(replaced(text, "2026-11-25", "2026-02-30")), HasSubstr("no day of the calendar"));
  EXPECT_THAT(refused(replaced(text, "CC-BY-4.0", "WTFPL")), HasSubstr("no licence of data named \"WTFPL\""));
  EXPECT_THAT(refused(replaced(text, "data/cells.csv", "data/../../x")), HasSubstr("leads out of its folder"));
  EXPECT_THAT(refused(replaced(text, "data/cells.csv", "licence")), HasSubstr("it lists \"licence\" twice"));
  EXPECT_THAT(refused(replaced(text, "data/cells.csv", "A.csv")), HasSubstr("not sorted"));
}

TEST(BundleManifest, OfANewerVersionIsTold) {
  const std::string text = to_text(example());
  EXPECT_FALSE(is_of_newer_version(text));
  EXPECT_TRUE(is_of_newer_version(replaced(text, "\"bundle_version\": 1", "\"bundle_version\": 2")));
  EXPECT_FALSE(is_of_newer_version("{"));
}

TEST(BundleManifest, HasTheSizeAndTheHashOfEachFile) {
  const TemporaryFolder folder;
  folder.write("data/abc.txt", "abc");
  const auto files = describe_files(folder.path(), {"data/abc.txt"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->front().bytes, 3U);
  EXPECT_EQ(files->front().sha256, kHash);
  EXPECT_FALSE(describe_files(folder.path(), {"missing"}));
}

TEST(BundleLicence, IsFoundByItsIdentifierOrNamesTheNearest) {
  EXPECT_STREQ((*find_licence("CC0-1.0"))->url, "https://creativecommons.org/publicdomain/zero/1.0/");
  EXPECT_THAT(find_licence("CC-BY-4").error().text(), HasSubstr("did you mean CC-BY-4.0?"));
}

}  // namespace
}  // namespace ngb::bundle
